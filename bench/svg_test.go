//go:build bench

package bench

import (
	"fmt"
	"html"
	"strings"
)

// pictured are the rows of the picture, each with its colour.
var pictured = []struct{ name, colour string }{
	{"nginx", "#9aa0a6"},
	{"gateway", "#1f77b4"},
	{"gateway, memory limits", "#17a2a2"},
	{"gateway, Redis limits", "#d9822b"},
	{"gateway, everything", "#7b5ea7"},
}

// The measures of the picture.
const (
	left, top     = 46, 56
	groupWidth    = 124
	chartHeight   = 230
	barWidth      = 19
	concurrencyIn = 32 // the concurrency that is drawn
	scaleTop      = 1.5
)

// picture draws requests/s as ratios to plain Caddy, whiskers from the slowest
// round to the fastest.
func (r *report) picture() string {
	var cells []*cell
	for _, c := range r.cells {
		if c.concurrency == concurrencyIn {
			cells = append(cells, c)
		}
	}
	width, height := left+len(cells)*groupWidth+16, top+chartHeight+54
	y := func(v float64) float64 { return top + chartHeight*(1-min(v, scaleTop)/scaleTop) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img" aria-label="requests per second as ratios to plain Caddy">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="18" font-size="14" fill="#202124">Requests per second, plain Caddy reverse_proxy = 1, %d connections</text>`+"\n", left, concurrencyIn)
	x := left
	for _, p := range pictured {
		fmt.Fprintf(&b, `<rect x="%d" y="28" width="11" height="11" fill="%s"/><text x="%d" y="38" fill="#3c4043">%s</text>`+"\n", x, p.colour, x+15, html.EscapeString(p.name))
		x += 36 + 7*len(p.name)
	}
	for v := 0.0; v <= scaleTop; v += 0.25 {
		stroke := "#e8eaed"
		if v == 1 {
			stroke = "#5f6368"
		}
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end" fill="#5f6368">%.2f</text>`+"\n",
			left, width-16, y(v), y(v), stroke, left-6, y(v)+4, v)
	}
	for g, c := range cells {
		at := left + g*groupWidth + (groupWidth-len(pictured)*(barWidth+2))/2
		for i, p := range pictured {
			k := r.proxy(p.name)
			median, low, high := c.of[k].ratio()
			x := at + i*(barWidth+2)
			fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="%s"><title>%s, %s: %.2f (%.2f–%.2f)</title></rect>`+"\n",
				x, y(median), barWidth, top+chartHeight-y(median), p.colour, html.EscapeString(p.name), html.EscapeString(c.name), median, low, high)
			fmt.Fprintf(&b, `<path d="M%.1f %.1fV%.1f" stroke="#202124" stroke-width="1.2"/>`+"\n", float64(x)+barWidth/2.0, y(low), y(high))
			if median > scaleTop {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#202124" font-size="10">%.1f</text>`+"\n", float64(x)+barWidth/2.0, top-3, median)
			}
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#202124">%s</text>`+"\n", left+g*groupWidth+groupWidth/2, top+chartHeight+18, html.EscapeString(c.short))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#5f6368">%s</text>`+"\n</svg>\n", left, height-10, html.EscapeString(r.machine))
	return b.String()
}
