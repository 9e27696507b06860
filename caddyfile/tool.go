package caddyfile

import (
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// parseTool reads
//
//	tool <pattern...> {
//		service <name>
//		timeout <duration>
//		disguised off | flag | rewrite
//		suggest <code> <tool>
//		disabled [<text>]
//	}
func parseTool(h httpcaddyfile.Helper, gw *caddymodule.Handler) error {
	patterns, err := patternArgs(h)
	if err != nil {
		return err
	}
	rule := &caddymodule.ToolRule{Match: patterns}
	err = block(h, func(option string) (err error) {
		switch option {
		case "service":
			rule.Service, err = oneArg(h)
		case "timeout":
			rule.Timeout, err = durationArg(h)
		case "disguised":
			rule.Disguised, err = wordArg(h, "off", "flag", "rewrite")
		case "suggest":
			err = parseSuggest(h, rule)
		case "disabled":
			err = parseDisabled(h, rule)
		default:
			err = h.Errf("unrecognized option '%s' of tool", option)
		}
		return err
	}, "suggest")
	if err != nil {
		return err
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

// parseDisabled reads the reason that callers are shown, if there is one.
func parseDisabled(h httpcaddyfile.Helper, rule *caddymodule.ToolRule) error {
	rule.Disabled = true
	if !h.NextArg() {
		return nil
	}
	rule.DisabledText = h.Val()
	if err := noArgs(h); err != nil {
		return err
	}
	if strings.Contains(rule.DisabledText, "{") {
		return nil // placeholders are resolved when the config is loaded
	}
	if _, err := sanitize.Operator(rule.DisabledText); err != nil {
		return h.Errf("disabled: %v", err)
	}
	return nil
}
