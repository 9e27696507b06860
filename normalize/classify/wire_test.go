package classify

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWire runs answers of SDKs, bridges, gateways and web servers as the
// gateway sees them: with status, header, JSON-RPC code and data.
func TestWire(t *testing.T) {
	const date = "Fri, 20 Nov 2026 07:58:30 GMT"
	rpc := func(code int64, message, data string) Evidence {
		return Evidence{RPCCode: &code, Message: message, Data: []byte(data)}
	}
	body := func(status int, body string, header ...string) Evidence {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		f := NoFault
		if status < 400 {
			f = NotJSON
		}
		return Evidence{Status: status, Body: []byte(body), Header: h, Fault: f}
	}
	texts := func(s ...string) Evidence { return Evidence{Texts: s} }
	for _, x := range []struct {
		e           Evidence
		codes       string
		classes     string
		arg         string
		wait        time.Duration
		description string
	}{
		{rpc(-32601, "Method not found", ""), "nf", "t", "", 0, "standard"},
		{rpc(-32601, "Tool not found: foo", ""), "nf", "t", "", 0, "context forge"},
		{rpc(-32602, "Unknown tool: invalid_tool_name", `"foo"`), "nf", "t", "", 0, "java"},
		{rpc(-32602, "Invalid params", `"Tool not found: foo"`), "nf", "t", "", 0, "ruby"},
		{rpc(-32603, "Internal error", `"Internal error calling tool foo"`), "ue", "d,t", "", 0, "ruby"},
		{rpc(-32603, "Internal error", `"Connection refused - connect(2) for 10.0.0.1:5432"`), "su", "d", "", 0, "ruby data"},
		{rpc(-32603, "Internal error: Rate limited by provider", `{"detail":"Rate limited by provider"}`), "rl", "r", "", 0, "swift"},
		{rpc(0, "failed to get user: GET https://api.example.com/user: 404 Not Found []", ""), "nf", "t", "", 0, "go code 0"},
		{rpc(0, "validating tool output: validating root: required: missing properties: [\"a\"]", ""), "ov", "t", "", 0, "go output"},
		{rpc(0, "method \"tools/call\" is invalid during session initialization", ""), "br,uu", "v,t", "", 0, "go init"},
		{rpc(-32603, "panic recovered in foo tool handler: runtime error: index out of range [1] with length 1", ""), "ue", "t", "", 0, "mcp-go"},
		{rpc(-32602, "Invalid parameters for tool 'add': Property '/a': The data (string) must match the type: integer", `{"validation_errors":[{"pointer":"/a","keyword":"type","message":"The data (string) must match the type: integer"}]}`), "br", "v", "a", 0, "php"},
		{rpc(-32000, "Connection closed", ""), "su", "d", "", 0, "client half"},
		{rpc(-32001, "Request timed out", ""), "su", "r", "", 0, "client half"},
		{rpc(-32000, "Tool invocation failed: HTTP 503", ""), "su", "r", "", 0, "context forge"},
		{rpc(-32003, "Access denied", ""), "fb", "p", "", 0, "context forge"},
		{rpc(-32002, "Resource not found", `{"uri":"file:///x"}`), "nf", "t", "", 0, "resource"},
		{rpc(-32002, "no", ""), "nf", "t", "", 0, "resource by code"},
		{rpc(-32700, "Parse error", ""), "br", "v", "", 0, "parse"},
		{rpc(-32600, "Invalid Request: Server already initialized", ""), "br", "v", "", 0, "standard"},
		{rpc(401, "Unauthorized", ""), "af", "p", "", 0, "mcp-proxy"},
		{rpc(-32603, "MCP error -32603: MCP error -32602: Tool foo not found", ""), "nf", "t", "", 0, "nested"},
		{rpc(-32000, "Server error", `"TypeError: Cannot read properties of undefined (reading 'id')"`), "ue", "t,d", "", 0, "data"},
		{rpc(-32602, "Tool foo disabled", ""), "sd", "t", "", 0, "typescript"},
		{rpc(-32603, "failed to connect to upstream server", ""), "su", "d", "", 0, "gateway"},
		{rpc(-32602, "Invalid arguments for tool x: missing key 'city'", ""), "br", "v", "city", 0, "plain"},
		{rpc(-32603, "", ""), "uu", "t", "", 0, "empty"},
		{rpc(429, "rate limit exceeded", `{"retryAfter":9}`), "rl", "r", "", 9 * time.Second, "own data"},
		{body(500, `{"detail":{"error":"[Errno 2] No such file or directory: '/x'","type":"FileNotFoundError","traceback":"Traceback"}}`), "nf", "t", "", 0, "bridge"},
		{body(400, `{"detail":"Error executing tool: Connection refused"}`), "su", "d", "", 0, "bridge"},
		{body(422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}}]}`), "uc,br", "v", "name", 0, "fastapi"},
		{body(500, `{"detail":{"error":"list index out of range","type":"IndexError","traceback":"Traceback"}}`), "ue", "t,d", "", 0, "bridge crash"},
		{body(502, "<html><head><title>502 Bad Gateway</title></head></html>"), "ue", "d", "", 0, "nginx"},
		{body(503, "no healthy upstream"), "su", "r,d", "", 0, "envoy"},
		{body(504, "upstream request timeout"), "ue,su", "r", "", 0, "envoy"},
		{body(429, `{"message":"API rate limit exceeded"}`, "Retry-After", "7"), "rl", "r", "", 7 * time.Second, "kong"},
		{body(429, "error code: 1015", "Retry-After", "Fri, 20 Nov 2026 08:00:00 GMT", "Date", date), "rl", "r", "", 90 * time.Second, "cloudflare"},
		{body(429, `{}`, "X-RateLimit-Reset", "12"), "rl", "r", "", 12 * time.Second, "reset header"},
		{body(429, `{}`, "RateLimit", `"default";r=0;t=31`), "rl", "r", "", 31 * time.Second, "ratelimit header"},
		{body(429, `{}`, "Retry-After-Ms", "1500"), "rl", "r", "", 1500 * time.Millisecond, "ms header"},
		{body(429, `{}`, "X-Ratelimit-Reset-Requests", "6m0s"), "rl", "r", "", 6 * time.Minute, "span header"},
		{body(200, `{}`, "X-Ratelimit-Reset", "12"), "nj", "d", "", 0, "reset header without a limit"},
		{body(403, "<html><title>Just a moment...</title></html>"), "fb", "p", "", 0, "cloudflare"},
		{body(524, "<html><title>Error 524</title></html>"), "ue", "r,d", "", 0, "cloudflare"},
		{body(404, "404 page not found\n"), "nf", "t", "", 0, "go"},
		{body(404, `Invalid session ID`), "nf", "t", "", 0, "mcp-go"},
		{body(421, "Invalid Host header"), "uc", "t", "", 0, "python"},
		{body(413, "Payload Too Large"), "uc", "t", "", 0, "any"},
		{body(401, "Unauthorized"), "af", "p", "", 0, "any"},
		{body(200, "<!doctype html><title>Login</title>"), "nj,af", "d,p", "", 0, "login"},
		{body(200, ""), "nj", "d", "", 0, "empty"},
		{body(500, `{"code":-32000,"message":"Internal error","data":"connection refused"}`), "su,ue", "d", "", 0, "context forge"},
		{body(500, "Internal Server Error"), "ue", "d", "", 0, "any"},
		{body(500, `{"timestamp":1,"status":500,"error":"Internal Server Error","path":"/mcp"}`), "ue", "d", "", 0, "spring"},
		{body(400, `{"error":{"code":"bad_request","message":"x is required"}}`), "br", "v", "x", 0, "any"},
		{texts("Could not load.", "HTTP 503 Service Unavailable", "Retry-After: 15"), "su", "r", "", 15 * time.Second, "parts"},
		{texts(`[{"type":"text","text":"Error: Unauthorized"}]`), "af", "p", "", 0, "nested parts"},
		{texts("Failed to load template 'abc' (HTTP 404): {\"error\": \"Template not found\"}"), "nf", "t", "", 0, "prefix"},
		{texts(`{"error":true,"detail":"The given service name does not exist: s4"}`), "nf", "t", "", 0, "true error"},
		{texts("Error: Inference server returned BadGateway"), "ue", "d", "", 0, "enum name"},
		{texts("Error: Inference server returned TooManyRequests"), "rl", "r", "", 0, "enum name"},
		{texts(""), "uu", "t", "", 0, "empty"},
		{texts("null\nnull"), "uu", "t", "", 0, "null"},
		{texts("'repo_path'"), "uu", "t", "", 0, "key"},
		{Evidence{}, "uu", "t", "", 0, "nothing"},
		{Evidence{Texts: []string{"failed"}, Structured: []byte(`{"status_code":404}`)}, "nf,uu", "t", "", 0, "structured status"},
	} {
		x.e.Method, x.e.Tool = "tools/call", "t"
		v := (&Classifier{}).Classify(&x.e)
		ok := false
		for s := range strings.SplitSeq(x.codes, ",") {
			ok = ok || shortCodes[s] == string(v.Code)
		}
		class := false
		for s := range strings.SplitSeq(x.classes, ",") {
			class = class || shortClasses[s] == string(v.Class)
		}
		if !ok || !class || x.wait != v.Wait || x.arg != "" && !strings.Contains(v.Text.String(), "'"+x.arg+"'") {
			t.Errorf("%s: want %s %s %q %v, got %s/%s (%s) %v %q from %d %q %q %q", x.description, x.codes, x.classes, x.arg, x.wait, v.Code, v.Class, v.Rule, v.Wait, v.Text, x.e.Status, x.e.Message, x.e.Body, x.e.Texts)
		}
	}
}
