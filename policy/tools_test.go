package policy

import "testing"

func view(t testing.TB, allow, deny []string) View {
	t.Helper()
	return View{Allow: NewPatterns(mustPatterns(t, allow...)), Deny: NewPatterns(mustPatterns(t, deny...))}
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
