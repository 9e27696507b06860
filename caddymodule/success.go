package caddymodule

import (
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/transport"
)

// success looks at a message in one pass. ok is true when it is the successful
// answer to a call, whole and well formed, and out is then what the client gets.
// Everything else is left to the normalizer, which reads more closely.
func (x *exchange) success(msg []byte) (out []byte, ok bool) {
	if len(x.calls) != 1 {
		return nil, false
	}
	a, ok := transport.PeekAnswer(msg)
	if !ok {
		return nil, false
	}
	return x.succeeded(msg, &a)
}

// plainMessage reports whether a message is a notification or a request of the
// server in which the normalizer changes nothing: only tasks carry results.
func plainMessage(a *transport.Answer) bool {
	return a.Kind != transport.Response && !a.Dup && !strings.HasPrefix(a.Method, "notifications/tasks")
}

// succeeded is success for a message that has been looked at.
func (x *exchange) succeeded(msg []byte, a *transport.Answer) (out []byte, ok bool) {
	if len(x.calls) != 1 || x.calls[0].Method == "initialize" {
		return nil, false
	}
	p := x.calls[0]
	if a.Kind != transport.Response || a.Result == nil || a.Error != nil || a.Dup || a.Marked {
		return nil, false
	}
	if string(a.ID) != string(p.ID) || x.maybeDisguised(p, a) {
		return nil, false
	}
	p.answered = true
	var res []byte
	if p.IsToolCall() {
		res = x.toolResult(&p.Call, a.Result, a.Unended, a.Structured)
	} else {
		res = x.Success(&p.Call, a.Result)
	}
	if same(res, a.Result) {
		return msg, true
	}
	at := cap(msg) - cap(a.Result) // both end where the buffer ends
	out = make([]byte, 0, len(msg)-len(a.Result)+len(res))
	out = append(append(out, msg[:at]...), res...)
	return append(out, msg[at+len(a.Result):]...), true
}

// same reports whether two slices are the same bytes in the same place.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// maybeDisguised reports whether a success may be a failure in disguise.
func (x *exchange) maybeDisguised(p *pending, a *transport.Answer) bool {
	if !p.IsToolCall() || p.Disguised != normalize.DisguiseFlag && p.Disguised != normalize.DisguiseRewrite {
		return false
	}
	// Escapes make a text longer: what is longer than this cannot be one.
	if a.Structured == nil && (a.Text == nil || len(a.Text) > 6*classify.MaxDisguise) {
		return false
	}
	e := classify.Evidence{Method: p.Method, Tool: p.Tool, Arguments: p.Arguments, Schema: p.Schema, Structured: a.Structured}
	if a.Text != nil {
		e.Texts = []string{text(a.Text)}
	}
	return x.h.norm.Classifier.Disguised(&e)
}

// text is what a JSON string says: the same bytes, if nothing in it is escaped.
func text(quoted []byte) string {
	s := unsafe.String(unsafe.SliceData(quoted), len(quoted))
	if n := len(s); n >= 2 && s[0] == '"' && s[n-1] == '"' && strings.IndexByte(s, '\\') < 0 {
		return s[1 : n-1]
	}
	return gjson.Parse(s).String()
}
