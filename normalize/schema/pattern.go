package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxPattern  = 1 << 10 // bytes of one pattern
	maxProgram  = 4000    // instructions of one pattern, about
	maxPrograms = 16_000  // instructions of all patterns of a schema
)

var errPattern = errors.New("patterns are too large")

// expression is a compiled pattern that knows what a match costs.
type expression struct {
	*regexp.Regexp
	size int
}

// patterns compiles the patterns of one schema with Go's engine, whose time is
// linear in the text and in the size of the program. Programs are large in
// memory (some 100 bytes for an instruction) and small in text ("a{900}"), so
// their size is estimated first, and bounded for one and for all.
type patterns struct {
	known map[string]*expression
	size  int
}

// compile is the compiler's engine.
func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	if e := p.known[pattern]; e != nil {
		return e, nil
	}
	if len(pattern) > maxPattern || p.size > maxPrograms {
		return nil, errPattern
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := instructions(tree)
	if size > maxProgram {
		return nil, errPattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = map[string]*expression{}
	}
	e := &expression{re, size}
	p.known[pattern] = e
	p.size += size
	return e, nil
}

// instructions estimates the size of the program from above. Go refuses trees
// that nest deeper than 1,000, so the recursion is bounded.
func instructions(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), 1<<20)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpRepeat:
		n = (n + 1) * (max(re.Min, re.Max) + 1)
	}
	n += 2
	return min(n, 1<<20)
}
