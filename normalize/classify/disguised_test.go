package classify

import (
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/gateway/normalize/schema"
)

// successes look like failures and are none.
var successes = []struct{ name, args, text, structured string }{
	{"log", `{"path":"app.log"}`, "ERROR 2026-01-01 db down\nERROR 2026-01-01 db down\nINFO 2026-01-01 db up", ""},
	{"log of errors", ``, "Error: connect ECONNREFUSED\nError: connect ECONNREFUSED\nError: connect ECONNREFUSED\nError: timeout", ""},
	{"search", `{"query":"error handling"}`, "Error handling in Go\n\nErrors are values. See also: error wrapping.", ""},
	{"document", ``, "Errors\n\n404 Not Found means that the page is missing.", ""},
	{"limit status", ``, "Rate limit: 5000 per hour, 4999 remaining.", ""},
	{"limit object", ``, `{"resources":{"core":{"limit":60,"remaining":59,"reset":1}},"rate":{"limit":60}}`, ""},
	{"empty", ``, "", ""},
	{"nothing found", ``, "No results found.", ""},
	{"no errors", ``, "No errors found in 12 files.", ""},
	{"empty errors", ``, `{"errors":[],"data":{"a":1}}`, ""},
	{"null error", ``, `{"error":null,"result":{"a":1}}`, ""},
	{"false error", ``, `{"error":false,"value":3}`, ""},
	{"failed job", ``, `{"id":"job_1","status":"failed","error":"timeout","created_at":"2026-01-01"}`, ""},
	{"list of jobs", ``, `[{"id":1,"status":"error"},{"id":2,"status":"ok"}]`, ""},
	{"log lines as JSON", ``, `[{"level":"error","message":"Connection refused"},{"level":"info","message":"ok"}]`, ""},
	{"one log line", ``, `{"level":"error","message":"Connection refused","timestamp":"2026-01-01"}`, ""},
	{"issue", ``, `{"number":12,"title":"Error: Cannot read properties of undefined","state":"open"}`, ""},
	{"issue list", ``, "1. Error: Cannot read properties of undefined (open)\n2. Timeout in CI (closed)", ""},
	{"test report", ``, "Failed: 2, passed: 10, skipped: 1", ""},
	{"test report lines", ``, "❌ 2 tests failed\n✅ 10 tests passed", ""},
	{"test object", ``, `{"success":false,"passed":10,"failed":2,"total":12,"tests":[{"name":"a"}]}`, ""},
	{"validation result", ``, `{"valid":false,"errors":[{"path":"/a","message":"must be string"}],"total":1}`, ""},
	{"echo", `{"message":"Error: API rate limit exceeded"}`, "Error: API rate limit exceeded", ""},
	{"echo front", ``, "Echo: Error: boom", ""},
	{"stored note", ``, "Note saved: Error: the build failed", ""},
	{"page", ``, "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>sample</body></html>", ""},
	{"page with comment", ``, "Contents of https://example.com/:\n<error>sample</error>", ""},
	{"code", ``, "func fail() error {\n\treturn errors.New(\"Error: no\")\n}", ""},
	{"exception class", ``, "ErrorBoundary is a React component.", ""},
	{"heading", ``, "# Error codes\n\n| code | meaning |\n| 1 | no |", ""},
	{"structured", ``, "Error: boom", `{"content":"Error: boom"}`},
	{"structured json", ``, `{"error":"rate_limited","status":429}`, `{"content":"{\"error\":\"rate_limited\"}"}`},
	{"structured null", ``, "ok", `{"error":null,"items":[1]}`},
	{"wrapped heading", ``, "Error handling: a guide", `{"result":"Error handling: a guide"}`},
	{"wrapped log", ``, "x", `{"result":"Error: a\nError: b\nError: c\nError: d"}`},
	{"wrapped rows", ``, "x", `{"result":"1. row\nerror: 1"}`},
	{"wrapped echo", `{"text":"Error: boom at noon"}`, "x", `{"result":"Error: boom at noon"}`},
	{"wrapped beside more", ``, "x", `{"result":"Error: boom","count":2}`},
	{"wrapped false", ``, "false", `{"result":false}`},
	{"wrapped empty", ``, "", `{"result":""}`},
	{"created", `{"user":"ana"}`, "User 'ana' not found. Created a new one.", ""},
	{"nobody", `{"query":"ana"}`, "No user 'ana' found", ""},
	{"said of another", `{"path":"a.txt"}`, "In a.txt: the word is not found", ""},
	{"rejected claims", ``, `[{"status":"rejected","reason":"no receipt"}]`, ""},
	{"installed", ``, "Package is not installed yet; installing it now took 3 s.", ""},
	{"error budget", ``, "Error budgeting: 99.9 %", ""},
	{"status page", ``, `{"status":{"indicator":"none","description":"All Systems Operational"}}`, ""},
	{"health", ``, `{"status":"ok","errors":0}`, ""},
	{"config", ``, "timeout: 30s\nretries: 3", ""},
	{"forbidden city", ``, "Forbidden City is a palace in Beijing.", ""},
	{"invalid question", ``, "Invalid certificate? Here is how to renew it.", ""},
	{"cannot", ``, "Cannot be beaten: the ten best pizzas in town. Read on to find out where they are.", ""},
	{"counts", ``, "Validation errors: 0, warnings: 2", ""},
	{"logs", ``, "Database error logs for the last hour: none", ""},
	{"rate", ``, "Network error rate: 0.1 %", ""},
	{"server errors", ``, "Server errors by day\n2026-01-01 3\n2026-01-02 1", ""},
	{"number", ``, "42", ""},
	{"array", ``, `["error","warning","info"]`, ""},
	{"failures", ``, "Failures are the stepping stones of success.", ""},
	{"http table", ``, "HTTP 200 OK", ""},
	{"resolved", ``, "Fixed: Error: boom no longer occurs", ""},
	{"exit code", ``, `{"stdout":"","stderr":"error: x","exit_code":1}`, ""},
	{"diff", ``, "--- a\n+++ b\n-Error: old\n+Error: new", ""},
	{"thread", ``, `{"messages":[{"text":"Error: it broke"}],"has_more":false,"ok":true}`, ""},
	{"alert", ``, `{"type":"error","id":"a1","created_at":"2026-01-01","message":"CPU high"}`, ""},
	{"sms record", ``, `{"sid":"SM1","status":"failed","error_code":30003,"error_message":"Unreachable destination handset","date_created":"x","to":"y","from":"z"}`, ""},
	{"payment record", ``, `{"id":"pi_1","object":"payment_intent","status":"requires_payment_method","last_payment_error":{"message":"declined"}}`, ""},
	{"guide", ``, "Compilation errors and how to read them\nA compiler tells where it stopped.", ""},
	{"title", ``, "Azure DevOps API Error: what the codes mean", ""},
	{"statistics", ``, "Standard error: 0.03\nMean: 4.2", ""},
	{"setting", ``, "Timeout: default 30 seconds", ""},
	{"settings", ``, "Timeout: the time in seconds after which a call ends.\nRetries: how often it is tried again.", ""},
	{"question", ``, "Rate limit exceeded? Here is what to do.", ""},
	{"manual", ``, "API key settings are not configured here but under Account.", ""},
	{"count", ``, "Not found: 0 of 12", ""},
	{"nothing", ``, "No error: the build is fine.", ""},
	{"wrapped", ``, `{"result":{"type":"message","text":"The word error is in here"}}`, ""},
	{"heading", ``, "Type Error: a short story\nIt was a dark and stormy night.", ""},
	{"run", ``, `{"status":"failed","exit_code":1,"output":"2 tests failed"}`, ""},
	{"deployment", ``, `{"uid":"dpl_1","state":"ERROR","errorCode":"BUILD_FAILED","errorMessage":"build failed","createdAt":1,"url":"x","name":"y","target":null}`, ""},
}

// disguises are failures that do not say so.
var disguises = []string{
	"Error: boom", "Error executing query: x", "Failed to fetch data", "FileNotFoundError: /x", "requests.exceptions.ConnectionError: refused", `{"error":"x"}`, `{"ok":false,"error":"x"}`,
	`{"success":false,"message":"no"}`, `{"status":"error","message":"no"}`, `{"object":"error","status":401,"code":"unauthorized","message":"no"}`, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
	`[{"message":"x","errorCode":"Y"}]`, `[{"type":"text","text":"Error: boom"}]`, "❌ Failed to connect", "Rate limited", "Request failed with status 500", "Invalid API key", "Access denied: no rights",
	"Traceback (most recent call last):\n  File \"x\", line 1\nValueError: no", "错误：文件不存在", "Unknown tool: foo", "Tool execution timed out after 240.0 seconds.", `{"errorMessage":"Error: Directory not found"}`,
	`{"errors":[{"message":"Not found","extensions":{"code":"NOT_FOUND"}}]}`, "Unauthorized", "Permission denied", "Timeout waiting for a response", "**Error**: no such table", "API error: 403 Forbidden",
	"Compilation Error\n  Model 'a' depends on a node named 'b' which was not found", "Azure DevOps API Error: Failed to apply the patch.", "Timeout: the command took too long to complete.",
	"MCP server rate limit exceeded", "GCP credentials are not available. Please configure your environment.", "Not Found: Wiki page not found: /Home", `{"result":{"type":"error","error":"rate limit reached."}}`,
	`{"status":"error","output":"Error from server (Forbidden): no","exit_code":1}`,
	`"Error: boom"`, "Error 404: not found", "Database error: no such table", "Internal error", "Server error 500", "Unexpected error while reading", "HTTP error 404", "An error occurred while reading the file.", `{"isError":true,"content":"x"}`, `{"statusCode":404,"message":"Not Found"}`, `{"code":401,"message":"Unauthorized"}`,
	"Session expired. Please log in again.", "Query failed: syntax error", `{"detail":"Not found.","status":404}`, "Could not connect to server: connection refused", `{"result":null,"error":{"code":1,"message":"no"}}`,
}

func TestDisguised(t *testing.T) {
	c := &Classifier{}
	for _, s := range successes {
		e := &Evidence{Method: "tools/call", Tool: "x", Arguments: []byte(s.args), Structured: []byte(s.structured)}
		if s.text != "" {
			e.Texts = []string{s.text}
		}
		if c.Disguised(e) {
			t.Errorf("%s: a success is taken for a failure: %q", s.name, s.text)
		}
	}
	for _, s := range disguises {
		if !c.Disguised(&Evidence{Method: "tools/call", Tool: "x", Texts: []string{s}}) {
			t.Errorf("not seen as a failure: %q", s)
		}
	}
	if !c.Disguised(&Evidence{Texts: []string{"x"}, Structured: []byte(`{"result":[{"error":"boom"}]}`)}) {
		t.Error("an error member of structuredContent is not seen")
	}
	for _, s := range []string{"Error: boom", "Failed to fetch data", `{\"success\":false,\"error\":\"x\"}`, "Error checking status: connection refused", "Security violation: command not allowed", "Semantic search is not available. Install it with pip."} {
		if !c.Disguised(&Evidence{Texts: []string{"x"}, Structured: []byte(`{"result":"` + s + `"}`)}) {
			t.Errorf("not seen under result: %q", s)
		}
	}
	if !c.Disguised(&Evidence{Arguments: []byte(`{"user":"ana"}`), Texts: []string{"User 'ana' not found. Use list_users."}}) {
		t.Error("an argument that names nothing is not seen")
	}
	if c.Disguised(nil) || c.Disguised(&Evidence{}) {
		t.Error("nothing is taken for a failure")
	}
}

// The check against the schema costs more than all the rest of a call, so it is
// asked only where it decides something.
func TestDisguisedAsksTheSchemaOnlyWhenItMatters(t *testing.T) {
	store := schema.NewStore(0)
	store.Learn("", []byte(`{"tools":[{"name":"x","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"integer"}},"result":{"type":"object"},"error":{"type":"string"}},"required":["rows"]}}]}`), time.Unix(0, 0))
	tool := store.Lookup("", "x", time.Unix(0, 0))
	c := &Classifier{}
	rows := func(n int) *Evidence {
		return &Evidence{Tool: "x", Schema: tool, Structured: []byte(`{"rows":[` + strings.Repeat("1,", n) + `1]}`)}
	}
	few, many := rows(10), rows(10_000)
	if a, b := testing.AllocsPerRun(10, func() { c.Disguised(few) }), testing.AllocsPerRun(10, func() { c.Disguised(many) }); b > a+10 {
		t.Errorf("%.0f allocations for 10 rows, %.0f for 10,000: all of them were read", a, b)
	}
	for structured, want := range map[string]bool{
		`{"rows":[1]}`:   false,
		`{"rows":["x"]}`: false,
		`{"rows":[1],"result":{"error":"no such table"}}`: true,
		// What breaks the schema is judged by its own members alone.
		`{"result":{"error":"no such table"}}`: false,
		`{"error":"no such table"}`:            true,
	} {
		if got := c.Disguised(&Evidence{Tool: "x", Schema: tool, Structured: []byte(structured)}); got != want {
			t.Errorf("%s: %v, want %v", structured, got, want)
		}
	}
}
