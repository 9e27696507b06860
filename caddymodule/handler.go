// Package caddymodule is the Caddy side of the gateway: the HTTP handler
// http.handlers.mcp_gateway and everything that needs Caddy. The rules stand in
// transport, policy, limits and normalize, which know nothing of Caddy.
package caddymodule

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/schema"
	"github.com/caddymcp/gateway/policy"
	"github.com/caddymcp/gateway/transport"
)

func init() { caddy.RegisterModule(&Handler{}) }

// The defaults of the handler.
const (
	defaultMaxRequestBody  = 256 << 10
	defaultMaxResponseBody = 8 << 20
	defaultTimeout         = 5 * time.Minute
	maxKnownTools          = 4096
)

// Handler is a gateway in front of an MCP (Model Context Protocol) server. It
// checks the transport rules of MCP, and turns every failure of the server,
// its network or the gateway itself into one envelope that an agent can act on
// and that leaks nothing. Successes pass through byte for byte.
//
// It goes in front of a `reverse_proxy` (or any other handler) that reaches the
// MCP server; both protocol eras are understood, the stateless 2026-07-28 and
// the versions from 2024-10-07 to 2025-11-25 with their sessions and streams.
// Traffic that is not MCP (a health check, `/.well-known/`) passes untouched.
//
// The gateway reads the whole request body before it calls the next handler,
// asks the server for `Accept-Encoding: identity`, and ignores
// `Cache-Control: no-transform`, which MCP SDKs send on every stream.
//
// The handler makes these placeholders available:
//
// Placeholder | Description
// ------------|---------------
// `{http.mcp_gateway.method}` | The JSON-RPC method of the request; `batch` for a batch
// `{http.mcp_gateway.tool}` | The name of the tool that is called
// `{http.mcp_gateway.service}` | The service behind the gateway
// `{http.mcp_gateway.era}` | `modern` for 2026-07-28 and later, else `legacy`
// `{http.mcp_gateway.code}` | The code of the failure, after the answer, if there was one
// `{http.mcp_gateway.error_class}` | The class of the failure, likewise
// `{http.mcp_gateway.key_hash}` | A keyed hash of the caller, when limits are in force
// `{http.mcp_gateway.limit}` | The name of the limit that refused the request
//
// Method and tool are words of the client: they are cut at 128 bytes and hold
// printable ASCII only.
type Handler struct {
	// The name of the service behind the gateway, as it stands in every
	// envelope. Default: `mcp`.
	Service string `json:"service,omitempty"`

	// The protocol versions that are accepted, in the order in which a refusal
	// lists them. Default: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26,
	// 2024-11-05, 2024-10-07.
	Versions []string `json:"versions,omitempty"`

	// Whether GET and DELETE are refused with 405, because the server keeps
	// neither sessions nor streams.
	Stateless bool `json:"stateless,omitempty"`

	// Origins that may send requests besides the request's own host, such as
	// `https://app.example.com` or `https://*.example.com`. A request without
	// an Origin header always passes: browsers send one. `*` admits every
	// origin and thereby gives up the defence against DNS rebinding.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`

	// Host names that requests may be addressed to, with or without a port.
	// Default: every name; only loopback names on connections that arrive on
	// a loopback address.
	AllowedHosts []string `json:"allowed_hosts,omitempty"`

	// The largest request body in bytes. A larger one is refused with 413.
	// Default: 256 KiB.
	MaxRequestBody int64 `json:"max_request_body,omitempty"`

	// The most bytes of an answer that are held to look at one message. A
	// JSON answer above it is refused with an envelope and the server's answer
	// is cancelled; so is a larger event of a stream, if it is the answer to a
	// request. Default: 8 MiB.
	MaxResponseBody int64 `json:"max_response_body,omitempty"`

	// How long the server may be silent on a call. Comments that keep a stream
	// alive do not break the silence; messages do. Streams that only listen
	// have no timeout. Default: 5m. Negative: no timeout.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// What every request must carry. Default: nothing.
	Auth *Auth `json:"auth,omitempty"`

	// Options for single tools. The first rule that matches a tool and sets an
	// option decides that option.
	Tools []*ToolRule `json:"tools,omitempty"`

	// Which tools which callers see. Default: everybody sees all.
	ToolViews []*ToolView `json:"tool_views,omitempty"`

	// When a tool that keeps failing is left alone. Default: never.
	Breaker *Breaker `json:"breaker,omitempty"`

	// Which arguments must not point into private networks. Default: none.
	SSRFGuard *SSRFGuard `json:"ssrf_guard,omitempty"`

	// What is checked against the schemas of the tools: `arguments` before the
	// call, `results` after it. What is not known is not checked.
	Checks []string `json:"validate,omitempty"`

	// Where schemas come from: `learn` from the lists that pass, `fetch` also by
	// asking the server before the first call of a caller who has not listed
	// the tools, with the caller's credentials. Default: `learn`.
	Schemas string `json:"schemas,omitempty"`

	// How failures look.
	Errors *Errors `json:"errors,omitempty"`

	// Where calls are counted, and where breakers and switches are kept.
	// Default: `memory`.
	LimitsRaw json.RawMessage `json:"limits,omitempty" caddy:"namespace=http.mcp_gateway.limits inline_key=backend"`

	// The limits. All that apply to a call must admit it. At most 8.
	Limits []*Limit `json:"limit,omitempty"`

	// Who sent a request, for limits, breakers and logs: the first of these
	// texts all of whose placeholders have a value, else the client's IP
	// address (of IPv6 the /64). Default: the authenticated user
	// `{http.auth.user.id}`, then the bearer token.
	//
	// A token that nothing has checked can be changed at will, and with it the
	// count: put an authentication handler or `auth` in front.
	Caller []string `json:"caller,omitempty"`

	// Which requests limits count: `tools/call`, or `all` except the handshake,
	// discovery, `ping`, notifications and streams that listen, which are never
	// refused for limits. Default: `tools/call`.
	Count string `json:"count,omitempty"`

	// The most streams that only listen per caller. They take no slot of
	// `concurrency`. Default: no limit.
	MaxStreams int `json:"max_streams,omitempty"`

	ctx     caddy.Context
	logger  *zap.Logger
	events  *caddyevents.App
	rules   *transport.Rules
	service string
	norm    *normalize.Normalizer
	schemas *schema.Store
	metrics *metrics
	store   LimitsModule // set when stores were opened
	stores  *backend
	streams *limitMetrics

	callerKeys []callerKey

	engine      *policy.Engine
	breaker     limits.Breaker
	authServers []string
	fetched     fetched

	listeners listeners

	// privateLists is true once a list was learned that is one caller's own.
	privateLists atomic.Bool

	// upstreamVersions are what the server said it speaks (server/discover).
	upstreamVersions atomic.Pointer[[]string]
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.mcp_gateway",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.ctx, h.logger = ctx, ctx.Logger()
	repl := caddy.NewReplacer()

	var err error
	if h.service, err = replaced(repl, "service", h.Service); err != nil {
		return err
	}
	if h.MaxRequestBody == 0 {
		h.MaxRequestBody = defaultMaxRequestBody
	}
	if h.MaxResponseBody == 0 {
		h.MaxResponseBody = defaultMaxResponseBody
	}
	if h.Timeout == 0 {
		h.Timeout = caddy.Duration(defaultTimeout)
	}
	if h.Errors == nil {
		h.Errors = new(Errors)
	}
	h.Errors.defaults()
	if err := h.Errors.provision(repl); err != nil {
		return fmt.Errorf("errors: %w", err)
	}

	h.rules = &transport.Rules{Versions: h.Versions, Stateless: h.Stateless, MaxBody: h.MaxRequestBody}
	if h.rules.AllowedOrigins, err = replacedAll(repl, "allowed_origins", h.AllowedOrigins); err != nil {
		return err
	}
	if h.rules.AllowedHosts, err = replacedAll(repl, "allowed_hosts", h.AllowedHosts); err != nil {
		return err
	}
	if h.Auth != nil {
		if h.rules.Bearer, h.authServers, err = h.Auth.provision(ctx, repl, h.serviceName()); err != nil {
			return err
		}
	}
	h.rules.Defaults()

	for i, t := range h.Tools {
		if err := t.provision(repl); err != nil {
			return fmt.Errorf("tool rule %d: %w", i, err)
		}
	}

	h.norm = h.Errors.normalizer()
	h.schemas = schema.NewStore(maxKnownTools)
	h.metrics = newMetrics(ctx)

	registerStoreMetrics(ctx)
	if err := h.provisionBackend(ctx); err != nil {
		return err
	}
	if err := h.provisionLimits(repl); err != nil {
		return err
	}
	if err := h.provisionPolicy(ctx, repl); err != nil {
		return err
	}

	app, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("getting events app: %w", err)
	}
	h.events = app.(*caddyevents.App)

	// A listening stream never ends by itself: without this, stopping Caddy
	// would wait for its clients as long as the grace period allows.
	if srv, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		srv.RegisterOnShutdown(func() {
			if caddy.Exiting() {
				h.listeners.endAll()
			}
		})
	}
	h.enroll() // last: from here on others may look at the handler
	return nil
}

// Validate checks the configuration.
func (h *Handler) Validate() error {
	for _, v := range h.Versions {
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return fmt.Errorf("version %q is not a date as in 2025-11-25", v)
		}
	}
	if h.MaxRequestBody < 0 {
		return fmt.Errorf("max_request_body is negative: %d", h.MaxRequestBody)
	}
	if h.MaxResponseBody < 1024 {
		return fmt.Errorf("max_response_body is less than 1 KiB: %d", h.MaxResponseBody)
	}
	if err := h.rules.Validate(); err != nil {
		return err
	}
	for i, t := range h.Tools {
		if err := t.validate(); err != nil {
			return fmt.Errorf("tool rule %d: %w", i, err)
		}
	}
	return h.Errors.validate()
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.Validator             = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
