package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// errorKeys are the keys of an object that reports a failure and nothing else.
var errorKeys = wordSet(`error errors message msg code cod status statuscode status_code success ok detail details type name reason description request_id requestid
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
			claimed = claimed || s == "error" || s == "rejected" && v.Get("reason").Str != "" && failureProse(v.Get("reason").Str) || s == "fail" || s == "failed" && key == "status" || s == "failure"
			if x.Type == gjson.Number && httpStatus(int(x.Int())) {
				claimed = claimed || v.Get("message").Type == gjson.String || v.Get("title").Type == gjson.String || v.Get("detail").Type == gjson.String
			}
		case "statuscode", "status_code", "code", "cod":
			if x.Type == gjson.Number && httpStatus(int(x.Int())) && v.Get("message").Type == gjson.String {
				claimed = true
			}
		case "retry_after":
			claimed = claimed || x.Type == gjson.Number && v.Get("message").Type == gjson.String
		case "category":
			claimed = claimed || strings.HasSuffix(x.Str, "_failure") && v.Get("message").Type == gjson.String
		}
		switch {
		case key == "exit_code" && lower(v.Get("status").Str) == "error": // how it failed
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
	case claimed && records == 0:
		return others <= 2 || others <= 4 && v.Get("error").Type == gjson.String && failureProse(v.Get("error").Str)
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
