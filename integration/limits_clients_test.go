package integration

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Published retry loops, as they are, get through a limit by waiting as long as
// they are told.
func TestLimitPublishedRetryLoops(t *testing.T) {
	began, release := make(chan struct{}, 8), make(chan struct{}, 8)
	s := mcp.NewServer(&mcp.Implementation{Name: "limited", Version: "1.0.0"}, nil)
	done := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}
	type arguments struct {
		Hold bool `json:"hold,omitempty"`
	}
	tool := func(ctx context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		if a.Hold {
			began <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return done, nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "slot"}, tool)
	mcp.AddTool(s, &mcp.Tool{Name: "minute"}, tool)
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	g := start(t, "limit slots {\nconcurrency 1\ntools slot\n}\nlimit minute {\nrpm 1\ntools minute\n}", h.URL)
	refusals := func(reason string) int { return strings.Count(g.logged(), `"reason":"`+reason+`"`) }

	loops := []struct {
		name    string
		command func(args ...string) (string, []string)
	}{
		{"code, TypeScript", func(args ...string) (string, []string) { return nodeCommand(t, "retry_code.ts", args...) }},
		{"text, TypeScript", func(args ...string) (string, []string) { return nodeCommand(t, "retry_text.ts", args...) }},
		{"text, Python", func(args ...string) (string, []string) {
			return cached(t, "python-v1", "bin", "python"), append([]string{"clients/retry_text.py"}, args...)
		}},
	}
	for _, loop := range loops {
		t.Run("concurrency/"+loop.name, func(t *testing.T) {
			before := refusals("at_capacity")
			held := make(chan reply, 1)
			go func() {
				resp, err := client.Do(newRequest(t, http.MethodPost, g.URL+"/mcp", strings.Replace(call("1", "slot"), "{}", `{"hold":true}`, 1),
					"MCP-Protocol-Version", "2025-11-25"))
				if err != nil {
					held <- reply{Cut: err}
					return
				}
				held <- readAll(resp)
			}()
			receive(t, began, "the slot was not taken")
			go func() { // the slot is free after the first refusal
				for refusals("at_capacity") == before && t.Context().Err() == nil {
					time.Sleep(20 * time.Millisecond)
				}
				release <- struct{}{}
			}()
			var o outcome
			name, args := loop.command(g.URL+"/mcp", "slot", "{}")
			runJSON(t, &o, name, args...)
			o.succeeded(t)
			if r := receive(t, held, "no answer"); !r.passed() {
				t.Errorf("the call that held the slot failed: %+v", r)
			}
			if refusals("at_capacity") == before {
				t.Error("nothing was refused")
			}
		})
	}
	t.Run("rpm/"+loops[0].name, func(t *testing.T) {
		g.passes(t, call("1", "minute"))
		var o outcome
		name, args := loops[0].command(g.URL+"/mcp", "minute", "{}")
		runJSON(t, &o, name, args...)
		o.succeeded(t)
		if n := refusals("rate_limited"); n != 1 {
			t.Errorf("%d refusals, want 1: the wait was exact", n)
		}
	})
}
