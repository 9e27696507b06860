package integration

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits"
)

// hostile is a site that is treated badly.
type hostile struct {
	*observed
	addr string
	ids  atomic.Int64
}

func newHostile(t *testing.T) *hostile {
	u := newUpstream(t)
	u.answer(faulty)
	o := observe(t, `mcp_gateway {
		limits memory
		limit {
			key {http.request.header.X-Caller}
			rpm 100000
			concurrency 100
		}
		breaker {
			failures 1000000
			scope session
		}
		validate arguments
	}
	`+briefly(t, u.URL))
	return &hostile{observed: o, addr: strings.TrimPrefix(o.URL, "http://")}
}

// served fails unless an honest caller is.
func (h *hostile) served(t *testing.T, when string) {
	t.Helper()
	id := fmt.Sprint(h.ids.Add(1))
	r := send(t, http.MethodPost, h.URL+"/mcp", call(id, "x"), "MCP-Protocol-Version", "2025-11-25", "X-Caller", "honest", faultID, id, faultKind, "json")
	if r.Body != answerOf(id) {
		t.Errorf("%s, others are not served: %d %q", when, r.Status, tail(r.Body, 300))
	}
}

// each runs f for the numbers below n, some at a time.
func each(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// A body that is announced and does not come costs little until it comes.
func TestSlowBodies(t *testing.T) {
	h := newHostile(t)
	h.served(t, "at first")
	heap, _ := h.heap(t)
	idle := h.goroutines(t)
	n := scaled(5000, 10)
	conns := make([]net.Conn, n)
	each(n, func(i int) {
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Error(err)
			return
		}
		conns[i] = c
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Content-Length: 200000\r\n\r\n{\"jsonrpc\"")
	})
	if t.Failed() {
		return
	}
	for deadline := time.Now().Add(patience); h.within(t, "(*Handler).readBody") < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connections were not taken")
		}
	}
	h.served(t, "with slow bodies")
	open, _ := h.heap(t)
	t.Logf("%d bodies of 200 KB begun: %.0f bytes of heap each", n, (open-heap)/float64(n))
	if (open-heap)/float64(n) > 64<<10 {
		t.Errorf("a body that does not come takes %.0f bytes", (open-heap)/float64(n))
	}
	for _, c := range conns {
		c.Close()
	}
	h.settled(t, idle+8)
	// The runtime keeps some hundred bytes of each goroutine that ever ran beside others.
	if after, _ := h.heap(t); after > heap+2e6+600*float64(n) {
		t.Errorf("the heap was %.0f bytes and is %.0f after the connections were closed", heap, after)
	}
	h.served(t, "after slow bodies")
}

// Requests with a million bytes of headers, and with no end of them.
func TestHeaderFloods(t *testing.T) {
	h := newHostile(t)
	h.served(t, "at first")
	heap, _ := h.heap(t)
	idle := h.goroutines(t)
	for _, c := range []struct {
		name, line string
		bytes      int    // how much is sent; 0: without end
		status     string // of the answer, if one comes
	}{
		{"many headers", "X-%d: y\r\n", 900 << 10, ""},
		{"a long header", "%dyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", 900 << 10, ""},
		{"headers without end", "X-%d: y\r\n", 0, "431"},
		{"a header without end", "%dyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", 0, "431"},
	} {
		each(scaled(1000, 25), func(i int) {
			status, err := flood(h.addr, c.line, c.bytes)
			if err == nil && (c.status != "" && !strings.Contains(status, c.status) || !strings.HasPrefix(status, "HTTP/1.1 ")) {
				t.Errorf("%s got %q", c.name, status)
			}
			if c.bytes > 0 && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
		h.served(t, "after "+c.name)
	}
	h.settled(t, idle+8)
	after, _ := h.heap(t)
	t.Logf("heap %.1f MB, then %.1f MB, at most %.0f MB", heap/1e6, after/1e6, h.peak(t)/1e6)
	if after > heap+2e6 || h.peak(t) > 400e6 {
		t.Errorf("the heap grew from %.0f to %.0f bytes, and was at most %.0f", heap, after, h.peak(t))
	}
}

// flood sends a call with headers and returns the first line of the answer.
func flood(addr, line string, size int) (string, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	go func() {
		w := bufio.NewWriter(c)
		body := call("1", "x")
		fmt.Fprintf(w, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"%s: json\r\n%s: 1\r\nContent-Length: %d\r\nX-Flood: ", faultKind, faultID, len(body))
		for i, sent := 0, 0; size == 0 || sent < size; i++ {
			if i == 0 && strings.HasPrefix(line, "X-") {
				io.WriteString(w, "\r\n")
			}
			n, err := fmt.Fprintf(w, line, i)
			if err != nil {
				return
			}
			sent += n
		}
		if !strings.HasPrefix(line, "X-") {
			io.WriteString(w, "\r\n")
		}
		io.WriteString(w, "\r\n"+body)
		w.Flush()
	}()
	return bufio.NewReader(c).ReadString('\n')
}

// Callers, sessions, tokens and tools that are made up, a new one for each call, half of which fail: memory and
// series stay bounded.
func TestMadeUpNames(t *testing.T) {
	h := newHostile(t)
	hc, leave := newPool()
	defer leave()
	made := func(from, to int) {
		each(to-from, func(i int) {
			i += from
			kind, id := []string{"json", "failing"}[i%2], fmt.Sprint(i)
			r := newRequest(t, http.MethodPost, h.URL+"/mcp", call(id, "tool-"+id), "MCP-Protocol-Version", "2025-11-25",
				"X-Caller", "caller-"+id, "Mcp-Session-Id", "session-"+id, "Authorization", "Bearer "+id, faultID, id, faultKind, kind)
			resp, err := hc.Do(r)
			if err != nil {
				t.Errorf("call %d: %v", i, err)
				return
			}
			if got := readAll(resp); got.Status != http.StatusOK {
				t.Errorf("call %d: %d %q", i, got.Status, tail(got.Body, 300))
			}
		})
	}
	// In the long form the tables are full after the first half.
	n := scaled(1_000_000, 500)
	made(0, n/2)
	heap, _ := h.heap(t)
	series := h.series(t)
	made(n/2, n)
	h.served(t, "after many names")
	after, _ := h.heap(t)
	keys := h.metric(t, "caddy_mcp_gateway_limit_keys")
	t.Logf("%d names; heap %.1f MB after half of them, %.1f MB after all; %d series; %.0f callers kept", n, heap/1e6, after/1e6, h.series(t), keys)
	most := 5e6
	if n/2 < limits.DefaultMaxKeys {
		most += 1500 * float64(n/2) // the tables still fill
	}
	if after > heap+most || keys > limits.DefaultMaxKeys {
		t.Errorf("the heap grew from %.0f to %.0f bytes, %.0f callers are kept", heap, after, keys)
	}
	if now := h.series(t); now > series {
		t.Errorf("series of metrics grew from %d to %d", series, now)
	}
}

// A million callers of the store that Caddy keeps counts in, without Caddy around it: it keeps as many as it may, and
// none whose calls run is forgotten.
func TestMillionCallers(t *testing.T) {
	callers := scaled(1_000_000, 5)
	m := limits.NewMemory(limits.MemoryOptions{})
	defer m.Close()
	acquire := func(name string) limits.Decision {
		d, err := m.Acquire(t.Context(), limits.Call{Tiers: []limits.Tier{
			{Name: "default", Subject: m.Hasher().Subject("default", name), RPM: 60, Concurrency: 2, Cost: 1, Slots: 1}}})
		if err != nil {
			t.Error(err)
		}
		return d
	}
	heap := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	honest := []limits.Decision{acquire("honest"), acquire("honest")}
	before, full := heap(), 0.0
	for i := range callers {
		if i == callers*3/4 { // it is full
			full = heap()
		}
		d := acquire(fmt.Sprint(i))
		if !d.Allowed {
			t.Fatalf("caller %d was refused: %+v", i, d)
		}
		d.Lease.Release()
	}
	after, stats := heap(), m.Stats()
	t.Logf("%d callers, %d kept; %.1f MB when full, %.1f MB after all", callers, stats.Keys, (full-before)/1e6, (after-before)/1e6)
	if stats.Keys > limits.DefaultMaxKeys || after-before > 100e6 || after > full+5e6 {
		t.Errorf("%d callers are kept in %.0f bytes, %.0f when full", stats.Keys, after-before, full-before)
	}
	if d := acquire("honest"); d.Allowed || d.Bound != limits.Concurrency {
		t.Errorf("a caller whose calls run was forgotten: %+v", d)
	}
	for _, d := range honest {
		d.Lease.Release()
	}
	if d := acquire("honest"); !d.Allowed {
		t.Errorf("a caller whose calls have ended is refused: %+v", d)
	}
}
