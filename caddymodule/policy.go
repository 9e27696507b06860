package caddymodule

import (
	"context"
	"net"
	"net/netip"
	"time"

	"go.uber.org/zap"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/policy"
)

// denial is why the calls of a request are not made.
type denial struct {
	reason string // a word of a fixed set, for the log and the metric
	env    envelope.Envelope

	// calls are the envelopes of single calls of a batch, by their place; nil
	// gives every call the same.
	calls map[int]envelope.Envelope
}

// batchText is what the calls of a batch get that nothing stood against.
var batchText = sanitize.Const("Error: this call was not made, because another call of the same batch was refused. Send it again without that call.")

// policyCall is what the policy remembers of one call until its answer is there.
type policyCall struct {
	guarded bool // the breaker let it pass and waits for the outcome
	breaker breakerTicket
}

// decide asks the policy whether the calls of the request may be made. Of a
// batch none is made when one may not be: half a batch is nothing that a client
// could have meant.
func (x *exchange) decide() *denial {
	h := x.h
	var no *denial
	for i, p := range x.calls {
		if !p.IsToolCall() {
			continue
		}
		x.fetchSchema(p)
		r := h.engine.Decide(x.r.Context(), &policy.Call{
			Service: h.serviceLabel(&p.Call), Tool: p.Tool, Arguments: p.Arguments, Tools: x.tools(), Schema: p.Schema,
			// Who may not see everything may call only what has been listed, in a batch: the rest of the
			// batch would tell a hidden tool from one that does not exist.
			Unknown: x.req.Batch && p.Schema == nil,
			Breaker: x.breakerOf(p),
		})
		if r == nil {
			continue
		}
		x.h.metrics.policyRefused(r)
		if r.Cause == policy.CauseHidden || r.Cause == policy.CauseUnknown {
			// What is known of the tool must not show in the answer.
			p.Schema, p.Structured = nil, h.structured(nil)
		}
		if no == nil {
			no = &denial{reason: string(r.Cause), env: r.Envelope, calls: make(map[int]envelope.Envelope)}
		}
		no.calls[i] = r.Envelope
	}
	if no != nil {
		for i, p := range x.calls {
			if _, refused := no.calls[i]; !refused {
				no.calls[i] = envelope.New(h.serviceLabel(&p.Call), envelope.BadRequest, batchText)
			}
		}
		return no
	}
	if len(x.calls) == 1 && x.calls[0].IsToolCall() && x.calls[0].Schema == nil && x.tools().Restricted() {
		x.suspect, x.bare = true, saveHeaders(nil, x.w.Header())
	}
	h.countUnknownSchemas(x)
	return nil
}

// countUnknownSchemas counts the calls that pass unchecked because nobody has
// listed their tool yet.
func (h *Handler) countUnknownSchemas(x *exchange) {
	if !h.engine.ValidateArguments && !h.engine.ValidateResults {
		return
	}
	for _, p := range x.calls {
		if p.IsToolCall() && p.Schema == nil {
			h.metrics.policy.unknownSchemas.WithLabelValues(h.serviceLabel(&p.Call)).Inc()
		}
	}
}

// tools is what the caller sees. A matcher that fails hides everything: nobody
// knows for whom it would have matched.
func (x *exchange) tools() policy.Tools {
	if x.seen != nil {
		return *x.seen
	}
	x.seen = new(policy.Tools)
	if x.key != nil {
		x.seen.Only = x.key.Tools
	}
	for _, v := range x.h.ToolViews {
		ok, err := v.matchers.AnyMatchWithError(x.r)
		if err != nil {
			x.h.logger.Error("a matcher of tools failed, nothing is visible", append(x.fields(), zap.Error(err))...)
			x.seen.Views = []policy.View{{Deny: everyTool}}
			break
		}
		if ok {
			x.seen.Views = append(x.seen.Views, v.view)
		}
	}
	return *x.seen
}

var everyTool = func() policy.Patterns {
	p, err := policy.ParsePatterns("*")
	if err != nil {
		panic(err)
	}
	return policy.NewPatterns(p)
}()

// resolve looks up a name for the guard as the server would.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// settlePolicy ends what decide began. It runs once, after the answer.
func (x *exchange) settlePolicy() {
	for _, p := range x.calls {
		if p.policy.guarded {
			p.policy.guarded = false
			ctx := context.WithoutCancel(x.r.Context())
			b := &p.policy.breaker
			x.h.breaker.Record(ctx, b.key, b.ticket, b.outcome, time.Now())
		}
	}
}

// unknownTool reports whether a failure says that the tool does not exist, to a
// caller from whom tools are hidden. Only of a tool that nobody has listed is
// it believed: "tool 17 not found" may be the answer of a tool shed.
func (x *exchange) unknownTool(rep *normalize.Report) bool {
	if !x.suspect || rep.Call != &x.calls[0].Call || rep.Envelope.Code != envelope.NotFound {
		return false
	}
	return normalize.SaysUnknownTool(rep)
}

// denyUnknown answers a call of a tool that does not exist as if it were hidden,
// in the same words, headers and shape, so that trying names tells nothing.
func (x *exchange) denyUnknown() error {
	p := x.calls[0]
	p.Structured = x.h.structured(nil)
	x.bare.restore(x.w.Header())
	r := policy.Refusal{Cause: policy.CauseUnknown, Envelope: policy.Hidden(x.h.serviceLabel(&p.Call))}
	x.h.metrics.policyRefused(&r)
	return x.refuseCalls(&denial{reason: string(r.Cause), env: r.Envelope})
}

// hiddenAnswer is denyUnknown inside a stream that has begun.
func (x *exchange) hiddenAnswer() []byte {
	p := x.calls[0]
	p.Structured = x.h.structured(nil)
	env := policy.Hidden(x.h.serviceLabel(&p.Call))
	if x.h.Errors.Rejections == "result" {
		return normalize.Answer(&p.Call, env)
	}
	return normalize.Error(&p.Call, normalize.ErrorCode(env), env, nil)
}
