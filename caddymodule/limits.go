package caddymodule

import (
	"errors"

	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/transport"
)

// errLeaseLost ends a call whose slot others may have taken.
var errLeaseLost = errors.New("the slot of the call was lost")

// held is what a request has taken.
type held struct {
	stores *backend
	pooled bool // with a reference in the pool, because the handler's are closed
	lease  limits.Lease
	taken  bool
}

// acquire takes the calls of the request into the limits that apply to them,
// all or none.
func (x *exchange) acquire() *denial {
	h := x.h
	if len(h.Limits) == 0 && h.MaxStreams == 0 {
		return nil
	}
	x.callerSubject()
	tiers, no := x.tiers()
	if no != nil || len(tiers) == 0 {
		return no
	}
	if err := x.enter(); err != nil {
		h.logger.Error("opening the stores of the limits again", append(x.fields(), zap.Error(err))...)
		return x.unavailable(limits.Decision{})
	}
	d, err := x.held.stores.limiter.Acquire(x.r.Context(), limits.Call{Tiers: tiers})
	if err != nil {
		x.settleLimits()
		if x.clientGone() {
			return clientLeft
		}
		h.logger.Error("asking the limits", append(x.fields(), zap.Error(err))...)
		return x.unavailable(limits.Decision{})
	}
	x.held.lease, x.held.taken = d.Lease, d.Allowed
	x.noteDecision(tiers, &d)
	if h.store.SendHeaders() {
		rateLimitHeaders(x.w.Header(), tiers, &d)
	}
	if d.Allowed {
		return nil
	}
	x.settleLimits()
	return x.denied(&d)
}

// settleLimits gives back what acquire took. It runs when the answers were
// passed on, and once more after the request.
func (x *exchange) settleLimits() {
	k := &x.held
	if k.taken {
		k.lease.Release()
		k.taken = false
	}
	if k.stores == nil {
		return
	}
	var err error
	if k.pooled {
		err = closeBackend(x.h.store)
	} else {
		err = k.stores.leave()
	}
	k.stores = nil
	if err != nil {
		storeLog().Error("closing the stores of the limits", zap.Error(err))
	}
}

// enter counts the request as a user of the stores. They may have been closed:
// a request may begin under a config that was replaced while its body came in.
func (x *exchange) enter() (err error) {
	if b := x.h.backend(); b.enter() {
		x.held.stores = b
		return nil
	}
	if x.held.stores, err = openBackend(x.h.store); err != nil {
		return err
	}
	x.held.pooled = true
	return nil
}

// passedOn is called after a part of the answer went out: once all calls are
// answered, they hold their slots no longer.
func (x *exchange) passedOn() {
	if !x.held.taken || len(x.calls) == 0 || x.listening() {
		return
	}
	for _, p := range x.calls {
		if !p.answered {
			return
		}
	}
	x.settleLimits()
}

// watchLease ends the server's answer when the slot of the call is lost, if the
// operator wants it so.
func (x *exchange) watchLease() (stop func()) {
	if !x.held.taken || !x.h.store.CutOnLostLease() {
		return func() {}
	}
	lost := x.held.lease.Lost()
	if lost == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-lost:
			x.abort(errLeaseLost)
		case <-done:
		}
	}()
	return func() { close(done) }
}

// counted reports whether a call counts.
func (x *exchange) counted(p *pending) bool {
	return p.IsToolCall() || x.h.Count == "all" && transport.Throttled(p.Method) && p.Method != "subscriptions/listen"
}

// tiers are the limits that apply to the request, with what it takes of them.
func (x *exchange) tiers() ([]limits.Tier, *denial) {
	h := x.h
	if x.listening() {
		if h.MaxStreams == 0 {
			return nil, nil
		}
		return []limits.Tier{{
			Name: streamLimit, Subject: x.subject(streamLimit+"|"+h.serviceName(), x.caller()), Concurrency: h.MaxStreams, Slots: 1,
		}}, nil
	}
	var tiers []limits.Tier
	for _, p := range x.calls {
		if !x.counted(p) {
			continue
		}
		for _, l := range h.Limits {
			if !l.applies(p) {
				continue
			}
			t := x.tier(l, p)
			if t.RPM == 0 && t.Concurrency == 0 {
				continue
			}
			if same := find(tiers, &t); same != nil {
				same.Cost, same.Slots = same.Cost+t.Cost, same.Slots+t.Slots
				continue
			}
			if tiers = append(tiers, t); len(tiers) > limits.MaxTiers {
				return nil, x.tooMany()
			}
		}
	}
	for i := range tiers {
		t := &tiers[i]
		if !t.Shadow && (t.RPM > 0 && t.Cost > t.RPM || t.Concurrency > 0 && t.Slots > t.Concurrency) {
			return nil, x.tooBig(t)
		}
	}
	return tiers, nil
}

func find(tiers []limits.Tier, t *limits.Tier) *limits.Tier {
	for i := range tiers {
		if tiers[i].Subject.ID == t.Subject.ID {
			return &tiers[i]
		}
	}
	return nil
}

// tier is a limit for one call.
func (x *exchange) tier(l *Limit, p *pending) limits.Tier {
	who := x.caller()
	if len(l.keys) > 0 {
		who = x.keyOf(l, p)
	}
	t := limits.Tier{Name: l.Name, Subject: x.subject(l.scope, who), Cost: l.cost(p), Slots: 1, Shadow: l.Shadow}
	var first, second bool
	t.RPM, first = l.rpm.of(x.repl)
	t.Concurrency, second = l.concurrency.of(x.repl)
	if first || second {
		x.h.logger.Warn("a placeholder of a limit gives no number: the limit is lifted for such requests",
			append(x.fields(), zap.String("limit", l.Name))...)
	}
	return t
}

// keyOf is who is counted for a call by a limit that has its own key.
func (x *exchange) keyOf(l *Limit, p *pending) string {
	if len(x.calls) > 1 {
		for i := range l.keys {
			if l.keys[i].perTool {
				x.repl.Set("http.mcp_gateway.tool", word(p.Tool))
				defer x.repl.Set("http.mcp_gateway.tool", x.tool())
				break
			}
		}
	}
	return x.identity(l.keys)
}

// subject is the counter of someone under a limit. All counters of one are
// decided together, so the tag is theirs alone.
func (x *exchange) subject(scope, who string) limits.Subject {
	h := x.h.backend().limiter.Hasher()
	outer := x.whoHash
	if who != x.who {
		outer = h.Subject(callerScope, who)
	}
	return h.Under(outer, scope, who)
}
