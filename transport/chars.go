package transport

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string from its opening quote to behind its closing one. Escapes must be those of RFC 8259 and
// must spell Unicode: a surrogate that stands alone is no character (section 8.2), and readers differ on it.
func (s *scanner) str() bool {
	s.i++
	for {
		s.plain()
		if s.i >= len(s.b) {
			return s.fail(faultJSON)
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return true
		case c != '\\':
			return s.fail(faultJSON) // a control character
		case !s.escape():
			return false
		}
	}
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain skips to the next quote, backslash or control character, eight bytes at a time. A byte b is below n
// where (b-n) borrows into the high bit that b itself does not have.
func (s *scanner) plain() {
	b, i := s.b, s.i
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, back := w^(lows*'"'), w^(lows*'\\')
		stop := ((w - lows*' ') &^ w) | ((quote - lows) &^ quote) | ((back - lows) &^ back)
		if stop&highs != 0 {
			break
		}
		i += 8
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	s.i = i
}

func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return s.fail(faultJSON)
	}
	switch s.b[s.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i += 2
		return true
	case 'u':
	default:
		return s.fail(faultJSON)
	}
	r, ok := unit(s.b[s.i:])
	if !ok {
		return s.fail(faultJSON)
	}
	s.i += 6
	if !utf16.IsSurrogate(r) || !s.whole {
		return true
	}
	low, ok := unit(s.b[s.i:])
	if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
		return s.fail(faultUnicode)
	}
	s.i += 6
	return true
}

// unit reads \uXXXX.
func unit(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unquote is the text of a JSON string that the scanner has accepted. Without escapes it is a part of raw.
func unquote(raw []byte) []byte {
	in := raw[1 : len(raw)-1]
	i := 0
	for i < len(in) && in[i] != '\\' {
		i++
	}
	if i == len(in) {
		return in
	}
	out := append(make([]byte, 0, len(in)), in[:i]...)
	for i < len(in) {
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		switch c := in[i+1]; c {
		case 'u':
			r, _ := unit(in[i:])
			i += 6
			if utf16.IsSurrogate(r) {
				low, ok := unit(in[i:])
				if d := utf16.DecodeRune(r, low); ok && d != utf8.RuneError {
					r = d
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, unescaped(c))
			i += 2
		}
	}
	return out
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
