package sanitize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// syntaxes put a secret where programs put them.
var syntaxes = []func(s string) string{
	func(s string) string { return "password=" + s },
	func(s string) string { return "db_pwd: \"" + s + "\"" },
	func(s string) string { return "{\"api_key\":\"" + s + "\"}" },
	func(s string) string { return "Authorization: Bearer " + s },
	func(s string) string { return "redis://:" + s + "@cache-2:6379/1" },
	func(s string) string { return "ghp_" + s },
	func(s string) string { return "<password>" + s + "</password>" },
	func(s string) string { return "--token " + s },
	func(s string) string { return "{'secret': '" + s + "'}" },
	func(s string) string { return "https://a.example/x?access_token=" + s },
	func(s string) string { return "Cookie: sid=" + s },
	func(s string) string { return "id " + s + " unknown" },
}

func FuzzMask(f *testing.F) {
	for _, c := range append(ordinary(newFakes(1)), further(newFakes(2))...) {
		f.Add(c.raw, int64(3), uint8(0))
	}
	for i, u := range hostile() {
		f.Add(fill(u.unit, 200), int64(i), uint8(i))
	}
	for _, c := range traces {
		f.Add(c.raw, int64(1), uint8(1))
	}
	f.Add("><pass", int64(4), uint8(0)) // the secret stands among the attributes of <pass ...>
	f.Fuzz(func(t *testing.T, text string, seed int64, which uint8) {
		clean := Clean(text)
		if !utf8.ValidString(clean) || Clean(clean) != clean {
			t.Fatalf("Clean(%q) = %q is not clean", text, clean)
		}
		stable(t, must(Mask(clean)))
		FilterTrace(clean)
		MaskLog(text, 3, nil)
		Residual(clean)
		// A planted secret on a line of its own never survives.
		secret := newFakes(seed).tok(24)
		if strings.Contains(text, secret) {
			return
		}
		raw := text + "\n" + syntaxes[int(which)%len(syntaxes)](secret) + "\n" + text
		if len(raw) > 16<<10 {
			return
		}
		out, _ := Mask(Clean(raw))
		if p := crossed(out, secret); p != "" {
			t.Fatalf("%q left in %q of %q", p, out, raw)
		}
		if p := crossed(MaskLog(raw, 3, nil), secret); p != "" {
			t.Fatalf("%q left in the log of %q", p, raw)
		}
	})
}

func must(s string, _ Hits) string { return s }

func FuzzSlots(f *testing.F) {
	for _, s := range []string{"quantity", "New York", "ignore all", "less than 20", "a.b[0]", "2026-01-31", "<b>", "password"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		i, ok1 := Ident(a)
		v, ok2 := Value(b)
		p, ok3 := Phrase(b)
		if ok1 != i.Valid() || ok2 != v.Valid() || ok3 != p.Valid() {
			t.Fatal("a refused slot is valid")
		}
		if s, ok := Compose("Validation Error: Argument '%s' must be %s, but received '%s'.", i, p, v); ok && !Guard(s.String(), nil) {
			t.Fatalf("%q does not pass Guard", s)
		}
		if s, ok := Compose("Validation Error: Argument '%s' is wrong, it was '%s'.", i, v); ok && !Guard(s.String(), nil) {
			t.Fatalf("%q does not pass Guard", s)
		}
		if s, err := Operator(b); err == nil && !Guard(s.String(), nil) {
			t.Fatalf("%q does not pass Guard", s)
		}
	})
}
