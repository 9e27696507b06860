package policy

import (
	"errors"
	"fmt"
	"strings"
)

// ArgumentPattern selects arguments of a call: a name ("url", "*_url"), which
// matches at any depth, or a JSON Pointer with globs (RFC 6901, "/items/*/url"),
// which starts at the arguments object. A match covers all that is in it.
type ArgumentPattern struct {
	text    string
	pointer bool
	tokens  []Pattern
}

const maxPointer = 16

// ParseArgument compiles the name or the pointer of an argument.
func ParseArgument(text string) (ArgumentPattern, error) {
	a := ArgumentPattern{text: text, pointer: strings.HasPrefix(text, "/")}
	names := []string{text}
	if a.pointer {
		names = strings.Split(text[1:], "/")
	}
	if text == "" || text == "/" {
		return ArgumentPattern{}, errors.New("empty argument pattern")
	}
	if len(names) > maxPointer {
		return ArgumentPattern{}, fmt.Errorf("argument pattern %q has %d parts, at most %d are allowed", text, len(names), maxPointer)
	}
	for _, n := range names {
		if a.pointer {
			n = strings.ReplaceAll(strings.ReplaceAll(n, "~1", "/"), "~0", "~")
		}
		p, err := ParsePattern(n)
		if err != nil {
			return ArgumentPattern{}, fmt.Errorf("argument pattern %q: %w", text, err)
		}
		a.tokens = append(a.tokens, p)
	}
	return a, nil
}

// String returns the pattern as it was written.
func (a ArgumentPattern) String() string { return a.text }

// match compares with a path of names, and indexes in brackets.
func (a ArgumentPattern) match(path []string) bool {
	if len(path) == 0 {
		return false
	}
	if !a.pointer {
		return a.tokens[0].Match(path[len(path)-1])
	}
	if len(path) != len(a.tokens) {
		return false
	}
	for i, p := range path {
		if !a.tokens[i].Match(p) && !a.tokens[i].Match(strings.Trim(p, "[]")) {
			return false
		}
	}
	return true
}
