package integration

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// Mixed traffic with faults for a time: every call gets one answer with its id,
// and in the end the heap and the goroutines are what they were after the first
// fifth. GATEWAY_SOAK is the time, 5s if unset.
func TestSoak(t *testing.T) {
	length := 5 * time.Second
	if s := os.Getenv("GATEWAY_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		length = d
	}
	u := newUpstream(t)
	o := observe(t, `mcp_gateway {
		timeout 300ms
		max_response_body 64KiB
		limits memory
		limit {
			key {http.request.header.X-Caller}
			rpm 1000000
			concurrency 8
		}
		breaker {
			failures 50
			cooldown 1s
		}
		tools {
			deny secret_*
		}
		ssrf_guard
		validate arguments results
	}
	`+proxyTo(t, u.URL))
	u.answer(soakAnswers)

	var calls, answered atomic.Int64
	traffic := func(d time.Duration) {
		transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32}
		c := &http.Client{Transport: transport, Timeout: patience}
		defer transport.CloseIdleConnections()
		end := time.Now().Add(d)
		var wg sync.WaitGroup
		for range 24 {
			wg.Go(func() {
				for time.Now().Before(end) && !t.Failed() {
					kind := soakKinds[rand.IntN(len(soakKinds))]
					id := calls.Add(1)
					if soakCall(t, c, o.URL, kind, strconv.FormatInt(id, 10)) {
						answered.Add(1)
					}
				}
			})
		}
		wg.Wait()
	}

	traffic(length / 5)
	settle := func(limit float64) (goroutines float64) {
		deadline := time.Now().Add(patience)
		for {
			goroutines = o.goroutines(t)
			if goroutines <= limit || time.Now().After(deadline) {
				return goroutines
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	// Connections to clients and servers that are idle have goroutines too, until they are closed.
	goroutines := settle(60)
	heap, _ := o.heap(t)
	traffic(length - length/5)
	after := settle(goroutines + 20)
	heapAfter, _ := o.heap(t)
	t.Logf("%d calls, %d answers in %s; heap %.1f MB, then %.1f MB; goroutines %.0f, then %.0f; %d series",
		calls.Load(), answered.Load(), length, heap/1e6, heapAfter/1e6, goroutines, after, o.series(t))
	if heapAfter > heap*1.25+4e6 {
		t.Errorf("the heap grew from %.1f MB to %.1f MB", heap/1e6, heapAfter/1e6)
	}
	if after > goroutines+20 {
		t.Errorf("goroutines grew from %.0f to %.0f: %s", goroutines, after, tail(o.get(t, "/debug/pprof/goroutine?debug=1"), 6000))
	}
	if n := o.series(t); n > 2000 {
		t.Errorf("%d series of metrics", n)
	}
	if answered.Load() == 0 {
		t.Error("nothing was answered")
	}
}

// soakKinds are what a call of the soak does, by the name of its tool. Those in
// capitals are things that the client does.
var soakKinds = []string{
	"json", "json", "json", "failing", "sse", "sse_failing", "html", "reset", "refused_header", "cut", "short", "long", "large",
	"garbage", "empty", "hang", "endless_header", "late", "secret_tool", "LIST", "LEAVE", "LISTEN", "SLOW", "MALFORMED", "HUGE",
}

// soakCall makes one call and reports whether it was answered. What the client
// cuts short itself needs no answer; everything else gets exactly one.
func soakCall(t *testing.T, c *http.Client, at, kind, id string) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body, httpMethod := call(id, kind), http.MethodPost
	var reader io.Reader
	switch kind {
	case "LIST":
		body = method(id, "tools/list")
	case "LISTEN":
		body, httpMethod = "", http.MethodGet
	case "MALFORMED":
		body = `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","method":"x"`
	case "HUGE":
		body = call(id, strings.Repeat("x", 300<<10))
	case "LEAVE":
		body = call(id, "hang")
	}
	reader = strings.NewReader(body)
	if kind == "SLOW" {
		body = call(id, "json")
		pr, pw := io.Pipe()
		go func() {
			for i := range len(body) {
				if i%16 == 0 {
					time.Sleep(2 * time.Millisecond)
				}
				if _, err := io.WriteString(pw, body[i:i+1]); err != nil {
					return
				}
			}
			pw.Close()
		}()
		reader = pr
		defer pr.Close()
	}
	r, err := http.NewRequestWithContext(ctx, httpMethod, at+"/mcp", reader)
	if err != nil {
		t.Error(err)
		return false
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	r.Header.Set("X-Caller", "caller-"+strconv.Itoa(rand.IntN(8)))
	r.Header.Set("X-Soak", id)
	r.Header.Set("X-Soak-Tool", kind)
	if httpMethod == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if kind == "LEAVE" || kind == "LISTEN" {
		time.AfterFunc(time.Duration(rand.IntN(40))*time.Millisecond, cancel)
	}
	resp, err := c.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("%s %s: %v", kind, id, err)
		}
		return false
	}
	got := readAll(resp)
	switch {
	case ctx.Err() != nil || kind == "LISTEN":
		return false
	case kind == "MALFORMED" || kind == "HUGE":
		if got.Status < 400 || !gjson.Get(got.Body, "error").Exists() {
			t.Errorf("%s: %d %q", kind, got.Status, tail(got.Body, 300))
		}
		return true
	}
	m := got.response(t, id)
	if kind == "json" && strings.Contains(m, `"isError":true`) && !oneOf(gjson.Get(m, "result.structuredContent.code").String(), "at_capacity|service_unavailable") {
		t.Errorf("a success failed: %s", m)
	}
	got.leakless(t)
	return true
}

// soakAnswers is the server of the soak. The id comes in a header, the kind as
// the tool, so that the body is read only where it matters.
func soakAnswers(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("X-Soak")
	kind := r.Header.Get("X-Soak-Tool")
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hello\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
	ok := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"answer %s"}]}}`, id, id)
	bad := failing(id, "HTTP 503 "+secret)
	switch kind {
	case "failing":
		answers(http.StatusOK, "application/json", bad)(w, r)
	case "sse":
		streams(stream+"data: "+ok+"\n\n", 70)(w, r)
	case "sse_failing":
		streams(stream+"data: "+bad+"\n\n", 70)(w, r)
	case "html":
		answers(http.StatusBadGateway, "text/html", "<html>"+secret)(w, r)
	case "reset":
		raw(true)(w, r)
	case "refused_header":
		raw(true, "HTTP/1.1 200 OK\r\nContent-Ty")(w, r)
	case "cut":
		raw(false, head+"text/event-stream\r\n\r\n", "data: "+bad[:20])(w, r)
	case "short":
		raw(false, head+"application/json\r\nContent-Length: 5000\r\n\r\n", ok)(w, r)
	case "long":
		raw(false, head+"application/json\r\nContent-Length: 20\r\n\r\n", ok)(w, r)
	case "large":
		answers(http.StatusOK, "application/json", strings.Replace(ok, "answer", strings.Repeat("x", 1<<20), 1))(w, r)
	case "garbage":
		raw(false, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")(w, r)
	case "empty":
		answers(http.StatusOK, "application/json", "")(w, r)
	case "hang", "LEAVE":
		<-r.Context().Done()
	case "endless_header":
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(rw, "HTTP/1.1 200 OK\r\n")
		out := bufio.NewWriter(conn)
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(out, "X-%d: %s\r\n", i, strings.Repeat("y", 1000)); err != nil {
				return
			}
		}
	case "late":
		time.Sleep(50 * time.Millisecond)
		fallthrough
	default:
		answers(http.StatusOK, "application/json", ok)(w, r)
	}
}
