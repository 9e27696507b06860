//go:build bench

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// report is what a run found.
type report struct {
	machine string
	busy    string
	length  time.Duration
	proxies []*proxy
	cells   []*cell
	idle    []idleResult
}

// describe says what the results were measured on.
func describe(t *testing.T, bin string) string {
	t.Helper()
	model := "unknown CPU"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	version, err := exec.Command(bin, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	caddy, _, _ := strings.Cut(strings.TrimSpace(string(version)), " ")
	return fmt.Sprintf("%d cores of an %s, %s, %s, Caddy %s", runtime.NumCPU(), model, runtime.GOOS, runtime.Version(), caddy)
}

// busy is the load average of the last minute, which tells whether others used
// the machine; "" where nobody knows.
func busy() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(b), " ")
	return " The load average before the run was " + load + "."
}

func (r *report) proxy(name string) int {
	return slices.IndexFunc(r.proxies, func(p *proxy) bool { return p.name == name })
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmark

Written by `+"`make bench`"+`. %s. %d rounds of %s for each cell, in turns; requests/s are the sum, ratios are the median over the
rounds with the smallest and the largest.%s Client, server, proxy and Redis share the machine, so requests/s say what a
user of all of them would see, and CPU per request what the proxy alone costs. All Caddy rows run one binary, with the log at ERROR; the
callers are 16 keys. First byte is that of the body, as the median. Failing results are eight texts in turns, so most are
remembered failures. "everything" is keys,
memory limits, tool policy, breaker, SSRF guard, check of arguments and results, metrics and access log.

![requests per second, as ratios to plain Caddy](results.svg)

## Bars

`, r.machine, rounds, r.length, r.busy)
	b.WriteString("| bar | measured | |\n|---|---|---|\n")
	for _, x := range r.bars() {
		met := "met"
		if !x.met {
			met = "**not met**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", x.what, x.measured, met)
	}
	for _, c := range r.cells {
		fmt.Fprintf(&b, "\n## %s, concurrency %d\n\n", c.name, c.concurrency)
		b.WriteString("| | requests/s | ratio | spread | p50 | p99 | first byte | CPU µs | allocations | peak MB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for k, p := range r.proxies {
			m := &c.of[k]
			median, low, high := m.ratio()
			peak := "–"
			if p.pid != 0 {
				peak = fmt.Sprint(m.proxy.peak >> 20)
			}
			fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f–%.2f | %s | %s | %s | %s | %s | %s |\n", p.name, m.rate(), median, low, high,
				short(quantile(m.whole, 0.5)), short(quantile(m.whole, 0.99)), short(quantile(m.first, 0.5)), m.cpuPerCall(), m.allocsPerCall(), peak)
		}
	}
	if len(r.idle) > 0 {
		b.WriteString("\n## Idle streams\n\nResident memory after a garbage collection, without streams and with them open.\n\n")
		b.WriteString("| | streams | opened by | before, MB | open, MB | KB per stream |\n|---|--:|---|--:|--:|--:|\n")
		for _, x := range r.idle {
			fmt.Fprintf(&b, "| %s | %d | %s | %d | %d | %.0f |\n", x.name, x.streams, x.method, x.before>>20, x.open>>20,
				float64(x.open-x.before)/1024/float64(x.streams))
		}
	}
	return b.String()
}

type bar struct {
	what, measured string
	met            bool
}

// bars compares the medians with what must hold. A ratio bar is met when the
// median of every cell it speaks of reaches it.
func (r *report) bars() (out []bar) {
	rate := func(what, name string, least float64, fails bool) {
		k := r.proxy(name)
		worst, where := 2.0, ""
		var all []float64
		for _, c := range r.cells {
			if c.fails != fails {
				continue
			}
			median, _, _ := c.of[k].ratio()
			all = append(all, median)
			if median < worst {
				worst, where = median, fmt.Sprintf("%s, %d", c.short, c.concurrency)
			}
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		out = append(out, bar{fmt.Sprintf("%s: ≥ %.2f of plain Caddy", what, least),
			fmt.Sprintf("median of the workloads %.2f, lowest %.2f (%s)", all[len(all)/2], worst, where), worst >= least})
	}
	rate("nothing configured", "gateway", 0.95, false)
	rate("memory limits", "gateway, memory limits", 0.95, false)
	rate("Redis limits", "gateway, Redis limits", 0.80, false)
	rate("everything", "gateway, everything", 0.85, false)
	rate("rewriting every answer", "gateway", 0.75, true)

	base, gateway := r.proxy(plain), r.proxy("gateway")
	var late time.Duration
	measured := ""
	for _, c := range r.cells {
		if !c.sse || c.concurrency != 1 {
			continue
		}
		a, b := quantile(c.of[base].first, 0.5), quantile(c.of[gateway].first, 0.5)
		late = max(late, b-a-a/20-200*time.Microsecond)
		measured += fmt.Sprintf("%s: %s, plain %s; ", c.short, short(b), short(a))
	}
	if measured != "" {
		out = append(out, bar{"first SSE byte within 5 % + 0.2 ms of plain Caddy (concurrency 1)", strings.TrimSuffix(measured, "; "), late <= 0})
	}
	for _, method := range []string{"GET", "POST"} {
		var a, b *idleResult
		for i := range r.idle {
			x := &r.idle[i]
			switch {
			case x.method != method:
			case x.name == plain:
				a = x
			case x.name == "gateway":
				b = x
			}
		}
		if a != nil && b != nil {
			ratio := float64(b.open) / float64(a.open)
			out = append(out, bar{fmt.Sprintf("memory with %d idle %s streams: ≤ 1.3 of plain Caddy", a.streams, method),
				fmt.Sprintf("%.2f (%d MB, plain %d MB)", ratio, b.open>>20, a.open>>20), ratio <= 1.3})
		}
	}
	return out
}

// short writes a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}
