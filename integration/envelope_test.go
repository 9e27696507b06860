package integration

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// want is what an envelope must say. Empty fields are not looked at.
type want struct {
	code    string
	class   string
	status  int    // -1: absent
	wait    int    // retryAfter; -1: absent
	service string // "mcp" if empty
	text    string // a part of sanitized_error, case-insensitive

	// anyOrder is for what a client decoded and wrote again.
	anyOrder bool
}

// order is the order of the fields in an envelope.
var order = []string{
	"service", "code", "error_class", "error", "sanitized_error", "status", "retryAfter", "current", "limits",
	"retry_hint", "suggestion",
}

// check fails unless raw is a well-formed envelope that says what is wanted.
func (w want) check(t *testing.T, raw string) {
	t.Helper()
	if !gjson.Valid(raw) {
		t.Errorf("envelope is not JSON: %q", raw)
		return
	}
	e := gjson.Parse(raw)
	last := -1
	e.ForEach(func(k, v gjson.Result) bool {
		at := indexOf(order, k.String())
		if at < 0 || at <= last && !w.anyOrder {
			t.Errorf("field %q is unknown, repeated or out of order: %s", k.String(), raw)
		}
		last = at
		if v.Type == gjson.Null {
			t.Errorf("field %q is null: %s", k.String(), raw)
		}
		return true
	})
	for _, k := range order[:5] {
		if e.Get(k).Type != gjson.String || e.Get(k).String() == "" {
			t.Errorf("field %q must be a text: %s", k, raw)
		}
	}
	text := e.Get("sanitized_error").String()
	if text != e.Get("error").String() || utf8.RuneCountInString(text) > 600 {
		t.Errorf("error and sanitized_error must be one text of at most 600 characters: %s", raw)
	}
	class := e.Get("error_class").String()
	if !envelope.Code(e.Get("code").String()).Known() || !envelope.Class(class).Known() {
		t.Errorf("unknown code or class: %s", raw)
	}
	hinted := class == "retryable" || class == "dependency"
	if e.Get("retry_hint").Exists() != hinted {
		t.Errorf("retry_hint belongs to retryable and dependency, and to them only: %s", raw)
	}
	if e.Get("current").Exists() != e.Get("limits").Exists() {
		t.Errorf("current and limits come together: %s", raw)
	}

	service := w.service
	if service == "" {
		service = "mcp"
	}
	same := func(field, got, want string) {
		if want != "" && !oneOf(got, want) {
			t.Errorf("%s is %q, want %q: %s", field, got, want, raw)
		}
	}
	same("service", e.Get("service").String(), service)
	same("code", e.Get("code").String(), w.code)
	same("error_class", class, w.class)
	if !strings.Contains(strings.ToLower(text), strings.ToLower(w.text)) {
		t.Errorf("the text does not say %q: %s", w.text, raw)
	}
	number := func(field string, want int) {
		got := e.Get(field)
		if want == -1 && got.Exists() || want > 0 && got.Int() != int64(want) {
			t.Errorf("%s is %s, want %d (-1: absent): %s", field, got.Raw, want, raw)
		}
	}
	number("status", w.status)
	number("retryAfter", w.wait)
}

// result fails unless message is a JSON-RPC response with the id whose result
// is the wanted envelope.
func (w want) result(t *testing.T, id, message string) {
	t.Helper()
	m := gjson.Parse(message)
	if !gjson.Valid(message) || m.Get("jsonrpc").String() != "2.0" || m.Get("id").Raw != id || m.Get("error").Exists() {
		t.Errorf("not a response with a result for id %s: %q", id, message)
		return
	}
	w.toolResult(t, m.Get("result").Raw)
}

// toolResult is result without the JSON-RPC around.
func (w want) toolResult(t *testing.T, raw string) {
	t.Helper()
	r := gjson.Parse(raw)
	if r.Get("isError").Raw != "true" {
		t.Errorf("isError is not true: %s", raw)
		return
	}
	meta := r.Get("_meta").Get(escaped(envelope.MetaKey))
	w.check(t, meta.Raw)
	if got := r.Get("structuredContent"); got.Exists() && !sameJSON(t, got.Raw, meta.Raw) {
		t.Errorf("structuredContent and _meta differ:\n%s\n%s", got.Raw, meta.Raw)
	}
	content := r.Get("content")
	if content.Get("#").Int() != 1 || content.Get("0.type").String() != "text" ||
		content.Get("0.text").String() != meta.Get("sanitized_error").String() {
		t.Errorf("content must be one text, sanitized_error: %s", raw)
	}
}

// failure fails unless message is a JSON-RPC error with the id and code, and
// the wanted envelope as its data. An empty id means that there must be none.
func (w want) failure(t *testing.T, id string, code int64, message string) {
	t.Helper()
	m := gjson.Parse(message)
	if !gjson.Valid(message) || m.Get("jsonrpc").String() != "2.0" || m.Get("id").Raw != id || m.Get("result").Exists() {
		t.Errorf("not an error response for id %q: %q", id, message)
		return
	}
	if code != 0 && m.Get("error.code").Int() != code {
		t.Errorf("JSON-RPC code is %s, want %d: %s", m.Get("error.code").Raw, code, message)
	}
	data := m.Get("error.data")
	w.check(t, data.Raw)
	if got := m.Get("error.message").String(); got != data.Get("sanitized_error").String() {
		t.Errorf("message is %q, want sanitized_error: %s", got, message)
	}
}

// oneOf reports whether got is one of the alternatives, "a|b".
func oneOf(got, alternatives string) bool {
	return indexOf(strings.Split(alternatives, "|"), got) >= 0
}

func indexOf(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

// escaped makes a literal gjson path of a key with dots.
func escaped(key string) string { return strings.ReplaceAll(key, ".", `\.`) }

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Error(err)
		return false
	}
	return reflect.DeepEqual(x, y)
}
