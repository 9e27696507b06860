//go:build bench

package bench

import (
	"math"
	"time"
)

// subject is one thing that grows, with all that was measured while it did.
type subject struct {
	title  string
	x      string // what grows, with its unit
	y      string // what the drawn lines count, with its unit
	says   string // how it was measured
	format func(x float64) string
	lines  []*line
	took   time.Duration
}

// line is one cost at each size.
type line struct {
	name   string
	unit   string
	colour string // in the picture; "" is not drawn
	// judged: it is a cost that must not grow faster than what it is plotted
	// against. The others are there to compare with.
	judged bool
	points []point
}

type point struct{ x, y float64 }

func (l *line) add(x, y float64) { l.points = append(l.points, point{x, y}) }

func (l *line) at(x float64) (float64, bool) {
	for _, p := range l.points {
		if p.x == x {
			return p.y, true
		}
	}
	return 0, false
}

// exponent is the slope in a log-log plot: 1 is linear, 0 is flat.
func exponent(a, b point) float64 {
	if a.y <= 0 || b.y <= 0 || a.x == b.x {
		return 0
	}
	return math.Log(b.y/a.y) / math.Log(b.x/a.x)
}

// ends is the exponent between the smallest and the largest.
func (l *line) ends() float64 { return exponent(l.points[0], l.points[len(l.points)-1]) }

// span is the least factor between two sizes that are compared: less, and noise
// looks like growth.
const span = 8

// steepest is the largest exponent between any two sizes that are far enough
// apart. It sees growth that what a call costs in any case hides between the
// ends.
func (l *line) steepest() float64 {
	worst := l.ends()
	for i, a := range l.points {
		for _, b := range l.points[i:] {
			if b.x >= span*a.x {
				worst = max(worst, exponent(a, b))
			}
		}
	}
	return worst
}

// noise is by how much an exponent may be above 1 and still count as linear: a
// factor of 1.2 over the least span.
const noise = 0.1

type verdict struct {
	line           *line
	ends, steepest float64
	fine           bool
}

func (s *subject) verdicts() (out []verdict) {
	for _, l := range s.lines {
		if l.judged {
			v := verdict{line: l, ends: l.ends(), steepest: l.steepest()}
			v.fine = v.steepest <= 1+noise
			out = append(out, v)
		}
	}
	return out
}

// line finds or makes the line of a name.
func (s *subject) line(name, unit, colour string, judged bool) *line {
	for _, l := range s.lines {
		if l.name == name {
			return l
		}
	}
	l := &line{name: name, unit: unit, colour: colour, judged: judged}
	s.lines = append(s.lines, l)
	return l
}
