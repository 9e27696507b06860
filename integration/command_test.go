package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asCaddy makes this test binary a Caddy with the gateway: TestMain runs
// Caddy's command line when the variable is set. So a gateway in a process of
// its own needs no second build.
const asCaddy = "INTEGRATION_RUN_CADDY"

func caddyProcess(t *testing.T, args func(addr string) []string) string {
	t.Helper()
	t.Setenv(asCaddy, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return servePort(t, self, args)
}

// "caddy mcp-gateway" is the gateway without a Caddyfile.
func TestCommand(t *testing.T) {
	u := newUpstream(t)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		if "http://"+r.Host != u.URL {
			t.Errorf("Host %q was sent to the server", r.Host)
		}
		answers(http.StatusOK, "application/json", failing("1", "HTTP 503 "+secret))(w, r)
	})
	at := caddyProcess(t, func(addr string) []string { return []string{"mcp-gateway", "--to", u.URL, "--from", addr} })
	r := send(t, http.MethodPost, at+"/mcp", call("1", "x"), "MCP-Protocol-Version", "2025-11-25")
	want{code: "service_unavailable", status: 503}.result(t, "1", r.response(t, "1"))
	r.leakless(t)
}

func TestCommandRefusesBadFlags(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"--to", "not a url"}, {"--to", "ftp://127.0.0.1:1"}} {
		cmd := exec.CommandContext(t.Context(), self, append([]string{"mcp-gateway"}, args...)...)
		cmd.Env = append(os.Environ(), asCaddy+"=1")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "to") {
			t.Errorf("%v: %v, %s", args, err, tail(string(out), 300))
		}
	}
}

// Stopping Caddy ends open streams, of which listening ones may be open for
// ever, after the grace period at the latest.
func TestStopWithOpenStream(t *testing.T) {
	u := newUpstream(t)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hello\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	pidFile := filepath.Join(dir, "pid")
	at := caddyProcess(t, func(addr string) []string {
		host, err := url.Parse("http://" + addr)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "Caddyfile")
		text := fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\ngrace_period 1s\nstorage file_system %q\n}\n:%s {\nbind 127.0.0.1\nmcp_gateway\n%s\n}\n",
			dir, host.Port(), proxyTo(t, u.URL))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "--config", file, "--pidfile", pidFile}
	})
	for _, r := range []*http.Request{
		newRequest(t, http.MethodGet, at+"/mcp", "", "Content-Type", "", "Accept", "text/event-stream", "Mcp-Session-Id", "abc", "MCP-Protocol-Version", "2025-11-25"),
		newRequest(t, http.MethodPost, at+"/mcp", call("1", "x"), "MCP-Protocol-Version", "2025-11-25"),
	} {
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); err != nil || line != ": hello\n" {
			t.Fatalf("stream began with %q, %v", line, err)
		}
		defer resp.Body.Close()
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(b), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	receive(t, u.gone, "the streams outlived Caddy")
	receive(t, u.gone, "one stream outlived Caddy")
}
