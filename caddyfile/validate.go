package caddyfile

import (
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// validateArgs reads
//
//	validate arguments | results …
func validateArgs(h httpcaddyfile.Helper) ([]string, error) {
	args, err := someArgs(h)
	if err != nil {
		return nil, err
	}
	for i, a := range args {
		if a != "arguments" && a != "results" {
			return nil, h.Errf("invalid value '%s': validate takes arguments, results or both", a)
		}
		if slices.Contains(args[:i], a) {
			return nil, h.Errf("duplicate value '%s'", a)
		}
	}
	return args, nil
}
