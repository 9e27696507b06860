package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// schemaServer is a real server of one tool that counts its calls and returns
// what it is told to.
func schemaServer(t *testing.T, result string) (url string, calls, listed *atomic.Int64) {
	t.Helper()
	calls, listed = new(atomic.Int64), new(atomic.Int64)
	s := mcp.NewServer(&mcp.Implementation{Name: "schemas", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: 1})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				listed.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	raw := func(text string) any { return rawJSON(text) }
	for _, name := range []string{"another", "order"} {
		s.AddTool(&mcp.Tool{Name: name,
			InputSchema:  raw(`{"type":"object","properties":{"quantity":{"type":"integer","minimum":1},"note":{"type":"string"}},"required":["quantity"]}`),
			OutputSchema: raw(`{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}`),
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			calls.Add(1)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}, StructuredContent: rawJSON(result)}, nil
		})
	}
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h.URL, calls, listed
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func orderCall(id, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"order","arguments":%s}}`, id, arguments)
}

func TestValidateArguments(t *testing.T) {
	url, calls, listed := schemaServer(t, `{"total":1}`)
	bad := want{code: "bad_request", class: "validation", status: 400, text: "Validation Error: Argument 'quantity' expected an integer, but received 'five'."}
	t.Run("learn", func(t *testing.T) {
		g := start(t, "validate arguments", url)
		g.post(t, orderCall("1", `{"quantity":"five"}`)) // nobody has listed: it passes
		if calls.Load() != 1 {
			t.Errorf("%d calls with an unknown schema, want 1", calls.Load())
		}
		cursor := ""
		for {
			m := g.post(t, `{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"`+cursor+`"}}`).response(t, "9")
			if cursor = gjson.Get(m, "result.nextCursor").String(); cursor == "" {
				break
			}
		}
		bad.result(t, "1", g.post(t, orderCall("1", `{"quantity":"five"}`)).Body)
		want{code: "bad_request", class: "validation", text: "'quantity' is missing"}.result(t, "2", g.post(t, orderCall("2", `{}`)).Body)
		if calls.Load() != 1 {
			t.Error("a call with bad arguments reached the server")
		}
		if m := g.post(t, orderCall("3", `{"quantity":5}`)).response(t, "3"); gjson.Get(m, "result.structuredContent.total").Int() != 1 {
			t.Errorf("a good call: %s", m)
		}
	})
	t.Run("fetch", func(t *testing.T) {
		calls.Store(0)
		listed.Store(0)
		g := start(t, "validate arguments\nschemas fetch", url)
		for range 3 {
			bad.result(t, "1", g.post(t, orderCall("1", `{"quantity":"five"}`)).Body)
		}
		if calls.Load() != 0 || listed.Load() != 2 {
			t.Errorf("%d calls, %d pages listed, want 0 and 2 (once)", calls.Load(), listed.Load())
		}
	})
	t.Run("fetch, 2026-07-28", func(t *testing.T) {
		g := start(t, "validate arguments\nschemas fetch", url)
		bad.result(t, "1", g.modern(t, "1", "tools/call", "order", `"name":"order","arguments":{"quantity":"five"}`).Body)
	})
	t.Run("fetch fails", func(t *testing.T) {
		u := newUpstream(t)
		asked := scripted(u, nil)
		g := start(t, "validate arguments\nschemas fetch", u.URL)
		for range 3 {
			if m := g.post(t, orderCall("1", `{"quantity":"five"}`)).Body; m != succeeding("1") {
				t.Errorf("a call whose schema is unknown did not pass: %s", m)
			}
		}
		if asked.Load() != 4 {
			t.Errorf("%d requests, want 4: one list, three calls", asked.Load())
		}
	})
}

// The gateway asks with the caller's own credentials, session and version.
func TestFetchAsTheCaller(t *testing.T) {
	u := newUpstream(t)
	var asked []string
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, fmt.Sprint(r.Header.Get("Authorization"), "|", r.Header.Get("Mcp-Session-Id"), "|", r.Header.Get("MCP-Protocol-Version")))
		answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"order","inputSchema":{"type":"object","required":["quantity"]}}],"cacheScope":"private"}}`)(w, r)
	})
	g := start(t, "validate arguments\nschemas fetch", u.URL)
	for _, token := range []string{"one", "two"} {
		want{code: "bad_request"}.result(t, "1", g.post(t, orderCall("1", `{}`), "Authorization", "Bearer "+token, "Mcp-Session-Id", "s").Body)
	}
	if got := strings.Join(asked, " "); got != "Bearer one|s|2025-11-25 Bearer two|s|2025-11-25" {
		t.Errorf("asked as %s", got)
	}
}

func TestValidateResults(t *testing.T) {
	url, _, _ := schemaServer(t, `{"total":"`+secret+`"}`)
	for _, mode := range []string{"amend", "omit", "always"} {
		g := start(t, "validate results\nschemas fetch\nerrors {\nstructured_content "+mode+"\n}", url)
		for _, sdk := range sdks {
			if sdk.name != "Go" && sdk.name != "TypeScript 1" && sdk.name != "Python 2 modern" || mode == "always" && sdk.name == "TypeScript 1" {
				continue
			}
			t.Run(mode+"/"+sdk.name, func(t *testing.T) {
				o := sdk.calls(t, g.URL+"/mcp", []toolCall{{"another", map[string]any{"quantity": 1}}})[0]
				o.result(t, want{code: "output_validation_failed", class: "terminal", text: "breaks its own output schema (field 'total')"})
				if strings.Contains(string(o.Result), secret) {
					t.Errorf("the result crossed: %s", o.Result)
				}
			})
		}
		r := g.post(t, orderCall("1", `{"quantity":1}`))
		want{code: "output_validation_failed", class: "terminal", status: -1}.result(t, "1", r.response(t, "1"))
	}
	// Such a result is a failure of the tool, for a breaker that counts its class.
	guarded := start(t, "service guarded\nvalidate results\nschemas fetch\nbreaker {\nfailures 2\ncooldown manual\ncount terminal\n}", url)
	for range 2 {
		guarded.post(t, orderCall("1", `{"quantity":1}`))
	}
	want{code: "service_disabled", service: "guarded", text: "failed 2 times in a row"}.result(t, "1", guarded.post(t, orderCall("1", `{"quantity":1}`)).Body)
	good, _, _ := schemaServer(t, `{"total":1.5}`)
	g := start(t, "validate results\nschemas fetch", good)
	if m := g.post(t, orderCall("1", `{"quantity":1}`)).response(t, "1"); gjson.Get(m, "result.structuredContent.total").Float() != 1.5 {
		t.Errorf("a good result: %s", m)
	}
}

func TestSSRFGuardInTheWay(t *testing.T) {
	u := newUpstream(t)
	asked := scripted(u, nil)
	g := start(t, "ssrf_guard {\nallow 10.20.0.0/24\n}", u.URL)
	fetch := func(arguments string) string {
		return g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch_page","arguments":`+arguments+`}}`).Body
	}
	for _, target := range []string{
		"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://2130706433/", "http://0x7f.1/", "http://[::ffff:10.0.0.1]/",
		"http://localhost:6379", "http://public.example@192.168.0.1/", "file:///etc/hostname",
	} {
		m := fetch(fmt.Sprintf(`{"url":%q}`, target))
		want{code: "ssrf_blocked", class: "permission", status: -1, text: "argument 'url'"}.result(t, "1", m)
		if strings.Contains(m, target) {
			t.Errorf("the value crossed: %s", m)
		}
	}
	if asked.Load() != 0 {
		t.Error("a refused call reached the server")
	}
	for _, target := range []string{"http://10.20.0.7/wiki", "http://93.184.215.14/", "see the server at 10.0.0.1"} {
		name := "url"
		if strings.Contains(target, " ") {
			name = "text"
		}
		if m := fetch(fmt.Sprintf(`{%q:%q}`, name, target)); m != succeeding("1") {
			t.Errorf("%s was refused: %s", target, m)
		}
	}
	if strings.Contains(g.logged(), "meta-data") {
		t.Error("an argument stands in the log")
	}
}

// The error reference of a page fetcher: forbidden on one tool, use the other.
func TestSuggestAnotherTool(t *testing.T) {
	u := newUpstream(t)
	scripted(u, map[string]func(string) string{"foura_single": failsWith("403 Forbidden: blocked by the site's bot protection")})
	g := start(t, "service single\ntool foura_single {\nsuggest forbidden foura_proxy\n}\ntool foura_proxy {\nservice proxy\n}", u.URL)
	m := g.post(t, call("1", "foura_single")).Body
	want{code: "forbidden", class: "permission", status: 403, service: "single", text: "Try the tool 'foura_proxy' instead."}.result(t, "1", m)
	if got := gjson.Get(m, "result.structuredContent.suggestion.tool").String(); got != "foura_proxy" {
		t.Errorf("suggestion: %q", got)
	}
	if m := g.post(t, call("1", "foura_proxy")).Body; m != succeeding("1") {
		t.Errorf("the other tool: %s", m)
	}
	// What the caller does not see is not suggested.
	g = start(t, "tools {\ndeny foura_proxy\n}\ntool foura_single {\nsuggest forbidden foura_proxy\n}", u.URL)
	if m := g.post(t, call("1", "foura_single")).Body; strings.Contains(m, "foura_proxy") {
		t.Errorf("a hidden tool was suggested: %s", m)
	}
}

func TestSwitches(t *testing.T) {
	u := newUpstream(t)
	asked := scripted(u, nil)
	g, admin := startAdmin(t, "service orders\ntool refund_* {\ndisabled \"Refunds are made by phone.\"\nsuggest service_disabled search\n}\ntool export {\ndisabled\n}", u.URL)
	off := want{code: "service_disabled", class: "terminal", status: 503, service: "orders", wait: -1}
	with := func(text string) want { w := off; w.text = text; return w }
	m := g.post(t, call("1", "refund_order")).Body
	with("Refunds are made by phone. Try the tool 'search' instead.").result(t, "1", m)
	off.result(t, "1", g.post(t, call("1", "export")).Body)
	ask(t, http.MethodPost, admin+"services/orders/tools/export/enable", "", http.StatusOK)
	off.result(t, "1", g.post(t, call("1", "export")).Body) // the config stands above a switch

	ok := func(tool string) {
		t.Helper()
		if m := g.post(t, call("1", tool)).Body; m != succeeding("1") {
			t.Errorf("%s: %s", tool, m)
		}
	}
	ok("search")
	if a := ask(t, http.MethodPost, admin+"services/orders/tools/search/disable", "Closed for stocktaking.", http.StatusOK); !a.Get("off").Bool() || !a.Get("shared").Bool() {
		t.Errorf("disable: %s", a.Raw)
	}
	with("Closed for stocktaking.").result(t, "1", g.post(t, call("1", "search")).Body)
	ok("get")
	ask(t, http.MethodPost, admin+"services/orders/disable", "", http.StatusOK)
	off.result(t, "1", g.post(t, call("1", "get")).Body)
	list := ask(t, http.MethodGet, admin+"services", "", http.StatusOK)
	if list.Get("services").Raw != `["orders"]` || list.Get("off.#").Int() != 2 || !strings.Contains(list.Raw, "Closed for stocktaking.") {
		t.Errorf("services: %s", list.Raw)
	}
	for _, path := range []string{"services/orders/enable", "services/orders/tools/search/enable"} {
		if !ask(t, http.MethodPost, admin+path, "", http.StatusOK).Get("changed").Bool() {
			t.Errorf("%s changed nothing", path)
		}
	}
	ok("search")
	ok("get")
	if asked.Load() != 4 {
		t.Errorf("the server got %d calls, want 4", asked.Load())
	}

	ask(t, http.MethodPost, admin+"services/other/disable", "", http.StatusNotFound)
	ask(t, http.MethodGet, admin+"services/orders/disable", "", http.StatusMethodNotAllowed)
	ask(t, http.MethodPost, admin+"services/orders/disable", "See https://status.example.com", http.StatusBadRequest)
	ask(t, http.MethodPost, admin+"services/orders/disable", strings.Repeat("word ", 100), http.StatusBadRequest)
	ok("get")
}
