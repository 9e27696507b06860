package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// toolServer answers every request with a result for its id, batches too. The
// tool "hold" answers when it is told to, "stream" begins a stream at once and
// sends its answer, then ends, when told to. A GET is a stream without end.
type toolServer struct {
	URL     string
	arrived chan string   // the tool, or "GET", of calls that wait
	answer  chan struct{} // one per waiting call
	end     chan struct{} // one per stream that has answered
	left    chan struct{} // one per waiting call whose client left
}

func newToolServer(t *testing.T) *toolServer {
	t.Helper()
	s := &toolServer{arrived: make(chan string, 64), answer: make(chan struct{}, 64), end: make(chan struct{}, 64), left: make(chan struct{}, 64)}
	ctx, cancel := context.WithCancel(context.Background())
	h := httptest.NewUnstartedServer(s)
	h.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	h.Start()
	t.Cleanup(func() {
		cancel()
		h.CloseClientConnections()
		h.Close()
	})
	s.URL = h.URL
	return s
}

func (s *toolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	id := m.Get("id")
	tool := m.Get("params.name").String()
	c := http.NewResponseController(w)
	switch {
	case r.Method == http.MethodGet, m.Get("method").String() == "subscriptions/listen":
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hello\n\n")
		c.Flush()
		s.arrived <- "GET"
		s.wait(r, nil)
	case tool == "hold":
		s.arrived <- tool
		if s.wait(r, s.answer) {
			writeJSON(w, fine(id.Raw))
		}
	case tool == "stream":
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"z\"}}\n\n")
		c.Flush()
		s.arrived <- tool
		if !s.wait(r, s.answer) {
			return
		}
		io.WriteString(w, "data: "+fine(id.Raw)+"\n\n")
		c.Flush()
		s.wait(r, s.end)
	case m.IsArray():
		var all []string
		m.ForEach(func(_, one gjson.Result) bool {
			if one.Get("id").Exists() {
				all = append(all, fine(one.Get("id").Raw))
			}
			return true
		})
		writeJSON(w, "["+strings.Join(all, ",")+"]")
	case id.Exists():
		writeJSON(w, fine(id.Raw))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func (s *toolServer) wait(r *http.Request, until <-chan struct{}) bool {
	select {
	case <-until:
		return true
	case <-r.Context().Done():
		s.left <- struct{}{}
		return false
	}
}

func writeJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, body)
}

// fine is a result without failure.
func fine(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"fine"}]}}`, id)
}

// later sends a call that waits at the server, and returns where its answer
// will be, and what makes its client leave.
func (s *toolServer) later(t *testing.T, url, tool string, header ...string) (answer <-chan reply, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	method, body := http.MethodPost, call("9", tool)
	if tool == "GET" {
		method, body = http.MethodGet, ""
		header = append(header, "Accept", "text/event-stream")
	}
	r := newRequest(t, method, url+"/mcp", body, append([]string{"MCP-Protocol-Version", "2025-11-25"}, header...)...).WithContext(ctx)
	out := make(chan reply, 1)
	go func() {
		resp, err := client.Do(r)
		if err != nil {
			out <- reply{Cut: err}
			return
		}
		out <- readAll(resp)
	}()
	if got := receive(t, s.arrived, "the call did not arrive"); got != tool {
		t.Fatalf("%s arrived, want %s", got, tool)
	}
	return out, cancel
}

// try opens a listening stream, and reports whether it was admitted.
func (s *toolServer) try(t *testing.T, url string) (open bool, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := newRequest(t, http.MethodGet, url+"/mcp", "", "Content-Type", "", "Accept", "text/event-stream", "MCP-Protocol-Version", "2025-11-25").WithContext(ctx)
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		receive(t, s.arrived, "the stream did not arrive")
	}
	return resp.StatusCode == http.StatusOK, func() {
		cancel()
		resp.Body.Close()
	}
}

// passes fails unless the request was answered by the server.
func (g *gateway) passes(t *testing.T, body string, header ...string) reply {
	t.Helper()
	r := g.post(t, body, header...)
	if !r.passed() {
		t.Fatalf("refused: %d %s", r.Status, r.Body)
	}
	return r
}

func (r reply) passed() bool {
	return r.Status < 300 && !strings.Contains(r.Body, `"error_class"`) && !strings.Contains(r.Body, `"error":`)
}

// numbers are current and limits of an envelope.
type numbers struct{ concurrency, rpm, maxConcurrency, maxRPM int64 }

// refused fails unless the call with the id was answered by a failing result
// with the wanted envelope and numbers, and waits that agree.
func (r reply) refused(t *testing.T, id string, w want, n *numbers) gjson.Result {
	t.Helper()
	m := r.response(t, id)
	w.result(t, id, m)
	if r.Status != http.StatusOK {
		t.Errorf("status %d, want 200", r.Status)
	}
	e := gjson.Get(m, "result._meta."+escaped(envelope.MetaKey))
	checkWait(t, r, e)
	if n != nil {
		if got := numbersOf(e); got != *n {
			t.Errorf("numbers are %+v, want %+v: %s", got, *n, e.Raw)
		}
	}
	return e
}

func numbersOf(e gjson.Result) numbers {
	return numbers{e.Get("current.concurrency").Int(), e.Get("current.rpm").Int(),
		e.Get("limits.maxConcurrency").Int(), e.Get("limits.maxRpm").Int()}
}

// checkWait compares the three places in which a refusal says when to come back.
func checkWait(t *testing.T, r reply, e gjson.Result) {
	t.Helper()
	seconds, ms := e.Get("retryAfter").Int(), e.Get("retry_hint.retry_after_ms").Int()
	// Without Redis, a replica's own share is counted in steps of 5 s.
	if ms < 1 || ms > 65_000 || seconds != (ms+999)/1000 || r.Header.Get("Retry-After") != e.Get("retryAfter").Raw {
		t.Errorf("waits disagree: retryAfter %d s, retry_after_ms %d, Retry-After %q", seconds, ms, r.Header.Get("Retry-After"))
	}
}
