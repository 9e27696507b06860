package integration

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A server that sends far too much: the caller gets its answer, and the gateway never holds more of each than
// max_response_body, and of headers what Caddy takes.
func TestHugeAnswers(t *testing.T) {
	u := newUpstream(t)
	endless := func(status int, media, begin string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, err := io.WriteString(w, filled(begin, r.Header.Get(faultID)))
			for err == nil {
				_, err = w.Write(filler)
			}
		}
	}
	const calls, held = 4, 1 << 20
	o := observe(t, "mcp_gateway {\nmax_response_body 1MiB\nlimits memory\nlimit {\nconcurrency 100\n}\n}\n"+briefly(t, u.URL))
	result := `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`
	idle := o.goroutines(t)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"100 MB", nil}, {"100 MB in an event", nil},
		{"gzip bomb", nil}, {"gzip bomb in an event", nil},
		// The silence of such a server never lasts.
		{"endless JSON", endless(http.StatusOK, "application/json", result)},
		{"endless failure", endless(http.StatusBadGateway, "text/html", "<html>"+secret)},
		{"endless HTML", endless(http.StatusOK, "text/html", "<html>"+secret)},
		{"endless event", endless(http.StatusOK, "text/event-stream", "data: "+result)},
		{"endless garbage in an event", endless(http.StatusOK, "text/event-stream", "data: x")},
		{"endless header", nil},
	} {
		u.answer(faulty)
		if c.answer != nil {
			u.answer(c.answer)
		}
		before := o.peak(t)
		each(calls, func(i int) {
			f := fault{kind: c.name, ends: fails}
			f.once(t, client, o.URL, fmt.Sprint(i))
		})
		grew := o.peak(t) - before
		t.Logf("%s: the heap's peak grew by %.0f MB with %d calls at once", c.name, grew/1e6, calls)
		// A buffer that doubles is there twice while it is copied, and as much may be garbage.
		most := float64(calls * held * 8)
		if c.name == "endless header" {
			most = calls * 80e6 // 10 MB of text, that Go takes apart
		}
		if grew > most {
			t.Errorf("%s: the heap's peak grew by %.0f MB", c.name, grew/1e6)
		}
	}
	o.settled(t, idle+8)
}

// A server that declares a large body and does not send it costs little until it does.
func TestDeclaredAndNotSent(t *testing.T) {
	u := newUpstream(t)
	begun := make(chan struct{}, 1000)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "8000000")
		io.WriteString(w, `{"jsonrpc":"2.0",`)
		http.NewResponseController(w).Flush()
		begun <- struct{}{}
		<-r.Context().Done()
	})
	o := observe(t, "mcp_gateway {\nlimits memory\nlimit {\nconcurrency 1000\n}\n}\n"+briefly(t, u.URL))
	heap, _ := o.heap(t)
	idle := o.goroutines(t)
	const calls = 50
	done := make(chan struct{})
	var leaves []func()
	for i := range calls {
		r := newRequest(t, http.MethodPost, o.URL+"/mcp", call(fmt.Sprint(i), "x"), "MCP-Protocol-Version", "2025-11-25")
		ctx, leave := context.WithCancel(r.Context())
		leaves = append(leaves, leave)
		go func() {
			defer func() { done <- struct{}{} }()
			if resp, err := client.Do(r.WithContext(ctx)); err == nil {
				readAll(resp)
			}
		}()
	}
	for range calls {
		receive(t, begun, "a call did not arrive")
	}
	open, _ := o.heap(t)
	t.Logf("%d answers of 8 MB begun: %.0f bytes of heap each", calls, (open-heap)/calls)
	if open-heap > calls*2<<20 {
		t.Errorf("an answer that does not come takes %.0f bytes", (open-heap)/calls)
	}
	for _, leave := range leaves {
		leave()
		receive(t, done, "a client did not end")
	}
	o.settled(t, idle+8)
}

// Tools that a server lists get a label, as many as are known at a time. One that lists ever new ones does not make
// labels without end, nor does it fill the memory.
func TestListedToolNames(t *testing.T) {
	const page, batch, known = 1000, 100, 4096
	u := newUpstream(t)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscan(r.Header.Get("X-Page"), &n); err != nil { // a call
			answers(http.StatusInternalServerError, "text/html", secret)(w, r)
			return
		}
		var tools []string
		for i := range page {
			tools = append(tools, fmt.Sprintf(`{"name":"tool-%d-%d","inputSchema":{"type":"object","properties":{"p%d":{"type":"string"}}}}`, n, i, n*page+i))
		}
		answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+strings.Join(tools, ",")+`]}}`)(w, r)
	})
	o := observe(t, "mcp_gateway {\nlimits memory\nbreaker {\nfailures 1000000\n}\nvalidate arguments results\n}\n"+briefly(t, u.URL))
	hc, leave := newPool()
	defer leave()
	do := func(body string, header ...string) string {
		resp, err := hc.Do(newRequest(t, http.MethodPost, o.URL+"/mcp", body, header...))
		if err != nil {
			t.Fatal(err)
		}
		return readAll(resp).Body
	}
	var heap float64
	pages := scaled(50, 10)
	for n := range pages {
		if got := gjson.Get(do(method("1", "tools/list"), "MCP-Protocol-Version", "2025-03-26", "X-Page", fmt.Sprint(n)), "result.tools.#").Int(); got != page {
			t.Fatalf("page %d lists %d tools", n, got)
		}
		for from := 0; from < page; from += batch {
			var calls []string
			for i := range batch {
				calls = append(calls, call(fmt.Sprint(1+i), fmt.Sprintf("tool-%d-%d", n, from+i)))
			}
			got := do("["+strings.Join(calls, ",")+"]", "MCP-Protocol-Version", "2025-03-26")
			if gjson.Get(got, "#").Int() != batch {
				t.Fatalf("%d answers to a batch of %d: %q", gjson.Get(got, "#").Int(), batch, tail(got, 300))
			}
		}
		if n == pages*9/10-1 {
			heap, _ = o.heap(t)
		}
	}
	after, _ := o.heap(t)
	labels := len(o.metrics(t, "caddy_mcp_gateway_failures_total"))
	t.Logf("%d tools listed and called; heap %.1f MB after most, %.1f MB after all; %d series", pages*page, heap/1e6, after/1e6, labels)
	if labels < page || labels > known+1 {
		t.Errorf("%d series of failures, of %d tools listed", labels, pages*page)
	}
	if after > heap+10e6 {
		t.Errorf("the heap grew from %.0f to %.0f bytes", heap, after)
	}
}
