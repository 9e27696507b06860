package normalize

import (
	"strings"

	"github.com/tidwall/gjson"
)

// shape is what the top level of a message says. Of repeated members the last
// counts, as in most parsers, but a failure anywhere is a failure.
type shape struct {
	id, method, params gjson.Result
	result, err        gjson.Result
	failing            gjson.Result // the result object that carries isError: true
	legacy             bool         // it stands in toolResult
	nested             bool         // it stands below the result
}

func look(m gjson.Result) shape {
	var s shape
	m.ForEach(func(k, v gjson.Result) bool {
		switch {
		case key(k, "id"):
			s.id = v
		case key(k, "method"):
			s.method = v
		case key(k, "params"):
			s.params = v
		case key(k, "error"):
			if v.Type != gjson.Null {
				s.err = v
			}
		case key(k, "result"):
			s.result = v
			if f, legacy := failing(v); f.Exists() {
				s.failing, s.legacy, s.nested = f, legacy, f.Index != v.Index
			}
		}
		return true
	})
	return s
}

// failing returns the object below a result that says isError: the result
// itself, toolResult of servers older than 2024-11-05, or the result of a task
// in tasks/get (2026-07-28).
func failing(result gjson.Result) (f gjson.Result, legacy bool) {
	if !result.IsObject() {
		return gjson.Result{}, false
	}
	is := false
	result.ForEach(func(k, v gjson.Result) bool {
		switch {
		case key(k, "isError"):
			is = is || v.Type == gjson.True || v.Type == gjson.String && strings.EqualFold(v.Str, "true")
		case key(k, "toolResult"), key(k, "result"):
			if v.IsObject() && v.Get("isError").Bool() {
				f, legacy = v, key(k, "toolResult")
			}
		}
		return true
	})
	if is {
		return result, false
	}
	return f, legacy
}

// key compares a member's name without regard to case: some clients decode so.
func key(k gjson.Result, name string) bool { return strings.EqualFold(k.Str, name) }

// idToken returns the raw id, or nil when there is none: a string or a number
// (JSON-RPC 2.0, section 4).
func idToken(id gjson.Result) []byte {
	if id.Type != gjson.String && id.Type != gjson.Number {
		return nil
	}
	return []byte(id.Raw)
}
