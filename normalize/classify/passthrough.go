package classify

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// passthrough recognises a failure that already is an envelope: ours, one with
// service, code and error, or one with error_class and sanitized_error. Its
// valid fields are kept; its text is composed anew.
func (c *Classifier) passthrough(e *Evidence) (Verdict, bool) {
	v, ok := envelopeIn(e)
	if !ok {
		return Verdict{}, false
	}
	text := v.Get("sanitized_error").Str
	if text == "" {
		text = v.Get("error").Str
	}
	plain := Evidence{Service: e.Service, Method: e.Method, Tool: e.Tool, Arguments: e.Arguments, Schema: e.Schema, Texts: []string{text}, Header: e.Header}
	out := c.verdict(&plain, gather(&plain))
	code := envelope.Code(v.Get("code").Str)
	class := envelope.Class(v.Get("error_class").Str)
	guessed := out
	if code != "" && code.Known() && string(code) == v.Get("code").Str && knownCode(code) {
		out.Code, out.Class = code, code.Class()
	}
	if class.Known() {
		out.Class = class
		if out.Code != code {
			out.Code = codeOfClass(class, guessed)
		}
	}
	out.Status = 0
	if n := v.Get("status").Int(); v.Get("status").Type == gjson.Number && n >= 100 && n < 600 {
		out.Status = int(n)
	}
	if n := v.Get("retryAfter"); n.Type == gjson.Number && n.Float() > 0 {
		out.Wait = scale(n.Float(), time.Second)
	}
	opts := []envelope.Option{envelope.WithClass(out.Class), envelope.WithStatus(out.Status)}
	hint := v.Get("retry_hint")
	if ms := hint.Get("retry_after_ms"); ms.Type == gjson.Number && ms.Float() > 0 && out.Wait == 0 {
		out.Wait = scale(ms.Float(), time.Millisecond)
		if out.Code != envelope.RateLimited && out.Code != envelope.AtCapacity {
			out.Wait = 0
		}
	}
	opts = append(opts, envelope.WithWait(out.Wait))
	if cur, lim := v.Get("current"), v.Get("limits"); cur.IsObject() && lim.IsObject() {
		opts = append(opts, envelope.WithNumbers(
			envelope.Current{Concurrency: count(cur.Get("concurrency")), RPM: count(cur.Get("rpm"))},
			envelope.Limits{MaxConcurrency: count(lim.Get("maxConcurrency")), MaxRPM: count(lim.Get("maxRpm"))}))
	}
	if h, ok := hintOf(hint); ok && (out.Class == envelope.Retryable || out.Class == envelope.Dependency) {
		opts = append(opts, envelope.WithHint(h))
	}
	if out.Code != guessed.Code || out.Class != guessed.Class {
		out.Text = c.recompose(&plain, out)
	}
	service := v.Get("service").Str
	if s, ok := sanitize.Ident(service); ok {
		service = s.String()
	} else {
		service = e.Service
	}
	env := envelope.New(service, out.Code, out.Text, opts...)
	out.Rule, out.Envelope = "envelope", &env
	return out, true
}

// recompose writes the text for a code and class that the envelope itself gave.
func (c *Classifier) recompose(e *Evidence, v Verdict) sanitize.Safe {
	d := gather(e)
	dec := d.decide(e)
	if dec.code != v.Code {
		dec.cause, dec.issue = nil, nil
	}
	s := c.write(e, d, &v, dec)
	if !sanitize.Guard(s.String(), c.Literals) {
		return v.Code.Text()
	}
	return s
}

func knownCode(c envelope.Code) bool {
	for _, k := range envelope.Codes() {
		if k == c {
			return true
		}
	}
	return false
}

// codeOfClass is the code of an envelope that has only a class: what the text
// says when it is of that class, else the plainest code of the class.
func codeOfClass(class envelope.Class, guessed Verdict) envelope.Code {
	if guessed.Code.Class() == class || guessed.Class == class {
		return guessed.Code
	}
	switch class {
	case envelope.Validation:
		return envelope.BadRequest
	case envelope.Permission:
		return envelope.Forbidden
	case envelope.Retryable:
		return envelope.ServiceUnavailable
	case envelope.Dependency:
		return envelope.UpstreamError
	}
	return envelope.UpstreamUnknown
}

func count(v gjson.Result) int {
	if v.Type != gjson.Number || v.Float() < 0 || v.Float() > 1e9 {
		return 0
	}
	return int(v.Int())
}

func hintOf(v gjson.Result) (envelope.RetryHint, bool) {
	h := envelope.RetryHint{RetryAfterMS: v.Get("retry_after_ms").Int(), MaxAttempts: int(v.Get("max_attempts").Int()), Backoff: v.Get("backoff").Str, Jitter: 0.2}
	if j := v.Get("jitter"); j.Exists() {
		h.Jitter = j.Float()
	}
	ok := h.RetryAfterMS > 0 && h.RetryAfterMS <= maxWait.Milliseconds() && h.MaxAttempts > 0 && h.MaxAttempts <= 100 &&
		(h.Backoff == envelope.Fixed || h.Backoff == envelope.Exponential) && h.Jitter >= 0 && h.Jitter < 1
	return h, ok
}

// envelopeIn finds an envelope in the structured content, the error's data, or a
// text that is nothing else.
func envelopeIn(e *Evidence) (gjson.Result, bool) {
	candidates := [][]byte{e.Structured, e.Data, e.Body}
	if len(e.Texts) == 1 && strings.HasPrefix(strings.TrimSpace(e.Texts[0]), "{") && len(e.Texts[0]) < 16<<10 {
		candidates = append(candidates, []byte(e.Texts[0]))
	}
	for _, b := range candidates {
		if len(b) == 0 || len(b) > 64<<10 || !gjson.ValidBytes(b) {
			continue
		}
		if v := gjson.ParseBytes(b); isEnvelope(v) {
			return v, true
		}
	}
	return gjson.Result{}, false
}

func isEnvelope(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	ours := v.Get("service").Type == gjson.String && knownCode(envelope.Code(v.Get("code").Str)) && v.Get("error").Type == gjson.String
	classed := v.Get("error_class").Type == gjson.String && envelope.Class(v.Get("error_class").Str).Known() && v.Get("sanitized_error").Type == gjson.String
	return ours || classed
}
