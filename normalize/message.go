package normalize

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
)

// JSON-RPC codes whose errors stay errors on tools/call too: malformed
// requests and what the specification gives a meaning of its own.
const (
	codeParse           = -32700
	codeInvalidRequest  = -32600
	codeMethodNotFound  = -32601
	codeInvalidParams   = -32602
	codeHeaderMismatch  = -32020
	codeMissingCap      = -32021
	codeVersion         = -32022
	codeElicitation     = -32042
	codeResourceMissing = -32002
)

// maxBatch bounds the messages of one batch that are looked at; a longer batch
// is no answer to a request that the gateway let pass.
const maxBatch = 256

// Exchange is what the gateway knows of the calls that are under way.
type Exchange interface {
	// Call returns the call that a message with this id answers, or nil when
	// no such call is known. id is the raw JSON token, or nil.
	Call(id []byte) *Call

	// Success sees the result of each successful answer to a known call and
	// returns what is to stand in its place: the same slice, if nothing.
	Success(c *Call, result []byte) []byte
}

// Message looks at one JSON-RPC message, or a batch of them, on its way to the
// client. out is msg itself when nothing had to change: a success is never
// written anew. msg must be valid JSON.
func (n *Normalizer) Message(car Carrier, msg []byte, x Exchange) (out []byte, reports []Report) {
	m := gjson.Parse(view(msg))
	if !m.IsArray() {
		one, rep := n.one(car, msg, 0, m, x)
		if rep == nil {
			return one, nil
		}
		return one, []Report{*rep}
	}
	// Only the members that change are replaced.
	last, count := 0, 0
	m.ForEach(func(_, item gjson.Result) bool {
		raw := msg[item.Index : item.Index+len(item.Raw)]
		one, rep := n.one(car, raw, item.Index, item, x)
		if rep != nil {
			reports = append(reports, *rep)
		}
		if !same(one, raw) {
			out = append(append(out, msg[last:item.Index]...), one...)
			last = item.Index + len(item.Raw)
		}
		count++
		return count < maxBatch
	})
	if last == 0 {
		return msg, reports
	}
	return append(out, msg[last:]...), reports
}

// one looks at one message. base is the index of raw in the text that m and
// everything below it count from.
func (n *Normalizer) one(car Carrier, raw []byte, base int, m gjson.Result, x Exchange) ([]byte, *Report) {
	if !m.IsObject() {
		return raw, nil
	}
	s := look(m)
	if s.method.Exists() {
		return n.notification(car, raw, base, s, x)
	}
	c := x.Call(idToken(s.id))
	if c == nil {
		c = &Call{Structured: true}
	}
	known := c
	if id := idToken(s.id); c.ID == nil && id != nil {
		named := *c
		named.ID = id
		c = &named
	}
	switch {
	case s.err.Exists():
		return n.rpcError(car, raw, s, c)
	case (!s.failing.Exists() || s.nested) && c.mayBeTask() && failedTask(s.result):
		obj, v, env := n.task(car, c, s.result)
		return message(c.ID, "result", obj), report(c, v, env, raw)
	case s.failing.Exists():
		return n.failingResult(car, raw, s, c)
	case !s.result.Exists():
		v := n.verdict(n.evidence(car, c))
		env := n.envelope(c, v)
		return Answer(c, env), report(c, v, env, raw)
	case c.Disguised == DisguiseFlag || c.Disguised == DisguiseRewrite:
		if out, rep := n.disguised(car, raw, s, c); rep != nil {
			return out, rep
		}
	}
	if c.mayBeTask() {
		if res, rep := n.tasks(car, c, s.result, raw); rep != nil {
			return message(c.ID, "result", res), rep
		}
	}
	at := s.result.Index - base
	old := raw[at : at+len(s.result.Raw)]
	if res := x.Success(known, old); !same(res, old) {
		return splice(raw, at, len(old), res), nil
	}
	return raw, nil
}

// evidence starts the evidence of an answer with what the call says.
func (n *Normalizer) evidence(car Carrier, c *Call) *classify.Evidence {
	e := &classify.Evidence{
		Service: c.service(), Method: c.Method, Tool: c.Tool, Arguments: c.Arguments,
		Schema: c.Schema, Header: car.Header,
	}
	if car.Status >= 300 {
		e.Status = car.Status
	}
	return e
}

func report(c *Call, v classify.Verdict, env envelope.Envelope, raw []byte) *Report {
	return &Report{Call: c, Envelope: env, Rule: v.Rule, Removed: v.Removed, Original: raw}
}

// failingResult rewrites a result with isError.
func (n *Normalizer) failingResult(car Carrier, raw []byte, s shape, c *Call) ([]byte, *Report) {
	v := n.verdict(n.resultEvidence(car, c, s.failing))
	env := n.envelope(c, v)
	rep := report(c, v, env, raw)
	if !s.nested {
		return Result(c, env, n.meta(s.failing)), rep
	}
	inner := result(c, env, n.meta(s.failing))
	if s.legacy {
		// Clients of 2024-10-07 read toolResult, all others the result itself.
		return message(c.ID, "result", append(inner[:len(inner)-1:len(inner)-1], `,"toolResult":`+string(inner)+`}`...)), rep
	}
	return message(c.ID, "result", append(append([]byte(`{"result":`), inner...), '}')), rep
}

// resultEvidence reads the parts of a result that may state the reason.
func (n *Normalizer) resultEvidence(car Carrier, c *Call, r gjson.Result) *classify.Evidence {
	e := n.evidence(car, c)
	r.ForEach(func(k, v gjson.Result) bool {
		switch {
		case key(k, "content") && v.IsArray():
			v.ForEach(func(_, block gjson.Result) bool {
				if t := block.Get("text"); t.Type == gjson.String {
					e.Texts = append(e.Texts, t.Str)
				} else if block.Type == gjson.String {
					e.Texts = append(e.Texts, block.Str)
				}
				return len(e.Texts) < 64
			})
		case key(k, "content") && v.Type == gjson.String:
			e.Texts = append(e.Texts, v.Str)
		case key(k, "structuredContent"):
			e.Structured = []byte(v.Raw)
		case key(k, "_meta"):
			if env := v.Get(gjson.Escape(envelope.MetaKey)); env.IsObject() && e.Structured == nil {
				e.Structured = []byte(env.Raw)
			}
		}
		return true
	})
	return e
}

// rpcError rewrites a JSON-RPC error.
func (n *Normalizer) rpcError(car Carrier, raw []byte, s shape, c *Call) ([]byte, *Report) {
	code := s.err.Get("code").Int()
	if code == codeElicitation && s.err.Get("data.elicitations").IsArray() {
		return raw, nil
	}
	e := n.evidence(car, c)
	e.RPCCode = &code
	e.Message = s.err.Get("message").String()
	if s.err.Type == gjson.String {
		e.Message = s.err.Str
	}
	if d := s.err.Get("data"); d.Exists() && d.Type != gjson.Null {
		e.Data = []byte(d.Raw)
	}
	v := n.verdict(e)
	env := n.envelope(c, v)
	rep := report(c, v, env, raw)
	if c.IsToolCall() && !c.Task && !(c.State && code == codeInvalidParams) && raisedByTool(code, v) {
		return Result(c, env, nil), rep
	}
	return Error(c, code, env, definedData(c, code, s.err.Get("data"))), rep
}

// raisedByTool reports whether an error answers a call that reached a tool: it
// then becomes a result, so that the model sees it. Refused arguments do
// (SEP-1303), malformed requests and unknown tools do not.
func raisedByTool(code int64, v classify.Verdict) bool {
	switch code {
	case codeParse, codeInvalidRequest, codeMethodNotFound, codeHeaderMismatch, codeMissingCap, codeVersion,
		codeElicitation, codeResourceMissing:
		return false
	case codeInvalidParams:
		return v.Code != envelope.NotFound
	}
	return true
}

// SaysUnknownTool reports whether a failure says that there is no such tool:
// in words, or by the JSON-RPC error of an unknown name or method.
func SaysUnknownTool(rep *Report) bool {
	if rep.Envelope.Code != envelope.NotFound {
		return false
	}
	if strings.HasSuffix(rep.Rule, "absent.tool") {
		return true
	}
	code := gjson.Get(view(rep.Original), "error.code").Int()
	return code == codeInvalidParams || code == codeMethodNotFound
}

// notification looks at messages of the server that are no answers. Only the
// result of a task can carry a failure (notifications/tasks, 2026-07-28).
func (n *Normalizer) notification(car Carrier, raw []byte, base int, s shape, x Exchange) ([]byte, *Report) {
	if !strings.HasPrefix(s.method.Str, "notifications/tasks") || !s.params.IsObject() {
		return raw, nil
	}
	f, _ := failing(s.params)
	task := failedTask(s.params)
	if !task && (!f.Exists() || f.Index == s.params.Index) {
		return raw, nil
	}
	c := &Call{Method: "tools/call", Modern: true, Structured: true}
	if known := x.Call(nil); known != nil {
		c.Service, c.ServiceNamed = known.Service, known.ServiceNamed
	}
	if task {
		obj, v, env := n.task(car, c, s.params)
		return splice(raw, s.params.Index-base, len(s.params.Raw), obj), report(c, v, env, raw)
	}
	v := n.verdict(n.resultEvidence(car, c, f))
	env := n.envelope(c, v)
	inner := result(c, env, n.meta(f))
	return splice(raw, f.Index-base, len(f.Raw), inner), report(c, v, env, raw)
}

// meta returns the _meta of a result, or nil when it holds one of the operator's
// literals.
func (n *Normalizer) meta(result gjson.Result) []byte {
	m := result.Get("_meta")
	if !m.IsObject() || n.Classifier.Literals.Contains(m.Raw) {
		return nil
	}
	return []byte(m.Raw)
}

// disguised looks for a failure that says it is a success.
func (n *Normalizer) disguised(car Carrier, raw []byte, s shape, c *Call) ([]byte, *Report) {
	if !c.IsToolCall() || !s.result.IsObject() {
		return raw, nil
	}
	r := s.result
	if t := r.Get("toolResult"); t.IsObject() {
		r = t
	}
	if rt := r.Get("resultType").Str; rt != "" && rt != "complete" || r.Get("task").IsObject() {
		return raw, nil
	}
	e := n.resultEvidence(car, c, r)
	if !n.Classifier.Disguised(e) {
		return raw, nil
	}
	v := n.verdict(e)
	env := n.envelope(c, v)
	rep := report(c, v, env, raw)
	if c.Disguised == DisguiseRewrite && !c.Task {
		return Result(c, env, n.meta(r)), rep
	}
	rep.Flagged = true
	return raw, rep
}

// splice replaces n bytes of a message.
func splice(raw []byte, at, n int, value []byte) []byte {
	out := make([]byte, 0, len(raw)-n+len(value))
	out = append(out, raw[:at]...)
	out = append(out, value...)
	return append(out, raw[at+n:]...)
}

// view reads bytes as a string without a copy; nothing here outlives b.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}
