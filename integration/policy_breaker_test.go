package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// startAdmin is start with an admin endpoint, whose URL is returned.
func startAdmin(t *testing.T, block, upstream string) (*gateway, string) {
	t.Helper()
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	return startAt(t, addr, fmt.Sprintf("mcp_gateway {\n%s\n}\n%s", block, proxyTo(t, upstream))), "http://" + addr + "/mcp-gateway/"
}

// ask sends a request to the admin endpoint and returns the JSON that it answers.
func ask(t *testing.T, method, url, body string, status int) gjson.Result {
	t.Helper()
	r := send(t, method, url, body, "Content-Type", "")
	if r.Status != status || !gjson.Valid(r.Body) {
		t.Errorf("%s %s: %d %q, want %d", method, url, r.Status, r.Body, status)
	}
	return gjson.Parse(r.Body)
}

// scripted answers calls by the name of the tool and counts them.
func scripted(u *upstream, byTool map[string]func(id string) string) *atomic.Int64 {
	var n atomic.Int64
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		body, _ := io.ReadAll(r.Body)
		answer := byTool[gjson.GetBytes(body, "params.name").String()]
		if answer == nil {
			answer = succeeding
		}
		answers(http.StatusOK, "application/json", answer(gjson.GetBytes(body, "id").Raw))(w, r)
	})
	return &n
}

func succeeding(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{ "content":[{"type":"text","text":"done"}]}}`, id)
}

func failsWith(text string) func(id string) string {
	return func(id string) string { return failing(id, text) }
}

// The loop guard of a bridge that stops an agent after the third failure in a
// row, and its reset.
func TestLoopGuardAndReset(t *testing.T) {
	u := newUpstream(t)
	asked := scripted(u, map[string]func(string) string{
		"get_tickets": failsWith("ValueError: Invalid date format: 2025-13-45"),
		"get_hotels":  failsWith("PermissionError: [Errno 13] Permission denied: '/etc/passwd'"),
	})
	g, admin := startAdmin(t, "breaker {\nfailures 3\ncooldown manual\ncount any\n}", u.URL)
	for i := 1; i <= 3; i++ {
		want{code: "bad_request", class: "validation"}.result(t, "1", g.post(t, call("1", "get_tickets")).Body)
	}
	g.post(t, call("1", "get_hotels"))
	for range 2 {
		m := g.post(t, call("2", "get_tickets")).Body
		want{code: "service_disabled", class: "terminal", status: 503, wait: -1, text: "failed 3 times in a row"}.result(t, "2", m)
		if text := gjson.Get(m, "result.content.0.text").String(); !strings.Contains(text, "another tool") || !strings.Contains(text, "tell the user") {
			t.Errorf("the text does not say what to do instead: %s", text)
		}
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("the server got %d calls, want 4", n)
	}
	want{code: "forbidden"}.result(t, "1", g.post(t, call("1", "get_hotels")).Body)

	open := ask(t, http.MethodGet, admin+"breakers", "", http.StatusOK).Get("breakers")
	if open.Get("#").Int() != 2 || open.Get("0.tool").String() != "get_tickets" || open.Get("0.phase").String() != "open" ||
		!open.Get("0.manual").Bool() || open.Get("0.failures").Int() != 3 || open.Get("1.phase").String() != "failing" {
		t.Errorf("breakers: %s", open.Raw)
	}
	metrics := send(t, http.MethodGet, strings.Replace(admin, "mcp-gateway/", "metrics", 1), "").Body
	for _, line := range []string{
		`caddy_mcp_gateway_breaker_changes_total{service="mcp",to="open"} `,
		`caddy_mcp_gateway_breakers{service="mcp",state="open"} 1`,
		`caddy_mcp_gateway_policy_refusals_total{cause="breaker",reason=""} `,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("metrics lack %q", line)
		}
	}
	if !strings.Contains(g.logged(), `"name":"mcp_gateway_breaker"`) {
		t.Error("no event when the breaker opened")
	}

	ask(t, http.MethodGet, admin+"breakers/reset", "", http.StatusMethodNotAllowed)
	ask(t, http.MethodPost, admin+"breakers/reset?tools=x", "", http.StatusBadRequest)
	if n := ask(t, http.MethodPost, admin+"breakers/reset?tool=other", "", http.StatusOK).Get("reset").Int(); n != 0 {
		t.Errorf("%d breakers of another tool were reset", n)
	}
	want{code: "service_disabled"}.result(t, "2", g.post(t, call("2", "get_tickets")).Body)
	if a := ask(t, http.MethodPost, admin+"breakers/reset?service=mcp&tool=get_tickets", "", http.StatusOK); a.Get("reset").Int() != 1 || !a.Get("shared").Bool() {
		t.Errorf("reset: %s", a.Raw)
	}
	want{code: "bad_request"}.result(t, "2", g.post(t, call("2", "get_tickets")).Body)
}

// After the cool-down one call probes; until then the rest of it is the wait.
func TestBreakerCooldown(t *testing.T) {
	u := newUpstream(t)
	var healthy atomic.Bool
	asked := scripted(u, map[string]func(string) string{"search": func(id string) string {
		if healthy.Load() {
			return succeeding(id)
		}
		return failing(id, "HTTP 503 "+secret)
	}})
	g := start(t, "breaker {\nfailures 2\ncooldown 1s\n}", u.URL)
	down := want{code: "service_unavailable", class: "retryable", status: 503}
	for range 2 {
		down.result(t, "1", g.post(t, call("1", "search")).Body)
	}
	r := g.post(t, call("1", "search"))
	want{code: "service_unavailable", class: "retryable", status: 503, wait: 1, text: "failed 2 times in a row and is paused"}.result(t, "1", r.Body)
	if r.Header.Get("Retry-After") != "1" || asked.Load() != 2 {
		t.Errorf("Retry-After %q, %d calls", r.Header.Get("Retry-After"), asked.Load())
	}
	healthy.Store(true)
	redistest.Until(t, "the probe closes the breaker", func() bool {
		return !gjson.Get(g.post(t, call("1", "search")).Body, "result.isError").Bool()
	})
	healthy.Store(false)
	down.result(t, "1", g.post(t, call("1", "search")).Body)
	if asked.Load() != 4 {
		t.Errorf("the server got %d calls, want 4: two failures, the probe, one more", asked.Load())
	}
}

// What counts and what does not.
func TestBreakerCounts(t *testing.T) {
	u := newUpstream(t)
	disguised := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{ "content":[{"type":"text","text":"Error: HTTP 503 Service Unavailable"}]}}`, id)
	}
	scripted(u, map[string]func(string) string{
		"invalid": failsWith("ValueError: Invalid date format: 2025-13-45"), "missing": failsWith("order 17 was not found"),
		"down": failsWith("HTTP 503"), "disguised": disguised,
		"rpc": func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"HTTP 503"}}`
		},
		"junk": func(string) string { return "<html>oops</html>" },
	})
	opens := func(t *testing.T, g *gateway, tool string, header ...string) bool {
		t.Helper()
		for range 3 {
			g.post(t, call("1", tool), header...)
		}
		return strings.Contains(g.post(t, call("1", tool), header...).Body, "times in a row")
	}
	t.Run("classes", func(t *testing.T) {
		g := start(t, "breaker", u.URL)
		for tool, should := range map[string]bool{"invalid": false, "missing": false, "down": true, "disguised": true, "rpc": true, "junk": true, "fine": false} {
			if opens(t, g, tool) != should {
				t.Errorf("%s opens: %v", tool, !should)
			}
		}
	})
	t.Run("chosen classes", func(t *testing.T) {
		g := start(t, "breaker {\ncount validation terminal\n}", u.URL)
		for tool, should := range map[string]bool{"invalid": true, "missing": true, "down": false, "fine": false} {
			if opens(t, g, tool) != should {
				t.Errorf("%s opens: %v", tool, !should)
			}
		}
	})
	t.Run("network", func(t *testing.T) {
		g := start(t, "breaker", "http://127.0.0.1:"+strconv.Itoa(freePort(t)))
		if !opens(t, g, "x") {
			t.Error("a refused connection does not count")
		}
	})
	t.Run("own refusals", func(t *testing.T) {
		g := start(t, "breaker {\ncount any\n}\nssrf_guard\nlimit all {\nrpm 2\n}", u.URL)
		local := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fine","arguments":{"url":"http://127.0.0.1/"}}}`
		for range 4 {
			want{code: "ssrf_blocked"}.result(t, "1", g.post(t, local).Body)
		}
		g.post(t, call("1", "fine"))
		g.post(t, call("1", "fine"))
		for range 4 {
			want{code: "rate_limited"}.result(t, "1", g.post(t, call("1", "fine")).Body)
		}
	})
	t.Run("scope session", func(t *testing.T) {
		g := start(t, "breaker {\nscope session\n}", u.URL)
		if !opens(t, g, "down", "Mcp-Session-Id", "one") {
			t.Error("a session does not open its own breaker")
		}
		want{code: "service_unavailable", wait: -1}.result(t, "1", g.post(t, call("1", "down"), "Mcp-Session-Id", "two").Body)
	})
	t.Run("scope key", func(t *testing.T) {
		g := start(t, "auth bearer\nbreaker {\nscope key\n}", u.URL)
		if !opens(t, g, "down", "Authorization", "Bearer one") {
			t.Error("a caller does not open its own breaker")
		}
		want{code: "service_unavailable", wait: -1}.result(t, "1", g.post(t, call("1", "down"), "Authorization", "Bearer two").Body)
	})
	t.Run("batch", func(t *testing.T) {
		g := start(t, "breaker", u.URL)
		u.answer(answers(http.StatusOK, "application/json", "["+failing("1", "HTTP 503")+","+failing("2", "HTTP 503")+","+failing("3", "HTTP 503")+"]"))
		batch := "[" + call("1", "down") + "," + call("2", "down") + "," + call("3", "down") + "]"
		send(t, http.MethodPost, g.URL+"/mcp", batch, "MCP-Protocol-Version", "2025-03-26")
		want{code: "service_unavailable", text: "failed 3 times in a row"}.result(t, "1", g.post(t, call("1", "down")).Body)
	})
	t.Run("client that leaves", func(t *testing.T) {
		g := start(t, "breaker {\nfailures 1\n}", u.URL)
		began := make(chan struct{}, 1)
		u.answer(func(_ http.ResponseWriter, r *http.Request) {
			began <- struct{}{}
			<-r.Context().Done()
		})
		ctx, leave := context.WithCancel(t.Context())
		r := newRequest(t, http.MethodPost, g.URL+"/mcp", call("1", "slow"), "MCP-Protocol-Version", "2025-11-25")
		done := make(chan struct{})
		go func() {
			defer close(done)
			if resp, err := client.Do(r.WithContext(ctx)); err == nil {
				resp.Body.Close()
			}
		}()
		receive(t, began, "the call did not reach the server")
		leave()
		<-done
		receive(t, u.gone, "the server's request was not ended")
		u.answer(answers(http.StatusOK, "application/json", succeeding("1")))
		if m := g.post(t, call("1", "slow")).Body; m != succeeding("1") {
			t.Errorf("a client that leaves opens the breaker: %s", m)
		}
	})
}
