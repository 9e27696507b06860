package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// orderSystem is the server of the example: five tools, of which export_report
// fails while broken is set.
func orderSystem(t *testing.T, broken *atomic.Bool) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1.0.0"}, nil)
	add := func(name, property string) {
		schema := rawJSON(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}`, property, property))
		s.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if name == "export_report" && broken.Load() {
				res := &mcp.CallToolResult{}
				res.SetError(errors.New("HTTP 503 from the report service at " + secret))
				return res, nil
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
		})
	}
	add("search_orders", "query")
	add("get_order", "order_id")
	add("refund_order", "order_id")
	add("export_report", "month")
	add("fetch_page", "url")
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h.URL
}

// examples/ingress does what docs/policy.md says: three teams of two tenants,
// five tools.
func TestIngressExample(t *testing.T) {
	const file = "../examples/ingress/Caddyfile"
	sees := map[string]string{
		"acme-support":    "search_orders get_order",
		"acme-analysts":   "search_orders get_order export_report fetch_page",
		"acme-ops":        "search_orders get_order refund_order export_report fetch_page",
		"globex-support":  "search_orders get_order",
		"globex-analysts": "search_orders get_order export_report fetch_page",
		"globex-ops":      "search_orders get_order export_report fetch_page",
		"acme-intern":     "search_orders",
	}
	var broken atomic.Bool
	upstream, err := url.Parse(orderSystem(t, &broken))
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "keys.txt")
	keys, lines := map[string]string{}, []string{}
	for name := range sees {
		tenant, _, _ := strings.Cut(name, "-")
		token, line := newKey(t, name, "--tenant", tenant)
		keys[name] = token
		lines = append(lines, line)
	}
	writeKeys(t, keyFile, lines...)
	t.Setenv("MCP_KEYS", keyFile)
	t.Setenv("REDIS_ADDRESS", redistest.Start(t).Addr)
	t.Setenv("UPSTREAM", upstream.Host)

	g := startExample(t, file, nil)

	if r := g.post(t, method("1", "tools/list")); r.Status != http.StatusUnauthorized || !strings.Contains(r.Header.Get("WWW-Authenticate"), `realm="orders"`) {
		t.Errorf("without a key: %d %q", r.Status, r.Header.Get("WWW-Authenticate"))
	}
	arguments := map[string]string{
		"search_orders": `{"query":"late"}`, "get_order": `{"order_id":"A1"}`, "refund_order": `{"order_id":"A1"}`,
		"export_report": `{"month":"2026-10"}`, "fetch_page": `{"url":"http://10.20.0.7/wiki"}`,
	}
	try := func(who, tool, args string) string {
		t.Helper()
		return g.post(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args), bearer(keys[who])...).response(t, "1")
	}
	forbidden := want{code: "forbidden", class: "permission", status: 403, service: "orders"}
	for who, visible := range sees {
		list := gjson.Get(g.post(t, method("1", "tools/list"), bearer(keys[who])...).response(t, "1"), "result.tools.#.name")
		var names []string
		for _, n := range list.Array() {
			names = append(names, n.String())
		}
		wanted := strings.Fields(visible)
		slices.Sort(names)
		slices.Sort(wanted)
		if !slices.Equal(names, wanted) {
			t.Errorf("%s sees %v, want %v", who, names, wanted)
		}
		for tool, args := range arguments {
			m := try(who, tool, args)
			if slices.Contains(wanted, tool) {
				if gjson.Get(m, "result.content.0.text").String() != "done" {
					t.Errorf("%s, %s: %s", who, tool, m)
				}
				continue
			}
			forbidden.result(t, "1", m)
		}
	}

	want{code: "bad_request", class: "validation", status: 400, service: "orders", text: "'order_id'"}.result(t, "1", try("acme-support", "get_order", `{}`))
	want{code: "ssrf_blocked", class: "permission", service: "orders", text: "'url'"}.result(t, "1", try("acme-ops", "fetch_page", `{"url":"http://10.20.1.7/"}`))

	broken.Store(true)
	for range 3 {
		m := try("acme-ops", "export_report", arguments["export_report"])
		want{code: "service_unavailable", class: "retryable", status: 503, service: "orders", text: "Try the tool 'search_orders' instead."}.result(t, "1", m)
	}
	want{code: "service_unavailable", class: "retryable", status: 503, service: "orders", text: "failed 3 times in a row and is paused"}.result(t, "1",
		try("globex-ops", "export_report", arguments["export_report"]))
	if m := try("globex-ops", "search_orders", arguments["search_orders"]); gjson.Get(m, "result.content.0.text").String() != "done" {
		t.Errorf("another tool: %s", m)
	}
}
