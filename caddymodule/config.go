package caddymodule

import (
	"errors"
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// Auth is what every request must carry.
type Auth struct {
	// Bearer asks for `Authorization: Bearer …` on every request. The gateway
	// checks that a token is there and well formed, not that it is valid:
	// that is the work of Caddy's authentication modules or of the server.
	Bearer *BearerAuth `json:"bearer,omitempty"`

	// Keys asks for a key that stands in a file.
	Keys *KeysAuth `json:"keys,omitempty"`
}

// BearerAuth names what the refusal of a request without a token says.
type BearerAuth struct {
	// The realm in WWW-Authenticate. Default: the service's name.
	Realm string `json:"realm,omitempty"`

	// The URL of the protected resource metadata (RFC 9728) in
	// WWW-Authenticate. Default: that of the document that the gateway serves
	// when authorization_servers is set, else none.
	ResourceMetadata string `json:"resource_metadata,omitempty"`

	// Issuers whose tokens the server takes. With them the gateway serves the
	// protected resource metadata at /.well-known/oauth-protected-resource,
	// followed by the path of the endpoint.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
}

// Errors says how failures look.
type Errors struct {
	// Mode is how much of a server's text may pass. `strict` composes every
	// sentence from known causes and checked values; `lenient` also lets one
	// masked sentence of the server through. Default: `strict`.
	Mode string `json:"mode,omitempty"`

	// StructuredContent says where the envelope goes in a failing tool result
	// besides `_meta`. `amend` puts it into `structuredContent` and rewrites
	// the `outputSchema` of tools in `tools/list` so that it admits the
	// envelope: the TypeScript SDK 1.x validates failing results too. `omit`
	// never sends it, `always` sends it and leaves schemas alone.
	// Default: `amend`.
	StructuredContent string `json:"structured_content,omitempty"`

	// Disguised is what happens to a result that says success and states a
	// failure: `off`, `flag` (metric and log only) or `rewrite`.
	// Default: `flag`.
	Disguised string `json:"disguised,omitempty"`

	// Rejections is the shape of the gateway's own refusals of calls, such as
	// an exceeded limit: `result` answers a tool call with HTTP 200 and a
	// failing tool result, which every SDK delivers to the model; `jsonrpc`
	// with HTTP 200 and a JSON-RPC error; `http` with the HTTP status of the
	// refusal and a JSON-RPC error. Default: `result`.
	Rejections string `json:"rejections,omitempty"`

	// Redact lists secrets that never may pass in any answer or log, besides
	// those that are recognised by their form. Use placeholders such as
	// {env.DB_PASSWORD}: literals stand in the config in clear.
	Redact []string `json:"redact,omitempty"`

	// LogTraceLines is how many lines of a stack trace the debug log keeps.
	// Default: 10.
	LogTraceLines int `json:"log_trace_lines,omitempty"`

	literals *sanitize.Literals
}

func (e *Errors) defaults() {
	for _, d := range []struct {
		field *string
		value string
	}{{&e.Mode, "strict"}, {&e.StructuredContent, "amend"}, {&e.Disguised, string(normalize.DisguiseFlag)}, {&e.Rejections, "result"}} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if e.LogTraceLines == 0 {
		e.LogTraceLines = 10
	}
}

func (e *Errors) normalizer() *normalize.Normalizer {
	return &normalize.Normalizer{
		Classifier: classify.Classifier{Lenient: e.Mode == "lenient", Literals: e.literals},
		Memory:     new(normalize.Memory),
	}
}

func (e *Errors) provision(repl *caddy.Replacer) error {
	secrets, err := replacedAll(repl, "redact", e.Redact)
	if err != nil {
		// The value would be a secret or its name: say only which option.
		return errors.New("redact: a placeholder is unknown or empty")
	}
	if len(secrets) > 0 {
		e.literals = sanitize.NewLiterals(secrets)
	}
	return nil
}

func (e *Errors) validate() error {
	for _, o := range []struct {
		name, value string
		allowed     []string
	}{
		{"mode", e.Mode, []string{"strict", "lenient"}},
		{"structured_content", e.StructuredContent, []string{"amend", "omit", "always"}},
		{"disguised", e.Disguised, []string{"off", "flag", "rewrite"}},
		{"rejections", e.Rejections, []string{"result", "jsonrpc", "http"}},
	} {
		if !slices.Contains(o.allowed, o.value) {
			return fmt.Errorf("errors: %s is %q, must be one of %v", o.name, o.value, o.allowed)
		}
	}
	if e.LogTraceLines < 0 {
		return fmt.Errorf("errors: log_trace_lines is negative: %d", e.LogTraceLines)
	}
	return nil
}

// ToolRule sets options for the tools that one of its patterns matches.
type ToolRule struct {
	// Patterns on the tool's name, in which `*` stands for any characters and
	// `?` for one.
	Match []string `json:"match"`

	// The service named in envelopes of these tools.
	Service string `json:"service,omitempty"`

	// How long the server may be silent on a call of these tools.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// What happens to failures in disguise of these tools: `off`, `flag`
	// or `rewrite`.
	Disguised string `json:"disguised,omitempty"`

	// The tool to suggest instead, by the code of the failure.
	Suggest map[string]string `json:"suggest,omitempty"`

	// Whether the tools are switched off, and the reason that callers are
	// shown: one line of at most 200 characters. Default: a fixed text.
	Disabled     bool   `json:"disabled,omitempty"`
	DisabledText string `json:"disabled_text,omitempty"`

	patterns []pattern
	service  string
}

func (t *ToolRule) provision(repl *caddy.Replacer) (err error) {
	if t.service, err = replaced(repl, "service", t.Service); err != nil {
		return err
	}
	t.patterns, err = parsePatterns(t.Match)
	return err
}

func (t *ToolRule) validate() error {
	if len(t.Match) == 0 {
		return errors.New("no pattern")
	}
	if t.Disguised != "" && !slices.Contains([]string{"off", "flag", "rewrite"}, t.Disguised) {
		return fmt.Errorf("disguised is %q, must be one of off, flag, rewrite", t.Disguised)
	}
	for code, tool := range t.Suggest {
		if !envelope.Code(code).Known() {
			return fmt.Errorf("suggest: unknown code %q, known are %v", code, envelope.Codes())
		}
		if _, ok := sanitize.Ident(tool); !ok {
			return fmt.Errorf("suggest: %q is not the name of a tool", tool)
		}
	}
	return nil
}
