package normalize_test

import (
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/attacktest"
)

// attackSeeds are the draws of secrets that every test run makes; one of them
// suffices for the race detector.
func attackSeeds() []int64 {
	if raceEnabled {
		return []int64{1}
	}
	return []int64{1, 2, 3}
}

// TestAttacks puts every attack through the normalizer: nothing forbidden is in
// the answer, and what is safe to tell is still told.
func TestAttacks(t *testing.T) {
	n := new(normalize.Normalizer)
	items := map[int]int{}
	for _, seed := range attackSeeds() {
		for _, c := range attacktest.Cases(seed) {
			out, reports := c.Run(n)
			items[c.Item]++
			if p := c.Found(out); p != "" {
				t.Errorf("%d %s: %q crossed in %s", c.Item, c.Name, p, out)
			}
			if m := c.Missing(out); m != "" {
				t.Errorf("%d %s: %q is gone from %s", c.Item, c.Name, m, out)
			}
			if !gjson.ValidBytes(out) {
				t.Errorf("%d %s: not JSON: %q", c.Item, c.Name, out)
			}
			if len(reports) == 0 {
				t.Errorf("%d %s: taken for a success", c.Item, c.Name)
			}
		}
	}
	total := 0
	for _, n := range items {
		total += n / len(attackSeeds())
	}
	t.Logf("%d cases", total)
	if total < 190 {
		t.Errorf("%d cases, want 190", total)
	}
}

// TestAttackSweep puts every text into every place of an answer.
func TestAttackSweep(t *testing.T) {
	n := new(normalize.Normalizer)
	attacktest.Sweep(7, sparing(func(c attacktest.Case) bool {
		out, _ := c.Run(n)
		if p := c.Found(out); p != "" {
			t.Errorf("%d %s: %q crossed in %s", c.Item, c.Name, p, out)
		}
		return true
	}))
}

// sparing takes every eighth case alone when the race detector runs: the others
// would meet the same code.
func sparing(f func(attacktest.Case) bool) func(attacktest.Case) bool {
	n := -1
	return func(c attacktest.Case) bool {
		n++
		return raceEnabled && n%8 != 0 || f(c)
	}
}
