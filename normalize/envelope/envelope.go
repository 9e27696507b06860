// Package envelope holds the one shape that every failed call ends in, and the
// one table in which code, HTTP status, class, retry hint and fixed text meet.
package envelope

import (
	"time"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// MetaKey is the key of the envelope in a result's _meta. A prefix must have no
// label "mcp" or "modelcontextprotocol" (MCP 2025-11-25, basic, _meta).
const MetaKey = "io.github.caddymcp/error"

// Envelope is what every failed call ends in. Absent fields are absent from the
// JSON, never null; the order of the fields is fixed.
type Envelope struct {
	// Service is the service behind the gateway that failed. Default "mcp".
	Service string `json:"service"`

	// Code is one of the fourteen stable codes.
	Code Code `json:"code"`

	// Class tells an agent how to react.
	Class Class `json:"error_class"`

	// Error is the same text as Sanitized, for clients that read "error".
	Error sanitize.Safe `json:"error"`

	// Sanitized is at most 600 characters, free of secrets, PII, provider
	// text, traces and internal ids.
	Sanitized sanitize.Safe `json:"sanitized_error"`

	// Status is the HTTP status that the failure had or stands for; 0 is absent.
	Status int `json:"status,omitempty"`

	// RetryAfter is in whole seconds, rounded up, at least 1; 0 is absent.
	RetryAfter int `json:"retryAfter,omitempty"`

	// Current and Limits are the numbers of the gateway's own refusals.
	Current *Current `json:"current,omitempty"`
	Limits  *Limits  `json:"limits,omitempty"`

	// RetryHint is present for the classes retryable and dependency only.
	RetryHint *RetryHint `json:"retry_hint,omitempty"`

	// Suggestion names another tool that the operator configured for the code.
	Suggestion *Suggestion `json:"suggestion,omitempty"`

	wait time.Duration
}

// Current is what the caller uses now. Concurrency counts the refused call too.
type Current struct {
	Concurrency int `json:"concurrency"`
	RPM         int `json:"rpm"`
}

// Limits is what the caller may use; 0 is unlimited.
type Limits struct {
	MaxConcurrency int `json:"maxConcurrency"`
	MaxRPM         int `json:"maxRpm"`
}

// RetryHint advises how to try again. It is advisory.
type RetryHint struct {
	// RetryAfterMS is the recommended wait before the next attempt, in ms.
	RetryAfterMS int64 `json:"retry_after_ms"`

	// MaxAttempts is a soft cap on attempts for this failure.
	MaxAttempts int `json:"max_attempts"`

	// Backoff is "fixed" or "exponential".
	Backoff string `json:"backoff"`

	// Jitter is the fraction of the wait to vary, in [0,1).
	Jitter float64 `json:"jitter"`
}

// Suggestion is another tool to try.
type Suggestion struct {
	Tool string `json:"tool"`
}

// Option changes one field of a new envelope.
type Option func(*Envelope)

// New returns the envelope of code with the defaults of the table. Text may be
// zero: then the fixed text of the code is used.
func New(service string, code Code, text sanitize.Safe, opts ...Option) Envelope {
	row := code.row()
	if text.IsZero() {
		text = row.text
	}
	e := Envelope{Service: service, Code: row.code, Class: row.class, Status: row.status, Error: text, Sanitized: text}
	for _, o := range opts {
		o(&e)
	}
	if e.Class != Retryable && e.Class != Dependency {
		e.RetryHint = nil
		return e
	}
	if e.RetryHint == nil {
		h := hintOtherwise
		if row.hint != nil {
			h = *row.hint
		}
		if e.wait > 0 {
			h.RetryAfterMS = max(1, (e.wait + time.Millisecond - 1).Milliseconds())
		}
		e.RetryHint = &h
	}
	return e
}

// WithClass overrides the class of the code, for the refinements that the
// table cannot state (a timeout is retryable, a crash of the tool terminal).
func WithClass(c Class) Option {
	return func(e *Envelope) {
		if c != "" {
			e.Class = c
		}
	}
}

// WithStatus sets the HTTP status that the failure had; 0 keeps the table's.
func WithStatus(status int) Option {
	return func(e *Envelope) {
		if status != 0 {
			e.Status = status
		}
	}
}

// WithoutStatus is for a failure that never had an HTTP status.
func WithoutStatus() Option { return func(e *Envelope) { e.Status = 0 } }

// WithWait sets the known wait before the next attempt; 0 or less is unknown.
// It overrides retry_after_ms of the hint, if the class has one.
func WithWait(d time.Duration) Option {
	return func(e *Envelope) {
		if d <= 0 {
			return
		}
		e.RetryAfter, e.wait = Seconds(d), d
	}
}

// WithNumbers sets what the caller uses and may use.
func WithNumbers(c Current, l Limits) Option {
	return func(e *Envelope) { e.Current, e.Limits = &c, &l }
}

// WithHint sets the whole hint, as a server behind the gateway gave it.
func WithHint(h RetryHint) Option { return func(e *Envelope) { e.RetryHint = &h } }

// WithSuggestion sets the field alone, as a gateway behind this one gave it. The
// caller has checked the name; an empty one changes nothing.
func WithSuggestion(tool string) Option {
	return func(e *Envelope) {
		if tool != "" {
			e.Suggestion = &Suggestion{Tool: tool}
		}
	}
}

// Suggest names another tool to try, which is the operator's choice for the
// code: in its field, and in the last sentence of the text. An empty name, or
// one that is no identifier, changes nothing.
func (e *Envelope) Suggest(tool string) {
	name, ok := sanitize.Ident(tool)
	if !ok {
		return
	}
	e.Suggestion = &Suggestion{Tool: tool}
	if s, ok := sanitize.Compose("Try the tool '%s' instead.", name); ok {
		e.Sanitized = sanitize.Ending(e.Sanitized, s)
		e.Error = e.Sanitized
	}
}

// Seconds rounds a wait up to whole seconds, at least 1.
func Seconds(d time.Duration) int {
	return max(1, int((d+time.Second-1)/time.Second))
}
