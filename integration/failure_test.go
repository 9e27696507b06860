package integration

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// In a stream, the failing response is replaced and nothing else is touched.
func TestFailureInStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	response := "id: 2\nevent: message\ndata: " + strings.Replace(failing("1", "429 Too Many Requests, see "+secret), ",", ",\ndata: ", 1) + "\n\n"
	for _, nl := range newlines {
		before := strings.ReplaceAll(stream, "\n", nl.nl)
		body := before + strings.ReplaceAll(response, "\n", nl.nl)
		for _, n := range []int{1, 2, 5, 1 << 20} {
			t.Run(nl.name+"/"+strconv.Itoa(n), func(t *testing.T) {
				u.answer(streams(body, n))
				r := g.post(t, call("1", "x"))
				if !strings.HasPrefix(r.Body, before) {
					t.Errorf("events before the response changed:\n%q, want\n%q", r.Body, before)
				}
				want{code: "rate_limited", class: "retryable", status: 429}.result(t, "1", r.response(t, "1"))
				event := strings.TrimPrefix(r.Body, before)
				for _, line := range []string{"id: 2", "event: message"} {
					if !strings.Contains(event, line+nl.nl) {
						t.Errorf("the event lost %q: %q", line, event)
					}
				}
				r.leakless(t)
			})
		}
	}
}

// The last event may lack its blank line when the server closes.
func TestFailureAtEndOfStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	u.answer(streams("data: "+failing("1", "429 Too Many Requests, see "+secret)+"\n", 1<<20))
	r := g.post(t, call("1", "x"))
	want{}.result(t, "1", r.response(t, "1"))
	r.leakless(t)
}

// A resumed stream carries responses on GET.
func TestFailureOnGETStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	u.answer(streams("id: 7\ndata: "+failing(`"a-1"`, "HTTP 503 from "+secret)+"\n\n", 10))
	r := send(t, http.MethodGet, g.URL+"/mcp", "", "Accept", "text/event-stream", "Content-Type", "",
		"MCP-Protocol-Version", "2025-11-25", "Mcp-Session-Id", "abc", "Last-Event-ID", "6")
	want{code: "service_unavailable", status: 503}.result(t, `"a-1"`, r.response(t, `"a-1"`))
	r.leakless(t)
}

// The id of a request comes back byte for byte.
func TestIDIsEchoed(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	for _, id := range []string{"1", "0", "-7", `"abc"`, `"1"`, `"\u00e9\n"`, "12345678901234567890"} {
		t.Run(id, func(t *testing.T) {
			u.answer(answers(http.StatusInternalServerError, "text/html", "<h1>500</h1>"))
			r := g.post(t, call(id, "x"))
			want{code: "upstream_error", status: 500}.result(t, id, r.response(t, id))
		})
	}
}

// HTTP failures of calls become results, those of other requests errors.
func TestHTTPFailures(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	page := "<html><h1>Bad Gateway</h1>" + secret + "</html>"
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   want
		status int // of the answer to another request
	}{
		{"HTML 502", answers(http.StatusBadGateway, "text/html", page), want{code: "upstream_error", class: "dependency", status: 502}, 502},
		{"HTML 503", answers(http.StatusServiceUnavailable, "text/html", page), want{code: "service_unavailable", class: "retryable", status: 503}, 503},
		{"empty 500", answers(http.StatusInternalServerError, "", ""), want{code: "upstream_error", status: 500}, 500},
		{"plain 404", answers(http.StatusNotFound, "text/plain", "no "+secret), want{code: "not_found", status: 404}, 404},
		{"429", answers(http.StatusTooManyRequests, "application/json", `{"message":"API rate limit exceeded"}`, "Retry-After", "7"),
			want{code: "rate_limited", class: "retryable", status: 429, wait: 7}, 429},
		{"418", answers(http.StatusTeapot, "text/plain", secret), want{code: "upstream_client_error", class: "terminal", status: 418}, 418},
		{"422 with FastAPI's detail", answers(http.StatusUnprocessableEntity, "application/json",
			`{"detail":[{"loc":["body","quantity"],"msg":"Input should be a valid integer","type":"int_type"}]}`), want{class: "validation"}, 422},
		{"the bridge's detail", answers(http.StatusInternalServerError, "application/json",
			`{"detail":{"error":"Invalid date format: 2025-13-45","type":"ValueError","traceback":"Traceback (most recent call last):\n  File \"`+secret+`\", line 123, in get\nValueError: Invalid date format: 2025-13-45"}}`),
			want{code: "bad_request", class: "validation"}, 500},
		{"HTML 200", answers(http.StatusOK, "text/html", page), want{code: "upstream_non_json", class: "dependency"}, 0},
		{"broken JSON", answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"a":"`+secret), want{code: "upstream_non_json", class: "dependency"}, 0},
		{"no JSON-RPC", answers(http.StatusOK, "application/json", `{"hello":"`+secret+`"}`), want{code: "upstream_non_json|upstream_unknown"}, 0},
		{"empty 200", answers(http.StatusOK, "application/json", ""), want{code: "upstream_non_json", class: "dependency"}, 0},
		{"no media type", answers(http.StatusOK, "", "oops "+secret), want{code: "upstream_non_json", class: "dependency"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(c.answer)
			r := g.post(t, call("1", "x"))
			if r.Status != http.StatusOK {
				t.Errorf("status %d for a call, want 200", r.Status)
			}
			c.want.result(t, "1", r.response(t, "1"))
			r.leakless(t, "<html", "<h1")
			if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
				t.Errorf("Content-Type %q", got)
			}

			r = g.post(t, method("2", "resources/list"))
			if c.status != 0 && r.Status != c.status {
				t.Errorf("status %d for another request, want %d", r.Status, c.status)
			}
			c.want.failure(t, "2", 0, r.response(t, "2"))
			r.leakless(t, "<html", "<h1")
		})
	}
}

// OAuth needs status and challenge of 401 and 403, and clients the 404 of a
// session that is gone.
func TestStatusThatClientsNeed(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	const challenge = `Bearer error="insufficient_scope", scope="files:write", resource_metadata="https://example.com/.well-known/oauth-protected-resource"`
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		u.answer(answers(status, "text/html", "<h1>"+secret+"</h1>", "WWW-Authenticate", challenge))
		for _, request := range []string{call("1", "x"), method("1", "tools/list"), method("1", "initialize")} {
			r := g.post(t, request)
			if r.Status != status || r.Header.Get("WWW-Authenticate") != challenge {
				t.Errorf("status %d, challenge %q, want %d and %q", r.Status, r.Header.Get("WWW-Authenticate"), status, challenge)
			}
			if m := r.response(t, "1"); gjson.Get(m, "error.message").String() == "" {
				t.Errorf("body is no JSON-RPC error: %q", r.Body)
			}
			r.leakless(t)
		}
	}

	u.answer(answers(http.StatusNotFound, "text/plain", "session not found "+secret))
	r := g.post(t, call("1", "x"), "Mcp-Session-Id", "abc")
	if r.Status != http.StatusNotFound || gjson.Get(r.response(t, "1"), "error.code").Type != gjson.Number {
		t.Errorf("session gone: %d %q", r.Status, r.Body)
	}
	r.leakless(t)
}

// What a tool raised becomes a result that the model sees; what the protocol
// refused stays an error.
func TestJSONRPCErrors(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	rpc := func(code int, message, data string) http.HandlerFunc {
		if data != "" {
			data = `,"data":` + data
		}
		return answers(http.StatusOK, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q%s}}`, code, message, data))
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   want
	}{
		{"-32603", rpc(-32603, "TypeError: x is undefined at "+secret, ""), want{code: "upstream_error"}},
		{"0", rpc(0, "connection to "+secret+" refused", ""), want{}},
		{"application code", rpc(1001, "quota: 429 Too Many Requests", ""), want{code: "rate_limited"}},
		{"-32602 for arguments", rpc(-32602, "MCP error -32602: Invalid arguments for tool x: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"number\",\n    \"received\": \"string\",\n    \"path\": [\n      \"quantity\"\n    ],\n    \"message\": \"Expected number, received string\"\n  }\n]", ""),
			want{code: "bad_request", class: "validation", text: "quantity"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(c.answer)
			r := g.post(t, call("1", "x"))
			c.want.result(t, "1", r.response(t, "1"))
			r.leakless(t)
		})
	}

	u.answer(rpc(-32602, "unknown tool \"x\" in "+secret, `{"path":"`+secret+`"}`))
	r := g.post(t, call("1", "x"))
	want{code: "not_found", class: "terminal"}.failure(t, "1", -32602, r.response(t, "1"))
	r.leakless(t)

	u.answer(rpc(-32601, "Method not found", ""))
	r = g.post(t, method("1", "tools/nothing"))
	want{code: "not_found"}.failure(t, "1", -32601, r.response(t, "1"))

	u.answer(rpc(-32002, "Resource not found", `{"uri":"file:///x"}`))
	r = g.post(t, method("1", "resources/read"))
	if m := r.response(t, "1"); gjson.Get(m, "error.code").Int() != -32002 || gjson.Get(m, "error.data.uri").String() != "file:///x" {
		t.Errorf("data that the specification defines was lost: %s", m)
	}
}

// Answers that hold their result deeper are looked into.
func TestNestedResults(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)

	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"toolResult":{"content":[{"type":"text","text":"HTTP 503 `+secret+`"}],"isError":true}}}`))
	r := g.post(t, call("1", "x"))
	m := r.response(t, "1")
	inner := gjson.Get(m, "result")
	if nested := inner.Get("toolResult"); nested.Exists() {
		inner = nested
	}
	want{code: "service_unavailable"}.toolResult(t, inner.Raw)
	r.leakless(t)

	const related = `{"taskId":"t-1"}`
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/related-task":`+related+`,"x/y":"`+secret+`"},"content":[{"type":"text","text":"HTTP 503 `+secret+`"}],"isError":true}}`))
	r = g.post(t, `{"jsonrpc":"2.0","id":1,"method":"tasks/result","params":{"taskId":"t-1"}}`)
	m = r.response(t, "1")
	want{code: "service_unavailable"}.result(t, "1", m)
	if got := gjson.Get(m, "result._meta").Get(escaped("io.modelcontextprotocol/related-task")).Raw; got != related {
		t.Errorf("related-task is %q: %s", got, m)
	}
	r.leakless(t)

	ok := `{"jsonrpc":"2.0","id":2,"result":{ "content":[]}}`
	u.answer(answers(http.StatusOK, "application/json", "["+failing("1", "HTTP 503 "+secret)+", "+ok+"]"))
	r = g.post(t, "["+call("1", "x")+","+call("2", "y")+"]", "MCP-Protocol-Version", "2025-03-26")
	batch := gjson.Parse(r.Body)
	if batch.Get("#").Int() != 2 || batch.Get("1").Raw != ok {
		t.Errorf("batch: %q", r.Body)
	}
	want{code: "service_unavailable"}.result(t, "1", batch.Get("0").Raw)
	r.leakless(t)
}

// A failure that already is an envelope keeps what is valid in it.
func TestEnvelopeFromServer(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	u.answer(answers(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Rate limit exceeded"}],"isError":true,"structuredContent":{`+
		`"service":"proxy","code":"rate_limited","error":"Rate limit exceeded","status":429,"retryAfter":9,"current":{"concurrency":1,"rpm":61},"limits":{"maxConcurrency":5,"maxRpm":60}}}}`))
	r := g.post(t, call("1", "x"))
	m := r.response(t, "1")
	want{code: "rate_limited", class: "retryable", status: 429, wait: 9, service: "proxy"}.result(t, "1", m)
	if got := gjson.Get(m, "result.structuredContent.current.rpm").Int(); got != 61 {
		t.Errorf("current was lost: %s", m)
	}
}

// Bodies that change take their validators and their old length with them.
func TestHeadersOfRewrittenBody(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	u.answer(answers(http.StatusOK, "application/json", failing("1", "HTTP 503 "+secret),
		"ETag", `"v1"`, "Content-MD5", "x", "Digest", "x", "Content-Digest", "x", "Repr-Digest", "x", "X-Other", "kept", "Mcp-Session-Id", "abc"))
	r := g.post(t, call("1", "x"))
	for _, k := range []string{"ETag", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest"} {
		if v := r.Header.Get(k); v != "" {
			t.Errorf("%s: %s outlived its body", k, v)
		}
	}
	if r.Header.Get("X-Other") != "kept" || r.Header.Get("Mcp-Session-Id") != "abc" {
		t.Errorf("headers were lost: %v", r.Header)
	}
	if cl := r.Header.Get("Content-Length"); cl != strconv.Itoa(len(r.Body)) {
		t.Errorf("Content-Length %q for %d bytes", cl, len(r.Body))
	}
	want{code: "service_unavailable"}.result(t, "1", r.response(t, "1"))
}
