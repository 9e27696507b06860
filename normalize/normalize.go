// Package normalize turns the answers of MCP servers into answers that an
// agent can act on: every failure, in whatever shape a server reports it,
// becomes one envelope, and every success leaves as the bytes that came.
//
// Bytes in, bytes out: the package knows neither Caddy nor an HTTP server. What
// a failure is and what may be said of it is decided in classify; here the
// answer is taken apart and put together again.
package normalize

import (
	"net/http"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/schema"
)

// DefaultService is the name of a service that the operator did not name.
const DefaultService = "mcp"

// Disguise is what happens to a success that is a failure in disguise.
type Disguise string

// The modes of Disguise; the default is DisguiseFlag.
const (
	// DisguiseOff does not look.
	DisguiseOff Disguise = "off"
	// DisguiseFlag counts and logs it, and passes it untouched.
	DisguiseFlag Disguise = "flag"
	// DisguiseRewrite turns it into an envelope.
	DisguiseRewrite Disguise = "rewrite"
)

// Call is one JSON-RPC request, as far as its answer depends on it.
type Call struct {
	// ID is the request's id as it was sent, byte for byte; nil for a
	// notification and for calls that are not known (resumed streams).
	ID []byte

	Method    string
	Tool      string // params.name of tools/call
	Arguments []byte // params.arguments of tools/call, as sent

	// Modern is true for protocol 2026-07-28 and later.
	Modern bool

	// Task is true for a task-augmented tools/call of 2025-11-25: its answer
	// must not be a plain CallToolResult.
	Task bool

	// State is true for a call that carries requestState: an error of its
	// answer is about the protocol (MCP 2026-07-28, multi round-trip requests).
	State bool

	// Service is the name in the envelope. ServiceNamed says that the
	// operator chose it: then it also replaces the name in an envelope that a
	// server behind the gateway already made.
	Service      string
	ServiceNamed bool

	// Structured says whether structuredContent may carry the envelope.
	Structured bool

	Disguised Disguise

	// Schema is what is known of the tool; nil is nothing.
	Schema *schema.Tool

	// Suggest returns the tool that the operator suggests for a code, or "".
	// It may be nil.
	Suggest func(envelope.Code) string
}

// IsToolCall reports whether the answer to the call may be a tool result.
func (c *Call) IsToolCall() bool { return c.Method == "tools/call" }

// Carrier is the HTTP answer that a message came in.
type Carrier struct {
	Status int
	Header http.Header
}

// Report says what became of one failure. Original is for the debug log alone.
type Report struct {
	Call     *Call
	Envelope envelope.Envelope

	// Rule is the rule of the classification that decided.
	Rule string

	// Removed names the rules of the sanitizer that took something out, if
	// Explain is set.
	Removed []string

	// Flagged is true when a failure in disguise was seen but not rewritten.
	Flagged bool

	// Original is the message as it came. It aliases the input.
	Original []byte
}

// Normalizer rewrites answers. It may be shared.
type Normalizer struct {
	Classifier classify.Classifier

	// Memory keeps the verdicts of the last failures; nil keeps none.
	Memory *Memory

	// Explain also reports which rules of the sanitizer took something out,
	// which costs another pass over the text.
	Explain bool
}

func (n *Normalizer) verdict(e *classify.Evidence) classify.Verdict {
	if n.Explain {
		return n.Classifier.Explain(e)
	}
	return n.Memory.verdict(&n.Classifier, e)
}

// envelope makes the envelope of a verdict for a call.
func (n *Normalizer) envelope(c *Call, v classify.Verdict) envelope.Envelope {
	var e envelope.Envelope
	if v.Envelope != nil {
		e = *v.Envelope
		if c.ServiceNamed || e.Service == "" || n.Classifier.Literals.Contains(e.Service) {
			e.Service = c.service()
		}
	} else {
		e = envelope.New(c.service(), v.Code, v.Text,
			envelope.WithClass(v.Class), envelope.WithStatus(v.Status), envelope.WithWait(v.Wait))
	}
	if c.Suggest != nil {
		e.Suggest(c.Suggest(e.Code))
	}
	return e
}

func (c *Call) service() string {
	if c.Service == "" {
		return DefaultService
	}
	return c.Service
}
