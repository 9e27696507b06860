//go:build bench

package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits"
)

// TestGrowth measures what a call costs as one thing grows and all else stays:
// bodies, callers, tools, replicas. It writes GROWTH.md and growth.svg, and
// fails when a call fails, when an answer is not what it must be, or when a cost
// grows faster than what it is plotted against.
//
// GROWTH_ONLY is a part of the names of the subjects to measure; with it
// nothing is written but what is printed.
func TestGrowth(t *testing.T) {
	only := os.Getenv("GROWTH_ONLY")
	if what := os.Getenv(limiterEnv); what != "" {
		beLimiter(t, what) // a process that TestGrowth started
		return
	}
	limits.SetLogger(nil) // which tells every dial before Redis listens
	begin, before := time.Now(), busy()
	bin := caddyBinary(t)
	var all []*subject
	for _, s := range []struct {
		name    string
		measure func(*testing.T, string) *subject
	}{
		{"bodies", growthOfBodies},
		{"callers", growthOfCallers},
		{"tools", growthOfTools},
		{"replicas", growthOfReplicas},
	} {
		if !strings.Contains(s.name, only) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			from := time.Now()
			got := s.measure(t, bin)
			got.took = time.Since(from)
			fmt.Print(got.markdown())
			for _, v := range got.verdicts() {
				if !v.fine {
					t.Errorf("%s, %s: worse than linear, exponent %.2f between the ends and %.2f where it is steepest", got.title, v.line.name, v.ends, v.steepest)
				}
			}
			all = append(all, got)
		})
	}
	if only != "" || len(all) < 4 {
		return
	}
	g := &growth{machine: describe(t, bin), busy: before, took: time.Since(begin), subjects: all}
	write(t, "GROWTH.md", g.markdown())
	write(t, "growth.svg", g.picture())
}
