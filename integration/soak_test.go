package integration

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// observed is a Caddy in a process of its own, whose memory and goroutines the
// test can see through the admin endpoint.
type observed struct {
	URL string

	admin, port, dir string
}

func observe(t *testing.T, site string) *observed {
	t.Helper()
	o := &observed{admin: net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t))), dir: t.TempDir()}
	o.URL = caddyProcess(t, func(addr string) []string {
		host, err := url.Parse("http://" + addr)
		if err != nil {
			t.Fatal(err)
		}
		o.port = host.Port()
		file := filepath.Join(o.dir, "Caddyfile")
		if err := os.WriteFile(file, []byte(o.text(site)), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "--config", file}
	})
	return o
}

// text is the Caddyfile of a site.
func (o *observed) text(site string) string {
	return fmt.Sprintf("{\nadmin %s\npersist_config off\nauto_https off\ngrace_period 5s\nstorage file_system %q\nlog {\nlevel FATAL\n}\n}\n:%s {\nbind 127.0.0.1\n%s\n}\n",
		o.admin, o.dir, o.port, site)
}

// reload replaces the config, as "caddy reload" does.
func (o *observed) reload(t *testing.T, site string) {
	t.Helper()
	resp, err := client.Post("http://"+o.admin+"/load", "text/caddyfile", strings.NewReader(o.text(site)))
	if err != nil {
		t.Fatal(err)
	}
	if r := readAll(resp); r.Status != http.StatusOK {
		t.Fatalf("reload: %d %s", r.Status, r.Body)
	}
}

func (o *observed) get(t *testing.T, path string) string {
	t.Helper()
	resp, err := client.Get("http://" + o.admin + path)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(resp).Body
}

// heap is what lives on the heap after a collection, in bytes.
func (o *observed) heap(t *testing.T) float64 {
	t.Helper()
	o.get(t, "/debug/pprof/heap?gc=1")
	o.get(t, "/debug/pprof/heap?gc=1")
	return o.metric(t, "go_memstats_heap_alloc_bytes")
}

func (o *observed) goroutines(t *testing.T) float64 { return o.metric(t, "go_goroutines") }

// metric is the sum of all series of a name.
func (o *observed) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(o.get(t, "/metrics")) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && (series == name || strings.HasPrefix(series, name+"{")) {
			if i := strings.LastIndexByte(line, ' '); i >= 0 {
				value = strings.TrimSpace(line[i+1:])
			}
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			sum += v
		}
	}
	return sum
}

// series counts the series that the gateway has made.
func (o *observed) series(t *testing.T) (n int) {
	t.Helper()
	for line := range strings.Lines(o.get(t, "/metrics")) {
		if strings.HasPrefix(line, "caddy_mcp_gateway_") {
			n++
		}
	}
	return n
}

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
	goroutines, heap := settle(60), o.heap(t)
	traffic(length - length/5)
	after, heapAfter := settle(goroutines+20), o.heap(t)
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
