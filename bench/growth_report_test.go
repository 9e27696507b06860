//go:build bench

package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// growth is what a run of TestGrowth found.
type growth struct {
	machine  string
	busy     string
	took     time.Duration
	subjects []*subject
}

func (g *growth) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Growth

Written by `+"`make bench-growth`"+`. %s.%s The run took %s. Client, server, proxies and Redis share the machine. CPU is that of the processes of
Caddy alone unless a column says otherwise, user and system, by calls that were answered: it changes less than time does with what else the machine is doing. An
exponent is the slope in a log-log plot, 0 for a cost that stays, 1 for one that doubles when its subject doubles; "steepest" is the
largest between any two sizes at least %d-fold apart, since what every call costs hides growth between the ends. Worse than linear is
what is above %.1f there.

![What a call costs as bodies, callers, tools and replicas grow](growth.svg)

| | exponent between the ends | steepest | |
|---|--:|--:|---|
`, g.machine, g.busy, g.took.Round(time.Second), span, 1+noise)
	for _, s := range g.subjects {
		for _, v := range s.verdicts() {
			fmt.Fprintf(&b, "| %s: %s | %.2f | %.2f | %s |\n", s.title, v.line.name, v.ends, v.steepest, v.word())
		}
	}
	for _, s := range g.subjects {
		b.WriteString(s.markdown())
	}
	return b.String()
}

func (v verdict) word() string {
	switch {
	case !v.fine:
		return "**worse than linear**"
	case v.steepest <= noise:
		return "flat"
	case v.steepest < 1-noise:
		return "better than linear"
	}
	return "linear"
}

func (s *subject) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| %s |", s.title, s.says, s.x)
	for _, l := range s.lines {
		fmt.Fprintf(&b, " %s, %s |", l.name, l.unit)
	}
	b.WriteString("\n|--:|" + strings.Repeat("--:|", len(s.lines)) + "\n")
	for _, x := range s.sizes() {
		fmt.Fprintf(&b, "| %s |", s.format(x))
		for _, l := range s.lines {
			y, ok := l.at(x)
			if !ok {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " %s |", figure(y))
		}
		b.WriteString("\n")
	}
	b.WriteString("| exponent |")
	for _, l := range s.lines {
		fmt.Fprintf(&b, " %.2f |", l.ends())
	}
	b.WriteString("\n| steepest |")
	for _, l := range s.lines {
		fmt.Fprintf(&b, " %.2f |", l.steepest())
	}
	b.WriteString("\n")
	return b.String()
}

// sizes are all that something was measured at.
func (s *subject) sizes() (xs []float64) {
	for _, l := range s.lines {
		for _, p := range l.points {
			if !slices.Contains(xs, p.x) {
				xs = append(xs, p.x)
			}
		}
	}
	slices.Sort(xs)
	return xs
}

// figure writes a number with three digits.
func figure(v float64) string {
	switch {
	case v == 0:
		return "0"
	case math.Abs(v) < 10:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// count and size write what stands at an axis.
func count(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%g M", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%g k", x/1e3)
	}
	return fmt.Sprintf("%g", x)
}

func size(x float64) string {
	switch {
	case x >= 1<<20:
		return fmt.Sprintf("%g MB", x/(1<<20))
	case x >= 1<<10:
		return fmt.Sprintf("%g KB", x/(1<<10))
	}
	return fmt.Sprintf("%g B", x)
}
