//go:build bench

package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"
)

// TestBench compares plain Caddy and the gateway in one run, round by round
// in turns, so that whatever else the machine does meets both. It prints
// ratios and asserts nothing about them.
//
// Client, server and proxy share the machine: requests/s tell what a user of
// all three would see, CPU per request what the proxy alone costs.
func TestBench(t *testing.T) {
	rounds, length := 7, 2*time.Second
	if s := os.Getenv("BENCH_ROUND"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		length = d
	}
	bin := xcaddy(t)
	text := strings.Repeat("lorem ipsum ", 80)
	success := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%q}]}}`, text)
	large := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%q}]}}`, strings.Repeat(text, 64))
	answer := map[string]http.HandlerFunc{
		"JSON, 1 KB":            answers(http.StatusOK, "application/json", success),
		"JSON, 64 KB":           answers(http.StatusOK, "application/json", large),
		"SSE, 1 event":          streams("event: message\ndata: "+success+"\n\n", 1<<20),
		"SSE, 50 events":        fifty(success),
		"JSON, every one fails": answers(http.StatusOK, "application/json", failing("1", "Error executing tool x: HTTP 503 Service Unavailable")),
	}
	var current atomic.Pointer[http.HandlerFunc]
	u := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		(*current.Load())(w, r)
	}))
	defer u.Close()

	plain := serveCaddy(t, bin, "", u.URL)
	gateway := serveCaddy(t, bin, "mcp_gateway", u.URL)
	names := make([]string, 0, len(answer))
	for name := range answer {
		names = append(names, name)
	}
	slices.Sort(names)

	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "workload\tconcurrency\tplain, req/s\tgateway, req/s\tratio\tspread\tplain, µs CPU\tgateway, µs CPU\t")
	for _, name := range names {
		h := answer[name]
		current.Store(&h)
		for _, concurrency := range []int{1, 32} {
			var a, b measured
			var ratios []float64
			for i := range rounds + 1 {
				x := load(t, plain, concurrency, length)
				y := load(t, gateway, concurrency, length)
				if i == 0 {
					continue // warms up
				}
				a, b = a.plus(x), b.plus(y)
				ratios = append(ratios, y.rate()/x.rate())
			}
			slices.Sort(ratios)
			fmt.Fprintf(out, "%s\t%d\t%.0f\t%.0f\t%.3f\t%.2f–%.2f\t%.0f\t%.0f\t\n", name, concurrency, a.rate(), b.rate(),
				ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], a.cost(), b.cost())
		}
	}
	out.Flush()
}

func fifty(success string) http.HandlerFunc {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":%d}}\n\n", i)
	}
	b.WriteString("data: " + success + "\n\n")
	return streams(b.String(), 120)
}

// measured is what came out of some rounds.
type measured struct {
	calls   int64
	elapsed time.Duration
	cpu     time.Duration
}

func (m measured) plus(o measured) measured {
	return measured{m.calls + o.calls, m.elapsed + o.elapsed, m.cpu + o.cpu}
}

func (m measured) rate() float64 { return float64(m.calls) / m.elapsed.Seconds() }
func (m measured) cost() float64 { return float64(m.cpu.Microseconds()) / float64(m.calls) }

func load(t *testing.T, p process, concurrency int, length time.Duration) measured {
	t.Helper()
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: concurrency}
	defer transport.CloseIdleConnections()
	c := &http.Client{Transport: transport, Timeout: patience}
	var calls, bad atomic.Int64
	var wg sync.WaitGroup
	cpu, begin := cpuTime(t, p.pid), time.Now()
	for range concurrency {
		wg.Go(func() {
			for time.Since(begin) < length {
				r, err := http.NewRequest(http.MethodPost, p.url+"/mcp", strings.NewReader(call("1", "x")))
				if err != nil {
					bad.Add(1)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				r.Header.Set("MCP-Protocol-Version", "2025-11-25")
				resp, err := c.Do(r)
				if err != nil {
					bad.Add(1)
					return
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
					bad.Add(1)
				}
				resp.Body.Close()
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	if bad.Load() > 0 {
		t.Fatalf("%d calls failed", bad.Load())
	}
	return measured{calls.Load(), time.Since(begin), cpuTime(t, p.pid) - cpu}
}

// cpuTime reads what a process has used, in ticks of 10 ms.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// The name in parentheses may hold anything; the fields after it are fixed.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
