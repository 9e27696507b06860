package policy

import (
	"encoding/json"
	"testing"
)

func view(t testing.TB, allow, deny []string) View {
	t.Helper()
	return View{Allow: mustPatterns(t, allow...), Deny: mustPatterns(t, deny...)}
}

func TestToolsVisible(t *testing.T) {
	for _, c := range []struct {
		name  string
		tools Tools
		see   []string
		hide  []string
	}{
		{"no view", Tools{}, []string{"a", ""}, nil},
		{"empty view", Tools{Views: []View{{}}}, []string{"a"}, nil},
		{"allow only", Tools{Views: []View{view(t, []string{"get_*"}, nil)}}, []string{"get_a"}, []string{"put_a", ""}},
		{"deny only", Tools{Views: []View{view(t, nil, []string{"rm*"})}}, []string{"get"}, []string{"rm", "rmdir"}},
		{"deny wins over allow", Tools{Views: []View{view(t, []string{"*"}, []string{"rm*"})}}, []string{"get"}, []string{"rm"}},
		{"allows add up", Tools{Views: []View{view(t, []string{"a"}, nil), view(t, []string{"b"}, nil)}}, []string{"a", "b"}, []string{"c"}},
		{"a deny of one view beats an allow of another", Tools{Views: []View{view(t, []string{"a", "b"}, nil), view(t, nil, []string{"b"})}}, []string{"a"}, []string{"b", "c"}},
		{"a view without allow does not open", Tools{Views: []View{view(t, []string{"a"}, nil), {}}}, []string{"a"}, []string{"b"}},
		{"a key narrows", Tools{Views: []View{view(t, []string{"a*"}, nil)}, Only: mustPatterns(t, "a1", "b")}, []string{"a1"}, []string{"a2", "b"}},
		{"a key narrows without views", Tools{Only: mustPatterns(t, "b")}, []string{"b"}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range c.see {
				if !c.tools.Visible(n) {
					t.Errorf("%q is hidden", n)
				}
			}
			for _, n := range c.hide {
				if c.tools.Visible(n) {
					t.Errorf("%q is visible", n)
				}
			}
			if got, want := c.tools.Restricted(), len(c.hide) > 0; got != want {
				t.Errorf("Restricted() = %v, want %v", got, want)
			}
		})
	}
}

func TestFilterList(t *testing.T) {
	only := func(allow ...string) Tools { return Tools{Views: []View{view(t, allow, nil)}} }
	for _, c := range []struct {
		name, in, out string
		tools         Tools
		removed       int
	}{
		{"nothing to hide", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, Tools{}, 0},
		{"all visible keeps the bytes", `{ "tools" : [ {"name":"a"} , {"name":"b"} ] }`, `{ "tools" : [ {"name":"a"} , {"name":"b"} ] }`, only("*"), 0},
		{"first", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"b"}]}`, only("b"), 1},
		{"last", `{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"}`, `{"tools":[{"name":"a"}],"nextCursor":"x"}`, only("a"), 1},
		{"all, cursor stays", `{"tools":[{"name":"a"}],"nextCursor":"x","ttlMs":5}`, `{"tools":[],"nextCursor":"x","ttlMs":5}`, only("z"), 1},
		{"inner bytes stay", `{"tools":[ {"x": 1.0e2, "name" : "a","u":"\u00e9"}, {"name":"b"} ]}`, `{"tools":[{"x": 1.0e2, "name" : "a","u":"\u00e9"}]}`, only("a"), 1},
		{"escaped name", `{"tools":[{"name":"\u0061"},{"name":"\u0062"}]}`, `{"tools":[{"name":"\u0061"}]}`, only("a"), 1},
		{"duplicate list", `{"tools":[{"name":"b"}],"x":1,"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[],"x":1,"tools":[{"name":"a"}]}`, only("a"), 2},
		{"duplicate name", `{"tools":[{"name":"b","name":"a"}]}`, `{"tools":[]}`, only("a"), 1},
		{"no name, no object", `{"tools":[{"title":"x"},7,null,{"name":3}]}`, `{"tools":[]}`, only("*"), 4},
		{"no list", `{"other":[]}`, `{"other":[]}`, only("a"), 0},
		{"not an array", `{"tools":{"name":"b"}}`, `{"tools":{"name":"b"}}`, only("a"), 0},
		{"not JSON", `{"tools":[`, `{"tools":[`, only("a"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []byte(c.in)
			out, removed := FilterList(in, c.tools)
			if string(out) != c.out || removed != c.removed {
				t.Errorf("got %s, %d\nwant %s, %d", out, removed, c.out, c.removed)
			}
			if string(in) != c.in {
				t.Error("the input was changed")
			}
			if json.Valid(in) && !json.Valid(out) {
				t.Error("the output is no JSON")
			}
		})
	}
}
