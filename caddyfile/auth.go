package caddyfile

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseAuth reads
//
//	auth bearer {
//		realm <name>
//		resource_metadata <url>
//	}
func parseAuth(h httpcaddyfile.Helper) (*caddymodule.Auth, error) {
	kind, err := oneArg(h)
	if err != nil {
		return nil, err
	}
	if kind != "bearer" {
		return nil, h.Errf("unknown kind of auth '%s': must be bearer", kind)
	}
	b := new(caddymodule.BearerAuth)
	seen := make(options)
	for nesting := h.Nesting(); h.NextBlock(nesting); {
		option := h.Val()
		if err := seen.once(h, option); err != nil {
			return nil, err
		}
		switch option {
		case "realm":
			b.Realm, err = oneArg(h)
		case "resource_metadata":
			b.ResourceMetadata, err = oneArg(h)
		default:
			err = h.Errf("unrecognized option '%s' of auth bearer", option)
		}
		if err != nil {
			return nil, err
		}
	}
	return &caddymodule.Auth{Bearer: b}, nil
}
