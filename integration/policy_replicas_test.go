package integration

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// replica is a gateway in a process of its own.
type replica struct {
	gateway
	admin   string
	pidFile string
}

func startReplica(t *testing.T, block, upstream string) *replica {
	t.Helper()
	dir := t.TempDir()
	admin := net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	at := caddyProcess(t, func(addr string) []string {
		u, err := url.Parse("http://" + addr)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "Caddyfile")
		text := fmt.Sprintf("{\nadmin %s\npersist_config off\nauto_https off\ngrace_period 1s\nstorage file_system %q\n}\n:%s {\nbind 127.0.0.1\nmcp_gateway {\n%s\n}\n%s\n}\n",
			admin, dir, u.Port(), block, proxyTo(t, upstream))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "--config", file, "--pidfile", filepath.Join(dir, "pid")}
	})
	return &replica{gateway{URL: at, t: t}, "http://" + admin + "/mcp-gateway/", filepath.Join(dir, "pid")}
}

// Two gateways with one Redis open and close together, and switch together.
func TestReplicasShareBreakersAndSwitches(t *testing.T) {
	srv := redistest.Start(t)
	u := newUpstream(t)
	var healthy atomic.Bool
	asked := scripted(u, map[string]func(string) string{"search": func(id string) string {
		if healthy.Load() {
			return succeeding(id)
		}
		return failing(id, "HTTP 503")
	}})
	block := "limits redis " + srv.Addr + "\nbreaker {\nfailures 3\ncooldown 1h\n}"
	one, two := startReplica(t, block, u.URL), startReplica(t, block, u.URL)
	body := func(g *replica, tool string) string { return g.post(t, call("1", tool)).Body }
	for range 3 {
		body(one, "search")
	}
	if m := body(one, "search"); !strings.Contains(m, "failed 3 times in a row") {
		t.Errorf("not open on the replica that saw the failures: %s", m)
	}
	redistest.Until(t, "the other replica opens", func() bool { return strings.Contains(body(two, "search"), "times in a row") })
	before := asked.Load()
	body(one, "search")
	body(two, "search")
	if asked.Load() != before {
		t.Error("a call passed an open breaker")
	}
	healthy.Store(true)
	if a := ask(t, http.MethodPost, one.admin+"breakers/reset", "", http.StatusOK); a.Get("reset").Int() != 1 || !a.Get("shared").Bool() {
		t.Errorf("reset: %s", a.Raw)
	}
	if m := body(one, "search"); m != succeeding("1") {
		t.Errorf("not closed on the replica that was asked: %s", m)
	}
	redistest.Until(t, "the other replica closes", func() bool { return body(two, "search") == succeeding("1") })

	ask(t, http.MethodPost, two.admin+"services/mcp/tools/search/disable", "Closed for stocktaking.", http.StatusOK)
	closed := want{code: "service_disabled", class: "terminal", status: 503, text: "Closed for stocktaking."}
	closed.result(t, "1", body(two, "search"))
	redistest.Until(t, "the switch reaches the other replica", func() bool { return strings.Contains(body(one, "search"), "service_disabled") })
	closed.result(t, "1", body(one, "search"))

	// A replica that starts later remembers.
	three := startReplica(t, block, u.URL)
	redistest.Until(t, "a new replica learns the switch", func() bool { return strings.Contains(body(three, "search"), "service_disabled") })
	ask(t, http.MethodPost, three.admin+"services/mcp/tools/search/enable", "", http.StatusOK)
	for name, g := range map[string]*replica{"one": one, "two": two, "three": three} {
		redistest.Until(t, "the switch is on again on "+name, func() bool { return body(g, "search") == succeeding("1") })
	}
}

// A gateway that dies while its probe runs does not keep the breaker for itself.
func TestKilledProberDoesNotWedge(t *testing.T) {
	srv := redistest.Start(t)
	u := newUpstream(t)
	var mode atomic.Int32 // 0 fails, 1 hangs, 2 is healthy
	hangs, release := make(chan struct{}, 8), make(chan struct{})
	defer close(release)
	scripted(u, map[string]func(string) string{"search": func(id string) string {
		switch mode.Load() {
		case 1:
			hangs <- struct{}{}
			<-release
		case 2:
			return succeeding(id)
		}
		return failing(id, "HTTP 503")
	}})
	block := "limits redis " + srv.Addr + "\nbreaker {\nfailures 3\ncooldown 1s\n}"
	one, two := startReplica(t, block, u.URL), startReplica(t, block, u.URL)
	for range 3 {
		one.post(t, call("1", "search"))
	}
	redistest.Until(t, "the other replica opens", func() bool {
		return strings.Contains(two.post(t, call("1", "search")).Body, "times in a row")
	})

	mode.Store(1)
	probing := make(chan struct{})
	go func() {
		defer close(probing)
		for len(hangs) == 0 {
			r, err := http.NewRequest(http.MethodPost, one.URL+"/mcp", strings.NewReader(call("1", "search")))
			if err != nil {
				return
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				return // the gateway is gone
			}
			resp.Body.Close()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	redistest.Until(t, "a probe is under way", func() bool { return len(hangs) > 0 })
	pid, err := os.ReadFile(one.pidFile)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(n)
	if err != nil {
		t.Fatal(err)
	}
	mode.Store(2)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	<-probing
	redistest.Until(t, "the other replica probes and closes", func() bool {
		return two.post(t, call("1", "search")).Body == succeeding("1")
	})
}
