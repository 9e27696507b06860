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
	err := block(h, func(option string) (err error) {
		switch option {
		case "allow":
			var networks []string
			networks, err = networkArgs(h)
			g.Allow = append(g.Allow, networks...)
		case "resolve":
			g.Resolve, err = wordArg(h, "on", "off")
		default:
			err = h.Errf("unrecognized option '%s' of ssrf_guard", option)
		}
		return err
	}, "allow")
	if err != nil {
		return nil, err
	}
	return g, nil
}

func networkArgs(h httpcaddyfile.Helper) ([]string, error) {
	networks, err := someArgs(h)
	for _, n := range networks {
		if _, err := policy.ParseNetwork(n); err != nil {
			return nil, h.Errf("invalid network: %v", err)
		}
	}
	return networks, err
}
