package caddyfile

import (
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseErrors reads
//
//	errors {
//		mode strict | lenient
//		structured_content amend | omit | always
//		disguised off | flag | rewrite
//		rejections result | jsonrpc | http
//		redact <literal...>
//		log_trace_lines <n>
//	}
func parseErrors(h httpcaddyfile.Helper) (*caddymodule.Errors, error) {
	if err := noArgs(h); err != nil {
		return nil, err
	}
	e := new(caddymodule.Errors)
	err := block(h, func(option string) (err error) {
		switch option {
		case "mode":
			e.Mode, err = wordArg(h, "strict", "lenient")
		case "structured_content":
			e.StructuredContent, err = wordArg(h, "amend", "omit", "always")
		case "disguised":
			e.Disguised, err = wordArg(h, "off", "flag", "rewrite")
		case "rejections":
			e.Rejections, err = wordArg(h, "result", "jsonrpc", "http")
		case "redact":
			e.Redact, err = someArgs(h)
		case "log_trace_lines":
			e.LogTraceLines, err = countArg(h)
		default:
			err = h.Errf("unrecognized option '%s' of errors", option)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// countArg reads one positive whole number.
func countArg(h httpcaddyfile.Helper) (int, error) {
	s, err := oneArg(h)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1<<30 {
		return 0, h.Errf("invalid number '%s': must be a positive whole number", s)
	}
	return n, nil
}
