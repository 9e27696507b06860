package caddyfile

import (
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
	"github.com/caddymcp/gateway/policy"
)

// parseLimit reads
//
//	limit [<name>] {
//		key <placeholder...>
//		rpm <n|placeholder>
//		concurrency <n|placeholder>
//		tools <pattern...>
//		cost <tool pattern> <n>
//		shadow
//	}
func parseLimit(h httpcaddyfile.Helper, gw *caddymodule.Handler) error {
	l := new(caddymodule.Limit)
	switch args := h.RemainingArgs(); len(args) {
	case 0:
	case 1:
		l.Name = args[0]
	default:
		return h.ArgErr()
	}
	for _, other := range gw.Limits {
		if other.Name == l.Name {
			return h.Errf("duplicate limit '%s'", l.Name)
		}
	}
	err := block(h, func(option string) (err error) {
		switch option {
		case "key":
			l.Key, err = someArgs(h)
		case "rpm":
			l.RPM, err = amountArg(h)
		case "concurrency":
			l.Concurrency, err = amountArg(h)
		case "tools":
			l.Tools, err = patternArgs(h)
		case "cost":
			err = parseCost(h, l)
		case "shadow":
			l.Shadow = true
			err = noArgs(h)
		default:
			err = h.Errf("unrecognized option '%s' of limit", option)
		}
		return err
	}, "cost")
	if err != nil {
		return err
	}
	if l.RPM == "" && l.Concurrency == "" {
		return h.Errf("limit '%s' sets neither rpm nor concurrency", l.Name)
	}
	gw.Limits = append(gw.Limits, l)
	return nil
}

// maxAmount bounds rpm and concurrency, as the module does.
const maxAmount = 1 << 20

// amountArg reads a positive whole number, or a text with a placeholder.
func amountArg(h httpcaddyfile.Helper) (string, error) {
	s, err := oneArg(h)
	if err != nil {
		return "", err
	}
	if strings.Contains(s, "{") {
		return s, nil
	}
	if n, err := strconv.Atoi(s); err != nil || n < 1 || n > maxAmount {
		return "", h.Errf("invalid number '%s': must be a whole number from 1 to %d, or a placeholder", s, maxAmount)
	}
	return s, nil
}

func patternArgs(h httpcaddyfile.Helper) ([]string, error) {
	patterns, err := someArgs(h)
	if err != nil {
		return nil, err
	}
	for _, p := range patterns {
		if _, err := policy.ParsePattern(p); err != nil {
			return nil, h.Errf("invalid pattern '%s': %v", p, err)
		}
	}
	return patterns, nil
}

func parseCost(h httpcaddyfile.Helper, l *caddymodule.Limit) error {
	var tool, units string
	if !h.AllArgs(&tool, &units) {
		return h.ArgErr()
	}
	if _, err := policy.ParsePattern(tool); err != nil {
		return h.Errf("invalid pattern '%s': %v", tool, err)
	}
	n, err := strconv.Atoi(units)
	if err != nil || n < 0 || n > 1<<20 {
		return h.Errf("invalid cost '%s': must be a whole number, at least 0", units)
	}
	l.Costs = append(l.Costs, &caddymodule.LimitCost{Match: tool, Units: n})
	return nil
}
