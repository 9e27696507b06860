package transport

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string from its opening quote to behind its closing one. Escapes must be those of RFC 8259 and
// must spell Unicode: a surrogate that stands alone is no character (section 8.2), and readers differ on it.
func (s *scanner) str() bool {
	b, i := s.b, s.i+1
	for {
		i = plain(b, i)
		if i >= len(b) {
			s.i = i
			return s.fail(faultJSON)
		}
		switch c := b[i]; {
		case c == '"':
			s.i = i + 1
			return true
		case c == '\\' && i+1 < len(b) && short[b[i+1]]:
			i += 2
			continue
		case c != '\\':
			s.i = i
			return s.fail(faultJSON) // a control character
		}
		if s.i = i; !s.escape() {
			return false
		}
		i = s.i
	}
}

// short are the letters of the escapes of two characters.
var short = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks the quotes, backslashes and control characters among eight bytes, each in its high bit. A byte b is below n
// where b-n borrows into a high bit that b itself does not have; the first xor brings the quote next to the control
// characters. A borrow from a byte that stops may mark the one above it, never the one below, so the lowest mark is true.
func stops(w uint64) uint64 {
	return (((w ^ lows*2) - lows*'!') | ((w ^ lows*'\\') - lows)) &^ w
}

// plain returns where the next quote, backslash or control character is, from i on: most are near, and where none is, it
// takes 32 bytes at a time.
func plain(b []byte, i int) int {
	i, found := words(b[:min(i+16, len(b))], i)
	if found {
		return i
	}
	for ; i+32 <= len(b); i += 32 {
		c := b[i : i+32 : i+32]
		s := stops(binary.LittleEndian.Uint64(c)) | stops(binary.LittleEndian.Uint64(c[8:])) |
			stops(binary.LittleEndian.Uint64(c[16:])) | stops(binary.LittleEndian.Uint64(c[24:]))
		if s&highs != 0 {
			break
		}
	}
	if i, found = words(b, i); found {
		return i
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// words is plain for eight bytes at a time. Not found: i is where fewer are left.
func words(b []byte, i int) (at int, found bool) {
	for ; i+8 <= len(b); i += 8 {
		if s := stops(binary.LittleEndian.Uint64(b[i:])) & highs; s != 0 {
			return i + bits.TrailingZeros64(s)/8, true
		}
	}
	return i, false
}

func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return s.fail(faultJSON)
	}
	if s.b[s.i+1] != 'u' { // the short ones are read already
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
