package caddyfile

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseKeys reads what follows "auth keys":
//
//	<file> {
//		realm <name>
//		resource_metadata <url>
//		authorization_servers <url...>
//	}
func parseKeys(h httpcaddyfile.Helper) (*caddymodule.Auth, error) {
	k := new(caddymodule.KeysAuth)
	var err error
	if k.File, err = oneArg(h); err != nil {
		return nil, err
	}
	return &caddymodule.Auth{Keys: k}, parseChallenge(h, "keys", &k.Realm, &k.ResourceMetadata, &k.AuthorizationServers)
}

// parseChallenge reads the block of both kinds of auth.
func parseChallenge(h httpcaddyfile.Helper, kind string, realm, metadata *string, servers *[]string) error {
	return block(h, func(option string) (err error) {
		switch option {
		case "realm":
			*realm, err = oneArg(h)
		case "resource_metadata":
			*metadata, err = oneArg(h)
		case "authorization_servers":
			*servers, err = someArgs(h)
		default:
			err = h.Errf("unrecognized option '%s' of auth %s", option, kind)
		}
		return err
	})
}
