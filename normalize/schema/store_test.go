package schema

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var epoch = time.Unix(1_800_000_000, 0)

func page(extra string, tools ...string) []byte {
	return []byte(`{"tools":[` + strings.Join(tools, ",") + `]` + extra + `}`)
}

func named(name, property string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","required":[%q]}}`, name, property)
}

func missing(t *Tool) string {
	vs := t.CheckArguments(nil)
	if len(vs) == 0 {
		return ""
	}
	return vs[0].Path
}

func TestLearnReplacesWhatThePageNames(t *testing.T) {
	s := NewStore(10)
	s.Learn("a", page("", named("x", "p"), named("y", "q")), epoch)
	s.Learn("b", page("", named("x", "other")), epoch)
	s.Learn("a", page("", named("x", "p2")), epoch)
	for _, c := range []struct{ scope, tool, want string }{{"a", "x", "p2"}, {"a", "y", "q"}, {"b", "x", "other"}, {"b", "y", ""}, {"c", "x", ""}} {
		if got := missing(s.Lookup(c.scope, c.tool, epoch)); got != c.want {
			t.Errorf("%s/%s: %q, want %q", c.scope, c.tool, got, c.want)
		}
	}
	s.Forget("a")
	if s.Len() != 1 || s.Lookup("b", "x", epoch) == nil {
		t.Errorf("%d tools left", s.Len())
	}
}

func TestTTL(t *testing.T) {
	for _, c := range []struct {
		extra string
		after time.Duration
		known bool
	}{
		{"", 1000 * time.Hour, true},
		{`,"ttlMs":0`, 1000 * time.Hour, true},
		{`,"ttlMs":-5`, 1000 * time.Hour, true},
		{`,"ttlMs":"5"`, 1000 * time.Hour, true},
		{`,"ttlMs":5000`, 4999 * time.Millisecond, true},
		{`,"ttlMs":5000`, 5 * time.Second, false},
		{`,"ttlMs":1e300`, 1000 * time.Hour, true},
	} {
		s := NewStore(10)
		s.Learn("", page(c.extra, named("x", "p")), epoch)
		if got := s.Lookup("", "x", epoch.Add(c.after)) != nil; got != c.known {
			t.Errorf("%s after %v: %v", c.extra, c.after, got)
		}
	}
	s := NewStore(10)
	s.Learn("", page(`,"ttlMs":5000`, named("x", "p")), epoch)
	s.Learn("", page(`,"ttlMs":5000`, named("x", "p")), epoch.Add(4*time.Second))
	if s.Lookup("", "x", epoch.Add(8*time.Second)) == nil {
		t.Error("the same bytes did not renew the time")
	}
}

func TestStoreIsBounded(t *testing.T) {
	s := NewStore(10)
	for i := range 50 {
		s.Learn("", page("", named(fmt.Sprint("t", i), "p")), epoch)
		s.Lookup("", "t0", epoch)
	}
	if s.Len() != 10 || s.Lookup("", "t0", epoch) == nil || s.Lookup("", "t49", epoch) == nil || s.Lookup("", "t40", epoch) != nil {
		t.Errorf("not the least recently used left; %d", s.Len())
	}
	if len(s.docs) != 1 || s.docs[s.Lookup("", "t0", epoch).in.raw].refs != 10 {
		t.Errorf("equal schemas are not shared: %d", len(s.docs))
	}
	s = NewStore(1 << 20)
	s.kept, s.shelf.max = 20*MaxSchema, 5*1100
	for i := range 40 {
		big := fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","x":"%d%s"}}`, i, i, strings.Repeat("x", MaxSchema-100))
		s.Learn("", page("", big), epoch)
		missing(s.Lookup("", fmt.Sprint("t", i), epoch))
	}
	if s.bytes > s.kept || s.shelf.weight > s.shelf.max || s.shelf.order.Len() < 4 || s.Len() < 15 || s.shelf.order.Len() != len(s.shelf.items) {
		t.Errorf("%d bytes kept, %d compiled", s.bytes, s.shelf.weight)
	}
	s.Forget("")
	if s.bytes != 0 || s.shelf.weight != 0 || len(s.docs) != 0 || s.Len() != 0 {
		t.Errorf("not all released: %d bytes, %d compiled, %d documents", s.bytes, s.shelf.weight, len(s.docs))
	}
}

func TestHostileEntriesAreSkipped(t *testing.T) {
	good := named("good", "p")
	for name, bad := range map[string]string{
		"no object":     `5`,
		"no name":       `{"inputSchema":{}}`,
		"name no text":  `{"name":{"a":1},"inputSchema":{}}`,
		"long name":     named(strings.Repeat("n", maxName+1), "p"),
		"huge schema":   `{"name":"bad","inputSchema":{"x":"` + strings.Repeat("x", MaxSchema) + `"}}`,
		"deep schema":   `{"name":"bad","inputSchema":` + strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500) + `}`,
		"schema string": `{"name":"bad","inputSchema":"x"}`,
		"schema true":   `{"name":"bad","inputSchema":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(10)
			s.Learn("", page("", named("bad", "old")), epoch)
			s.Learn("", page("", bad, good), epoch)
			if missing(s.Lookup("", "good", epoch)) != "p" {
				t.Error("the other tool suffered")
			}
			if strings.Contains(bad, `"bad"`) && missing(s.Lookup("", "bad", epoch)) != "" {
				t.Error("the old schema is still used")
			}
		})
	}
	for _, junk := range []string{``, `{`, `[]`, `{"tools":5}`, `{"tools":{}}`, `null`, strings.Repeat("[", 1<<20)} {
		s := NewStore(10)
		s.Learn("", []byte(junk), epoch)
		if s.Len() != 0 {
			t.Errorf("%.20s: %d", junk, s.Len())
		}
	}
	s := NewStore(1 << 20)
	many := make([]string, 5000)
	for i := range many {
		many[i] = named(fmt.Sprint(i), "p")
	}
	s.Learn("", page("", many...), epoch)
	if s.Len() != maxPerPage {
		t.Errorf("%d tools of one page", s.Len())
	}
	s = NewStore(10)
	s.Learn("", page("", named("x", "p"), named("x", "q")), epoch)
	if s.Len() != 1 || missing(s.Lookup("", "x", epoch)) != "q" {
		t.Error("of a doubled name the last counts, as with clients")
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	s := NewStore(8)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				name := fmt.Sprint("t", (i+g)%12)
				s.Learn("", page(`,"ttlMs":50`, named(name, name)), epoch.Add(time.Duration(i)*time.Millisecond))
				if tool := s.Lookup("", name, epoch.Add(time.Duration(i)*time.Millisecond)); tool != nil && missing(tool) != name {
					t.Errorf("%s: %q", name, missing(tool))
				}
				if i%50 == 0 {
					s.Forget("")
				}
			}
		})
	}
	wg.Wait()
	if s.Len() > 8 {
		t.Errorf("%d tools", s.Len())
	}
}

func TestNilStore(t *testing.T) {
	var s *Store
	s.Learn("", page("", named("x", "p")), epoch)
	s.Forget("")
	if s.Lookup("", "x", epoch) != nil || s.Len() != 0 {
		t.Error("a nil store knows something")
	}
}

func TestNilTool(t *testing.T) {
	var tool *Tool
	_, ok := tool.Property("a")
	if tool.CheckArguments([]byte(`{}`)) != nil || tool.CheckResult([]byte(`{}`)) != nil || tool.Properties() != nil || tool.Names() != nil || ok || tool.HasOutput() || !tool.Amendable() {
		t.Error("a nil tool knows something")
	}
}

// A page that passes again is renewed without being parsed, unless something
// of it was replaced in between.
func TestRepeatedPages(t *testing.T) {
	s := NewStore(100)
	first := page("", named("x", "p"), named("y", "q"))
	s.Learn("a", first, epoch)
	s.Learn("a", first, epoch)
	if len(s.pages.known) != 1 {
		t.Fatalf("%d pages", len(s.pages.known))
	}
	s.Learn("a", page("", named("x", "changed")), epoch)
	if got := missing(s.Lookup("a", "x", epoch)); got != "changed" {
		t.Errorf("x: %q", got)
	}
	s.Learn("a", first, epoch)
	if got := missing(s.Lookup("a", "x", epoch)); got != "p" {
		t.Errorf("x was not put back: %q", got)
	}
	s.Forget("a")
	s.Learn("a", first, epoch)
	if s.Len() != 2 {
		t.Error("forgotten tools were not learned again")
	}
	s.Learn("b", first, epoch)
	if s.Lookup("b", "y", epoch) == nil {
		t.Error("a page of another scope was taken for known")
	}
	for i := range 3 * maxPages {
		s.Learn("a", page("", named("z", fmt.Sprint(i))), epoch)
	}
	if len(s.pages.known) > maxPages {
		t.Errorf("%d pages", len(s.pages.known))
	}
}
