package caddymodule

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/transport"
)

// The reasons of refusals for limits, in logs and metrics.
const (
	reasonRPM         = "rate_limited"
	reasonConcurrency = "at_capacity"
	reasonUnavailable = "limits_unavailable"
	reasonTooBig      = "over_limit"
	reasonLost        = "lease_lost"
)

// clientLeft is the denial of a request that nobody waits for.
var clientLeft = new(denial)

// statusClientLeft is what access logs show of a client that left, as
// reverse_proxy does it.
const statusClientLeft = 499

func (x *exchange) endForGone() error {
	return caddyhttp.Error(statusClientLeft, x.r.Context().Err())
}

// denied is the answer to a decision that refused. All texts say "rate limit":
// there are clients that look for these words to tell whether to try again.
func (x *exchange) denied(d *limits.Decision) *denial {
	x.refusedBy = d.Tier
	if d.Bound == limits.Unavailable {
		return x.unavailable(*d)
	}
	numbers := envelope.WithNumbers(envelope.Current{Concurrency: d.Current.Concurrency, RPM: d.Current.RPM},
		envelope.Limits{MaxConcurrency: d.Limits.Concurrency, MaxRPM: d.Limits.RPM})
	wait := envelope.WithWait(d.RetryAfter)
	if d.Bound == limits.RPM {
		text, _ := sanitize.Compose("Error: rate limit reached, at most %s requests per minute are allowed. Try again in %s.",
			sanitize.Int(int64(d.Limits.RPM)), sanitize.Duration(d.RetryAfter))
		return x.deny(reasonRPM, envelope.RateLimited, text, wait, numbers)
	}
	if d.Tier == streamLimit {
		text, _ := sanitize.Compose("Error: rate limit for open streams reached, at most %s may be open. Close one, or try again in %s.",
			sanitize.Int(int64(d.Limits.Concurrency)), sanitize.Duration(d.RetryAfter))
		return x.deny(reasonConcurrency, envelope.AtCapacity, text, wait, numbers)
	}
	text, _ := sanitize.Compose("Error: rate limit for calls at the same time reached, at most %s may run. Try again in %s.",
		sanitize.Int(int64(d.Limits.Concurrency)), sanitize.Duration(d.RetryAfter))
	return x.deny(reasonConcurrency, envelope.AtCapacity, text, wait, numbers)
}

// unavailable is the answer when nobody could tell whether the call may pass.
func (x *exchange) unavailable(d limits.Decision) *denial {
	wait := max(d.RetryAfter, time.Second)
	text, _ := sanitize.Compose("Error: the limits of this service cannot be checked at the moment. Try again in %s.", sanitize.Duration(wait))
	return x.deny(reasonUnavailable, envelope.ServiceUnavailable, text, envelope.WithWait(wait))
}

// tooBig is the answer to a request that no wait would help.
func (x *exchange) tooBig(t *limits.Tier) *denial {
	x.refusedBy = t.Name
	var text sanitize.Safe
	if t.RPM > 0 && t.Cost > t.RPM {
		text, _ = sanitize.Compose("Validation Error: this request counts as %s requests, and at most %s per minute are allowed. Send fewer calls in one request.",
			sanitize.Int(int64(t.Cost)), sanitize.Int(int64(t.RPM)))
	} else {
		text, _ = sanitize.Compose("Validation Error: this request holds %s calls, and at most %s may run at the same time. Send fewer calls in one request.",
			sanitize.Int(int64(t.Slots)), sanitize.Int(int64(t.Concurrency)))
	}
	return x.deny(reasonTooBig, envelope.BadRequest, text)
}

// tooMany is the answer to a batch whose calls are counted in too many places.
func (x *exchange) tooMany() *denial {
	text := sanitize.Const("Validation Error: the calls of this batch fall under too many limits at once. Send fewer calls in one request.")
	return x.deny(reasonTooBig, envelope.BadRequest, text)
}

// deny makes the denial of all calls of the request, each in the name of its
// own service.
func (x *exchange) deny(reason string, code envelope.Code, text sanitize.Safe, opts ...envelope.Option) *denial {
	no := &denial{reason: reason, env: envelope.New(x.service(), code, text, opts...)}
	for i, p := range x.calls {
		env := no.env
		if p.Service != "" {
			env.Service = p.Service
		}
		if p.Suggest != nil {
			env.Suggest(p.Suggest(code))
		}
		if no.calls == nil {
			no.calls = make(map[int]envelope.Envelope, len(x.calls))
		}
		no.calls[i] = env
	}
	return no
}

// lost is the denial of calls that ran and lost their slots.
func (x *exchange) lost() *denial {
	text := sanitize.Const("Error: the call was ended, because the limits of this service could not be kept up. Try again later.")
	return x.deny(reasonLost, envelope.ServiceUnavailable, text, envelope.WithWait(time.Second))
}

// finishLost ends the answer of calls that lost their slots.
func (w *responseWriter) finishLost() error {
	x := w.x
	switch w.mode {
	case pass:
		return nil
	case stream:
		return w.events.finishLost()
	}
	x.own.restore(w.Header())
	return x.refuseCalls(x.lost())
}

// finishLost ends a stream that began.
func (e *eventWriter) finishLost() error {
	x, no := e.x, e.x.lost()
	e.out = e.out[:0]
	for i, p := range x.calls {
		if p.answered {
			continue
		}
		p.answered = true
		e.out = append(e.out, transport.EventOf(normalize.Answer(&p.Call, no.calls[i]))...)
	}
	x.failed = true
	x.noteFailure(&no.env)
	x.logRefusal(refusal{reason: no.reason, status: no.env.Status, env: &no.env})
	x.h.metrics.refused(no.reason)
	if _, err := e.w.Write(e.out); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// noteDecision takes down what the limits said.
func (x *exchange) noteDecision(tiers []limits.Tier, d *limits.Decision) {
	for i := range tiers {
		if m := x.h.limitMetrics(tiers[i].Name); d.Allowed {
			m.allowed.Inc()
		}
	}
	if !d.Allowed {
		x.h.limitMetrics(d.Tier).refused(d.Bound)
	}
	for _, name := range d.Shadow {
		x.h.limitMetrics(name).shadow.Inc()
		x.h.logger.Info("a limit in shadow would have refused", append(x.fields(),
			zap.String("limit", name), zap.String("key_hash", x.whoHash.String()))...)
	}
}

// rateLimitHeaders sets the fields of draft-ietf-httpapi-ratelimit-headers-11:
// the policies that apply, and what is left of the one that the decision is
// about. The quota of calls at the same time is an item of its own.
func rateLimitHeaders(h http.Header, tiers []limits.Tier, d *limits.Decision) {
	var policies, left []string
	for i := range tiers {
		t := &tiers[i]
		if t.Shadow {
			continue
		}
		if t.RPM > 0 {
			policies = append(policies, fmt.Sprintf("%q;q=%d;w=60", t.Name, t.RPM))
		}
		if t.Concurrency > 0 {
			policies = append(policies, fmt.Sprintf("%q;q=%d;qu=\"concurrent-requests\"", t.Name+".concurrency", t.Concurrency))
		}
	}
	if len(policies) == 0 {
		return
	}
	h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	wait := ""
	if d.RetryAfter > 0 {
		wait = fmt.Sprintf(";t=%d", envelope.Seconds(d.RetryAfter))
	}
	if n := d.Limits.RPM; n > 0 {
		at := ""
		if d.Bound == limits.RPM {
			at = wait
		}
		left = append(left, fmt.Sprintf("%q;r=%d%s", d.Tier, max(0, n-d.Current.RPM), at))
	}
	if n := d.Limits.Concurrency; n > 0 {
		at := ""
		if d.Bound == limits.Concurrency {
			at = wait
		}
		left = append(left, fmt.Sprintf("%q;r=%d%s", d.Tier+".concurrency", max(0, n-d.Current.Concurrency), at))
	}
	if len(left) > 0 {
		h.Set("RateLimit", strings.Join(left, ", "))
	}
}
