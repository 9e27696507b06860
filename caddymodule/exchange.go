package caddymodule

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/policy"
	"github.com/caddymcp/gateway/transport"
)

// Why the gateway itself ended the server's answer.
var (
	errSilent   = errors.New("the server was silent for too long")
	errTooLarge = errors.New("the answer is too large to look at")
	errEnough   = errors.New("enough of a failure has come to judge it")
	errLeaving  = errors.New("the gateway is stopping")
	errUnknown  = errors.New("the tool does not exist")
)

// exchange is one HTTP request and its answer. It belongs to the goroutine of
// the request; only cancel and the timer are used by others.
type exchange struct {
	h     *Handler
	w     http.ResponseWriter
	r     *http.Request // as the client sent it
	kind  transport.Kind
	req   *transport.Request // nil for GET and DELETE
	calls []*pending
	repl  *caddy.Replacer
	start time.Time
	own   savedHeaders // headers of the answer before the next handler ran

	cancel  context.CancelCauseFunc
	ctx     context.Context
	silence *time.Timer
	timeout time.Duration

	held    held           // what the limits gave
	who     string         // see caller
	whoHash limits.Subject // see callerSubject

	refusedBy string // the limit that refused the request

	requestID string // see id
	madeID    bool   // by the gateway

	// failed is true when an answer or a part of it was rewritten or refused.
	// code and class are those of the first failure.
	failed bool
	code   envelope.Code
	class  envelope.Class

	next caddyhttp.Handler
	key  *policy.Key   // that the request presents; nil without auth keys
	seen *policy.Tools // what the caller sees, once it is known

	// suspect: nobody has listed the tool, and the caller does not see all. bare
	// are then the headers of the answer before anything else was done, and
	// unknown is true when the server said that there is no such tool.
	suspect, unknown bool
	bare             savedHeaders

	// Room for what nearly every request has, once.
	first pending
	only  [1]*pending
	few   [4]headerField
	rw    responseWriter
}

// pending is one call of the request.
type pending struct {
	normalize.Call
	timeout  time.Duration
	answered bool
	policy   policyCall
}

// newExchange takes down what the request says.
func (h *Handler) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{h: h, w: w, r: r, start: time.Now()}
	x.repl, _ = r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if x.repl == nil {
		x.repl = caddy.NewReplacer()
	}
	return x
}

// newPending returns room for one more call.
func (x *exchange) newPending() *pending {
	if len(x.calls) > 0 {
		return new(pending)
	}
	x.calls = x.only[:0]
	return &x.first
}

// admit takes down the calls of the request's body.
func (x *exchange) admit(req *transport.Request) {
	x.req = req
	patient := false
	for i := range req.Messages {
		m := &req.Messages[i]
		if m.Kind != transport.Call {
			continue
		}
		p := x.newPending()
		p.Call = normalize.Call{
			ID: m.ID, Method: m.Method, Tool: m.Tool, Arguments: m.Arguments,
			Modern: req.Era == transport.Modern, Task: m.Task,
			State: req.Era == transport.Modern && gjson.GetBytes(m.Params, "requestState").Exists(),
		}
		x.options(p)
		if p.IsToolCall() {
			p.Schema = x.schema(p.Tool)
			p.Structured = x.h.structured(p.Schema)
		}
		x.calls = append(x.calls, p)
		x.timeout = max(x.timeout, p.timeout)
		patient = patient || p.timeout < 0 || m.Method == "subscriptions/listen"
	}
	if patient {
		x.timeout = -1
	}
}

// Call implements normalize.Exchange: it returns the call that an answer with
// this id belongs to. Some servers answer with an id of their own, so a call
// that is alone is found by any id.
func (x *exchange) Call(id []byte) *normalize.Call {
	var open *pending
	count := 0
	for _, p := range x.calls {
		if id != nil && bytes.Equal(p.ID, id) {
			p.answered = true
			return &p.Call
		}
		if !p.answered {
			open = p
			count++
		}
	}
	if count == 1 && len(x.calls) == 1 {
		open.answered = true
		return &open.Call
	}
	// A resumed stream: the answer belongs to an earlier request.
	return &normalize.Call{
		Service: x.h.service, ServiceNamed: x.h.service != "", Structured: x.h.Errors.StructuredContent != "omit",
		Disguised: normalize.DisguiseOff,
	}
}

// open returns the calls that have no answer yet.
func (x *exchange) open() []*pending {
	var out []*pending
	for _, p := range x.calls {
		if !p.answered {
			out = append(out, p)
		}
	}
	return out
}

// modern reports whether the request is of the stateless era.
func (x *exchange) modern() bool { return x.req != nil && x.req.Era == transport.Modern }

// listening reports whether the answer is a stream that has no end of its own.
func (x *exchange) listening() bool {
	if x.kind == transport.Listen {
		return true
	}
	return len(x.calls) == 1 && x.calls[0].Method == "subscriptions/listen"
}

// abort ends the server's answer. The next handler returns soon after.
func (x *exchange) abort(cause error) {
	if x.cancel != nil {
		x.cancel(cause)
	}
}

// aborted returns why the gateway ended the server's answer, or nil. A client
// that left is not the gateway's doing.
func (x *exchange) aborted() error {
	if x.ctx == nil || x.ctx.Err() == nil || x.clientGone() {
		return nil
	}
	cause := context.Cause(x.ctx)
	for _, own := range [...]error{errSilent, errTooLarge, errLeaving, errLeaseLost} {
		if errors.Is(cause, own) {
			return own
		}
	}
	return nil
}

// clientGone reports whether the client has left.
func (x *exchange) clientGone() bool { return x.r.Context().Err() != nil }

// alive notes that the server said something.
func (x *exchange) alive() {
	if x.silence != nil {
		x.silence.Reset(x.timeout)
	}
}

// watch starts the timer of the server's silence.
func (x *exchange) watch() (stop func()) {
	if x.timeout <= 0 || x.listening() || len(x.calls) == 0 {
		return func() {}
	}
	x.silence = time.AfterFunc(x.timeout, func() { x.cancel(errSilent) })
	return func() { x.silence.Stop() }
}

// scope keeps schemas of private tool lists of different callers apart.
func (x *exchange) scope() string { return privateScope(x.r) }
