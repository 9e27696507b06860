//go:build bench

package bench

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The colours of the lines, those of the other picture.
const (
	grey   = "#9aa0a6"
	blue   = "#1f77b4"
	teal   = "#17a2a2"
	orange = "#d9822b"
	violet = "#7b5ea7"
)

// The measures of one plot, and of its place among the four.
const (
	plotWidth, plotHeight   = 384, 220
	plotLeft, plotTop       = 88, 80
	panelWidth, panelHeight = 504, 356
)

// picture draws the subjects, two in a row, both axes logarithmic. The dashed
// line is what linear growth looks like.
func (g *growth) picture() string {
	var b strings.Builder
	width, height := 2*panelWidth, (len(g.subjects)+1)/2*panelHeight+26
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img" aria-label="what a call costs as bodies, callers, tools and replicas grow">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for i, s := range g.subjects {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", i%2*panelWidth, i/2*panelHeight)
		s.draw(&b)
		b.WriteString("</g>\n")
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#5f6368">%s</text>`+"\n</svg>\n", plotLeft, height-10, html.EscapeString(g.machine+". Dashed: linear growth. In parentheses: the exponent between the ends."))
	return b.String()
}

// axis maps a range of values onto pixels by their logarithms.
type axis struct{ low, high, from, to float64 }

func (a axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*math.Log(v/a.low)/math.Log(a.high/a.low)
}

func (s *subject) draw(b *strings.Builder) {
	x := axis{math.Inf(1), 0, plotLeft, plotLeft + plotWidth}
	y := axis{math.Inf(1), 0, plotTop + plotHeight, plotTop}
	for _, l := range s.lines {
		if l.colour == "" {
			continue
		}
		for _, p := range l.points {
			x.low, x.high = min(x.low, p.x), max(x.high, p.x)
			y.low, y.high = min(y.low, p.y), max(y.high, p.y)
		}
	}
	xs := s.sizes()
	y.low = math.Pow(10, math.Floor(math.Log10(y.low)))
	y.high = math.Pow(10, math.Ceil(math.Log10(y.high*1.05)))
	fmt.Fprintf(b, `<text x="%d" y="22" font-size="14" fill="#202124">%s</text>`+"\n", plotLeft, html.EscapeString(s.title))
	s.legend(b)
	for v := y.low; v <= y.high*1.001; v *= 10 {
		fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#e8eaed"/><text x="%d" y="%.1f" text-anchor="end" fill="#5f6368">%s</text>`+"\n",
			plotLeft, plotLeft+plotWidth, y.at(v), y.at(v), plotLeft-6, y.at(v)+4, power(v))
	}
	free := 0.0
	for i, v := range xs {
		fmt.Fprintf(b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#e8eaed"/>`+"\n", x.at(v), x.at(v), plotTop, plotTop+plotHeight)
		// The last is always named, others where there is room.
		if last := len(xs) - 1; i == last || x.at(v) >= free && x.at(xs[last])-x.at(v) > 48 {
			free = x.at(v) + 48
			fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#5f6368">%s</text>`+"\n", x.at(v), plotTop+plotHeight+17, s.format(v))
		}
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#5f6368"/>`+"\n", plotLeft, plotTop, plotWidth, plotHeight)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#202124">%s</text>`+"\n", plotLeft+plotWidth/2, plotTop+plotHeight+36, html.EscapeString(s.x))
	fmt.Fprintf(b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle" fill="#202124">%s</text>`+"\n", plotTop+plotHeight/2, html.EscapeString(s.y))
	// A factor in x is the same factor in y, from the lower right upwards.
	if by := min(x.high/x.low, y.high/y.low); by > 1 {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#5f6368" stroke-dasharray="4 4"/>`+"\n", x.at(x.high/by), y.at(y.low), x.at(x.high), y.at(y.low*by))
	}
	for _, l := range s.lines {
		if l.colour == "" {
			continue
		}
		var path strings.Builder
		for i, p := range l.points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x.at(p.x), y.at(p.y))
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), l.colour)
		for _, p := range l.points {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s, %s: %s %s</title></circle>`+"\n",
				x.at(p.x), y.at(p.y), l.colour, html.EscapeString(l.name), s.format(p.x), figure(p.y), html.EscapeString(l.unit))
		}
	}
}

// legend names the lines with their exponents, in rows of two.
func (s *subject) legend(b *strings.Builder) {
	i := 0
	for _, l := range s.lines {
		if l.colour == "" {
			continue
		}
		x, y := plotLeft+i%2*(plotWidth/2), 30+i/2*15
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="11" height="11" fill="%s"/><text x="%d" y="%d" font-size="11" fill="#3c4043">%s (%.2f)</text>`+"\n",
			x, y, l.colour, x+15, y+10, html.EscapeString(l.name), l.ends())
		i++
	}
}

// power writes a power of ten.
func power(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.0f M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.0f 000", v/1e3)
	}
	return fmt.Sprintf("%g", math.Round(v*1000)/1000)
}
