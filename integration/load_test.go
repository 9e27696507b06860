package integration

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// scaled is n in the long form of the tests (GATEWAY_LONG=1), else a part of it.
func scaled(n, part int) int {
	if os.Getenv("GATEWAY_LONG") != "" {
		return n
	}
	return n / part
}

// Reloads under load with streams open: no request that reached the gateway fails, no count is lost, the
// streams end under the config they began with, and nothing is held afterwards.
func TestReloadUnderLoad(t *testing.T) {
	u := newUpstream(t)
	finish := make(chan struct{})
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Id")
		ok := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"answer %s"}]}}`, id, id)
		if r.Header.Get("X-Stream") == "" {
			answers(http.StatusOK, "application/json", ok)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\n\n")
		http.NewResponseController(w).Flush()
		select {
		case <-finish:
		case <-r.Context().Done():
		}
		io.WriteString(w, "data: "+ok+"\n\n")
	})
	const rpm = 4000
	streamsOpen, workers := scaled(200, 10), 8
	site := func(version int) string {
		return fmt.Sprintf("mcp_gateway {\ntimeout %dm\nlimits memory\nlimit {\nkey {http.request.header.X-Caller}\nrpm %d\nconcurrency %d\n}\n}\n%s",
			5+version, rpm, streamsOpen+workers, proxyTo(t, u.URL))
	}
	o := observe(t, site(0))
	post := func(id int, stream bool) (*http.Response, error) {
		r := newRequest(t, http.MethodPost, o.URL+"/mcp", call(fmt.Sprint(id), "x"), "MCP-Protocol-Version", "2025-11-25",
			"X-Id", fmt.Sprint(id), "X-Caller", "one")
		if stream {
			r.Header.Set("X-Stream", "1")
		}
		return client.Do(r)
	}

	begin := time.Now()
	ends := make(chan error, streamsOpen)
	for i := range streamsOpen {
		resp, err := post(i+1, true)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
			t.Fatalf("stream %d began with %q, %v", i, line, err)
		}
		go func() {
			b, err := io.ReadAll(lines)
			if err == nil && !strings.Contains(string(b), fmt.Sprintf(`"text":"answer %d"`, i+1)) {
				err = fmt.Errorf("stream %d ended with %q", i, b)
			}
			ends <- err
		}()
	}

	var sent, again atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if sent.Load() > rpm/2 {
					time.Sleep(time.Millisecond)
					continue
				}
				id := int(10000 + sent.Add(1))
				resp, err := post(id, false)
				// net/http closes connections unread that it accepts just when a server shuts down, so plain Caddy does on
				// a reload: such a request never began. That it did not is checked by the counts below.
				for tries := 0; err != nil && tries < 5; tries++ {
					again.Add(1)
					resp, err = post(id, false)
				}
				if err != nil {
					t.Errorf("a call failed during a reload: %v", err)
					return
				}
				if got := readAll(resp); got.Status != http.StatusOK || gjson.Get(got.Body, "result.content.0.text").String() != fmt.Sprintf("answer %d", id) {
					t.Errorf("a call failed during a reload: %d %q", got.Status, tail(got.Body, 300))
				}
			}
		})
	}
	for i := range 5 {
		time.Sleep(100 * time.Millisecond)
		o.reload(t, site(i+1))
	}
	close(stop)
	wg.Wait()
	close(finish)
	for range streamsOpen {
		if err := receive(t, ends, "a stream did not end"); err != nil {
			t.Error(err)
		}
	}
	admitted := int(sent.Load()) + streamsOpen
	if got := int(o.metric(t, "caddy_mcp_gateway_requests_total")); got != admitted {
		t.Errorf("requests_total is %d after the reloads, %d requests were sent", got, admitted)
	}
	state := gjson.Get(o.get(t, "/mcp-gateway/limits"), "stores.0")
	if state.Get("held").Int() != 0 {
		t.Errorf("slots are held after all calls ended: %s", state.Raw)
	}
	if time.Since(begin) < 50*time.Second { // else the window has moved on
		if got := state.Get("counts.0.current.rpm").Int(); int(got) != admitted {
			t.Errorf("the window counts %d calls, %d were admitted: %s", got, admitted, state.Raw)
		}
	}
	t.Logf("%d calls and %d streams over 5 reloads; %d connections were closed unread", sent.Load(), streamsOpen, again.Load())
}

// Clients that make up callers, sessions and tools, send many headers, or send
// their bodies slowly: memory and labels stay bounded, and others are served.
func TestHostileClients(t *testing.T) {
	u := newUpstream(t)
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fine"}]}}`))
	o := observe(t, `mcp_gateway {
		limits memory
		limit {
			key {http.request.header.X-Caller}
			rpm 100
			concurrency 4
		}
		breaker
		validate arguments
	}
	`+proxyTo(t, u.URL))
	served := func(when string) {
		t.Helper()
		r := send(t, http.MethodPost, o.URL+"/mcp", call("1", "x"), "MCP-Protocol-Version", "2025-11-25", "X-Caller", "honest "+when)
		if gjson.Get(r.Body, "result.content.0.text").String() != "fine" {
			t.Errorf("%s, others are not served: %d %q", when, r.Status, tail(r.Body, 300))
		}
	}
	addr := strings.TrimPrefix(o.URL, "http://")

	// Bodies that never end.
	for range 50 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 200000\r\n\r\n{\"jsonrpc\"")
	}
	served("with slow bodies")

	// A flood of headers.
	var flood strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&flood, "X-Flood-%d: %032d\r\n", i, i)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	go fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 2\r\n\r\n{}", flood.String())
	if status, err := bufio.NewReader(c).ReadString('\n'); err == nil && !strings.Contains(status, "431") {
		t.Errorf("a flood of headers got %q", status)
	}
	c.Close()
	served("after a flood of headers")

	// Names that are made up, each new.
	made := func(from, to int) {
		var next atomic.Int64
		next.Store(int64(from))
		var wg sync.WaitGroup
		transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}
		defer transport.CloseIdleConnections()
		hc := &http.Client{Transport: transport, Timeout: patience}
		for range 16 {
			wg.Go(func() {
				for {
					i := next.Add(1)
					if i > int64(to) {
						return
					}
					r := newRequest(t, http.MethodPost, o.URL+"/mcp", call("1", fmt.Sprintf("tool-%d", i)), "MCP-Protocol-Version", "2025-11-25",
						"X-Caller", fmt.Sprintf("caller-%d", i), "Mcp-Session-Id", fmt.Sprintf("session-%d", i), "Authorization", fmt.Sprintf("Bearer %d", i))
					resp, err := hc.Do(r)
					if err != nil {
						t.Errorf("call %d: %v", i, err)
						return
					}
					readAll(resp)
				}
			})
		}
		wg.Wait()
	}
	n := scaled(200000, 50)
	made(0, n/2)
	heap, series := o.heap(t), o.series(t)
	made(n/2, n)
	served("after many names")
	after := o.heap(t)
	t.Logf("%d names; heap %.1f MB after half of them, %.1f MB after all; %d series", n, heap/1e6, after/1e6, o.series(t))
	// One caller's counts are some hundred bytes, and DefaultMaxKeys of them are kept.
	if perName := (after - heap) / float64(n/2); perName > 1500 || after > 256e6 {
		t.Errorf("%.0f bytes stay for each name, %.1f MB in all", perName, after/1e6)
	}
	if now := o.series(t); now > series {
		t.Errorf("series of metrics grew from %d to %d", series, now)
	}
}
