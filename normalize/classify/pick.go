package classify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// picker answers "which cause of these tiers comes first".
type picker struct {
	d         *doc
	cancelled map[int]bool
	issue     issue
	hasIssue  bool
}

func newPicker(d *doc, e *Evidence) *picker {
	p := &picker{d: d}
	d.sentences = sentenceStarts(d.low)
	d.asides = make([]bool, len(d.sentences))
	for i, start := range d.sentences {
		end := len(d.low)
		if i+1 < len(d.sentences) {
			end = d.sentences[i+1]
		}
		d.asides[i] = aside(d.low[start:end])
	}
	d.hits = pairUp(phrases.find(d.low, make([]hit, 0, 32)), d)
	for _, h := range cancels.find(d.low, nil) {
		if p.cancelled == nil {
			p.cancelled = map[int]bool{}
		}
		p.cancelled[h.rule] = true
	}
	p.issue, p.hasIssue = d.findIssue(e)
	return p
}

// sentenceOf returns the number of the sentence at a position.
func (d *doc) sentenceOf(at int) int {
	n, _ := slices.BinarySearch(d.sentences, at+1)
	return n - 1
}

// sentenceStarts returns where the sentences and lines of a text begin.
func sentenceStarts(s string) []int {
	out := []int{0}
	for i := 0; i+1 < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', (c == '.' || c == '!' || c == '?' || c == ';') && s[i+1] == ' ', strings.HasPrefix(s[i:], "。"), strings.HasPrefix(s[i:], "！"):
			out = append(out, i+1)
		}
	}
	return out
}

// asides are the beginnings of sentences that advise rather than report.
var asides = []string{"please check", "please make sure", "please verify", "please ensure", "please try", "please retry", "please see", "please contact", "please note", "make sure", "check ",
	"ensure ", "verify ", "you might", "you may", "try ", "see ", "for more", "perhaps", "if ", "note:", "hint", "tip", "did you", "is the ", "to fix", "consider ", "run ", "read more", "contact ", "visit "}

// first returns the hit of the tiers that the sentence order and then the
// position put first; causes of tierInfra precede others in the same sentence.
func (p *picker) first(from, to tier) (hit, bool) {
	some := false
	for _, h := range p.d.hits {
		t := catalogue[h.rule].tier
		some = some || t >= from && t <= to
	}
	if !some {
		return hit{}, false
	}
	for pass := range 2 {
		for i, start := range p.d.sentences {
			end := len(p.d.low)
			if i+1 < len(p.d.sentences) {
				end = p.d.sentences[i+1]
			}
			if p.d.asides[i] != (pass == 1) {
				continue
			}
			if h, ok := p.inSentence(start, end, from, to); ok {
				return h, true
			}
		}
	}
	return hit{}, false
}

func aside(s string) bool {
	s = strings.TrimLeft(s, " \t\n(")
	for _, a := range asides {
		if strings.HasPrefix(s, a) {
			return true
		}
	}
	return false
}

func (p *picker) inSentence(start, end int, from, to tier) (hit, bool) {
	best, found := hit{}, false
	for _, h := range p.d.hits {
		if h.start < start || h.start >= end {
			continue
		}
		c := &catalogue[h.rule]
		if c.tier < from || c.tier > to || p.cancelled[h.rule] || p.inArgument(h) || p.d.inPath(h) {
			continue
		}
		if !found || p.before(h, best) {
			best, found = h, true
		}
	}
	return best, found
}

// before orders two hits of one sentence.
func (p *picker) before(a, b hit) bool {
	x, y := &catalogue[a.rule], &catalogue[b.rule]
	if o := outranks(x, y); o != 0 {
		return o > 0
	}
	if x.tier == tierInfra && a.rule != b.rule {
		return a.rule < b.rule
	}
	// A phrase that contains another says more than it.
	if a.start <= b.start && a.end >= b.end && a.end-a.start > b.end-b.start {
		return true
	}
	if b.start <= a.start && b.end >= a.end && b.end-b.start > a.end-a.start {
		return false
	}
	if a.start != b.start {
		return a.start < b.start
	}
	if a.end != b.end {
		return a.end > b.end
	}
	return a.rule < b.rule
}

// outranks compares two causes of one sentence: 1 when x wins wherever it
// stands, -1 when y does, 0 when the position decides.
func outranks(x, y *cause) int {
	specific := func(c *cause) bool {
		return c.code == envelope.AuthFailed || c.tier == tierMeaning && (c.code == envelope.Forbidden || c.code == envelope.BadRequest || c.id == "absent.data")
	}
	switch {
	case x.id == "net.failed" && specific(y):
		return -1
	case y.id == "net.failed" && specific(x):
		return 1
	case x.tier != y.tier:
		return cmp.Compare(y.tier, x.tier)
	case x.id == "auth.credentials" && strings.HasPrefix(y.id, "argument."):
		return 1
	case y.id == "auth.credentials" && strings.HasPrefix(x.id, "argument."):
		return -1
	}
	return 0
}

// inPath reports whether the hit stands in a URL or a path: what a page or a file
// is called says nothing.
func (d *doc) inPath(h hit) bool {
	start := strings.LastIndexAny(d.low[max(0, h.start-200):h.start], " \n\t\"'(<") + 1 + max(0, h.start-200)
	head := d.low[start:h.start]
	return strings.Contains(head, "://") || strings.HasPrefix(head, "/")
}

// inArgument reports whether the hit is but the name of the refused argument:
// "timeout must be positive" is no timeout.
func (p *picker) inArgument(h hit) bool {
	if !p.hasIssue || p.issue.path == "" {
		return false
	}
	name := lower(p.issue.path)
	return strings.Contains(name, p.d.low[h.start:h.end])
}
