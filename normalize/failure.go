package normalize

import (
	"bytes"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/classify"
)

// headOfBody is how much of an HTTP body that is no JSON-RPC message is read
// for its reason.
const headOfBody = 64 << 10

// Failure answers a call whose server gave no usable JSON-RPC message: an HTTP
// error, a page of HTML, broken JSON, a refused connection, silence. body is
// what came, or nil. A status that a proxy made up does not belong in car.
func (n *Normalizer) Failure(car Carrier, fault classify.Fault, body []byte, c *Call) ([]byte, Report) {
	e := n.evidence(car, c)
	e.Fault = fault
	e.Body = body[:min(len(body), headOfBody)]
	v := n.verdict(e)
	env := n.envelope(c, v)
	return Answer(c, env), *report(c, v, env, body)
}

// IsMessage reports whether body is a JSON-RPC answer or a batch of them, so
// that Message can read it: whatever else a server answers with is a failure.
func IsMessage(body []byte) bool {
	if !gjson.ValidBytes(body) {
		return false
	}
	m := gjson.Parse(view(body))
	if m.IsArray() {
		all, some := true, false
		m.ForEach(func(_, v gjson.Result) bool {
			all, some = rpcLike(v), true
			return all
		})
		return all && some
	}
	return rpcLike(m)
}

func rpcLike(m gjson.Result) bool {
	if !m.IsObject() {
		return false
	}
	like := false
	m.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "jsonrpc", "result", "method":
			like = true
		case "error":
			// Many HTTP APIs have an "error"; JSON-RPC's has a code.
			like = v.Get("code").Type == gjson.Number
		}
		return !like
	})
	return like
}

// FailureAsError is Failure with a JSON-RPC error as the answer to every method,
// for answers whose HTTP status must stay what it is.
func (n *Normalizer) FailureAsError(car Carrier, fault classify.Fault, body []byte, c *Call) ([]byte, Report) {
	_, rep := n.Failure(car, fault, body, c)
	return Error(c, ErrorCode(rep.Envelope), rep.Envelope, nil), rep
}

// Join writes several answers as one JSON-RPC batch.
func Join(answers [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
}
