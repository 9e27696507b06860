package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap is the longest distance in bytes that "…" in a phrase may span.
const gap = 90

// maxHits bounds the hits of one text; what stands first decides.
const maxHits = 192

// phrase is one pattern of the catalogue. It matches at the start of a word of
// the lower-case text. "…" spans up to [gap] bytes of one line; a final "*"
// lets the last word go on.
type phrase struct {
	segs []string
	open bool
	rule int
}

// matcher finds all phrases of a catalogue in one pass: phrases are filed under
// their first word, so the cost depends on the text and not on the catalogue.
type matcher struct {
	first    map[string][]phrase
	suffixes []phrase
}

func (m *matcher) add(pattern string, rule int) {
	p := phrase{rule: rule}
	if s, ok := strings.CutSuffix(pattern, "*"); ok {
		p.open, pattern = true, s
	}
	if s, ok := strings.CutPrefix(pattern, "*"); ok {
		p.segs = strings.Split(s, "…")
		m.suffixes = append(m.suffixes, p)
		return
	}
	p.segs = strings.Split(pattern, "…")
	w := pattern[:wordEnd(pattern, 0)]
	if w == "" {
		r, n := utf8.DecodeRuneInString(pattern)
		_, w = r, pattern[:n]
	}
	if p.open && len(w) == len(p.segs[0]) && len(p.segs) == 1 {
		p.segs[0] = w
		w = w[:min(len(w), 4)] + "*"
	}
	m.first[w] = append(m.first[w], p)
}

// hit is one occurrence of a phrase.
type hit struct {
	rule, start, end int
}

// find appends every hit in low to dst, in the order of their positions.
func (m *matcher) find(low string, dst []hit) []hit {
	for i := 0; i < len(low) && len(dst) < maxHits; {
		end := wordEnd(low, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(low[i:])
			if !plainSpace(low[i]) {
				dst = m.try(m.first[low[i:i+n]], low, i, dst)
			}
			i += n
			continue
		}
		w := low[i:end]
		dst = m.try(m.first[w], low, i, dst)
		if len(w) >= 4 {
			var key [5]byte
			copy(key[:], w[:4])
			key[4] = '*'
			dst = m.try(m.first[string(key[:])], low, i, dst)
		}
		if len(w) > 6 {
			for _, p := range m.suffixes {
				if strings.HasSuffix(w, p.segs[0]) {
					if to, ok := p.tail(low, end); ok {
						dst = append(dst, hit{p.rule, i, to})
					}
				}
			}
		}
		i = end
	}
	return dst
}

func (m *matcher) try(ps []phrase, low string, i int, dst []hit) []hit {
	for k := range ps {
		if end, ok := ps[k].match(low, i); ok {
			dst = append(dst, hit{ps[k].rule, i, end})
		}
	}
	return dst
}

func (p *phrase) match(low string, i int) (int, bool) {
	if !strings.HasPrefix(low[i:], p.segs[0]) {
		return 0, false
	}
	at := i + len(p.segs[0])
	if len(p.segs) == 1 {
		return at, p.open || boundary(low, at)
	}
	if !boundary(low, at) {
		return 0, false
	}
	return p.tail(low, at)
}

// tail matches what follows the first segment, which ended at at.
func (p *phrase) tail(low string, at int) (int, bool) {
	for n, s := range p.segs[1:] {
		lim := min(len(low), at+gap)
		if nl := strings.IndexByte(low[at:lim], '\n'); nl >= 0 {
			lim = at + nl
		}
		last := n == len(p.segs)-2
		found := -1
		for from := at; from < lim; {
			j := strings.Index(low[from:lim], s)
			if j < 0 {
				break
			}
			b, e := from+j, from+j+len(s)
			if (b == 0 || boundary(low, b)) && (last && p.open || boundary(low, e)) {
				found = e
				break
			}
			from = b + 1
		}
		if found < 0 {
			return 0, false
		}
		at = found
	}
	return at, true
}

// boundary reports whether a word may start or end at i.
func boundary(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	a, _ := utf8.DecodeLastRuneInString(s[:i])
	b, _ := utf8.DecodeRuneInString(s[i:])
	return !isWord(a) || !isWord(b)
}

// wordEnd returns the end of the word that starts at i, or i.
func wordEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if !wordByte(c) && !(c == '\'' && i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z' && i > 0 && wordByte(s[i-1])) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) {
			return i
		}
		i += n
	}
	return i
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isWord reports whether r belongs to a word of a language that separates its
// words; every Chinese, Japanese or Korean character is a word of its own.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte(byte(r))
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !cjk(r)
}

func cjk(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF
}

func plainSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// foldPrefix reports whether s begins with p, which is in lower case.
func foldPrefix(s, p string) bool {
	if len(s) < len(p) {
		return false
	}
	for i := 0; i < len(p); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != p[i] {
			return false
		}
	}
	return true
}

// lower returns s with ASCII letters in lower case and the same length, so that
// positions in both agree.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
