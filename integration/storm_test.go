package integration

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// Many calls at once, most of which fail in some way: each gets exactly the
// answer with its own id, and afterwards nothing of the gateway is left over.
func TestStorm(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "timeout 1s\nmax_response_body 64KiB", u.URL)
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		// The id of the call is the session's, so that the body need not be read again.
		id := r.Header.Get("Mcp-Session-Id")
		n, err := strconv.Atoi(id)
		if err != nil {
			t.Errorf("no id: %v", err)
			return
		}
		ok := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"answer %s"}]}}`, id, id)
		bad := failing(id, "HTTP 503 "+secret)
		switch n % 10 {
		case 0:
			answers(http.StatusOK, "application/json", ok)(w, r)
		case 1:
			answers(http.StatusOK, "application/json", bad)(w, r)
		case 2:
			streams(stream+"data: "+ok+"\n\n", 50)(w, r)
		case 3:
			streams(stream+"data: "+bad+"\n\n", 50)(w, r)
		case 4:
			answers(http.StatusBadGateway, "text/html", secret)(w, r)
		case 5:
			raw(true)(w, r)
		case 6:
			raw(false, head+"text/event-stream\r\n\r\n", ": hello\n\n")(w, r)
		case 7:
			answers(http.StatusOK, "application/json", strings.Replace(ok, "answer", strings.Repeat("x", 128<<10), 1))(w, r)
		case 8:
			raw(false, head+"application/json\r\nContent-Length: 5000\r\n\r\n", bad[:20])(w, r)
		case 9:
			<-r.Context().Done()
		}
	})

	const workers, each = 16, 20
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for i := range each {
				id := strconv.Itoa(1 + k*each + i)
				r := newRequest(t, http.MethodPost, g.URL+"/mcp", call(id, "x"), "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25")
				resp, err := client.Do(r)
				if err != nil {
					t.Errorf("%s: %v", id, err)
					continue
				}
				got := readAll(resp)
				m := got.response(t, id)
				switch n := (1 + k*each + i) % 10; {
				case n == 0 || n == 2:
					if gjson.Get(m, "result.content.0.text").String() != "answer "+id {
						t.Errorf("%s got %s", id, m)
					}
				default:
					want{}.result(t, id, m)
				}
				got.leakless(t)
			}
		})
	}
	wg.Wait()
	settled(t)
}

// settled waits until no goroutine serves a request in the gateway any more.
func settled(t *testing.T) {
	t.Helper()
	var left string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
			t.Fatal(err)
		}
		left = ""
		for _, g := range strings.Split(b.String(), "\n\n") {
			if strings.Contains(g, module+"/caddymodule.(*Handler).ServeHTTP") || strings.Contains(g, module+"/caddymodule.(*exchange)") {
				left = g
			}
		}
		if left == "" {
			return
		}
	}
	t.Errorf("a goroutine stays: %s", left)
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
