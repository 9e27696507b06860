package caddyfile

import (
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/caddymcp/gateway/caddymodule"
)

// parseBreaker reads
//
//	breaker {
//		failures <n>
//		cooldown <duration> | manual
//		scope tool | key | session
//		count <class...> | any
//	}
func parseBreaker(h httpcaddyfile.Helper) (*caddymodule.Breaker, error) {
	if err := noArgs(h); err != nil {
		return nil, err
	}
	b := new(caddymodule.Breaker)
	err := block(h, func(option string) (err error) {
		switch option {
		case "failures":
			b.Failures, err = countArg(h)
		case "cooldown":
			err = parseCooldown(h, b)
		case "scope":
			b.Scope, err = wordArg(h, "tool", "key", "session")
		case "count":
			b.Count, err = classArgs(h)
		default:
			err = h.Errf("unrecognized option '%s' of breaker", option)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func parseCooldown(h httpcaddyfile.Helper, b *caddymodule.Breaker) error {
	s, err := oneArg(h)
	if err != nil {
		return err
	}
	if s == "manual" {
		b.Manual = true
		return nil
	}
	d, err := caddy.ParseDuration(s)
	if err != nil || d < 10*time.Millisecond || d > 24*time.Hour {
		return h.Errf("invalid cooldown '%s': must be a duration from 10ms to 24h, or manual", s)
	}
	b.Cooldown = caddy.Duration(d)
	return nil
}

// classes are those of failures, as envelopes have them.
var classes = []string{"validation", "permission", "retryable", "dependency", "terminal"}

// classArgs reads some of them, or any. A comma separates as well as a space.
func classArgs(h httpcaddyfile.Helper) ([]string, error) {
	args, err := someArgs(h)
	if err != nil {
		return nil, err
	}
	args = strings.Split(strings.Join(args, ","), ",")
	if len(args) == 1 && args[0] == "any" {
		return args, nil
	}
	for i, c := range args {
		if !slices.Contains(classes, c) {
			return nil, h.Errf("unknown class '%s': must be some of %v, or any alone", c, classes)
		}
		if slices.Contains(args[:i], c) {
			return nil, h.Errf("duplicate class '%s'", c)
		}
	}
	return args, nil
}
