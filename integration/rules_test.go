package integration

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// The rules of the transport, with the texts that clients match on.
func TestTransportRules(t *testing.T) {
	u := newUpstream(t)
	const ok = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	u.answer(answers(http.StatusOK, "application/json", ok))
	g := start(t, `stateless
allowed_origins https://app.example.com
max_request_body 4KiB`, u.URL)
	body := call("1", "x")
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modernCall := strings.Replace(body, `"arguments":{}`, `"arguments":{},`+modern, 1)
	for _, c := range []struct {
		name, method, body string
		header             []string
		status             int
		code               int64
		text               string
		id                 string
	}{
		{"unsupported version", "POST", body, []string{"MCP-Protocol-Version", "2023-01-01"}, 400, -32022,
			"Unsupported MCP-Protocol-Version: 2023-01-01. Supported: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07.", "1"},
		{"foreign origin", "POST", body, []string{"Origin", "https://evil.example"}, 403, 0, "Origin https://evil.example is not in the allowlist", ""},
		{"null origin", "POST", body, []string{"Origin", "null"}, 403, 0, "Origin null is not in the allowlist", ""},
		{"foreign host", "POST", body, []string{"Host", "evil.example"}, 403, 0, "Host evil.example is not in the allowlist", ""},
		{"GET", "GET", "", []string{"Accept", "text/event-stream"}, 405, 0, "Method not allowed in stateless mode. Use POST /mcp.", ""},
		{"DELETE", "DELETE", "", []string{"Mcp-Session-Id", "abc"}, 405, 0, "Method not allowed in stateless mode. Use POST /mcp.", ""},
		{"media type", "POST", body, []string{"Content-Type", "text/plain"}, 415, 0, "", ""},
		{"accept", "POST", body, []string{"Accept", "text/html"}, 406, 0, "", ""},
		{"too large", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 8<<10) + `"}}`, nil, 413, 0, "", ""},
		{"no JSON", "POST", `{"jsonrpc":`, nil, 400, -32700, "", ""},
		{"empty", "POST", ``, nil, 400, -32700, "", ""},
		{"invalid UTF-8", "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", nil, 400, -32700, "", ""},
		{"null id", "POST", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, nil, 400, -32600, "", ""},
		{"case-variant key", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`, nil, 400, -32600, "", "?"},
		{"duplicate key", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, nil, 400, -32600, "", "?"},
		{"batch of today", "POST", "[" + body + "]", nil, 400, -32600, "", ""},
		{"header and body differ", "POST", modernCall, []string{"MCP-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/call", "Mcp-Name", "x"}, 400, -32020, "", "1"},
		{"no Mcp-Name", "POST", modernCall, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"}, 400, -32020, "", "1"},
		{"other Mcp-Name", "POST", modernCall, []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "y"}, 400, -32020, "", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := send(t, c.method, g.URL+"/mcp", c.body, append([]string{"MCP-Protocol-Version", "2025-11-25"}, c.header...)...)
			e := gjson.Get(r.Body, "error")
			if r.Status != c.status || !e.Exists() || c.code != 0 && e.Get("code").Int() != c.code {
				t.Errorf("got %d %q, want %d and code %d", r.Status, r.Body, c.status, c.code)
			}
			if c.text != "" && e.Get("message").String() != c.text {
				t.Errorf("got %q, want %q", e.Get("message").String(), c.text)
			}
			if id := gjson.Get(r.Body, "id").Raw; c.id != "?" && id != c.id {
				t.Errorf("id is %q, want %q: %s", id, c.id, r.Body)
			}
			if c.status == 405 && r.Header.Get("Allow") != "POST" {
				t.Errorf("Allow: %q", r.Header.Get("Allow"))
			}
		})
	}
	for name, header := range map[string][]string{
		"plain":          nil,
		"own origin":     {"Origin", g.URL},
		"allowed origin": {"Origin", "https://app.example.com"},
		"no version":     {"MCP-Protocol-Version", ""},
		"any accept":     {"Accept", "*/*"},
	} {
		if r := g.post(t, body, header...); r.Status != http.StatusOK || r.Body != ok {
			t.Errorf("%s: %d %q", name, r.Status, r.Body)
		}
	}
}

func TestBearer(t *testing.T) {
	u := newUpstream(t)
	const ok = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
	u.answer(answers(http.StatusOK, "application/json", ok))
	g := start(t, `auth bearer {
	realm foura-mcp
	resource_metadata https://example.com/docs/auth
}`, u.URL)
	const challenge = `Bearer realm="foura-mcp", resource_metadata="https://example.com/docs/auth"`
	for _, header := range [][]string{nil, {"Authorization", "Bearer"}, {"Authorization", "Basic eDp5"}} {
		r := g.post(t, call("1", "x"), header...)
		if r.Status != http.StatusUnauthorized || !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), challenge) || !gjson.Get(r.Body, "error").Exists() {
			t.Errorf("%v: %d %q %q", header, r.Status, r.Header.Get("WWW-Authenticate"), r.Body)
		}
	}
	if r := g.post(t, call("1", "x"), "Authorization", "Bearer "+strings.Repeat("a", 20)); r.Status != http.StatusOK || r.Body != ok {
		t.Errorf("with a token: %d %q", r.Status, r.Body)
	}
}
