package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/policy"
)

// Breaker stops calls to a tool that keeps failing. Its state is kept where
// calls are counted, so that replicas with one Redis open and close together.
type Breaker struct {
	// How many failures in a row open it. Default: 3.
	Failures int `json:"failures,omitempty"`

	// How long calls are refused before one may probe. Default: 30s.
	Cooldown caddy.Duration `json:"cooldown,omitempty"`

	// Whether it stays open until somebody resets it.
	Manual bool `json:"manual,omitempty"`

	// Whose failures are added up: `tool` (everybody's), `key` (each caller's)
	// or `session` (each session's; the caller's where there is none).
	// Default: `tool`.
	Scope string `json:"scope,omitempty"`

	// The classes of failures that count, or `any`. Default: dependency and
	// retryable. Refusals of the gateway never count.
	Count []string `json:"count,omitempty"`

	rules limits.BreakerRules
}

func (b *Breaker) provision() error {
	if b.Failures == 0 {
		b.Failures = limits.DefaultBreakerFailures
	}
	if b.Failures < 0 {
		return fmt.Errorf("breaker: failures is negative: %d", b.Failures)
	}
	if b.Manual && b.Cooldown != 0 {
		return errors.New("breaker: manual has no cooldown")
	}
	if b.Cooldown < 0 {
		return fmt.Errorf("breaker: cooldown is negative: %s", time.Duration(b.Cooldown))
	}
	if !b.Manual && b.Cooldown == 0 {
		b.Cooldown = caddy.Duration(limits.DefaultBreakerCooldown)
	}
	if b.Scope == "" {
		b.Scope = "tool"
	}
	if !slices.Contains([]string{"tool", "key", "session"}, b.Scope) {
		return fmt.Errorf("breaker: scope is %q, must be one of tool, key, session", b.Scope)
	}
	b.rules = limits.BreakerRules{Failures: b.Failures, Cooldown: time.Duration(b.Cooldown), Any: slices.Contains(b.Count, "any")}
	for _, c := range b.Count {
		if c != "any" {
			b.rules.Classes = append(b.rules.Classes, c)
		}
	}
	if b.rules.Any && len(b.rules.Classes) > 0 {
		return errors.New("breaker: count any stands alone")
	}
	return b.rules.Validate()
}

// breakerTicket is what the breaker is told when the call has ended. The zero
// outcome says that the call tells nothing of the tool.
type breakerTicket struct {
	key     limits.BreakerKey
	ticket  uint64
	outcome limits.BreakerOutcome
}

// breakerOf asks the breaker about a call, and notes that it waits for the
// outcome. It is nil without a breaker.
func (x *exchange) breakerOf(p *pending) func(context.Context) policy.Paused {
	h := x.h
	if h.breaker == nil {
		return nil
	}
	return func(ctx context.Context) policy.Paused {
		b := &p.policy.breaker
		b.key = limits.BreakerKey{Service: h.serviceLabel(&p.Call), Tool: p.Tool, Scope: x.breakerScope()}
		d := h.breaker.Allow(ctx, b.key, time.Now())
		if d.Open {
			return policy.Paused{Open: true, Manual: d.Manual, Failures: d.Failures, RetryAfter: d.RetryAfter}
		}
		p.policy.guarded, b.ticket = true, d.Ticket
		return policy.Paused{}
	}
}

// breakerScope names the caller or the session by a hash.
func (x *exchange) breakerScope() string {
	switch x.h.Breaker.Scope {
	case "session":
		if id := x.r.Header.Get("Mcp-Session-Id"); id != "" {
			return x.h.backend().limiter.Hasher().Subject("session", id).String()
		}
		return x.callerSubject().String()
	case "key":
		return x.callerSubject().String()
	}
	return ""
}

// noteOutcome takes down how the server answered a call, for the breaker. class
// is empty for a success.
func (x *exchange) noteOutcome(c *normalize.Call, class envelope.Class) {
	for _, p := range x.calls {
		if &p.Call == c && p.policy.guarded {
			p.policy.breaker.outcome = x.h.Breaker.rules.Outcome(string(class), false)
			return
		}
	}
}

// watchesResults reports whether somebody wants to know how tools answer.
func (h *Handler) watchesResults() bool { return h.breaker != nil || h.engine.ValidateResults }

// toolResult looks at a successful result of a tool: it closes the breaker, and what breaks the tool's schema becomes a
// failure. unended: the call goes on; structured is the raw structuredContent, or nil.
func (x *exchange) toolResult(c *normalize.Call, result []byte, unended bool, structured []byte) []byte {
	h := x.h
	if unended || !h.watchesResults() {
		return result
	}
	if structured != nil && !c.Task {
		if r := h.engine.CheckResult(h.serviceLabel(c), c.Tool, structured, c.Schema, x.tools()); r != nil {
			h.metrics.policyRefused(r)
			x.report(&normalize.Report{Call: c, Envelope: r.Envelope, Rule: "output_schema", Original: result})
			return normalize.ResultObject(c, r.Envelope, []byte(gjson.GetBytes(result, "_meta").Raw))
		}
	}
	x.noteOutcome(c, "")
	return result
}

// readToolResult is toolResult for a result that only the normalizer has read.
func (x *exchange) readToolResult(c *normalize.Call, result []byte) []byte {
	if !x.h.watchesResults() {
		return result
	}
	parts := gjson.GetManyBytes(result, "resultType", "task", "structuredContent")
	kind := parts[0].String()
	var structured []byte
	if parts[2].Exists() {
		structured = []byte(parts[2].Raw)
	}
	return x.toolResult(c, result, kind != "" && kind != "complete" || parts[1].IsObject(), structured)
}

// breakerNoted counts a change of a breaker and tells the subscribers of the
// event, through a handler that has the service.
func breakerNoted(e limits.BreakerEvent) {
	policyCollectors().breakerChanged(&e)
	for _, h := range running() {
		if !slices.Contains(h.services(), e.Key.Service) {
			continue
		}
		if h.events.ShouldEmit("mcp_gateway_breaker") {
			h.events.Emit(h.ctx, "mcp_gateway_breaker", map[string]any{
				"service": e.Key.Service, "tool": word(e.Key.Tool), "from": string(e.From), "to": string(e.To),
				"failures": e.Failures, "manual": e.Manual, "remote": e.Remote,
			})
		}
		return
	}
}
