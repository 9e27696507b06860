package caddymodule

import (
	"errors"
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/policy"
)

// ToolView says which tools the callers see that its matchers match. Of all
// views that apply to a caller, one `deny` hides a tool; once one of them has an
// `allow`, only what some `allow` names is visible.
type ToolView struct {
	// The matchers of the callers. Default: every caller.
	MatcherSetsRaw caddyhttp.RawMatcherSets `json:"match,omitempty" caddy:"namespace=http.matchers"`

	// Patterns on the names of tools that are visible.
	Allow []string `json:"allow,omitempty"`

	// Patterns on the names of tools that are hidden.
	Deny []string `json:"deny,omitempty"`

	matchers caddyhttp.MatcherSets
	view     policy.View
}

func (v *ToolView) provision(ctx caddy.Context) error {
	if v.MatcherSetsRaw != nil {
		sets, err := ctx.LoadModule(v, "MatcherSetsRaw")
		if err != nil {
			return fmt.Errorf("loading matchers: %w", err)
		}
		if err := v.matchers.FromInterface(sets); err != nil {
			return err
		}
	}
	if len(v.Allow)+len(v.Deny) == 0 {
		return errors.New("neither allow nor deny")
	}
	allow, err := parsePatterns(v.Allow)
	if err != nil {
		return fmt.Errorf("allow: %w", err)
	}
	deny, err := parsePatterns(v.Deny)
	if err != nil {
		return fmt.Errorf("deny: %w", err)
	}
	v.view = policy.View{Allow: policy.NewPatterns(allow), Deny: policy.NewPatterns(deny)}
	return nil
}

// SSRFGuard refuses calls whose arguments point into a private or reserved
// network. The server resolves names again and may get another answer: a
// firewall around the server is what closes that.
type SSRFGuard struct {
	// The only arguments that are looked at, by name (`url`, `*_url`) or by
	// JSON Pointer (`/items/*/url`). Default: all.
	Arguments []string `json:"arguments,omitempty"`

	// Networks that may be reached although they are not public.
	Allow []string `json:"allow,omitempty"`

	// Whether names are resolved, `on` or `off`. Default: `on`.
	Resolve string `json:"resolve,omitempty"`
}

func (g *SSRFGuard) guard() (*policy.Guard, error) {
	if g == nil {
		return nil, nil
	}
	out := new(policy.Guard)
	for _, text := range g.Arguments {
		a, err := policy.ParseArgument(text)
		if err != nil {
			return nil, err
		}
		out.Arguments = append(out.Arguments, a)
	}
	for _, text := range g.Allow {
		n, err := policy.ParseNetwork(text)
		if err != nil {
			return nil, fmt.Errorf("allow: %w", err)
		}
		out.Allow = append(out.Allow, n)
	}
	switch g.Resolve {
	case "", "on":
		out.Resolver = resolve
	case "off":
	default:
		return nil, fmt.Errorf("resolve is %q, must be on or off", g.Resolve)
	}
	return out, nil
}

// provisionPolicy sets up what decides about calls. The stores are open.
func (h *Handler) provisionPolicy(ctx caddy.Context, repl *caddy.Replacer) error {
	for i, v := range h.ToolViews {
		if err := v.provision(ctx); err != nil {
			return fmt.Errorf("tools %d: %w", i, err)
		}
	}
	guard, err := h.SSRFGuard.guard()
	if err != nil {
		return fmt.Errorf("ssrf_guard: %w", err)
	}
	for _, v := range h.Checks {
		if v != "arguments" && v != "results" {
			return fmt.Errorf("validate: %q must be arguments or results", v)
		}
	}
	if h.Schemas != "" && h.Schemas != "learn" && h.Schemas != "fetch" {
		return fmt.Errorf("schemas is %q, must be learn or fetch", h.Schemas)
	}
	h.engine = &policy.Engine{
		Switches: h.backend().switches, Guard: guard,
		ValidateArguments: slices.Contains(h.Checks, "arguments"), ValidateResults: slices.Contains(h.Checks, "results"),
	}
	for i, t := range h.Tools {
		r, err := t.rule(repl)
		if err != nil {
			return fmt.Errorf("tool rule %d: %w", i, err)
		}
		h.engine.Rules = append(h.engine.Rules, r)
	}
	if h.Breaker != nil {
		if err := h.Breaker.provision(); err != nil {
			return err
		}
		h.breaker = h.backend().breakers.Breaker(h.Breaker.rules)
	}
	return nil
}

// rule is the part of a tool's options that the policy looks at.
func (t *ToolRule) rule(repl *caddy.Replacer) (policy.Rule, error) {
	r := policy.Rule{Tools: t.patterns, Disabled: t.Disabled}
	if t.DisabledText != "" {
		text, err := replaced(repl, "disabled", t.DisabledText)
		if err != nil {
			return r, err
		}
		if !t.Disabled {
			return r, errors.New("disabled_text without disabled")
		}
		if r.DisabledText, err = sanitize.Operator(text); err != nil {
			return r, fmt.Errorf("disabled: %w", err)
		}
	}
	for code, tool := range t.Suggest {
		if r.Suggest == nil {
			r.Suggest = make(map[envelope.Code]string)
		}
		r.Suggest[envelope.Code(code)] = tool
	}
	return r, nil
}
