package integration

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// Whatever happens to the connection behind the gateway, a request gets one
// well-formed answer with its id.
func TestBrokenConnections(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "timeout 1s", u.URL)
	cut := failing("1", "never complete "+secret)
	cut = cut[:len(cut)-9]
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
	progress := "data: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}` + "\n\n"
	hang := func(started string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if started != "" {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, started)
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		before string // must have passed before the envelope
		want   want
	}{
		{"closed without an answer", raw(false), "", want{code: "service_unavailable", class: "dependency|retryable", status: 503}},
		{"reset without an answer", raw(true), "", want{code: "service_unavailable", class: "dependency|retryable", status: 503}},
		{"reset in the header", raw(true, "HTTP/1.1 200 OK\r\nContent-Ty"), "", want{code: "service_unavailable|upstream_error", class: "dependency|retryable"}},
		{"no HTTP", raw(false, "SSH-2.0-OpenSSH_9.6\r\n"), "", want{}},
		{"JSON cut, length declared", raw(false, head+"application/json\r\nContent-Length: 5000\r\n\r\n", cut), "", want{code: "service_unavailable", class: "dependency|retryable"}},
		{"JSON cut, chunked", raw(false, head+"application/json\r\nTransfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n", len(cut), cut)), "", want{code: "service_unavailable", class: "dependency|retryable"}},
		{"JSON cut, until close", raw(false, head+"application/json\r\n\r\n", cut), "", want{code: "service_unavailable|upstream_non_json"}},
		{"JSON reset", raw(true, head+"application/json\r\nContent-Length: 5000\r\n\r\n", cut), "", want{code: "service_unavailable", class: "dependency|retryable"}},
		{"stream cut before an event", raw(false, head+"text/event-stream\r\n\r\n"), "", want{code: "service_unavailable", class: "dependency|retryable"}},
		{"stream cut in the first event", raw(false, head+"text/event-stream\r\n\r\n", "data: "+cut), "", want{code: "service_unavailable", class: "dependency|retryable"}},
		{"stream cut after an event", raw(false, head+"text/event-stream\r\n\r\n", progress), progress, want{code: "service_unavailable", class: "dependency|retryable"}},
		{"stream reset after an event", raw(true, head+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n", len(progress), progress), "40\r\ndata: "), progress, want{code: "service_unavailable", class: "dependency|retryable"}},
		{"silent", hang(""), "", want{code: "service_unavailable", class: "retryable"}},
		{"silent after the header", hang(": hello\n\n"), "", want{code: "service_unavailable", class: "retryable"}},
		{"silent after an event", hang(progress), progress, want{code: "service_unavailable", class: "retryable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(c.answer)
			r := g.post(t, call("1", "x"))
			if r.Status != http.StatusOK || r.Cut != nil {
				t.Errorf("status %d, cut: %v", r.Status, r.Cut)
			}
			if !strings.HasPrefix(r.Body, c.before) {
				t.Errorf("%q did not pass: %q", c.before, r.Body)
			}
			c.want.result(t, "1", r.response(t, "1"))
			r.leakless(t)

			u.answer(c.answer)
			r = g.post(t, method("2", "resources/list"))
			c.want.failure(t, "2", 0, r.response(t, "2"))
			r.leakless(t)
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	g := start(t, "", fmt.Sprintf("http://127.0.0.1:%d", freePort(t)))
	r := g.post(t, call("1", "x"))
	if r.Status != http.StatusOK {
		t.Errorf("status %d, want 200", r.Status)
	}
	want{code: "service_unavailable", class: "dependency", status: 503}.result(t, "1", r.response(t, "1"))
	r = g.post(t, method("2", "tools/list"))
	if r.Status < 500 {
		t.Errorf("status %d, want 5xx", r.Status)
	}
	want{code: "service_unavailable", class: "dependency"}.failure(t, "2", 0, r.response(t, "2"))
	// A notification has no answer that could carry an error.
	if r = g.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); r.Status < 500 || gjson.Get(r.Body, "id").Exists() {
		t.Errorf("notification: %d %q", r.Status, r.Body)
	}
}

// A message over the limit is never held, and never silently dropped.
func TestOversizeMessages(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "max_response_body 16KiB", u.URL)
	big := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}}`
	tooBig := want{code: "upstream_error"}

	u.answer(answers(http.StatusOK, "application/json", big, "Content-Length", strconv.Itoa(len(big))))
	tooBig.result(t, "1", g.post(t, call("1", "x")).response(t, "1"))

	// The server goes on for ever: it must be cancelled, or this never ends.
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		c := http.NewResponseController(w)
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
			c.Flush()
		}
	})
	tooBig.result(t, "1", g.post(t, call("1", "x")).response(t, "1"))
	receive(t, u.gone, "the server was not cancelled")

	event := func(s string) string { return "data: " + s + "\n\n" }
	note := event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("y", 1<<20) + `"}}`)
	small := event(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"z"}}`)
	for _, n := range []int{1000, 1 << 21} {
		u.answer(streams(note+small+event(failing("1", "HTTP 503 "+secret)), n))
		r := g.post(t, call("1", "x"))
		if !strings.HasPrefix(r.Body, note+small) {
			t.Errorf("an over-size notification changed, or what followed: %d bytes, %q", len(r.Body), tail(r.Body, 300))
		}
		want{code: "service_unavailable"}.result(t, "1", r.response(t, "1"))
		r.leakless(t)

		u.answer(streams(small+event(big), n))
		r = g.post(t, call("1", "x"))
		if !strings.HasPrefix(r.Body, small) {
			t.Errorf("the event before the over-size one changed: %q", tail(r.Body, 300))
		}
		tooBig.result(t, "1", r.response(t, "1"))
	}
}

// When the client leaves, the server is told.
func TestClientLeaves(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	for name, begin := range map[string]func(w http.ResponseWriter){
		"before the header": func(http.ResponseWriter) {},
		"in a stream": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": hello\n\n")
			http.NewResponseController(w).Flush()
		},
		"in a held body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":`)
			http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{}, 1)
			u.answer(func(w http.ResponseWriter, r *http.Request) {
				begin(w)
				arrived <- struct{}{}
				<-r.Context().Done()
			})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			done := make(chan struct{})
			go func() {
				defer close(done)
				resp, err := client.Do(newRequest(t, http.MethodPost, g.URL+"/mcp", call("1", "x")).WithContext(ctx))
				if err == nil {
					readAll(resp)
				}
			}()
			receive(t, arrived, "the call did not arrive")
			leave()
			receive(t, u.gone, "the server did not learn that the client left")
			receive(t, done, "the client did not end")
		})
	}
	// The gateway goes on.
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	if r := g.post(t, call("1", "x")); r.Status != http.StatusOK {
		t.Errorf("afterwards: %d %q", r.Status, r.Body)
	}
	if log := g.logged(); strings.Contains(log, "panic") {
		t.Errorf("a panic was logged: %s", tail(log, 3000))
	}
}

// Early hints pass and are not taken for the answer.
func TestInformationalAnswers(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		status int
	}{
		{"to a failing result", answers(http.StatusOK, "application/json", failing("1", "HTTP 503 "+secret)), http.StatusOK},
		{"to a status", answers(http.StatusServiceUnavailable, "text/plain", secret), http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Link", "</style.css>; rel=preload")
				w.WriteHeader(http.StatusEarlyHints)
				w.Header().Del("Link")
				c.answer(w, r)
			})
			var hints []int
			r := newRequest(t, http.MethodPost, g.URL+"/mcp", call("1", "x"))
			trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				hints = append(hints, code)
				return nil
			}}
			resp, err := client.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(resp)
			if len(hints) != 1 || hints[0] != http.StatusEarlyHints || got.Status != c.status {
				t.Errorf("hints %v, status %d", hints, got.Status)
			}
			want{code: "service_unavailable", status: 503}.result(t, "1", got.response(t, "1"))
		})
	}
}

// An upgraded connection is nobody's business.
func TestUpgrade(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	u.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "echo")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.Copy(conn, rw)
	})
	r := newRequest(t, http.MethodGet, g.URL+"/ws", "", "Connection", "Upgrade", "Upgrade", "echo", "Accept", "*/*", "Content-Type", "")
	// A client with a time limit hides that it can write.
	resp, err := client.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		t.Fatalf("status %d, body %T", resp.StatusCode, resp.Body)
	}
	const said = `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`
	io.WriteString(conn, said)
	heard := make([]byte, len(said))
	if _, err := io.ReadFull(conn, heard); err != nil || string(heard) != said {
		t.Errorf("echo: %q, %v", heard, err)
	}
}

// receive waits for something that must come.
func receive[T any](t *testing.T, c <-chan T, otherwise string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal(otherwise)
	}
	return v
}
