package limits

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var plotTo = flag.String("limits.plot", "", "file to write the plot of docs/limits.md to")

// algorithm admits units at a time in ms.
type algorithm struct {
	name  string
	color string
	most  int // that it admits in any minute under the patterns below, for a limit of 600
	make  func(limit int64) func(now int64) bool
}

const minute = int64(60_000)

var algorithms = []algorithm{
	{"fixed window", "#d62728", 1200, func(limit int64) func(int64) bool {
		window, n := int64(-1), int64(0)
		return func(now int64) bool {
			if now/minute != window {
				window, n = now/minute, 0
			}
			if n >= limit {
				return false
			}
			n++
			return true
		}
	}},
	{"two weighted windows", "#ff7f0e", 1200, func(limit int64) func(int64) bool {
		window, n, before := int64(-1), int64(0), int64(0)
		return func(now int64) bool {
			if w := now / minute; w != window {
				if before = 0; w == window+1 {
					before = n
				}
				window, n = w, 0
			}
			if before*(minute-now%minute)/minute+n >= limit {
				return false
			}
			n++
			return true
		}
	}},
	{"GCRA, burst = limit", "#9467bd", 1200, func(limit int64) func(int64) bool {
		tat, each := int64(0), minute/limit
		return func(now int64) bool {
			t := max(tat, now)
			if t+each-now > minute {
				return false
			}
			tat = t + each
			return true
		}
	}},
	{"GCRA, burst = rate = limit/2", "#8c564b", 600, func(limit int64) func(int64) bool {
		tat, each := int64(0), 2*minute/limit
		return func(now int64) bool {
			t := max(tat, now)
			if t+each-now > minute {
				return false
			}
			tat = t + each
			return true
		}
	}},
	{"coalesced log (this one)", "#1f77b4", 600, func(limit int64) func(int64) bool {
		var l windowLog
		return func(now int64) bool {
			if l.count(now, minute)+1 > int(limit) {
				return false
			}
			l.add(now, 1, grain(int(limit), minute, l.n))
			return true
		}
	}},
}

// patterns say how many units are asked for in the 10 ms from now on.
var patterns = []struct {
	name string
	ask  func(now int64) int
}{
	{"greedy", func(int64) int { return 20 }},
	{"a burst at the end of a window, then greedy", func(now int64) int {
		if now < minute-2000 {
			return 0
		}
		return 20
	}},
	{"on and off", func(now int64) int {
		if now/50_000%2 == 0 {
			return 0
		}
		return 20
	}},
	{"exactly at the limit", func(now int64) int {
		if now%100 == 0 {
			return 1
		}
		return 0
	}},
}

// TestWhyNotTheOthers measures what each algorithm admits in the worst minute, and how much of the limit it lets use.
func TestWhyNotTheOthers(t *testing.T) {
	const limit, length = 600, 10 * minute
	curves := map[string][]int{}
	for _, a := range algorithms {
		worst := 0
		row := fmt.Sprintf("| %s |", a.name)
		for p, pattern := range patterns {
			admit := a.make(limit)
			var granted []time.Duration
			for now := int64(0); now < length; now += 10 {
				for range pattern.ask(now) {
					if admit(now) {
						granted = append(granted, time.Duration(now)*time.Millisecond)
					}
				}
			}
			most := maxInWindow(granted, Window)
			worst = max(worst, most)
			row += fmt.Sprintf(" %d / %.2f |", most, float64(len(granted))/limit/float64(length/minute))
			if p == 1 {
				curves[a.name] = lastMinute(granted)
			}
		}
		t.Log(row)
		if worst > a.most || worst < a.most*9/10 {
			t.Errorf("%s admitted %d in a minute, expected about %d", a.name, worst, a.most)
		}
	}
	if *plotTo != "" {
		if err := os.WriteFile(*plotTo, []byte(plot(curves, limit)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lastMinute is the number of units in the minute before each second, for four minutes.
func lastMinute(granted []time.Duration) []int {
	var out []int
	for at := time.Duration(0); at <= 4*time.Minute; at += time.Second {
		n := 0
		for _, g := range granted {
			if g <= at && g > at-Window {
				n++
			}
		}
		out = append(out, n)
	}
	return out
}

func plot(curves map[string][]int, limit int) string {
	const width, height, left, top = 760, 300, 50, 20
	x := func(second int) float64 { return left + float64(second)*(width-left-20)/240 }
	y := func(n int) float64 { return top + float64(height-top-40)*(1-float64(n)/1300) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height+70)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height+70)
	for n := 0; n <= 1200; n += 300 {
		fmt.Fprintf(&b, `<text x="%d" y="%.0f" text-anchor="end">%d</text><path d="M%d %.0fH%d" stroke="#ddd"/>`+"\n", left-6, y(n)+4, n, left, y(n), width-20)
	}
	for s := 0; s <= 240; s += 60 {
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle">%d s</text>`+"\n", x(s), height-20, s)
	}
	fmt.Fprintf(&b, `<path d="M%d %.0fH%d" stroke="black" stroke-dasharray="6 4"/><text x="%d" y="%.0f">limit</text>`+"\n", left, y(limit), width-20, left+4, y(limit)-4)
	for i, a := range algorithms {
		fmt.Fprintf(&b, `<path fill="none" stroke="%s" stroke-width="2" d="M`, a.color)
		for s, n := range curves[a.name] {
			fmt.Fprintf(&b, "%.1f %.1f ", x(s), y(n))
		}
		fmt.Fprintf(&b, `"/><path d="M%d %dh24" stroke="%s" stroke-width="3"/><text x="%d" y="%d">%s</text>`+"\n",
			left+i%3*240, height+10+i/3*22, a.color, left+30+i%3*240, height+14+i/3*22, a.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
