package caddyfile

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
	"github.com/caddymcp/gateway/policy"
)

// parseSSRFGuard reads
//
//	ssrf_guard [<argument...>] {
//		allow <cidr...>
//		resolve on | off
//	}
func parseSSRFGuard(h httpcaddyfile.Helper) (*caddymodule.SSRFGuard, error) {
	g := &caddymodule.SSRFGuard{Arguments: h.RemainingArgs()}
	for _, a := range g.Arguments {
		if _, err := policy.ParseArgument(a); err != nil {
			return nil, h.Errf("invalid argument of ssrf_guard: %v", err)
		}
	}
	resolved := make(options)
	for nesting := h.Nesting(); h.NextBlock(nesting); {
		option := h.Val()
		var err error
		switch option {
		case "allow":
			var networks []string
			if networks, err = someArgs(h); err != nil {
				return nil, err
			}
			for _, n := range networks {
				if _, err := policy.ParseNetwork(n); err != nil {
					return nil, h.Errf("invalid network: %v", err)
				}
			}
			g.Allow = append(g.Allow, networks...)
		case "resolve":
			if err = resolved.once(h, option); err == nil {
				g.Resolve, err = wordArg(h, "on", "off")
			}
		default:
			err = h.Errf("unrecognized option '%s' of ssrf_guard", option)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}
