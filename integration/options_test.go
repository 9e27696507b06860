package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const lists = `{"jsonrpc":"2.0","id":1,"result":{ "tools":[` +
	`{"name":"plain","inputSchema":{"type":"object"}},` +
	`{"name":"weather","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"celsius":{"$ref":"#/$defs/degree"}},"required":["celsius"],"$defs":{"degree":{"type":"number"}}}}]}}`

func TestStructuredContent(t *testing.T) {
	u := newUpstream(t)
	for mode, c := range map[string]struct{ sent, amended bool }{
		"":                          {true, true},
		"structured_content amend":  {true, true},
		"structured_content omit":   {false, false},
		"structured_content always": {true, false},
	} {
		t.Run(mode, func(t *testing.T) {
			block := ""
			if mode != "" {
				block = "errors {\n" + mode + "\n}"
			}
			g := start(t, block, u.URL)
			for _, media := range []string{"application/json", "text/event-stream"} {
				list := lists
				if media == "text/event-stream" {
					list = "data: " + lists + "\n\n"
				}
				u.answer(answers(http.StatusOK, media, list))
				m := g.post(t, method("1", "tools/list")).response(t, "1")
				if !c.amended && m != lists {
					t.Errorf("%s: tools/list changed: %s", media, m)
				}
				tools := gjson.Get(m, "result.tools")
				if tools.Get("0").Raw != gjson.Get(lists, "result.tools.0").Raw {
					t.Errorf("%s: a tool without output schema changed: %s", media, tools.Get("0").Raw)
				}
				schema := tools.Get("1.outputSchema")
				if c.amended && (schema.Get("type").String() != "object" || schema.Get("anyOf.#").Int() != 2 || !schema.Get("$defs.degree").Exists()) {
					t.Errorf("%s: outputSchema was not amended: %s", media, schema.Raw)
				}
			}
			for _, tool := range []string{"plain", "weather"} {
				u.answer(answers(http.StatusOK, "application/json", failing("2", "HTTP 503 "+secret)))
				m := g.post(t, call("2", tool)).response(t, "2")
				want{code: "service_unavailable"}.result(t, "2", m)
				if got := gjson.Get(m, "result.structuredContent").Exists(); got != c.sent {
					t.Errorf("%s: structuredContent present: %v: %s", tool, got, m)
				}
			}
		})
	}
}

func TestDisguised(t *testing.T) {
	u := newUpstream(t)
	disguised := `{"jsonrpc":"2.0","id":1,"result":{ "content":[{"type":"text","text":"Error: HTTP 503 Service Unavailable"}]}}`
	honest := `{"jsonrpc":"2.0","id":1,"result":{ "content":[{"type":"text","text":"The log has 3 lines with \"Error: HTTP 503\"."}]}}`
	for _, mode := range []string{"", "disguised off", "disguised flag", "disguised rewrite"} {
		t.Run(mode, func(t *testing.T) {
			block := ""
			if mode != "" {
				block = "errors {\n" + mode + "\n}"
			}
			g := start(t, block, u.URL)
			u.answer(answers(http.StatusOK, "application/json", disguised))
			m := g.post(t, call("1", "x")).Body
			if mode == "disguised rewrite" {
				want{code: "service_unavailable", status: 503}.result(t, "1", m)
			} else if m != disguised {
				t.Errorf("changed: %s", m)
			}
			u.answer(answers(http.StatusOK, "application/json", honest))
			if m := g.post(t, call("1", "x")).Body; m != honest {
				t.Errorf("a success changed: %s", m)
			}
		})
	}
}

// The gateway's own refusals of calls, here of a tool that is switched off,
// have the shape that was configured.
func TestRejections(t *testing.T) {
	u := newUpstream(t)
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	disabled := want{code: "service_disabled", class: "terminal", status: 503}
	for _, mode := range []string{"", "rejections result", "rejections jsonrpc", "rejections http"} {
		t.Run(mode, func(t *testing.T) {
			g := start(t, "tool off_* {\ndisabled\n}\nerrors {\n"+mode+"\n}", u.URL)
			r := g.post(t, call("1", "off_tool"))
			m := r.response(t, "1")
			switch mode {
			case "rejections jsonrpc":
				disabled.failure(t, "1", 503, m)
			case "rejections http":
				disabled.failure(t, "1", 503, m)
				if r.Status != http.StatusServiceUnavailable {
					t.Errorf("status %d, want 503", r.Status)
				}
				return
			default:
				disabled.result(t, "1", m)
			}
			if r.Status != http.StatusOK {
				t.Errorf("status %d, want 200", r.Status)
			}
			if r := g.post(t, call("1", "on_tool")); gjson.Get(r.Body, "result.isError").Exists() {
				t.Errorf("another tool: %q", r.Body)
			}
		})
	}
}

func TestToolOptions(t *testing.T) {
	u := newUpstream(t)
	g := start(t, `service shop
tool single_* {
	service single
	suggest forbidden proxy_fetch
	timeout 1s
}`, u.URL)
	u.answer(answers(http.StatusOK, "application/json", failing("1", "403 Forbidden")))
	m := g.post(t, call("1", "single_fetch")).response(t, "1")
	want{code: "forbidden", class: "permission", status: 403, service: "single"}.result(t, "1", m)
	if got := gjson.Get(m, "result.structuredContent.suggestion.tool").String(); got != "proxy_fetch" {
		t.Errorf("suggestion %q: %s", got, m)
	}
	want{code: "forbidden", service: "shop"}.result(t, "1", g.post(t, call("1", "other")).response(t, "1"))

	u.answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	want{code: "service_unavailable", class: "retryable", service: "single"}.result(t, "1", g.post(t, call("1", "single_fetch")).response(t, "1"))
}

// The gateway wraps what stands inside handle, in either way of writing it.
func TestNesting(t *testing.T) {
	u := newUpstream(t)
	u.answer(answers(http.StatusOK, "application/json", failing("1", "HTTP 503 "+secret)))
	proxy := proxyTo(t, u.URL)
	for name, site := range map[string]string{
		"before handle":      "mcp_gateway {\nservice outer\n}\nhandle /mcp {\n" + proxy + "\n}",
		"in handle":          "handle /mcp {\nmcp_gateway {\nservice outer\n}\n" + proxy + "\n}",
		"in handle_path":     "handle_path /mcp* {\nmcp_gateway {\nservice outer\n}\n" + proxy + "\n}",
		"with a matcher":     "mcp_gateway /mcp {\nservice outer\n}\n" + proxy,
		"in route":           "route {\nmcp_gateway {\nservice outer\n}\n" + proxy + "\n}",
		"behind encode":      "encode gzip\nmcp_gateway {\nservice outer\n}\n" + proxy,
		"behind itself":      "mcp_gateway {\nservice outer\n}\nhandle {\nmcp_gateway {\nservice outer\n}\n" + proxy + "\n}",
		"with handle_errors": "mcp_gateway {\nservice outer\n}\n" + proxy + "\nhandle_errors {\nrespond \"other page\"\n}",
	} {
		t.Run(name, func(t *testing.T) {
			g := startSite(t, site)
			r := g.post(t, call("1", "x"), "Accept-Encoding", "identity")
			want{code: "service_unavailable", status: 503, service: "outer"}.result(t, "1", r.response(t, "1"))
			r.leakless(t)
		})
	}
	t.Run("matcher elsewhere", func(t *testing.T) {
		g := startSite(t, "mcp_gateway /other {\nservice outer\n}\n"+proxy)
		if r := g.post(t, call("1", "x")); !strings.Contains(r.Body, secret) {
			t.Errorf("a path that is not matched was rewritten: %q", r.Body)
		}
	})
}

// Errors of Caddy's own handlers are failures like any other.
func TestErrorsOfHandlers(t *testing.T) {
	for name, c := range map[string]struct {
		directive string
		want      want
	}{
		"error":      {`error * "see ` + secret + `" 503`, want{code: "service_unavailable", status: 503}},
		"respond":    {`respond * "see ` + secret + `" 502`, want{code: "upstream_error", status: 502}},
		"no handler": {"", want{code: "upstream_non_json"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := startSite(t, "mcp_gateway\n"+c.directive)
			r := g.post(t, call("1", "x"))
			c.want.result(t, "1", r.response(t, "1"))
			r.leakless(t)
		})
	}
}

// The log holds the original at debug and nothing of it above.
func TestLog(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	password := strings.Repeat("Zq7", 8)
	u.answer(answers(http.StatusOK, "application/json", failing("1", fmt.Sprintf("HTTP 503 postgresql://app:%s@db/x at marker-4711", password))))
	r := g.post(t, call("1", "x"))
	want{code: "service_unavailable"}.result(t, "1", r.response(t, "1"))
	r.leakless(t, password, "marker-4711")

	found := false
	for line := range strings.Lines(g.logged()) {
		if strings.Contains(line, password) {
			t.Errorf("a password was logged: %s", line)
		}
		if strings.Contains(line, "marker-4711") {
			found = true
			if gjson.Get(line, "level").String() != "debug" {
				t.Errorf("text of the server above debug: %s", line)
			}
		}
	}
	if !found {
		t.Error("the original failure is not in the debug log")
	}
}
