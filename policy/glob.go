package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPattern is the longest pattern, in bytes. Tool names have at most 128
// characters (MCP 2025-11-25, server/tools, tool names).
const MaxPattern = 256

// Pattern is a compiled glob on a tool name, safe for concurrent use. The zero
// Pattern matches only the empty name.
//
// "*" stands for any run of characters, "?" for one character, "[a-z_]" for one
// of a class and "[!a-z]" or "[^a-z]" for one outside it; a backslash takes the
// next character literally. Case counts. A match takes at most
// len(pattern) × len(name) steps, whatever the pattern is.
type Pattern struct {
	text  string
	parts []part
	plain bool // no wildcard: compare
	lit   string
}

type part struct {
	kind   partKind
	char   rune
	ranges [][2]rune
	negate bool
}

type partKind uint8

const (
	partChar partKind = iota
	partOne
	partClass
	partRun
)

// ParsePattern compiles a pattern. The error says what is wrong and where.
func ParsePattern(text string) (Pattern, error) {
	if text == "" {
		return Pattern{}, errors.New("empty tool pattern")
	}
	if len(text) > MaxPattern {
		return Pattern{}, fmt.Errorf("tool pattern is %d bytes long, at most %d are allowed", len(text), MaxPattern)
	}
	if !utf8.ValidString(text) {
		return Pattern{}, errors.New("tool pattern is not valid UTF-8")
	}
	p := Pattern{text: text, plain: true}
	var lit strings.Builder
	rs := []rune(text)
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return Pattern{}, fmt.Errorf("tool pattern %q: white space or a control character at character %d", text, i+1)
		case r == '*':
			p.plain = false
			if n := len(p.parts); n == 0 || p.parts[n-1].kind != partRun {
				p.parts = append(p.parts, part{kind: partRun})
			}
		case r == '?':
			p.plain = false
			p.parts = append(p.parts, part{kind: partOne})
		case r == '[':
			c, next, err := parseClass(rs, i)
			if err != nil {
				return Pattern{}, fmt.Errorf("tool pattern %q: %w", text, err)
			}
			p.plain = false
			p.parts = append(p.parts, c)
			i = next
		case r == '\\':
			if i+1 == len(rs) {
				return Pattern{}, fmt.Errorf("tool pattern %q: ends in a backslash", text)
			}
			i++
			lit.WriteRune(rs[i])
			p.parts = append(p.parts, part{kind: partChar, char: rs[i]})
		default:
			lit.WriteRune(r)
			p.parts = append(p.parts, part{kind: partChar, char: r})
		}
	}
	if p.plain {
		p.lit = lit.String()
	}
	return p, nil
}

// parseClass reads the class that starts at rs[i] == '[' and returns the index
// of its closing bracket.
func parseClass(rs []rune, i int) (part, int, error) {
	start := i + 1
	c := part{kind: partClass}
	i++
	if i < len(rs) && (rs[i] == '!' || rs[i] == '^') {
		c.negate = true
		i++
	}
	take := func() (rune, bool) {
		if i < len(rs) && rs[i] == '\\' {
			i++
		}
		if i >= len(rs) {
			return 0, false
		}
		r := rs[i]
		i++
		return r, true
	}
	for i < len(rs) && rs[i] != ']' {
		lo, ok := take()
		if !ok {
			break
		}
		hi := lo
		if i+1 < len(rs) && rs[i] == '-' && rs[i+1] != ']' {
			i++
			if hi, ok = take(); !ok {
				break
			}
		}
		if hi < lo {
			return part{}, 0, fmt.Errorf("class at character %d has a range that runs backwards (%c-%c)", start, lo, hi)
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	if i >= len(rs) {
		return part{}, 0, fmt.Errorf("class at character %d is not closed with ]", start)
	}
	if len(c.ranges) == 0 {
		return part{}, 0, fmt.Errorf("class at character %d is empty", start)
	}
	return c, i, nil
}

// ParsePatterns compiles several patterns; the first error wins.
func ParsePatterns(texts ...string) ([]Pattern, error) {
	out := make([]Pattern, 0, len(texts))
	for _, t := range texts {
		p, err := ParsePattern(t)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Literal returns the only name that p matches, when it has no wildcard.
func (p Pattern) Literal() (string, bool) { return p.lit, p.plain }

// Match reports whether p matches the whole name. It does not allocate.
func (p Pattern) Match(name string) bool {
	if p.plain || len(p.parts) == 0 {
		return p.lit == name
	}
	// Greedy with one point of return: only the last "*" can need more.
	at, i, star, mark := 0, 0, -1, 0
	for i < len(name) {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case at < len(p.parts) && p.parts[at].kind == partRun:
			star, mark = at, i
			at++
		case at < len(p.parts) && p.parts[at].matches(r):
			at++
			i += size
		case star >= 0:
			_, skip := utf8.DecodeRuneInString(name[mark:])
			mark += skip
			at, i = star+1, mark
		default:
			return false
		}
	}
	for at < len(p.parts) && p.parts[at].kind == partRun {
		at++
	}
	return at == len(p.parts)
}

func (c part) matches(r rune) bool {
	switch c.kind {
	case partChar:
		return c.char == r
	case partOne:
		return true
	case partClass:
		for _, g := range c.ranges {
			if g[0] <= r && r <= g[1] {
				return !c.negate
			}
		}
		return c.negate
	}
	return false
}

// Patterns is a set of patterns. Those without a wildcard are found by name at
// once, however many they are: a list of tools is filtered by a list of names.
// The zero Patterns matches nothing.
type Patterns struct {
	names map[string]struct{}
	globs []Pattern
}

// NewPatterns makes a set of patterns.
func NewPatterns(ps []Pattern) Patterns {
	s := Patterns{names: map[string]struct{}{}}
	for _, p := range ps {
		if name, ok := p.Literal(); ok {
			s.names[name] = struct{}{}
		} else {
			s.globs = append(s.globs, p)
		}
	}
	return s
}

// Empty reports whether there is no pattern in the set.
func (s Patterns) Empty() bool { return len(s.names)+len(s.globs) == 0 }

// Match reports whether a pattern of the set matches the whole name. It does
// not allocate.
func (s Patterns) Match(name string) bool {
	if _, ok := s.names[name]; ok {
		return true
	}
	return len(s.globs) > 0 && matchAny(s.globs, name)
}

func matchAny(ps []Pattern, name string) bool {
	for _, p := range ps {
		if p.Match(name) {
			return true
		}
	}
	return false
}
