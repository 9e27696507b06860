package policy

import (
	"context"
	"time"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

// Cause says which rule refused a call. It is a bounded label.
type Cause string

// The causes, in the order in which they are looked for.
const (
	CauseHidden    Cause = "hidden"    // the caller does not see the tool
	CauseUnknown   Cause = "unknown"   // no such tool, answered as if hidden
	CauseDisabled  Cause = "disabled"  // switched off, in the configuration or at run time
	CauseBreaker   Cause = "breaker"   // it failed too often
	CauseArguments Cause = "arguments" // they break the input schema
	CauseSSRF      Cause = "ssrf"      // they point into a private network
	CauseResult    Cause = "result"    // the result breaks the output schema
)

// Refusal is a call that does not go to the server.
type Refusal struct {
	Cause    Cause
	Envelope envelope.Envelope

	// Finding is set for CauseSSRF. Its path is the caller's text.
	Finding Finding
}

// Rule is one `tool` block of the configuration, for the tools it names.
type Rule struct {
	Tools []Pattern

	// Disabled switches the tools off; no run-time switch turns them on.
	// DisabledText, which may be zero, is the operator's reason.
	Disabled     bool
	DisabledText sanitize.Safe

	// Suggest names another tool to try after a failure with the code.
	Suggest map[envelope.Code]string
}

// Paused is what the breaker says about a call. The zero value lets it pass.
type Paused struct {
	Open bool

	// Manual: it stays open until a reset.
	Manual bool

	// Failures in a row.
	Failures int

	// RetryAfter is the rest of the cool-down, 0 when Manual.
	RetryAfter time.Duration
}

// Call is one tools/call.
type Call struct {
	Service, Tool string

	// Arguments is the JSON object of the call; may be nil.
	Arguments []byte

	// Tools is what the caller sees.
	Tools Tools

	// Unknown: the gateway has seen a complete tools/list of this caller and
	// the tool was not in it. It counts only when Tools can hide something:
	// then the answer comes from here, like that for a hidden tool.
	Unknown bool

	// Schema of the tool; nil when it is not known.
	Schema *schema.Tool

	// Breaker is asked when all earlier rules let the call pass; may be nil.
	Breaker func(ctx context.Context) Paused
}

// Engine decides whether a call may go to the server. Safe for concurrent use
// once it is set up; the zero Engine lets everything pass that the caller sees.
type Engine struct {
	// Rules are looked at in order; the first that answers wins.
	Rules []Rule

	// Switches at run time; may be nil.
	Switches Switches

	// ValidateArguments and ValidateResults turn the schema checks on.
	ValidateArguments, ValidateResults bool

	// Guard against arguments that point inside; may be nil.
	Guard *Guard
}

// Decide returns why the call must not be made, or nil. The order is: what the
// caller sees, switches, breaker, arguments against the schema, private
// networks. The breaker is asked once, and only when nothing before it refused;
// when something after it refuses, the call was not made and its ticket has to
// be given back.
func (e *Engine) Decide(ctx context.Context, c *Call) *Refusal {
	if !c.Tools.Visible(c.Tool) {
		return e.hidden(c, CauseHidden)
	}
	if c.Unknown && c.Tools.Restricted() {
		return e.hidden(c, CauseUnknown)
	}
	if text, off := e.off(c.Service, c.Tool); off {
		return e.refuse(c, CauseDisabled, envelope.ServiceDisabled, text)
	}
	if c.Breaker != nil {
		if p := c.Breaker(ctx); p.Open {
			return e.paused(c, p)
		}
	}
	if e.ValidateArguments {
		if vs := c.Schema.CheckArguments(c.Arguments); len(vs) > 0 {
			return e.refuse(c, CauseArguments, envelope.BadRequest, ViolationText(vs))
		}
	}
	if f, found := e.Guard.Check(ctx, c.Arguments); found {
		r := e.refuse(c, CauseSSRF, envelope.SSRFBlocked, findingText(f), envelope.WithoutStatus())
		r.Finding = f
		return r
	}
	return nil
}

// Hidden is the answer to a call of a tool that the caller does not see: what
// Decide gives, and what the server's own "unknown tool" has to become wherever
// Tools.Restricted. It never has a suggestion.
func Hidden(service string) envelope.Envelope {
	return envelope.New(service, envelope.Forbidden, HiddenText)
}

func (e *Engine) hidden(c *Call, cause Cause) *Refusal {
	return &Refusal{Cause: cause, Envelope: Hidden(c.Service)}
}

func (e *Engine) refuse(c *Call, cause Cause, code envelope.Code, text sanitize.Safe, opts ...envelope.Option) *Refusal {
	r := &Refusal{Cause: cause, Envelope: envelope.New(c.Service, code, text, opts...)}
	r.Envelope.Suggest(e.Suggestion(r.Envelope.Code, c.Tool, c.Tools))
	return r
}

// off looks at the configuration and then at the run-time switches.
func (e *Engine) off(service, tool string) (sanitize.Safe, bool) {
	for _, r := range e.Rules {
		if r.Disabled && matchAny(r.Tools, tool) {
			return r.DisabledText, true
		}
	}
	if e.Switches == nil {
		return sanitize.Safe{}, false
	}
	return e.Switches.Off(service, tool)
}

func (e *Engine) paused(c *Call, p Paused) *Refusal {
	if p.Manual {
		text, _ := sanitize.Compose("Error: this tool failed %s times in a row and is switched off until it is reset. Use another tool or tell the user that this cannot be done now.",
			sanitize.Int(int64(p.Failures)))
		return e.refuse(c, CauseBreaker, envelope.ServiceDisabled, text)
	}
	text, _ := sanitize.Compose("Error: this tool failed %s times in a row and is paused. Try again after %s.",
		sanitize.Int(int64(p.Failures)), sanitize.Duration(max(p.RetryAfter, time.Second)))
	return e.refuse(c, CauseBreaker, envelope.ServiceUnavailable, text, envelope.WithWait(max(p.RetryAfter, time.Millisecond)))
}

// findingText names the argument, never its value.
func findingText(f Finding) sanitize.Safe {
	name, ok := sanitize.Ident(f.Path)
	if !ok {
		return sanitize.Safe{}
	}
	switch f.Reason {
	case ReasonTooMany:
		text, _ := sanitize.Compose("Permission Error: argument '%s' holds more host names than one call may use. Use fewer.", name)
		return text
	case ReasonLocalFile:
		text, _ := sanitize.Compose("Permission Error: argument '%s' points to a local file, which may not be read. Use a public address.", name)
		return text
	}
	text, _ := sanitize.Compose("Permission Error: argument '%s' points to an address that is private or reserved and may not be reached. Use a public address.", name)
	return text
}

// CheckResult checks the structuredContent of a successful result against the
// tool's output schema, when ValidateResults is on. It returns the refusal that
// takes the result's place, or nil. The text does not quote the result.
func (e *Engine) CheckResult(service, tool string, structured []byte, s *schema.Tool, tools Tools) *Refusal {
	if !e.ValidateResults {
		return nil
	}
	vs := s.CheckResult(structured)
	if len(vs) == 0 {
		return nil
	}
	var text sanitize.Safe
	if name, ok := sanitize.Ident(vs[0].Path); ok {
		text, _ = sanitize.Compose("Error: the tool returned a result that breaks its own output schema (field '%s'). Retrying the same call will not help.", name)
	}
	return e.refuse(&Call{Service: service, Tool: tool, Tools: tools}, CauseResult, envelope.OutputValidationFailed, text)
}

// Suggestion is the tool that the operator configured for the code of a failure
// of tool, the gateway's own or the server's, or "": the first of a rule that
// matches, is not the tool itself and is seen by the caller.
func (e *Engine) Suggestion(code envelope.Code, tool string, tools Tools) string {
	for _, r := range e.Rules {
		other := r.Suggest[code]
		if other != "" && other != tool && matchAny(r.Tools, tool) && tools.Visible(other) {
			return other
		}
	}
	return ""
}
