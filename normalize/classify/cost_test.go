//go:build !race

package classify

import (
	"strings"
	"testing"
)

// TestAllocations holds the budget of a failing text of 8 KB. The race detector
// allocates by itself.
func TestAllocations(t *testing.T) {
	c := &Classifier{}
	for name, text := range map[string]string{"trace": failing8K(), "prose": "Error: Request failed with status code 503. " + strings.Repeat("The upstream could not be reached and it said nothing else. ", 135)} {
		e := &Evidence{Method: "tools/call", Tool: "query", Texts: []string{text}}
		if n := testing.AllocsPerRun(20, func() { c.Classify(e) }); n >= 300 {
			t.Errorf("%s: %.0f allocations, fewer than 300 are allowed", name, n)
		}
	}
}
