package classify

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// context is how far in bytes round a clause its sentence is read.
const context = 160

// told narrows the pieces from..to of a clause to those that report: what stands
// in the same sentences, shown or not, decides whether the words are a name, a
// passphrase or a part of an instruction.
func (k known) told(ps []piece, text string, from, to, start, end int) (int, int) {
	if from >= to {
		return from, from
	}
	lo, hi := max(0, start-context), min(len(text), end+context)
	for at := start; ; {
		n := strings.LastIndexByte(text[lo:at], '\n')
		if n < 0 {
			break
		}
		if at = lo + n; !continues(text, at) {
			lo = at + 1
			break
		}
	}
	for at := end; ; at++ {
		n := strings.IndexByte(text[at:hi], '\n')
		if n < 0 {
			break
		}
		if at += n; !continues(text, at) {
			hi = at
			break
		}
	}
	lo, hi = min(lo, ps[from].start), max(hi, ps[to-1].end)
	a, b := sanitize.Report(text[lo:hi], start-lo, end-lo, k.sent)
	if n := strings.Count(text[lo:hi], "\n"); n > 0 && a < b {
		// The break may also stand inside a word.
		joined := strings.ReplaceAll(text[lo:hi], "\n", "")
		without := func(at int) int { return at - strings.Count(text[lo:lo+at], "\n") }
		c, d := sanitize.Report(joined, without(start-lo), without(end-lo), k.sent)
		for a < b && without(a) < c {
			a++
		}
		for b > a && without(b) > d {
			b--
		}
	}
	a, b = a+lo, b+lo
	for from < to && ps[from].start < a {
		from++
	}
	for to > from && ps[to-1].end > b {
		to--
	}
	return from, to
}

// continues reports whether the line break at i stands inside a sentence, as it
// does between two blocks that split one.
func continues(text string, i int) bool {
	before, after := strings.TrimRight(text[:i], " "), strings.TrimLeft(text[i+1:], " ")
	if before == "" || after == "" || strings.IndexByte(".!?:;{}[]\n", before[len(before)-1]) >= 0 {
		return false
	}
	c := after[0]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// sent reports whether the caller sent a word, in any case, as a name, in a
// value that is no secret, or as the tool.
func (k known) sent(word string) bool {
	if strings.EqualFold(word, k.tool) || strings.EqualFold(word, k.name) {
		return true
	}
	if !k.args.IsObject() || len(k.args.Raw) > 64<<10 {
		return false
	}
	found := false
	k.args.ForEach(func(name, v gjson.Result) bool {
		if strings.EqualFold(name.Str, word) {
			found = true
		} else if v.Type != gjson.JSON && v.Type != gjson.Null && len(word) > 1 && !hidden(name.Str) {
			found = strings.Contains(lower(v.String()), word)
		}
		return !found
	})
	return found
}

// hidden reports whether the value of an argument is not shown.
func hidden(name string) bool { return secretKey(name) || sanitize.Sensitive(name) }

// quiet reports whether a cause of which nothing is shown is in the text.
func (d *doc) quiet() bool { return quietHit(d.hits) }

func quietHit(hits []hit) bool {
	for _, h := range hits {
		if h.rule >= 0 && catalogue[h.rule].quiet {
			return true
		}
	}
	return false
}
