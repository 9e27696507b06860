package integration

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/tidwall/gjson"
)

// modern sends a request of protocol 2026-07-28 with the headers that belong
// to it. Params is an object without its braces, or empty.
func (g *gateway) modern(t *testing.T, id, method, name, params string) reply {
	t.Helper()
	if params != "" {
		params += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		id, method, params, modernVersion)
	header := []string{"MCP-Protocol-Version", modernVersion, "Mcp-Method", method}
	if name != "" {
		header = append(header, "Mcp-Name", name)
	}
	return send(t, http.MethodPost, g.URL+"/mcp", body, header...)
}

func (g *gateway) modernCall(t *testing.T, id, params string) reply {
	t.Helper()
	if params != "" {
		params = "," + params
	}
	return g.modern(t, id, "tools/call", "x", `"name":"x","arguments":{}`+params)
}

// What protocol 2026-07-28 adds to failures.
func TestModernFailures(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	unavailable := want{code: "service_unavailable", class: "retryable", status: 503}
	complete := func(t *testing.T, m string) {
		t.Helper()
		if got := gjson.Get(m, "result.resultType").String(); got != "complete" {
			t.Errorf("resultType is %q: %s", got, m)
		}
	}

	const info = `{"name":"s","version":"1"}`
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":`+info+
		`,"com.example/trace":"`+secret+`"},"content":[{"type":"text","text":"HTTP 503 `+secret+`"}],"isError":true}}`))
	r := g.modernCall(t, "1", "")
	m := r.response(t, "1")
	unavailable.result(t, "1", m)
	complete(t, m)
	if got := gjson.Get(m, "result._meta").Get(escaped("io.modelcontextprotocol/serverInfo")).Raw; got != info {
		t.Errorf("serverInfo is %q: %s", got, m)
	}
	r.leakless(t)

	// A result that the gateway made up has it too.
	u.answer(answers(http.StatusServiceUnavailable, "text/html", secret))
	r = g.modernCall(t, `"a"`, "")
	unavailable.result(t, `"a"`, r.response(t, `"a"`))
	complete(t, r.response(t, `"a"`))

	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"HTTP 503 `+secret+`"}],"isError":true}}}`))
	r = g.modern(t, "1", "tasks/get", "t", `"taskId":"t"`)
	unavailable.toolResult(t, gjson.Get(r.response(t, "1"), "result.result").Raw)
	r.leakless(t)
}

// What is no failure of a tool stays what the protocol says.
func TestModernProtocol(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)

	const input = `{"jsonrpc":"2.0","id":1,"result":{ "resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create","params":{"mode":"form","message":"sure?"}}},"requestState":"b3BhcXVl"}}`
	u.answer(answers(http.StatusOK, "application/json", input))
	if r := g.modernCall(t, "1", ""); r.Body != input {
		t.Errorf("input_required changed: %q", r.Body)
	}

	rpc := func(status int, code int64, message, data string) http.HandlerFunc {
		if data != "" {
			data = `,"data":` + data
		}
		return answers(status, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q%s}}`, code, message, data))
	}
	// Servers must refuse a state that somebody changed, with an error.
	u.answer(rpc(http.StatusOK, -32602, "invalid requestState: tampered", ""))
	r := g.modernCall(t, "1", `"inputResponses":{"confirm":{"action":"accept"}},"requestState":"x"`)
	if got := gjson.Get(r.response(t, "1"), "error.code").Int(); got != -32602 {
		t.Errorf("a refused requestState is no error any more: %q", r.Body)
	}

	// A resource that does not exist is named in the data.
	u.answer(rpc(http.StatusOK, -32602, "Resource not found", `{"uri":"file:///x"}`))
	r = g.modern(t, "1", "resources/read", "file:///x", `"uri":"file:///x"`)
	m := r.response(t, "1")
	if gjson.Get(m, "error.code").Int() != -32602 || gjson.Get(m, "error.data.uri").String() != "file:///x" {
		t.Errorf("the resource is not named: %s", m)
	}

	for code, data := range map[int64]string{
		-32021: `{"requiredCapabilities":{"sampling":{}}}`,
		-32022: `{"supported":["2025-11-25"],"requested":"2026-07-28"}`,
	} {
		u.answer(rpc(http.StatusBadRequest, code, "refused", data))
		for _, r := range []reply{g.modernCall(t, "1", ""), g.modern(t, "1", "server/discover", "", "")} {
			m := r.response(t, "1")
			if r.Status != http.StatusBadRequest || gjson.Get(m, "error.code").Int() != code || !sameJSON(t, gjson.Get(m, "error.data").Raw, data) {
				t.Errorf("%d: %d %q", code, r.Status, m)
			}
		}
	}

	u.answer(rpc(http.StatusNotFound, -32601, "Method not found", ""))
	r = g.modern(t, "1", "ping", "", "")
	if r.Status != http.StatusNotFound {
		t.Errorf("unknown method: status %d, want 404", r.Status)
	}
	want{code: "not_found", status: 404}.failure(t, "1", -32601, r.response(t, "1"))
}
