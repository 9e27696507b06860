package classify

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// maxPieces bounds the words of one stretch of text.
const maxPieces = 64

var pieceRoom = sync.Pool{New: func() any { return new([maxPieces]piece) }}

// pieces splits text[lo:hi] into words, in the room given.
func pieces(text string, lo, hi int, room *[maxPieces]piece) []piece {
	out := room[:0]
	for i := lo; i < hi && len(out) < maxPieces; {
		c := text[i]
		if !wordByte(c) && c < utf8.RuneSelf {
			i++
			continue
		}
		j := i
		if n := template(text[i:hi]); n > 0 {
			j = i + n
		}
		for j < hi && (wordByte(text[j]) || text[j] >= utf8.RuneSelf && text[j] != 0xE2 || j > i && j+1 < hi && inner(text, j)) {
			j++
		}
		if j == i {
			i++
			continue
		}
		p := piece{start: i, end: j}
		if n := len(out); n > 0 && !strings.Contains(text[out[n-1].end:i], "\n") {
			p.further = out[n-1].before
			p.before, p.between = lower(text[out[n-1].start:out[n-1].end]), text[out[n-1].end:i]
		}
		out = append(out, p)
		i = j
	}
	return out
}

// inner reports whether the byte at i joins two parts of one word.
func inner(s string, i int) bool {
	if !wordByte(s[i-1]) || !wordByte(s[i+1]) {
		return false
	}
	switch s[i] {
	case '\'', '-', '.', '/':
		return true
	case ':':
		return s[i-1] >= '0' && s[i-1] <= '9'
	}
	return false
}

// fill looks the word of a piece up, once.
func (k known) fill(p *piece, text string) bool {
	if p.tried {
		return p.ok
	}
	p.tried = true
	if strings.HasPrefix(text[p.end:], "://") || inAddress(text, p.start) {
		return false // a part of an address or a path
	}
	w := text[p.start:p.end]
	if s, ok := k.slot(w); ok {
		p.slot, p.ok = append(run(p.room[:0]), s), true
		return true
	}
	if telephone(w) {
		return false
	}
	if w != k.name && !k.names && (!placed(text, p.start, p.end, p.before, p.further, p.between) || dated(w)) {
		return false
	}
	if low := lower(w); reported[low].Valid() && prevented(p.before, p.further) {
		p.slot, p.ok = append(run(p.room[:0]), reported[low]), true
		return true
	}
	if p.slot, p.ok = k.token(w, run(p.room[:0])); p.ok {
		return true
	}
	if k.joined && (p.before == "when" || p.before == "if" || p.before == "and" || p.before == "or" || p.before == "unless") && propertyLike(w) {
		if s, ok := sanitize.Ident(w); ok {
			p.slot, p.ok = append(run(p.room[:0]), s), true
			return true
		}
	}
	// A compound may be shown when its parts may, else up to where they may.
	if r := k.parts(text[p.start:p.end]); len(r) > 0 {
		p.slot, p.ok = r, true
		return true
	}
	if r := k.errorName(text[p.start:p.end]); len(r) > 0 {
		p.slot, p.ok = r, true
		return true
	}
	if q := strings.IndexAny(text[p.start:p.end], "-/"); q > 0 {
		if s, ok := k.word(text[p.start : p.start+q]); ok {
			p.slot, p.ok, p.cut, p.end = one(s), true, true, p.start+q
		}
	}
	return p.ok
}

// propertyLike reports whether a word is written as programs write the names of
// arguments, with no part that orders.
func propertyLike(w string) bool {
	if len(w) > 40 || w[0] < 'a' || w[0] > 'z' || strings.IndexByte(w, '_') <= 0 {
		return false
	}
	if orders(w) {
		return false
	}
	for part := range strings.SplitSeq(w, "_") {
		if part == "" {
			return false
		}
		for i := range len(part) {
			if part[i] < 'a' || part[i] > 'z' {
				return false
			}
		}
	}
	return true
}

// orders reports whether a name begins with a verb, as the names of tools do, and
// not those of arguments.
func orders(w string) bool {
	n := 0
	for n < len(w) && w[n] >= 'a' && w[n] <= 'z' {
		n++
	}
	if n == len(w) {
		return false
	}
	verb := w[:n]
	return imperatives[verb] || reported[verb].Valid() || verb == "call" || verb == "get" || verb == "read" || verb == "list" || verb == "exec" || verb == "admin" || verb == "run" || verb == "set" || verb == "write" || verb == "update" || verb == "create" || verb == "remove"
}

// telephone reports whether a word is digits in groups, as numbers of people are.
func telephone(w string) bool {
	digits, dashes := 0, 0
	for i := range len(w) {
		switch {
		case w[i] >= '0' && w[i] <= '9':
			digits++
		case w[i] == '-':
			dashes++
		default:
			return false
		}
	}
	return dashes > 0 && digits >= 7
}

// inAddress reports whether the word at start stands in a URL or a path, or is
// the port of a host.
func inAddress(text string, start int) bool {
	if start == 0 {
		return false
	}
	if strings.IndexByte("/\\@?&", text[start-1]) >= 0 {
		return true
	}
	head := text[max(0, start-200):start]
	head = head[strings.LastIndexAny(head, " \n\t\"'(<")+1:]
	if strings.Contains(head, "://") {
		return true
	}
	if len(head) < 2 || head[len(head)-1] != ':' || text[start] < '0' || text[start] > '9' {
		return false
	}
	host := head[strings.LastIndexAny(head[:len(head)-1], ":,;=[{")+1 : len(head)-1]
	return host != "" && !before[lower(host)]
}

// parts returns the slots of a compound such as "private/internal" when all of
// its parts may be shown.
func (k known) parts(tok string) run {
	var out run
	for tok != "" {
		q := strings.IndexAny(tok, "-/")
		part := tok
		if q >= 0 {
			part = tok[:q]
		}
		s, ok := k.word(part)
		if !ok || len(out) > 6 || q < 0 && len(out) == 0 {
			return nil
		}
		out = append(out, s)
		if q < 0 {
			return out
		}
		out = append(out, glue[tok[q:q+1]])
		tok = tok[q+1:]
	}
	return nil
}

// glued finds the separator before ps[i], which has one before it.
func (k known) glued(ps []piece, i int, text string) bool {
	between := text[ps[i-1].end:ps[i].start]
	if ps[i-1].cut {
		return false
	}
	s, ok := glue[between]
	if !ok && strings.TrimRight(between, " ") == "." && goesOn[lower(text[ps[i].start:ps[i].end])] {
		s, ok = sanitize.Word("; "), true
	}
	ps[i].sep = s
	return ok && between != ""
}
