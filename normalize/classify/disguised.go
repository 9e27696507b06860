package classify

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// maxDisguise is the longest text of a failure in disguise; a longer one is
	// content.
	maxDisguise = 8 << 10
	// maxBare bounds texts that begin with softer words.
	maxBare = 600
)

// Disguised reports whether a result that does not say so is a failure. It looks
// at how the first text begins and at the shape of JSON, never at words in the
// middle. A result with structuredContent is trusted unless that itself holds an
// error; a text that echoes an argument is trusted.
func (c *Classifier) Disguised(e *Evidence) (bad bool) {
	defer func() {
		if recover() != nil {
			bad = false
		}
	}()
	if e == nil {
		return false
	}
	if len(e.Structured) > 0 && gjson.ValidBytes(e.Structured) {
		v := gjson.ParseBytes(e.Structured)
		if e.Schema.HasOutput() && len(e.Schema.CheckResult(e.Structured)) > 0 {
			return failureObject(v)
		}
		return structuredError(v)
	}
	if len(e.Texts) == 0 || len(e.Texts[0]) > maxDisguise {
		return false
	}
	t := strings.TrimSpace(e.Texts[0])
	if t == "" || echoes(e.Arguments, t) {
		return false
	}
	return failureText(t, 0)
}

func failureText(t string, depth int) bool {
	if t[0] == '{' || t[0] == '[' || t[0] == '"' {
		if gjson.Valid(t) {
			return failureJSON(gjson.Parse(t), depth)
		}
		if t[0] == '{' {
			return false
		}
	}
	return failureProse(t)
}

// structuredError reports whether structured content holds an error member, at
// the top or in the first of its results.
func structuredError(v gjson.Result) bool {
	for _, x := range [...]gjson.Result{v, v.Get("result"), v.Get("result.0"), v.Get("results.0")} {
		if x.IsObject() && failureObject(x) {
			return true
		}
	}
	return false
}

func failureJSON(v gjson.Result, depth int) bool {
	switch {
	case v.IsObject():
		return failureObject(v)
	case v.IsArray():
		first := v.Get("0")
		if first.Get("type").Str == "text" && first.Get("text").Type == gjson.String && depth < 2 {
			if t := strings.TrimSpace(first.Get("text").Str); t != "" {
				return failureText(t, depth+1)
			}
			return false
		}
		if first.IsObject() && v.Get("#").Int() == 1 {
			return failureObject(first)
		}
	case v.Type == gjson.String && depth < 2:
		if t := strings.TrimSpace(v.Str); t != "" {
			return failureText(t, depth+1)
		}
	}
	return false
}

// errorKeys are the keys of an object that reports a failure and nothing else.
var errorKeys = wordSet(`error errors message msg code status statuscode status_code success ok detail details type name reason description request_id requestid
	correlationid correlation_id timestamp time path method retry_after retryafter retry_after_ms retryafterseconds hint suggestion suggestions documentation_url help meta object
	stack stacktrace traceback trace title instance error_description error_code errorcode errortype error_type errormessage error_message errormessages iserror is_error
	tool tool_name category domain global url help_url docs_url response_metadata needed provided result results data extensions exception cause statustext httpstatus http_status
	param doc_url api_status retryable warning warnings ray_id support action available_tools valid_values expected received field fields context error_id errorid traceid trace_id
	fault info messages query input arguments operation service provider attempts retry error_uri state severity_ sub_code subcode fbtrace_id more_info moreinfo usage`)

// recordKeys mark a record that is about a failure, such as a job or a log line.
var recordKeys = wordSet(`id _id uuid created_at createdat updated_at updatedat started_at startedat finished_at finishedat completed_at completedat run_id runid job_id jobid build_id level
	log logs logger hostname pid duration duration_ms conclusion steps jobs runs events author assignee labels number html_url node_id exit_code exitcode progress items rows total count
	total_count hits matches passed failed tests suites summary`)

// failureObject reports whether a JSON object is the report of a failure.
func failureObject(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	flagged, claimed, records, others := false, false, 0, 0
	v.ForEach(func(k, x gjson.Result) bool {
		key := lower(k.String())
		switch key {
		case "ok", "success", "succeeded", "is_success", "issuccess":
			flagged = flagged || x.Type == gjson.False
			return true
		case "iserror", "is_error":
			flagged = flagged || x.Type == gjson.True
		case "object":
			flagged = flagged || x.Str == "error"
		case "error", "error_message", "errormessage", "errorcode", "error_code", "errortype", "error_type", "errors", "errormessages", "exception", "fault":
			claimed = claimed || truthy(x)
		case "status", "state", "type", "result":
			s := lower(x.Str)
			claimed = claimed || s == "error" || s == "fail" || s == "failed" && key == "status" || s == "failure"
			if x.Type == gjson.Number && httpStatus(int(x.Int())) {
				claimed = claimed || v.Get("message").Type == gjson.String || v.Get("title").Type == gjson.String || v.Get("detail").Type == gjson.String
			}
		case "statuscode", "status_code", "code":
			if x.Type == gjson.Number && httpStatus(int(x.Int())) && v.Get("message").Type == gjson.String {
				claimed = true
			}
		case "retry_after":
			claimed = claimed || x.Type == gjson.Number && v.Get("message").Type == gjson.String
		case "category":
			claimed = claimed || strings.HasSuffix(x.Str, "_failure") && v.Get("message").Type == gjson.String
		}
		switch {
		case recordKeys[key] && truthy(x):
			records++
		case !errorKeys[key] && truthy(x):
			others++
		case (key == "data" || key == "result" || key == "results" || key == "items") && truthy(x) && x.Type == gjson.JSON && !looksLikePage(x.String()):
			others += 2
		}
		return true
	})
	switch {
	case flagged:
		// {"success": false, "failed": 2, ...} may be the report of a test run.
		return records < 2 || claimed && records < 3
	case claimed:
		return records == 0 && others <= 2
	}
	return false
}

func truthy(x gjson.Result) bool {
	switch x.Type {
	case gjson.String:
		return x.Str != "" && lower(x.Str) != "none" && lower(x.Str) != "null" && lower(x.Str) != "ok" && lower(x.Str) != "false"
	case gjson.Number:
		return x.Num != 0
	case gjson.True:
		return true
	case gjson.JSON:
		return len(strings.Trim(x.Raw, "{}[] \n\t")) > 0
	}
	return false
}

// hard are beginnings that no content has; what follows does not matter.
var hard = []string{"error:", "error -", "error –", "error —", "error occurred", "an error occurred", "an error has occurred", "error while", "error during", "error when", "error from", "error in tool", "error response",
	"error executing", "error calling", "error fetching", "error retrieving", "error getting", "error processing", "error searching", "error listing", "error reading", "error writing", "error creating",
	"error updating", "error deleting", "error sending", "error connecting", "error running", "error loading", "error querying", "error parsing", "error invoking", "error opening", "error downloading",
	"error uploading", "error performing", "error accessing", "error making", "error adding", "error removing", "error setting", "error saving", "error finding", "error generating", "error analyzing",
	"error converting", "error scraping", "error navigating", "error extracting", "error communicating", "error starting", "error initializing", "error moving", "error copying", "error closing", "error calculating",
	"error [", "error (", "[error]", "**error", "<error>", "<tool_use_error>", "### error", "## error\n", "# error\n", "mcp error", "api error", "tool error", "unexpected error", "internal error", "database error", "network error", "fatal error", "query error", "server error",
	"runtime error", "validation error", "http error", "system error", "connection error", "authentication error", "request error", "execution error", "sql error", "parse error", "syntax error", "traceback (most recent call last)", "uncaught ", "unhandled exception", "exception:",
	"exception occurred", "fatal:", "panic:", "failed:", "failure:", "failed to ", "failed while", "tool execution failed", "tool execution timed out", "operation failed", "request failed", "query failed", "command failed",
	"execution failed", "connection failed", "connection refused", "authentication failed", "authentication required", "internal server error", "unknown tool", "unsupported operation",
	"错误:", "错误：", "出错", "发生错误", "失败:", "失败：", "执行失败", "操作失败", "请求失败", "查询失败", "调用失败", "エラー:", "エラー：", "エラーが発生", "오류:", "오류가 발생", "에러:", "fehler:", "fehler beim", "erreur:", "erreur :", "erreur lors",
	"error al ", "error en ", "erro:", "erro ao", "errore:", "ошибка:", "ошибка при", "fout:", "hata:"}

// soft are beginnings that content may have too; the text has to be short and
// the catalogue has to know it.
var soft = []string{"unable to ", "could not ", "couldn't ", "cannot ", "can't ", "access denied", "access forbidden", "permission denied", "unauthorized", "not authorized", "forbidden", "invalid ", "missing required",
	"rate limit exceeded", "rate limit reached", "rate limit hit", "rate limited", "api rate limit exceeded", "rate-limited", "too many requests", "you have been rate limited", "you are being rate limited", "you have exceeded", "you've exceeded", "quota exceeded",
	"request timed out", "request timeout", "timed out", "timeout after", "timeout waiting", "connection timed out", "operation timed out", "the operation timed out", "the request timed out", "tool timed out", "request was",
	"session expired", "session not found", "your session has expired", "token expired", "token has expired", "api key", "no api key", "not authenticated", "you are not authorized", "you do not have permission", "you don't have permission", "insufficient permissions",
	"file not found", "path not found", "directory not found", "tool not found", "resource not found:", "no such file", "service unavailable", "bad gateway", "gateway timeout", "bad request", "not found:", "404 not found", "500 internal", "502 bad", "503 service", "504 gateway", "401 unauthorized", "403 forbidden",
	"429 too many", "http 4", "http 5", "http error 4", "http error 5", "status code 4", "status code 5", "status code: 4", "status code: 5", "error 4", "error 5", "fetch failed", "connect econn", "getaddrinfo", "enoent", "eacces", "eperm", "econn", "etimedout", "socket hang up",
	"the server returned", "server returned", "the service is currently", "service temporarily", "something went wrong", "oops", "sorry, an error", "no valid", "not connected", "not logged in", "please authenticate", "please log in", "authentication is required",
	"数据库连接失败", "无法", "权限不足", "超时", "请求超时", "连接超时", "无效的", "参数错误", "未授权"}

// failureProse reports whether a text begins like the report of a failure.
func failureProse(t string) bool {
	t = sanitize.Clean(t[:min(len(t), 2<<10)])
	plain, marked := unmark(t)
	if plain == "" || strings.HasPrefix(plain, "{") {
		return false
	}
	low := lower(plain)
	line, _, _ := strings.Cut(low, "\n")
	lines := strings.Count(low, "\n") + 1
	if reportLines(low, lines) {
		return false
	}
	for _, p := range hard {
		if strings.HasPrefix(low, p) {
			return !strings.HasPrefix(p, "failed:") || !countsTests(line)
		}
	}
	if exceptionPrefix(plain) {
		return true
	}
	if marked {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown && lines <= 12 && !strings.Contains(t, "✅")
	}
	if len(plain) > maxBare || lines > 6 || strings.Contains(line, "?") {
		return false
	}
	for _, p := range soft {
		if strings.HasPrefix(low, p) && (strings.HasSuffix(p, " ") || ends(low[len(p):])) {
			code, ok := probe(plain)
			return ok && code != envelope.UpstreamUnknown
		}
	}
	return false
}

// ends reports whether what follows a beginning can belong to a report: an end,
// punctuation, or a word that goes on with it.
func ends(rest string) bool {
	if rest == "" || strings.IndexByte(":.,;-(!\n'\"[", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' {
		return true
	}
	for _, w := range [...]string{" due to", " for", " by", " to", " after", " because", " is", " are", " has", " with", " on", " at", " in", " while", " when", " from", " request", " error", " access", " provided", " given", " the", " your",
		" not", " invalid", " was", " waiting", " client", " server", " gateway", " found", " and", " -", " –", " —", " you", " a ", " expired", " too", " operation", "efused", "eset", "ound", "out"} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// unmark removes a sign of failure from the front and reports whether there was
// one.
func unmark(t string) (string, bool) {
	marked := false
	for {
		r, n := utf8.DecodeRuneInString(t)
		switch {
		case strings.ContainsRune("❌🚫⛔💥🛑🔴❗✗✘‼", r):
			marked = true
		case r == '\uFE0F' || r == ' ' || r == '⚠' || r == '\n':
		default:
			return t, marked
		}
		if n == 0 || len(t) == 0 {
			return "", marked
		}
		t = t[n:]
	}
}

// exceptionPrefix reports whether a text begins with the name of an exception
// class and a colon, or with a quoted call to one.
func exceptionPrefix(t string) bool {
	i := 0
	for i < len(t) && i < 96 && (wordByte(t[i]) || t[i] == '.') {
		i++
	}
	name, rest := t[:i], t[i:]
	if k := strings.LastIndexByte(name, '.'); k >= 0 {
		name = name[k+1:]
	}
	if len(name) < 6 || name[0] < 'A' || name[0] > 'Z' || !strings.HasPrefix(rest, ":") && rest != "" {
		return false
	}
	for _, s := range [...]string{"Error", "Exception", "Fault", "Timeout", "Failure"} {
		if strings.HasSuffix(name, s) && len(name) > len(s) {
			return true
		}
	}
	return false
}

// reportLines reports whether a text of several lines is a log or a list: most
// lines begin alike, with a level, a date or a mark.
func reportLines(low string, lines int) bool {
	if lines < 3 {
		return false
	}
	n := 0
	for l := range strings.SplitSeq(low, "\n") {
		l = strings.TrimLeft(l, " [(")
		for _, p := range [...]string{"error", "warn", "info", "debug", "20", "19", "trace:", "fatal", "- ", "* ", "| ", "1.", "2.", "3.", "passed", "failed", "❌", "✅", "✓", "ok ", "fail "} {
			if strings.HasPrefix(l, p) {
				n++
				break
			}
		}
	}
	return n*3 >= lines*2 && n >= 3
}

func countsTests(line string) bool {
	return strings.Contains(line, "passed") || strings.Contains(line, "test") || strings.Contains(line, "skipped")
}

// probe asks the catalogue what a text is.
func probe(t string) (envelope.Code, bool) {
	e := &Evidence{Texts: []string{t}}
	return gather(e).decide(e).code, true
}

// echoes reports whether the text begins with what an argument held.
func echoes(args []byte, t string) bool {
	if len(args) == 0 || len(args) > 256<<10 {
		return false
	}
	head := t[:min(len(t), 24)]
	found := false
	var look func(v gjson.Result, depth int)
	look = func(v gjson.Result, depth int) {
		if depth > 4 || found {
			return
		}
		v.ForEach(func(_, x gjson.Result) bool {
			if x.Type == gjson.String {
				found = found || len(x.Str) >= 6 && strings.Contains(x.Str, head)
			} else if x.Type == gjson.JSON {
				look(x, depth+1)
			}
			return !found
		})
	}
	if v := gjson.ParseBytes(args); v.IsObject() {
		look(v, 0)
	}
	return found
}
