package caddyfile

import (
	"encoding/json"
	"maps"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseRoute reads the directive and its matcher. A gateway that serves the
// protected resource metadata also has to get the requests for it, whose path
// the matcher does not match.
func parseRoute(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	if !h.Next() {
		return nil, h.ArgErr()
	}
	set, err := h.ExtractMatcherSet()
	if err != nil {
		return nil, err
	}
	gw, err := parse(h)
	if err != nil {
		return nil, err
	}
	routes := h.NewRoute(set, gw)
	if set == nil || !servesMetadata(gw.(*caddymodule.Handler)) {
		return routes, nil
	}
	documents, err := metadataSet(set)
	if err != nil {
		return nil, h.WrapErr(err)
	}
	for i, v := range routes {
		if route, ok := v.Value.(caddyhttp.Route); ok {
			route.MatcherSetsRaw = append(route.MatcherSetsRaw, documents)
			routes[i].Value = route
		}
	}
	return routes, nil
}

func servesMetadata(gw *caddymodule.Handler) bool {
	a := gw.Auth
	return a != nil && (a.Bearer != nil && len(a.Bearer.AuthorizationServers) > 0 || a.Keys != nil && len(a.Keys.AuthorizationServers) > 0)
}

// metadataSet matches the documents of what set matches: at the root, and below
// the well-known path with the path of the endpoint.
func metadataSet(set caddy.ModuleMap) (caddy.ModuleMap, error) {
	out := maps.Clone(set)
	paths := caddyhttp.MatchPath{caddymodule.MetadataPath}
	if raw, ok := set["path"]; ok {
		var own caddyhttp.MatchPath
		if err := json.Unmarshal(raw, &own); err != nil {
			return nil, err
		}
		for _, p := range own {
			if p != "" && p[0] == '/' {
				paths = append(paths, caddymodule.MetadataPath+p)
			}
		}
	} else {
		paths = append(paths, caddymodule.MetadataPath+"/*")
	}
	raw, err := json.Marshal(paths)
	if err != nil {
		return nil, err
	}
	out["path"] = raw
	return out, nil
}
