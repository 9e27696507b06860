package classify

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// tier is the precedence of a cause when several match: a lower tier wins, and
// within the tiers from tierInfra on the sentence that comes first.
type tier int

// The tiers: SSRF wording, then limits over time, capacity, switched off; then,
// below an HTTP status that the text shows, the semantic causes; then prose.
const (
	tierOutput   tier = iota // the result broke the output schema
	tierSSRF                 // a private address was refused
	tierLimit                // limits over time
	tierCapacity             // too much at the same time
	tierDisabled             // switched off
	tierInfra                // what lies between the tool and its service
	tierMeaning              // what the service said
	tierProse                // reason phrases of HTTP without a number
	tierVague                // words that only hint
)

// cause is one entry of the catalogue: what a phrase means.
type cause struct {
	// id is stable; it appears in Verdict.Rule.
	id   string
	tier tier
	code envelope.Code

	// class overrides the code's own class; "" does not.
	class envelope.Class

	// lead is the first sentence; zero is the code's (see leads).
	lead sanitize.Safe

	// advice is the last sentence; zero is the class's (see advices).
	advice sanitize.Safe

	// phrases are lower-case, one per line. They match whole words; "…" spans a
	// few words of the same line, a final "*" lets the last word go on, a first
	// "*" matches the end of a word.
	phrases string

	// unless is a list of the same form; a hit of it in the text cancels the
	// cause.
	unless string
}

// catalogue is the whole catalogue in the order in which equal hits win.
var catalogue = concat(limitCauses, accessCauses, infraCauses, absentCauses, argumentCauses, crashCauses, proseCauses)

func concat(lists ...[]cause) []cause {
	var out []cause
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// phrases finds the causes in a text; cancels finds what cancels them.
var phrases, cancels = compile(catalogue)

func compile(causes []cause) (*matcher, *matcher) {
	m, c := &matcher{first: map[string][]phrase{}}, &matcher{first: map[string][]phrase{}}
	for i := range causes {
		for l := range strings.SplitSeq(causes[i].phrases, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				m.add(l, i)
			}
		}
		for l := range strings.SplitSeq(causes[i].unless, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				c.add(l, i)
			}
		}
	}
	return m, c
}
