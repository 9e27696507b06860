package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// messageKeys are the keys that hold what a person would read, best first.
var messageKeys = []string{
	"message", "detail", "error", "errors", "title", "reason", "msg", "faultstring", "error_description", "error_message", "errorMessage",
	"errorMessages", "errormessage", "description", "error_msg", "err", "errmsg", "error_summary", "cause", "exception", "fault", "failure", "text",
	"Message", "Error", "Detail", "Errors", "ErrorMessage", "statusText", "status_message", "statusMessage", "info", "hint_message",
	"violations", "validation_errors", "validationErrors", "fieldErrors", "invalid_params", "invalid-params", "issues", "details", "extensions", "result",
	"content", "toolResult", "data", "response", "body", "parameters", "meta", "rawMessage", "internal_message", "explanation", "note", "warning", "output",
}

// codeKeys hold words that name the failure for programs.
var codeKeys = []string{
	"code", "error_code", "errorCode", "type", "errorType", "error_type", "name", "category", "status", "reason", "statusCode", "exception", "Code", "class", "kind",
	"error_class", "errcode", "ECODE", "__type", "codeName", "issue", "faultcode", "subcode", "errorKey", "severity_code", "domain",
}

// statusKeys hold an HTTP status.
var statusKeys = []string{
	"status", "statusCode", "status_code", "cod", "httpStatus", "http_status", "httpStatusCode", "code", "error_code", "errorCode", "http_code", "httpCode", "responseCode",
	"response_code", "Status", "HTTPStatusCode",
}

// secretKey reports whether what stands under a key is not for reading.
func secretKey(k string) bool {
	k = lower(k)
	for _, w := range [...]string{"stack", "trace", "env", "header", "config", "token", "data", "key", "secret", "password"} {
		if strings.Contains(k, w) {
			return true
		}
	}
	return false
}

// hasKey reports whether the JSON object has that key.
func hasKey(object []byte, key string) bool {
	if len(object) == 0 || len(object) > 64<<10 {
		return false
	}
	found := false
	gjson.ParseBytes(object).ForEach(func(k, _ gjson.Result) bool {
		found = k.String() == key
		return !found
	})
	return found
}
