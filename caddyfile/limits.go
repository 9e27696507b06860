package caddyfile

import (
	"encoding/json"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// parseLimits reads
//
//	limits <module> …
//
// where the module, memory or redis, reads what follows its name.
func parseLimits(h httpcaddyfile.Helper) (json.RawMessage, error) {
	if !h.NextArg() {
		return nil, h.ArgErr()
	}
	name := h.Val()
	if _, err := caddy.GetModule("http.mcp_gateway.limits." + name); err != nil {
		return nil, h.Errf("unknown store of limits '%s': memory and redis are known", name)
	}
	unm, err := caddyfile.UnmarshalModule(h.Dispenser, "http.mcp_gateway.limits."+name)
	if err != nil {
		return nil, err
	}
	return caddyconfig.JSONModuleObject(unm, "backend", name, nil), nil
}
