package integration

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// upstream is a server whose answers are written by the test, byte by byte
// where need be.
type upstream struct {
	URL string

	mu      sync.Mutex
	handler http.HandlerFunc
	gone    chan struct{} // receives once per request that was cancelled before its handler returned
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{gone: make(chan struct{}, 64)}
	ctx, end := context.WithCancel(context.Background())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does net/http notice that the client leaves
		r.Body = io.NopCloser(bytes.NewReader(body))
		u.mu.Lock()
		h := u.handler
		u.mu.Unlock()
		h(w, r)
		if r.Context().Err() != nil {
			select {
			case u.gone <- struct{}{}:
			default:
			}
		}
	}))
	s.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.Start()
	t.Cleanup(func() {
		end()
		s.CloseClientConnections()
		s.Close()
	})
	u.URL = s.URL
	return u
}

func (u *upstream) answer(h http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.handler = h
drain:
	for {
		select {
		case <-u.gone:
		default:
			break drain
		}
	}
}

// answers sends a body with a status and a media type.
func answers(status int, mediaType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if mediaType == "" {
			w.Header()["Content-Type"] = nil
		} else {
			w.Header().Set("Content-Type", mediaType)
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// streams sends an event stream in pieces of n bytes, each flushed.
func streams(body string, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		c := http.NewResponseController(w)
		for rest := body; len(rest) > 0; {
			piece := rest[:min(n, len(rest))]
			rest = rest[len(piece):]
			io.WriteString(w, piece)
			c.Flush()
		}
	}
}

// raw takes the connection and writes what it is given, then closes it, with
// a reset if so wanted.
func raw(reset bool, pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		for _, p := range pieces {
			io.WriteString(conn, p)
			time.Sleep(10 * time.Millisecond) // a packet of its own
		}
		if reset {
			conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
}

// reply is an answer that has been read to its end.
type reply struct {
	Status int
	Header http.Header
	Body   string
	// Cut is set when the answer ended before its end.
	Cut error
}

// messages returns the JSON-RPC messages of an answer, in order.
func (r reply) messages(t *testing.T) []string {
	t.Helper()
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return []string{r.Body}
	}
	var out []string
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(r.Body)
	for _, event := range strings.Split(text, "\n\n") {
		var data []string
		for _, line := range strings.Split(event, "\n") {
			if rest, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(rest, " "))
			}
		}
		if s := strings.Join(data, "\n"); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// response returns the message that answers the request with the id.
func (r reply) response(t *testing.T, id string) string {
	t.Helper()
	var found []string
	for _, m := range r.messages(t) {
		if gjson.Get(m, "id").Raw == id && !gjson.Get(m, "method").Exists() {
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		t.Errorf("%d responses with id %s, want 1: status %d, %q (cut: %v)", len(found), id, r.Status, tail(r.Body, 600), r.Cut)
		return ""
	}
	return found[0]
}

var client = &http.Client{
	Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
	Timeout:   patience,
}

func newRequest(t *testing.T, method, url, body string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// send makes a request and reads the answer to its end.
func send(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	resp, err := client.Do(newRequest(t, method, url, body, header...))
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return readAll(resp)
}

func readAll(resp *http.Response) reply {
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err := io.Copy(&b, resp.Body)
	return reply{Status: resp.StatusCode, Header: resp.Header, Body: b.String(), Cut: err}
}

// post sends a legacy JSON-RPC message to /mcp.
func (g *gateway) post(t *testing.T, body string, header ...string) reply {
	t.Helper()
	return send(t, http.MethodPost, g.URL+"/mcp", body, append([]string{"MCP-Protocol-Version", "2025-11-25"}, header...)...)
}

// call is a tools/call of protocol 2025-11-25 and older.
func call(id, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

// method is a request without parameters.
func method(id, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{}}`, id, name)
}

// failing is a failing tool result with a text.
func failing(id, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"isError":true}}`, id, text)
}

// secret stands in for anything that must not cross.
const secret = "/srv/app/secrets.py"

// leakless fails when an upstream's text shows anywhere in an answer.
func (r reply) leakless(t *testing.T, forbidden ...string) {
	t.Helper()
	for _, f := range append(forbidden, secret) {
		if strings.Contains(r.Body, f) {
			t.Errorf("%q crossed: %s", f, tail(r.Body, 600))
		}
		for k, vs := range r.Header {
			for _, v := range vs {
				if strings.Contains(v, f) {
					t.Errorf("%q crossed in the header %s", f, k)
				}
			}
		}
	}
}
