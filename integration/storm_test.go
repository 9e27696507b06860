package integration

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Many calls at once of every way for a server to go wrong: each gets exactly
// one answer with its own id, unless its client left, and afterwards nothing of
// them is left over: no goroutine, no slot, and the heap is what it was.
func TestStorm(t *testing.T) {
	u := newUpstream(t)
	u.answer(faulty)
	o := observe(t, fmt.Sprintf(`mcp_gateway {
		tool hang {
			timeout 500ms
		}
		max_response_body 64KiB
		limits memory
		limit {
			key {http.request.header.X-Caller}
			rpm 1000000
			concurrency 100
		}
	}
	@refused header %s refused
	reverse_proxy @refused 127.0.0.1:%d
	`, faultKind, freePort(t))+briefly(t, u.URL))
	kinds := append([]fault{{kind: "refused", ends: fails}}, faults...)

	var ids atomic.Int64
	storm := func(each, costly int) {
		hc, leave := newPool()
		defer leave()
		var work []*fault
		for i := range max(each, costly) {
			for k := range kinds {
				if f := &kinds[k]; i < each && !f.costly || i < costly && f.costly {
					work = append(work, f)
				}
			}
		}
		queue := make(chan *fault)
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				for f := range queue {
					f.once(t, hc, o.URL, strconv.FormatInt(ids.Add(1), 10))
				}
			})
		}
		for _, f := range work {
			queue <- f
		}
		close(queue)
		wg.Wait()
	}

	idle := o.goroutines(t)
	storm(12, 2) // what is made once and kept: pools, tables, series, the last failures
	o.settled(t, idle+8)
	heap, objects := o.heap(t)
	each, costly := scaled(500, 33), scaled(60, 15)
	storm(each, costly)
	o.settled(t, idle+8)
	after, objectsAfter := o.heap(t)
	t.Logf("%d calls of %d kinds; heap %.2f MB, then %.2f MB; objects %.0f, then %.0f; goroutines %.0f, then %.0f; the heap was at most %.0f MB",
		ids.Load(), len(kinds), heap/1e6, after/1e6, objects, objectsAfter, idle, o.goroutines(t), o.peak(t)/1e6)
	if after > heap+600e3 || objectsAfter > objects+3000 {
		t.Errorf("the heap grew from %.0f bytes in %.0f objects to %.0f in %.0f", heap, objects, after, objectsAfter)
	}
}

// newPool is a client that keeps connections, and how to close them.
func newPool() (*http.Client, func()) {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	return &http.Client{Transport: transport, Timeout: patience}, transport.CloseIdleConnections
}

// tool is what the kind calls: only one that hangs has a time-out.
func (f *fault) tool() string {
	if strings.HasPrefix(f.kind, "hangs") {
		return "hang"
	}
	return "x"
}

// once makes one call of the kind.
func (f *fault) once(t *testing.T, hc *http.Client, at, id string) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	if f.ends == leaves {
		time.AfterFunc(20*time.Millisecond, leave)
	}
	r := newRequest(t, http.MethodPost, at+"/mcp", call(id, f.tool()), "MCP-Protocol-Version", "2025-11-25", "X-Caller", "one", faultID, id, faultKind, f.kind)
	resp, err := hc.Do(r.WithContext(ctx))
	if err != nil {
		if f.ends != leaves {
			t.Errorf("%s, call %s: %v", f.kind, id, err)
		}
		return
	}
	got := readAll(resp)
	if f.ends != leaves {
		f.check(t, id, got)
	}
}

// A small compressed answer may be a large one: what counts is what it says.
func TestCompressionBomb(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "max_response_body 64KiB", u.URL)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	io.WriteString(z, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"`)
	for range 16 {
		z.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	io.WriteString(z, `"}]}}`)
	z.Close()
	for _, media := range []string{"application/json", "text/event-stream"} {
		body := bomb.String()
		if media == "text/event-stream" {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, "data: "+failing("1", "HTTP 503 "+secret+strings.Repeat(" ", 8<<20))+"\n\n")
			z.Close()
			body = b.String()
		}
		u.answer(answers(http.StatusOK, media, body, "Content-Encoding", "gzip"))
		r := g.post(t, call("1", "x"))
		want{code: "upstream_error"}.result(t, "1", r.response(t, "1"))
		r.leakless(t)
	}

	// And a failing answer in a compressed stream is seen.
	var b bytes.Buffer
	z = gzip.NewWriter(&b)
	io.WriteString(z, stream+"data: "+failing("1", "HTTP 503 "+secret)+"\n\n")
	z.Close()
	u.answer(answers(http.StatusOK, "text/event-stream", b.String(), "Content-Encoding", "gzip"))
	r := g.post(t, call("1", "x"))
	want{code: "service_unavailable", status: 503}.result(t, "1", r.response(t, "1"))
	r.leakless(t)

	// What nobody can read is no answer.
	u.answer(answers(http.StatusOK, "application/json", "\x1f\x8bnot gzip "+secret, "Content-Encoding", "gzip"))
	r = g.post(t, call("1", "x"))
	want{code: "upstream_non_json"}.result(t, "1", r.response(t, "1"))
	u.answer(answers(http.StatusOK, "application/json", "whatever "+secret, "Content-Encoding", "x-unknown"))
	r = g.post(t, call("1", "x"))
	want{code: "upstream_non_json"}.result(t, "1", r.response(t, "1"))
	r.leakless(t)
}
