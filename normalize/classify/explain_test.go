package classify

import (
	"slices"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	c := &Classifier{}
	v := c.Explain(&Evidence{Tool: "x", Texts: []string{"Error: connect ECONNREFUSED 10.0.0.5:5432 with key " + fake("sk"+"_live_") + " in /srv/app/x.js"}})
	if v.Rule != "catalogue.net.connect" || len(v.Removed) == 0 || !slices.IsSorted(v.Removed) {
		t.Errorf("got rule %q, removed %q", v.Rule, v.Removed)
	}
	for _, r := range v.Removed {
		if strings.Contains(r, "10.0") || strings.Contains(r, "/srv") {
			t.Errorf("a value stands among the rules: %q", r)
		}
	}
	if v := c.Explain(nil); v.Text.IsZero() {
		t.Error("no text for no evidence")
	}
}

// TestCatalogue holds what the data must be: lower case, known codes, ids that
// are used once, pairs of known sets.
func TestCatalogue(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range catalogue {
		if ids[c.id] {
			t.Errorf("the id %q is used twice", c.id)
		}
		ids[c.id] = true
		if !c.code.Known() || c.class != "" && !c.class.Known() {
			t.Errorf("%s: unknown code or class", c.id)
		}
		for _, l := range []string{c.phrases, c.unless} {
			if l != lower(l) {
				t.Errorf("%s: a phrase has capital letters", c.id)
			}
		}
		for _, s := range c.pair {
			if _, ok := setNumber[s]; s != "" && !ok {
				t.Errorf("%s: unknown set %q", c.id, s)
			}
		}
		if c.phrases == "" && c.pair[0] == "" {
			t.Errorf("%s: nothing can match", c.id)
		}
	}
	for _, f := range forms {
		for _, l := range f.lits {
			if l != lower(l) {
				t.Errorf("%s: the literal %q has capital letters", f.rule, l)
			}
		}
	}
}
