package integration

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// An operator finds the lines of a failure by the id that the client was given, whoever asked for it first: Caddy before the
// gateway, the proxy, or Caddy again when the answer was there.
func TestRequestID(t *testing.T) {
	u := newUpstream(t)
	u.answer(answers(http.StatusOK, "application/json", failing("1", "HTTP 503 Service Unavailable")))
	for name, header := range map[string]string{
		"before":   "header X-Id {http.request.uuid}",
		"deferred": "header >X-Id {http.request.uuid}",
		"both":     "header X-Id {http.request.uuid}\nheader >X-Id {http.request.uuid}",
	} {
		t.Run(name, func(t *testing.T) {
			g := startSite(t, "log\n"+header+"\nmcp_gateway\n"+proxyTo(t, u.URL))
			r := g.post(t, call("1", "x"))
			id := r.Header.Get("X-Id")
			if len(id) != 36 {
				t.Fatalf("id %q", id)
			}
			var failure, access int
			for line := range strings.Lines(g.logged()) {
				switch l := gjson.Parse(line); l.Get("msg").String() {
				case "rewrote failure":
					failure++
					if l.Get("request_id").String() != id {
						t.Errorf("the client has %s, the gateway's line says %s", id, line)
					}
				case "handled request":
					access++
					if l.Get("uuid").String() != id || strings.Count(line, `"uuid"`) != 1 {
						t.Errorf("the client has %s, the access log says %s", id, line)
					}
				}
			}
			if failure != 1 || access != 1 {
				t.Errorf("%d lines of the failure, %d of the access log:\n%s", failure, access, g.logged())
			}
		})
	}
	// Nobody needs the id of a success.
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	g := startSite(t, "log\nmcp_gateway\n"+proxyTo(t, u.URL))
	g.post(t, call("1", "x"))
	if log := g.logged(); !strings.Contains(log, `"mcp_method":"tools/call"`) || strings.Contains(log, `"uuid"`) {
		t.Errorf("access log of a success: %s", log)
	}
}
