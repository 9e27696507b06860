package caddyfile

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/policy"
)

// parseTool reads
//
//	tool <pattern...> {
//		service <name>
//		timeout <duration>
//		disguised off | flag | rewrite
//		suggest <code> <tool>
//	}
func parseTool(h httpcaddyfile.Helper, gw *caddymodule.Handler) error {
	patterns, err := someArgs(h)
	if err != nil {
		return err
	}
	for _, p := range patterns {
		if _, err := policy.ParsePattern(p); err != nil {
			return h.Errf("invalid pattern '%s': %v", p, err)
		}
	}
	rule := &caddymodule.ToolRule{Match: patterns}
	seen := make(options)
	for nesting := h.Nesting(); h.NextBlock(nesting); {
		option := h.Val()
		if option != "suggest" {
			if err := seen.once(h, option); err != nil {
				return err
			}
		}
		switch option {
		case "service":
			rule.Service, err = oneArg(h)
		case "timeout":
			rule.Timeout, err = durationArg(h)
		case "disguised":
			rule.Disguised, err = wordArg(h, "off", "flag", "rewrite")
		case "suggest":
			err = parseSuggest(h, rule)
		default:
			err = h.Errf("unrecognized option '%s' of tool", option)
		}
		if err != nil {
			return err
		}
	}
	gw.Tools = append(gw.Tools, rule)
	return nil
}

func parseSuggest(h httpcaddyfile.Helper, rule *caddymodule.ToolRule) error {
	var code, tool string
	if !h.AllArgs(&code, &tool) {
		return h.ArgErr()
	}
	if !envelope.Code(code).Known() {
		return h.Errf("unknown code '%s': must be one of %v", code, envelope.Codes())
	}
	if rule.Suggest[code] != "" {
		return h.Errf("duplicate suggestion for code '%s'", code)
	}
	if rule.Suggest == nil {
		rule.Suggest = make(map[string]string)
	}
	rule.Suggest[code] = tool
	return nil
}
