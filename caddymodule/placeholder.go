package caddymodule

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
)

// replaced resolves the placeholders of one option, such as {env.NAME}. An
// unknown or empty one is an error: a silent empty name helps nobody.
func replaced(repl *caddy.Replacer, option, s string) (string, error) {
	if s == "" {
		return "", nil
	}
	out, err := repl.ReplaceOrErr(s, true, true)
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	return out, nil
}

func replacedAll(repl *caddy.Replacer, option string, list []string) ([]string, error) {
	var out []string
	for _, s := range list {
		r, err := replaced(repl, option, s)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
