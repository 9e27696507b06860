package policy

import (
	"strings"
	"testing"
)

func mustPatterns(t testing.TB, texts ...string) []Pattern {
	t.Helper()
	ps, err := ParsePatterns(texts...)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"search", "search", true},
		{"search", "Search", false},
		{"search", "search_docs", false},
		{"*", "", true},
		{"*", "anything", true},
		{"search_*", "search_", true},
		{"search_*", "search", false},
		{"*_read", "file_read", true},
		{"*_read", "file_read_all", false},
		{"*read*", "xreadx", true},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"a**c", "abc", true},
		{"get_?", "get_a", true},
		{"get_?", "get_", false},
		{"get_?", "get_ab", false},
		{"get_?", "get_é", true},
		{"v[0-9]", "v7", true},
		{"v[0-9]", "vx", false},
		{"v[!0-9]", "vx", true},
		{"v[^0-9]", "v1", false},
		{"v[a-cx_-]", "v-", true},
		{"v[a-cx_-]", "v_", true},
		{"v[a-cx_-]", "vd", false},
		{`v[\]]`, "v]", true},
		{`a\*b`, "a*b", true},
		{`a\*b`, "axb", false},
		{`a\\b`, `a\b`, true},
		{"team.*", "team.search", true},
		{"team/*", "team/a/b", true},
		{"*[0-9]*", "tool-4-x", true},
		{"*?", "", false},
		{"?*", "x", true},
		{"*ab", "aab", true},
		{"*aab", "aaaab", true},
		{"*日*", "x日本", true},
		{"a*", "\xff", false},
		{"?", "\xff", true},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got := p.Match(c.name); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.name, got, c.want)
		}
		if p.String() != c.pattern {
			t.Errorf("String() = %q, want %q", p.String(), c.pattern)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                                "empty",
		"a b":                             "white space or a control character at character 2",
		"a\tb":                            "character 2",
		"a[b":                             "character 2 is not closed",
		"a[":                              "not closed",
		"a[!":                             "not closed",
		`a[b\`:                            "not closed",
		"a[]":                             "empty",
		"a[!]":                            "empty",
		"[z-a]":                           "backwards (z-a)",
		`a\`:                              "backslash",
		"\xff":                            "UTF-8",
		strings.Repeat("x", MaxPattern+1): "at most 256",
	} {
		_, err := ParsePattern(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", pattern, err, want)
		}
	}
}

func TestPatternLiteral(t *testing.T) {
	p := mustPatterns(t, `a\*b`)[0]
	if lit, ok := p.Literal(); !ok || lit != "a*b" {
		t.Errorf("Literal() = %q, %v", lit, ok)
	}
	if _, ok := mustPatterns(t, "a*")[0].Literal(); ok {
		t.Error("a wildcard is no literal")
	}
	if (Pattern{}).Match("x") {
		t.Error("the zero pattern matches a name")
	}
}

func TestPatternMatchDoesNotAllocate(t *testing.T) {
	p := mustPatterns(t, "*a*[b-d]*?e")[0]
	name := strings.Repeat("ab", 60) + "xe"
	if n := testing.AllocsPerRun(100, func() { p.Match(name) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The reference is the textbook recursion; the two must agree on every short
// pattern over a small alphabet.
func TestPatternAgainstRecursion(t *testing.T) {
	var rec func(p, s string) bool
	rec = func(p, s string) bool {
		switch {
		case p == "":
			return s == ""
		case p[0] == '*':
			return rec(p[1:], s) || s != "" && rec(p, s[1:])
		case s == "":
			return false
		default:
			return (p[0] == '?' || p[0] == s[0]) && rec(p[1:], s[1:])
		}
	}
	words := func(alphabet string, n int) []string {
		out, last := []string{""}, []string{""}
		for range n {
			var next []string
			for _, w := range last {
				for _, r := range alphabet {
					next = append(next, w+string(r))
				}
			}
			out, last = append(out, next...), next
		}
		return out
	}
	names := words("ab", 5)
	for _, pt := range words("ab*?", 5)[1:] {
		p := mustPatterns(t, pt)[0]
		for _, n := range names {
			if got, want := p.Match(n), rec(pt, n); got != want {
				t.Fatalf("%q on %q: %v, want %v", pt, n, got, want)
			}
		}
	}
}

// A set decides as its patterns do one by one.
func TestPatterns(t *testing.T) {
	ps := mustPatterns(t, "search", `a\*b`, "get_*", "v[0-9]", "search")
	s := NewPatterns(ps)
	for _, name := range []string{"search", "Search", "search_", "a*b", "axb", `a\*b`, "get_", "get", "v7", "vx", "", "*"} {
		if got, want := s.Match(name), matchAny(ps, name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if s.Empty() || NewPatterns(mustPatterns(t, "a*")).Empty() {
		t.Error("a set with a pattern is empty")
	}
	if !(Patterns{}).Empty() || !NewPatterns(nil).Empty() || (Patterns{}).Match("") || NewPatterns(nil).Match("") {
		t.Error("a set without patterns is not empty")
	}
}

// However many names a set has, one is looked up at once: comparing it with each
// would make a list of tools, filtered by as many names, cost their product.
func TestPatternsFindsNamesAtOnce(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, "tool_"+strings.Repeat("x", i%50)+string(rune('a'+i%26)))
	}
	s := NewPatterns(mustPatterns(t, names...))
	if len(s.globs) != 0 || !s.Match(names[4999]) || s.Match("tool_") {
		t.Errorf("%d of the names are compared one by one", len(s.globs))
	}
	if n := testing.AllocsPerRun(100, func() { s.Match("tool_") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
