package classify

import (
	"iter"
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
	tierPair                 // two words near each other that together mean it
	tierProse                // reason phrases of HTTP without a number
	tierClass                // names of exception classes that say little
	tierVague                // words that decide nothing but show a reason
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

	// phrases are lower-case, separated by " | ". They match whole words; "…" spans a
	// few words of the same line, a final "*" lets the last word go on, a first
	// "*" matches the end of a word.
	phrases string

	// pair names two sets (see sets): a hit of each, near each other in one
	// sentence and in either order, is a hit of the cause.
	pair [2]string

	// quiet causes show nothing of the text, which has the words of one product:
	// the lead says all that is safe.
	quiet bool

	// unless is a list of the same form; a hit of it in the text cancels the
	// cause.
	unless string
}

// catalogue is the whole catalogue in the order in which equal hits win.
var catalogue = concat(limitCauses, accessCauses, infraCauses, absentCauses, duplicateCauses, argumentCauses, crashCauses, pairCauses, classCauses)

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
		for p := range patterns(causes[i].phrases) {
			m.add(p, i)
		}
		for p := range patterns(causes[i].unless) {
			c.add(p, i)
		}
	}
	for i, s := range sets {
		for p := range patterns(s.phrases) {
			m.add(p, -1-i)
		}
	}
	return m, c
}

// patterns yields the patterns of a list.
func patterns(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' || r == '\n' }) {
			if p = strings.TrimSpace(p); p != "" && !yield(p) {
				return
			}
		}
	}
}
