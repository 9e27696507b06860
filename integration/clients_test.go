package integration

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

var demoCalls = []struct {
	call toolCall
	want want
}{
	{toolCall{"weather", map[string]any{"city": "Rome"}}, want{code: "service_unavailable", status: 503}}, // has an output schema
	{toolCall{"traceback", nil}, want{code: "bad_request", class: "validation"}},
	{toolCall{"sql_error", nil}, want{code: "not_found"}},
	{toolCall{"rate_limited", nil}, want{code: "rate_limited", class: "retryable", status: 429, wait: 12}},
	{toolCall{"leak", nil}, want{}},
	{toolCall{"bad_gateway", nil}, want{code: "upstream_error", class: "dependency", status: 502}},
	{toolCall{"argument_error", map[string]any{"quantity": "five"}}, want{code: "bad_request", class: "validation",
		text: "Validation Error: Argument 'quantity' expected an integer, but received 'five'."}},
	{toolCall{"crash", nil}, want{code: "upstream_error"}},
}

// Every client reads the envelope of every way to fail, and no client raises
// where it used to get a result. In each mode of structuredContent.
func TestClientsReadTheEnvelope(t *testing.T) {
	demo := demoServer(t, "-stateless")
	var calls []toolCall
	for _, c := range demoCalls {
		if c.call.Arguments == nil {
			c.call.Arguments = map[string]any{}
		}
		calls = append(calls, c.call)
	}
	add := toolCall{"add", map[string]any{"a": 2, "b": 3}}
	calls = append(calls, add, toolCall{"weather", map[string]any{"city": "Delft"}})

	for _, mode := range []string{"amend", "omit", "always"} {
		g := start(t, "errors {\nstructured_content "+mode+"\n}", demo)
		for _, sdk := range sdks {
			t.Run(mode+"/"+sdk.name, func(t *testing.T) {
				outcomes := sdk.calls(t, g.URL+"/mcp", calls)
				for i, c := range demoCalls {
					o := outcomes[i]
					if mode == "always" && c.call.Name == "weather" && sdk.name == "TypeScript 1" {
						// This is why "always" is not the default: the client checks failing results against
						// a schema that knows no envelope.
						if o.Thrown == nil {
							t.Errorf("TypeScript 1 no longer checks failing results: %s", o.Result)
						}
						continue
					}
					t.Run(c.call.Name, func(t *testing.T) {
						o.result(t, c.want)
						if got := gjson.GetBytes(o.Result, "structuredContent").Exists(); got != (mode != "omit") {
							t.Errorf("structuredContent present: %v: %s", got, o.Result)
						}
					})
				}
				for _, o := range outcomes[len(demoCalls):] {
					o.succeeded(t)
				}
				if got := gjson.GetBytes(outcomes[len(demoCalls)].Result, "structuredContent.sum").Int(); got != 5 {
					t.Errorf("add: %s", outcomes[len(demoCalls)].Result)
				}
			})
		}
	}
}

// Published retry loops work against the gateway as they are.
func TestPublishedRetryLoops(t *testing.T) {
	var calls atomic.Int64
	busy := func(times int64, message string) mcp.ToolHandlerFor[map[string]any, any] {
		return func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			if calls.Add(1) <= times {
				return nil, nil, errors.New(message)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
		}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "retries", Version: "1.0.0"}, nil)
	limited := "Client error '429 Too Many Requests' for url 'https://api.provider.example/v1'\nretry-after: 1"
	mcp.AddTool(s, &mcp.Tool{Name: "recovers"}, busy(2, limited))
	mcp.AddTool(s, &mcp.Tool{Name: "stays_limited"}, busy(1000, limited))
	mcp.AddTool(s, &mcp.Tool{Name: "forbidden"}, busy(1000, "403 Forbidden: token of user 4711 lacks scope"))
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	g := start(t, "", h.URL)

	for _, loop := range []struct {
		name    string
		command func(t *testing.T, args ...string) (string, []string)
		refusal string // how it reports a failure that it does not retry
	}{
		{"code, TypeScript", func(t *testing.T, args ...string) (string, []string) { return nodeCommand(t, "retry_code.ts", args...) }, "forbidden: "},
		{"text, TypeScript", func(t *testing.T, args ...string) (string, []string) { return nodeCommand(t, "retry_text.ts", args...) }, "call_tool forbidden failed: "},
		{"text, Python", func(t *testing.T, args ...string) (string, []string) {
			return cached(t, "python-v1", "bin", "python"), append([]string{"clients/retry_text.py"}, args...)
		}, "call_tool forbidden failed: "},
	} {
		t.Run(loop.name, func(t *testing.T) {
			run := func(tool string) outcome {
				t.Helper()
				calls.Store(0)
				var o outcome
				name, args := loop.command(t, g.URL+"/mcp", tool, "{}")
				runJSON(t, &o, name, args...)
				return o
			}
			run("recovers").succeeded(t)
			if n := calls.Load(); n != 3 {
				t.Errorf("recovered after %d calls, want 3", n)
			}
			if o := run("stays_limited"); o.Thrown == nil || calls.Load() != 3 {
				t.Errorf("gave up after %d calls, want 3: %+v", calls.Load(), o)
			}
			o := run("forbidden")
			if n := calls.Load(); n != 1 {
				t.Errorf("%d calls of a tool that forbids it, want 1", n)
			}
			if o.Thrown == nil || len(o.Thrown.Message) <= len(loop.refusal) || o.Thrown.Message[:len(loop.refusal)] != loop.refusal {
				t.Errorf("raised %+v, want %q and a text", o.Thrown, loop.refusal)
			}
		})
	}
}
