package caddyfile

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseTools reads
//
//	tools [<matcher>] {
//		allow <pattern...>
//		deny <pattern...>
//	}
func parseTools(h httpcaddyfile.Helper, gw *caddymodule.Handler) error {
	view := new(caddymodule.ToolView)
	args := h.CountRemainingArgs()
	set, matched, err := h.MatcherToken()
	if err != nil {
		return err
	}
	if set != nil {
		view.MatcherSetsRaw = caddyhttp.RawMatcherSets{set}
	}
	if matched {
		err = noArgs(h)
	} else if args > 0 {
		err = h.Errf("'%s' is no matcher: tools takes '@name', a path or '*', and a block", h.Val())
	}
	if err != nil {
		return err
	}
	err = block(h, func(option string) error {
		var list *[]string
		switch option {
		case "allow":
			list = &view.Allow
		case "deny":
			list = &view.Deny
		default:
			return h.Errf("unrecognized option '%s' of tools", option)
		}
		patterns, err := patternArgs(h)
		*list = append(*list, patterns...)
		return err
	}, "allow", "deny")
	if err != nil {
		return err
	}
	if len(view.Allow)+len(view.Deny) == 0 {
		return h.Err("tools needs allow or deny")
	}
	gw.ToolViews = append(gw.ToolViews, view)
	return nil
}
