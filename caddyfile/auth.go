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
//		authorization_servers <url...>
//	}
//
// or auth keys, see parseKeys.
func parseAuth(h httpcaddyfile.Helper) (*caddymodule.Auth, error) {
	if !h.NextArg() {
		return nil, h.ArgErr()
	}
	switch kind := h.Val(); kind {
	case "bearer":
		if err := noArgs(h); err != nil {
			return nil, err
		}
		b := new(caddymodule.BearerAuth)
		return &caddymodule.Auth{Bearer: b}, parseChallenge(h, kind, &b.Realm, &b.ResourceMetadata, &b.AuthorizationServers)
	case "keys":
		return parseKeys(h)
	default:
		return nil, h.Errf("unknown kind of auth '%s': must be bearer or keys", kind)
	}
}
