//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var concurrencies = []int{1, 32, 256}

const rounds = 5

// TestBench sends the same calls through every proxy, round by round in turns,
// so that whatever else the machine does meets all of them, and writes
// RESULTS.md and results.svg. It fails when a call fails or an answer is not
// what it must be, and asserts nothing about speed: the results say which bars
// are met.
//
// BENCH_ROUND is the length of a round, BENCH_ONLY a part of the names of the
// workloads to run; with it nothing is written but what is printed.
func TestBench(t *testing.T) {
	length := duration(t, "BENCH_ROUND", time.Second)
	only := os.Getenv("BENCH_ONLY")
	before := busy()
	bin := caddyBinary(t)
	u := newUpstream(t)
	keys, keyFile := callers(t, 16)
	logs := t.TempDir()
	redis := startRedis(t)

	// First, as long as no other proxy keeps connections open.
	var idle []idleResult
	if only == "" {
		idle = idleStreams(t, bin, configs(logs, keyFile, redis))
	}

	proxies := []*proxy{{name: "direct", addr: u.addr}, startNginx(t, u.addr)}
	for _, c := range configs(logs, keyFile, redis) {
		proxies = append(proxies, startCaddy(t, bin, c, u.addr))
	}
	var cells []*cell
	for _, w := range workloads() {
		if !strings.Contains(w.name, only) {
			continue
		}
		u.answer(w.answer)
		for _, p := range proxies {
			probe(t, p, &w, keys)
		}
		for _, n := range concurrencies {
			c := &cell{workload: w, concurrency: n, of: make([]measured, len(proxies))}
			for i := range rounds + 1 {
				one := make([]sample, len(proxies))
				for k := range proxies {
					k = (k + i) % len(proxies) // nobody is always first
					one[k] = load(t, proxies[k], keys, callBody, n, length)
				}
				if i > 0 { // the first warms up
					c.add(one, slices.IndexFunc(proxies, func(p *proxy) bool { return p.name == plain }))
				}
			}
			c.print(proxies)
			cells = append(cells, c)
		}
	}
	if only != "" {
		return
	}
	r := &report{machine: describe(t, bin), busy: before, length: length, proxies: proxies, cells: cells, idle: idle}
	write(t, "RESULTS.md", r.markdown())
	write(t, "results.svg", r.picture())
}

// cell is one workload at one concurrency.
type cell struct {
	workload
	concurrency int
	of          []measured // by proxy
}

type measured struct {
	sample
	ratios []float64 // to plain Caddy, by round
}

func (c *cell) add(one []sample, plain int) {
	for k := range one {
		c.of[k].ratios = append(c.of[k].ratios, one[k].rate()/one[plain].rate())
		c.of[k].add(one[k])
	}
}

// ratio is the median over the rounds, and the smallest and the largest.
func (m *measured) ratio() (median, low, high float64) {
	r := slices.Sorted(slices.Values(m.ratios))
	return r[len(r)/2], r[0], r[len(r)-1]
}

func (c *cell) print(proxies []*proxy) {
	fmt.Printf("%s, %d connections\n", c.name, c.concurrency)
	for k, p := range proxies {
		m := &c.of[k]
		median, low, high := m.ratio()
		fmt.Printf("  %-30s %8.0f/s  %.3f (%.2f–%.2f)  p50 %s  p99 %s  first %s  %s µs CPU  %s allocs\n", p.name, m.rate(), median, low, high,
			short(quantile(m.whole, 0.5)), short(quantile(m.whole, 0.99)), short(quantile(m.first, 0.5)), m.cpuPerCall(), m.allocsPerCall())
	}
}

func (m *measured) cpuPerCall() string {
	if m.proxy.cpu == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(m.proxy.cpu.Microseconds())/float64(m.calls))
}

func (m *measured) allocsPerCall() string {
	if m.proxy.mallocs == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", m.proxy.mallocs/float64(m.calls))
}

// probe lets the proxies learn the tool, and checks what comes through.
func probe(t *testing.T, p *proxy, w *workload, keys []string) {
	t.Helper()
	for _, body := range []string{listBody, callBody} {
		for range len(texts) {
			c, err := dial(p.addr, request(body, keys[0]))
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			var got bytes.Buffer
			_, err = c.do(&got)
			c.c.Close()
			if err != nil {
				t.Fatalf("%s, %s: %v", p.name, w.name, err)
			}
			if body == listBody {
				continue
			}
			same := w.bodies[got.String()]
			envelope := strings.Contains(got.String(), `"error_class":`)
			if rewritten := w.fails && bool(p.rewrites); same == rewritten || envelope != rewritten {
				t.Fatalf("%s, %s: the answer is %.600q", p.name, w.name, got.String())
			}
		}
	}
}

func duration(t *testing.T, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
