// Package caddyfile turns the mcp_gateway directive into the configuration of
// the handler. Each block of the directive has a file of its own.
package caddyfile

import (
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"

	"github.com/caddymcp/gateway/caddymodule"
)

func init() {
	httpcaddyfile.RegisterDirective("mcp_gateway", parseRoute)
	// Before reverse_proxy it would be left out by `handle { reverse_proxy }`:
	// handle and route are sorted before it. So it goes in front of invoke,
	// the first of them: after authentication, inside encode, and around both.
	httpcaddyfile.RegisterDirectiveOrder("mcp_gateway", httpcaddyfile.Before, "invoke")
}

// parse reads the directive:
//
//	mcp_gateway [<matcher>] {
//		service <name>
//		versions <version...>
//		stateless
//		allowed_origins <origin...>
//		allowed_hosts <host...>
//		max_request_body <size>
//		max_response_body <size>
//		timeout <duration>
//		auth bearer | keys <file> { … }
//		caller <placeholder...>
//		count tools/call | all
//		max_streams <n>
//		limits memory | redis <address...> { … }
//		limit [<name>] { … }
//		breaker { … }
//		tools [<matcher>] { … }
//		ssrf_guard [<argument...>] { … }
//		validate arguments | results …
//		schemas learn | fetch
//		tool <pattern...> { … }
//		errors { … }
//	}
func parse(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	gw := new(caddymodule.Handler)
	h.Next() // the name of the directive
	if h.NextArg() {
		return nil, h.Errf("unexpected argument '%s': mcp_gateway takes a matcher and a block", h.Val())
	}
	err := block(h, func(option string) error { return parseOption(h, gw, option) }, "tool", "tools", "limit")
	if err != nil {
		return nil, err
	}
	return gw, nil
}

func parseOption(h httpcaddyfile.Helper, gw *caddymodule.Handler, option string) (err error) {
	switch option {
	case "service":
		gw.Service, err = oneArg(h)
	case "versions":
		gw.Versions, err = someArgs(h)
	case "stateless":
		gw.Stateless = true
		err = noArgs(h)
	case "allowed_origins":
		gw.AllowedOrigins, err = someArgs(h)
	case "allowed_hosts":
		gw.AllowedHosts, err = someArgs(h)
	case "max_request_body":
		gw.MaxRequestBody, err = sizeArg(h)
	case "max_response_body":
		gw.MaxResponseBody, err = sizeArg(h)
	case "timeout":
		gw.Timeout, err = durationArg(h)
	case "auth":
		gw.Auth, err = parseAuth(h)
	case "caller":
		gw.Caller, err = someArgs(h)
	case "count":
		gw.Count, err = wordArg(h, "tools/call", "all")
	case "max_streams":
		gw.MaxStreams, err = countArg(h)
	case "limits":
		gw.LimitsRaw, err = parseLimits(h)
	case "limit":
		err = parseLimit(h, gw)
	case "breaker":
		gw.Breaker, err = parseBreaker(h)
	case "tools":
		err = parseTools(h, gw)
	case "ssrf_guard":
		gw.SSRFGuard, err = parseSSRFGuard(h)
	case "validate":
		gw.Checks, err = validateArgs(h)
	case "schemas":
		gw.Schemas, err = wordArg(h, "learn", "fetch")
	case "tool":
		err = parseTool(h, gw)
	case "errors":
		gw.Errors, err = parseErrors(h)
	default:
		err = h.Errf("unrecognized option '%s' of mcp_gateway", option)
	}
	return err
}

// block reads the options of a block, each at most once, except those that repeat.
func block(h httpcaddyfile.Helper, parse func(option string) error, repeat ...string) error {
	seen := make(map[string]bool)
	for nesting := h.Nesting(); h.NextBlock(nesting); {
		option := h.Val()
		if seen[option] && !slices.Contains(repeat, option) {
			return h.Errf("duplicate option '%s'", option)
		}
		seen[option] = true
		if err := parse(option); err != nil {
			return err
		}
	}
	return nil
}

func noArgs(h httpcaddyfile.Helper) error {
	if h.NextArg() {
		return h.ArgErr()
	}
	return nil
}

func oneArg(h httpcaddyfile.Helper) (string, error) {
	var s string
	if !h.AllArgs(&s) || s == "" {
		return "", h.ArgErr()
	}
	return s, nil
}

func someArgs(h httpcaddyfile.Helper) ([]string, error) {
	args := h.RemainingArgs()
	if len(args) == 0 {
		return nil, h.ArgErr()
	}
	return args, nil
}

func sizeArg(h httpcaddyfile.Helper) (int64, error) {
	s, err := oneArg(h)
	if err != nil {
		return 0, err
	}
	n, err := humanize.ParseBytes(s)
	if err != nil || n == 0 || n > 1<<40 {
		return 0, h.Errf("invalid size '%s': must be a positive size such as 256KiB", s)
	}
	return int64(n), nil
}

func durationArg(h httpcaddyfile.Helper) (caddy.Duration, error) {
	s, err := oneArg(h)
	if err != nil {
		return 0, err
	}
	if s == "off" {
		return -1, nil
	}
	d, err := caddy.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, h.Errf("invalid duration '%s': must be positive, such as 30s, or off", s)
	}
	return caddy.Duration(d), nil
}

// wordArg reads one argument that is one of a few words.
func wordArg(h httpcaddyfile.Helper, words ...string) (string, error) {
	s, err := oneArg(h)
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if s == w {
			return s, nil
		}
	}
	return "", h.Errf("invalid value '%s': must be one of %v", s, words)
}
