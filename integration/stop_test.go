package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// "caddy stop" ends a Caddy with open streams: those that only listen at once, calls when they have their answers,
// and when the grace period is over whatever is left.
func TestCaddyStop(t *testing.T) {
	const streams = 20
	for _, c := range []struct {
		name   string
		grace  string
		kinds  []string
		finish bool // the server answers the calls once Caddy is stopping
	}{
		{"listening", "10m", []string{"listen", "subscribe"}, false},
		{"calls that end", "10m", []string{"call", "listen"}, true},
		{"calls that do not end", "1s", []string{"call", "listen", "subscribe"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUpstream(t)
			finish := make(chan struct{})
			u.answer(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, ": hello\n\n")
				http.NewResponseController(w).Flush()
				select {
				case <-finish:
				case <-r.Context().Done():
					return
				}
				if id := r.Header.Get(faultID); id != "" {
					io.WriteString(w, "data: "+answerOf(id)+"\n\n")
				}
			})
			s := startStoppable(t, c.grace, proxyTo(t, u.URL))
			type end struct {
				kind, id string
				got      string
				err      error
			}
			ends := make(chan end)
			for i := range streams {
				kind, id := c.kinds[i%len(c.kinds)], fmt.Sprint(i)
				resp, err := client.Do(s.request(t, kind, id))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				lines := bufio.NewReader(resp.Body)
				if line, err := lines.ReadString('\n'); err != nil || line != ": hello\n" {
					t.Fatalf("stream began with %q, %v", line, err)
				}
				go func() {
					b, err := io.ReadAll(lines)
					ends <- end{kind, id, string(b), err}
				}()
			}

			begin := time.Now()
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				if out, err := s.stop(t); err != nil {
					t.Errorf("caddy stop: %v, %s", err, tail(out, 1000))
				}
			}()
			if c.finish {
				receive(t, u.gone, "the listening streams were not ended") // so it is stopping
				close(finish)
			}
			for range streams {
				e := receive(t, ends, "a stream outlived caddy stop")
				if c.finish && e.kind == "call" && (e.err != nil || !strings.Contains(e.got, answerOf(e.id))) {
					t.Errorf("a call that could end in the grace period got %q, %v", e.got, e.err)
				}
				if e.kind != "call" && c.grace == "10m" && e.err != nil {
					t.Errorf("a stream that listened was cut: %v", e.err)
				}
			}
			receive(t, s.ended, "Caddy did not end")
			receive(t, stopped, "caddy stop did not return")
			t.Logf("Caddy had ended %s after caddy stop, grace period %s", time.Since(begin).Round(time.Millisecond), c.grace)
		})
	}
}

// stoppable is a Caddy in a process of its own that can be stopped.
type stoppable struct {
	url, self, admin string
	ended            <-chan struct{}
}

func startStoppable(t *testing.T, grace, proxy string) *stoppable {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, port := t.TempDir(), freePort(t)
	s := &stoppable{url: fmt.Sprintf("http://127.0.0.1:%d", port), self: self, admin: fmt.Sprintf("127.0.0.1:%d", freePort(t))}
	file := filepath.Join(dir, "Caddyfile")
	text := fmt.Sprintf("{\nadmin %s\npersist_config off\nauto_https off\ngrace_period %s\nstorage file_system %q\n}\n:%d {\nbind 127.0.0.1\nmcp_gateway\n%s\n}\n",
		s.admin, grace, dir, port, proxy)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, ended := spawn(t, []string{asCaddy + "=1"}, self, "run", "--config", file)
	await(t, "caddy", said, ended, func() bool { return listens(strings.TrimPrefix(s.url, "http://")) && listens(s.admin) })
	s.ended = ended
	return s
}

// stop runs "caddy stop".
func (s *stoppable) stop(t *testing.T) (string, error) {
	cmd := exec.CommandContext(t.Context(), s.self, "stop", "--address", s.admin)
	cmd.Env = append(os.Environ(), asCaddy+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// request opens a stream of a kind: a GET that listens, a subscription of the modern era, or a call.
func (s *stoppable) request(t *testing.T, kind, id string) *http.Request {
	switch kind {
	case "listen":
		return newRequest(t, http.MethodGet, s.url+"/mcp", "", "Content-Type", "", "Accept", "text/event-stream", "Mcp-Session-Id", "abc", "MCP-Protocol-Version", "2025-11-25")
	case "subscribe":
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			id, modernVersion)
		return newRequest(t, http.MethodPost, s.url+"/mcp", body, "MCP-Protocol-Version", modernVersion, "Mcp-Method", "subscriptions/listen")
	}
	return newRequest(t, http.MethodPost, s.url+"/mcp", call(id, "x"), "MCP-Protocol-Version", "2025-11-25", faultID, id)
}
