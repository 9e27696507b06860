package integration

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
)

// The servers of several frameworks behind the gateway, read with a client of
// each kind that they can speak to.
func TestRealServers(t *testing.T) {
	type expected struct {
		call toolCall
		want *want // nil: succeeds
	}
	args := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	unknownTool := &want{code: "not_found", class: "terminal"}
	quantity := &want{code: "bad_request", class: "validation", text: "'quantity' expected an integer, but received 'five'"}

	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "hello.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	pythonTools := func(masked bool) []expected {
		list := []expected{
			{toolCall{"echo", args("text", "hi")}, nil},
			{toolCall{"weather", args("city", "Delft")}, nil},
			{toolCall{"order", args("quantity", "five")}, quantity},
			{toolCall{"order", args()}, &want{code: "bad_request", class: "validation", text: "'quantity'"}},
			{toolCall{"nope", args()}, unknownTool},
		}
		if masked { // the framework already says nothing but that the tool failed
			return append(list,
				expected{toolCall{"traceback", args()}, &want{}},
				expected{toolCall{"weather", args("city", "Rome")}, &want{}})
		}
		return append(list,
			expected{toolCall{"traceback", args()}, &want{}},
			expected{toolCall{"key_error", args()}, &want{}},
			expected{toolCall{"database", args()}, &want{code: "not_found"}},
			expected{toolCall{"permission", args()}, &want{code: "forbidden", class: "permission"}},
			expected{toolCall{"refused", args()}, &want{code: "service_unavailable", class: "dependency|retryable"}},
			expected{toolCall{"rate_limited", args()}, &want{code: "rate_limited", class: "retryable", status: 429}},
			expected{toolCall{"weather", args("city", "Rome")}, &want{code: "service_unavailable", status: 503}})
	}
	for _, server := range []struct {
		name   string
		start  func(t *testing.T) string
		path   string
		modern bool // speaks 2026-07-28
		calls  []expected
	}{
		{"go-sdk everything, stateful", func(t *testing.T) string { return goEverything(t, false) }, "/", false, []expected{
			{toolCall{"test_simple_text", args()}, nil},
			{toolCall{"test_error_handling", args()}, &want{}},
		}},
		{"go-sdk everything, stateless", func(t *testing.T) string { return goEverything(t, true) }, "/", true, []expected{
			{toolCall{"test_simple_text", args()}, nil},
			{toolCall{"test_error_handling", args()}, &want{}},
		}},
		{"npm server-everything", npmEverything, "/mcp", false, []expected{
			{toolCall{"echo", args("message", "hi")}, nil},
			{toolCall{"get-structured-content", args("location", "New York")}, nil},
			{toolCall{"get-sum", args("a", "five", "b", 1)}, &want{code: "bad_request", class: "validation", text: "'a'"}},
			{toolCall{"nope", args()}, unknownTool},
		}},
		{"npm server-filesystem", func(t *testing.T) string {
			return npmStdio(t, stdioCommand(t, "server-filesystem", files))
		}, "/mcp", false, []expected{
			{toolCall{"read_text_file", args("path", filepath.Join(files, "hello.txt"))}, nil},
			{toolCall{"read_text_file", args("path", filepath.Join(files, "none.txt"))}, &want{code: "not_found", class: "terminal"}},
			{toolCall{"read_text_file", args("path", "/etc/hostname")}, &want{code: "forbidden", class: "permission"}},
			{toolCall{"read_text_file", args()}, &want{code: "bad_request", class: "validation", text: "'path'"}},
			{toolCall{"nope", args()}, unknownTool},
		}},
		{"npm server-memory", func(t *testing.T) string {
			return npmStdio(t, stdioCommand(t, "server-memory", ""))
		}, "/mcp", false, []expected{
			{toolCall{"add_observations", args("observations", []any{map[string]any{"entityName": "nobody", "contents": []any{"x"}}})}, &want{code: "not_found"}},
			{toolCall{"search_nodes", args()}, &want{code: "bad_request", class: "validation", text: "'query'"}},
			{toolCall{"nope", args()}, unknownTool},
		}},
		{"Python mcp 1", func(t *testing.T) string { return pythonServer(t, "v1", "sdk_v1") }, "/mcp", false, pythonTools(false)},
		{"Python mcp 2", func(t *testing.T) string { return pythonServer(t, "v2", "sdk_v2") }, "/mcp", true, pythonTools(true)},
		{"Python fastmcp on mcp 1", func(t *testing.T) string { return pythonServer(t, "v1", "fastmcp_server") }, "/mcp", false, pythonTools(false)},
		{"Python fastmcp on mcp 2", func(t *testing.T) string { return pythonServer(t, "v2", "fastmcp_server") }, "/mcp", true, pythonTools(false)},
	} {
		t.Run(server.name, func(t *testing.T) {
			g := start(t, "", server.start(t))
			var calls []toolCall
			for _, e := range server.calls {
				calls = append(calls, e.call)
			}
			for _, sdk := range sdks {
				if sdk.modern && !server.modern {
					continue
				}
				t.Run(sdk.name, func(t *testing.T) {
					for i, o := range sdk.calls(t, g.URL+server.path, calls) {
						e := server.calls[i]
						t.Run(e.call.Name, func(t *testing.T) {
							switch {
							case e.want == nil:
								o.succeeded(t)
							case o.Thrown != nil && e.want == unknownTool:
								// Frameworks that answer an unknown tool with a JSON-RPC error still do.
								if o.Thrown.Data != nil {
									if got := gjson.GetBytes(o.Thrown.Data, "code").String(); got != "not_found" {
										t.Errorf("data of the error: %s", o.Thrown.Data)
									}
								}
							default:
								o.result(t, *e.want)
							}
						})
					}
				})
			}
		})
	}
}
