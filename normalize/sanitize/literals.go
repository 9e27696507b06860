package sanitize

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"sort"
	"strings"
)

const (
	// minLiteral is the shortest literal, in bytes, that is looked for. A shorter
	// one would hit ordinary words.
	minLiteral = 4
	// minEncoded is the shortest encoded form that is looked for.
	minEncoded = 6
	// maxLiterals bounds the list of an operator.
	maxLiterals = 1024
)

// Literals finds the operator's own secrets in text: as they are, as they look
// after Clean, in Base64 (every alignment, both alphabets), in hexadecimal,
// percent-encoded and JSON-escaped. It is safe for concurrent use; nil finds
// nothing.
type Literals struct {
	first [1 << 16]bool // pairs of bytes that a form starts with
	forms map[[2]byte][]string

	// folded are the plain forms in lower case: text may be composed of words
	// whose case is the program's.
	foldedFirst [1 << 16]bool
	folded      map[[2]byte][]string
}

// NewLiterals returns the set of values. Values of less than 4 bytes are left
// out, since they would hit ordinary words; at most 1,024 values are used.
func NewLiterals(values []string) *Literals {
	l := &Literals{forms: make(map[[2]byte][]string), folded: make(map[[2]byte][]string)}
	if len(values) > maxLiterals {
		values = values[:maxLiterals]
	}
	seen := make(map[string]bool)
	add := func(form string, least int) {
		if len(form) < least || seen[form] {
			return
		}
		seen[form] = true
		k := [2]byte{form[0], form[1]}
		l.first[pair(form, 0)] = true
		l.forms[k] = append(l.forms[k], form)
	}
	for _, v := range values {
		if len(v) < minLiteral {
			continue
		}
		for _, raw := range []string{v, Clean(v)} {
			if len(raw) >= minLiteral && !seen["\x00"+raw] {
				seen["\x00"+raw] = true
				low := asciiLower(raw)
				k := [2]byte{low[0], low[1]}
				l.foldedFirst[pair(low, 0)] = true
				l.folded[k] = append(l.folded[k], low)
			}
			add(jsonEscaped(raw), minLiteral)
			esc := url.QueryEscape(raw)
			add(esc, minLiteral)
			add(strings.ReplaceAll(esc, "+", "%20"), minLiteral)
			add(lowerHex(esc), minLiteral)
			add(lowerHex(strings.ReplaceAll(esc, "+", "%20")), minLiteral)
			add(hex.EncodeToString([]byte(raw)), minEncoded)
			add(strings.ToUpper(hex.EncodeToString([]byte(raw))), minEncoded)
			for off := range 3 {
				std := aligned(raw, off)
				add(std, minEncoded)
				add(strings.NewReplacer("+", "-", "/", "_").Replace(std), minEncoded)
			}
		}
	}
	for _, m := range []map[[2]byte][]string{l.forms, l.folded} {
		for _, f := range m {
			sort.Slice(f, func(i, j int) bool { return len(f[i]) > len(f[j]) })
		}
	}
	return l
}

// asciiLower returns s with ASCII letters in lower case and the same length.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

// foldedPrefix reports whether s begins with low, ASCII letters in any case.
func foldedPrefix(s, low string) bool {
	if len(s) < len(low) {
		return false
	}
	for i := range len(low) {
		if lower(s[i]) != low[i] {
			return false
		}
	}
	return true
}

// aligned returns the characters of Base64 that depend on v alone when off bytes
// stand before it.
func aligned(v string, off int) string {
	e := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", off) + v))
	skip := []int{0, 2, 3}[off] // characters that hold bits of what stands before
	n := (off + len(v)) * 8 / 6 // characters that are wholly determined
	if skip >= n {
		return ""
	}
	return e[skip:n]
}

func jsonEscaped(v string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v)
}

func lowerHex(v string) string {
	b := []byte(v)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			b[i+1], b[i+2] = lower(b[i+1]), lower(b[i+2])
		}
	}
	return string(b)
}

func pair(s string, i int) int { return int(s[i])<<8 | int(s[i+1]) }

// find returns the first literal in s at or after i.
func (l *Literals) find(s string, i int) (at, end int) {
	for ; i+1 < len(s); i++ {
		a, b := lower(s[i]), lower(s[i+1])
		if l.foldedFirst[int(a)<<8|int(b)] {
			for _, f := range l.folded[[2]byte{a, b}] {
				if foldedPrefix(s[i:], f) {
					return i, i + len(f)
				}
			}
		}
		if !l.first[pair(s, i)] {
			continue
		}
		for _, f := range l.forms[[2]byte{s[i], s[i+1]}] {
			if strings.HasPrefix(s[i:], f) {
				return i, i + len(f)
			}
		}
	}
	return -1, -1
}

// Contains reports whether one of the literals stands in s.
func (l *Literals) Contains(s string) bool {
	if l == nil || len(l.folded) == 0 {
		return false
	}
	at, _ := l.find(s, 0)
	return at >= 0
}

// Mask replaces every literal in s by "[redacted]" and returns how many it found.
func (l *Literals) Mask(s string) (string, int) {
	if l == nil || len(l.folded) == 0 {
		return s, 0
	}
	at, end := l.find(s, 0)
	if at < 0 {
		return s, 0
	}
	var b strings.Builder
	n, last := 0, 0
	for at >= 0 {
		b.WriteString(s[last:at])
		b.WriteString(mRedacted)
		n, last = n+1, end
		at, end = l.find(s, end)
	}
	b.WriteString(s[last:])
	return b.String(), n
}
