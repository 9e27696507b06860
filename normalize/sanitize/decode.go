package sanitize

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strings"
	"unicode/utf8"
)

// hidden reports whether a token, percent-decoded or read as Base64 or
// hexadecimal, is text that Mask would not leave alone.
func (m *masker) hidden(t string) bool {
	if strings.Count(t, "%") >= 1 {
		if d, ok := percent(t); ok && m.tells(d) {
			return true
		}
	}
	w := t
	if k := strings.IndexAny(w, "%:@&#$*!?^\\.~"); k >= 0 {
		w = w[:k]
	}
	if k := strings.IndexByte(w, '='); k > 0 && k < len(w)-2 {
		w = w[k+1:]
	}
	if len(w) >= 12 && len(w)%2 == 0 && allHex(w) {
		if d, err := hex.DecodeString(w); err == nil && printable(d) && m.tells(string(d)) {
			return true
		}
	}
	if w = strings.TrimRight(w, "="); len(w) < 10 || strings.IndexByte(w, '-') >= 0 && wordy(w) {
		return false
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if d, err := enc.DecodeString(w); err == nil && len(d) >= 6 && printable(d) && m.tells(string(d)) {
			return true
		}
	}
	return false
}

// tells reports whether decoded text is anything but harmless words.
func (m *masker) tells(d string) bool {
	if len(d) > 4*maxToken {
		return true
	}
	var hits [nRules]int
	sub := Clean(d)
	if maskPass(sub, nested, &hits) != sub {
		return true
	}
	if k := strings.IndexByte(sub, '%'); k >= 0 {
		if again, ok := percent(sub); ok && maskPass(again, nested, &hits) != again {
			return true
		}
	}
	return false
}

// percent decodes %XX; ok is false when there is none.
func percent(t string) (string, bool) {
	b := make([]byte, 0, len(t))
	ok := false
	for i := 0; i < len(t); i++ {
		if t[i] == '%' && i+2 < len(t) && isHex(t[i+1]) && isHex(t[i+2]) {
			b = append(b, unhex(t[i+1])<<4|unhex(t[i+2]))
			i += 2
			ok = true
			continue
		}
		if t[i] == '+' {
			b = append(b, ' ')
			continue
		}
		b = append(b, t[i])
	}
	return string(b), ok
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}

func printable(d []byte) bool {
	if !utf8.Valid(d) {
		return false
	}
	for _, c := range d {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// unescape decodes \uXXXX, \xXX and octal escapes and character references, so
// that nothing hides behind them. A text without any is returned as it is.
func unescape(s string) string {
	slash := strings.Contains(s, `\u`) || strings.Contains(s, `\U`) || strings.Contains(s, `\x`) || strings.Contains(s, `\1`) || strings.Contains(s, `\0`)
	amp := strings.IndexByte(s, '&') >= 0
	if !slash && !amp {
		return s
	}
	t := s
	if slash {
		t = backslashes(s)
	}
	if amp && strings.IndexByte(t, '&') >= 0 {
		t = html.UnescapeString(t)
	}
	if t == s {
		return s
	}
	return Clean(t)
}

func backslashes(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] == '\\' {
			if r, n := escape(s[i:]); n > 0 {
				b = utf8.AppendRune(b, r)
				i += n
				continue
			}
		}
		b = append(b, s[i])
		i++
	}
	return string(b)
}

// escape reads one escape sequence. Sequences of several backslashes count as
// one: they come from text that was escaped more than once.
func escape(s string) (rune, int) {
	k := 1
	for k < len(s) && k < 8 && s[k] == '\\' {
		k++
	}
	if k >= len(s) {
		return 0, 0
	}
	digits, base := 0, 16
	start := k + 1
	switch {
	case s[k] == 'u' && start < len(s) && s[start] == '{':
		start++
		for start+digits < len(s) && digits < 6 && isHex(s[start+digits]) {
			digits++
		}
		if digits == 0 || start+digits >= len(s) || s[start+digits] != '}' {
			return 0, 0
		}
		return value(s[start:start+digits], 16), start + digits + 1
	case s[k] == 'u':
		digits = 4
	case s[k] == 'U':
		digits = 8
	case s[k] == 'x':
		digits = 2
	case s[k] == '0' || s[k] == '1':
		start, digits, base = k, 3, 8
	default:
		return 0, 0
	}
	if start+digits > len(s) {
		return 0, 0
	}
	for _, c := range []byte(s[start : start+digits]) {
		if !isHex(c) || base == 8 && c > '7' {
			return 0, 0
		}
	}
	return value(s[start:start+digits], base), start + digits
}

func value(s string, base int) rune {
	n := 0
	for i := 0; i < len(s); i++ {
		n = n*base + int(unhex(s[i]))
		if n > utf8.MaxRune {
			return ' '
		}
	}
	return rune(n)
}

// spaced removes a token whose characters are set apart by blanks, hyphens or
// line breaks: "A K I A ...".
func (m *masker) spaced(i int) int {
	s := m.s
	if i > 0 && isAlnum(s[i-1]) || i+1 >= len(s) {
		return i
	}
	sep := s[i+1]
	if sep != ' ' && sep != '-' && sep != '\n' && sep != '.' && sep != '_' && sep != ',' {
		return i
	}
	e, n := i+1, 1
	for e+1 < len(s) && s[e] == sep && isAlnum(s[e+1]) && (e+2 >= len(s) || !isAlnum(s[e+2])) {
		n++
		e += 2
	}
	if n < 8 {
		return i
	}
	return m.put(i, e, mSecret, rSpaced)
}
