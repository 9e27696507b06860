package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	headBytes = 32 << 10
	tailBytes = 32 << 10
	// maxEscape bounds an escape sequence. One that is not closed within it is
	// dropped up to there.
	maxEscape = 2 << 10
	// maxToken is the longest token that is looked at, in bytes.
	maxToken = 256
	// maxUnstable is how often a text is normalized before it counts as hostile.
	maxUnstable = 4
)

// Clean returns raw as plain text: valid UTF-8, without ANSI and OSC sequences,
// control, format and stray combining characters, in NFKC, with look-alike
// letters of other scripts mapped to ASCII where a word mixes scripts. Line
// breaks of all kinds become "\n"; tabs stay. Text of more than 64 KiB is
// reduced to its first and last 32 KiB, joined by "\n". Clean is idempotent and
// does not allocate for plain ASCII.
func Clean(raw string) string {
	s := capText(raw)
	for range maxUnstable {
		if plainASCII(s) {
			return s
		}
		next := capText(unconfuse(norm.NFKC.String(strip(s))))
		if next == s {
			return s
		}
		s = next
	}
	return onlyASCII(s)
}

// capText keeps head and tail of a long text and cuts between words, so that no
// half of a secret loses the word that gives it away.
func capText(s string) string {
	if len(s) <= headBytes+tailBytes+1 {
		return s
	}
	h := headBytes
	if k := strings.LastIndexAny(s[h-maxToken:h], " \t\n"); k >= 0 {
		h += k - maxToken
	} else {
		for h > 0 && !utf8.RuneStart(s[h]) {
			h--
		}
	}
	t := len(s) - tailBytes
	if k := strings.IndexAny(s[t:t+maxToken], " \t\n"); k >= 0 {
		t += k + 1
	} else {
		for t < len(s) && !utf8.RuneStart(s[t]) {
			t++
		}
	}
	return s[:h] + "\n" + s[t:]
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainASCII looks at eight bytes at a time: those with a byte below 0x20 or above 0x7e have a high bit in odd, and
// are looked at one by one. A carry or a borrow may only add to them.
func plainASCII(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		odd := w | (w + lows) | (w - lows*' ')
		if odd&highs != 0 && !plainBytes(s[i:i+8]) {
			return false
		}
	}
	return plainBytes(s[i:])
}

func plainBytes(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c > 0x7e {
			return false
		}
	}
	return true
}

func onlyASCII(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x20 && c <= 0x7e || c == '\n' || c == '\t' {
			b = append(b, c)
		}
	}
	return string(b)
}

// strip drops escape sequences, control, format and stray combining characters.
func strip(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var last rune // last rune that was kept
	for i := 0; i < len(s); {
		if j := asciiRun(s, i); j > i {
			b.WriteString(s[i:j])
			last, i = rune(s[j-1]), j
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1: // invalid: dropped, halves of a token meet again
			i += max(n, 1)
			continue
		case r == 0x1b || r == 0x9b || r == 0x9d || r == 0x90:
			i = skipEscape(s, i, r, n)
			continue
		case r == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
				continue
			}
			r = '\n'
		case r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			r = '\n'
		case r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f:
		case r < 0xa0 || invisible(r):
			i += n
			continue
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
			// Marks over ASCII disguise; marks of a script that needs them stay.
			if last < 0x80 || unicode.Is(unicode.Inherited, r) && !composes(last, r) {
				i += n
				continue
			}
		}
		b.WriteRune(r)
		last = r
		i += n
	}
	return b.String()
}

// asciiRun returns the end of the run of printable ASCII, tabs and line breaks.
func asciiRun(s string, i int) int {
	for i < len(s) && (s[i] >= 0x20 && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t') {
		i++
	}
	return i
}

func composes(base, mark rune) bool {
	s := norm.NFC.String(string(base) + string(mark))
	return utf8.RuneCountInString(s) == 1
}

// invisible reports format characters and the letters that look like nothing.
func invisible(r rune) bool {
	// Greek and Cyrillic letters, Chinese characters, Hangul syllables.
	if r >= 0x391 && r <= 0x3a1 || r >= 0x3b1 && r <= 0x3c9 || r >= 0x400 && r <= 0x482 || r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 {
		return false
	}
	switch r {
	case 0xfdfa, 0xfdfb: // one character that NFKC turns into a sentence
		return true
	case 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0, 0xfffc, 0xfffd:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cs, r) ||
		r >= 0xe0000 && r <= 0xe0fff || !unicode.IsGraphic(r)
}

// skipEscape returns the index after the escape sequence at i.
func skipEscape(s string, i int, r rune, n int) int {
	j := i + n
	kind := byte(0)
	switch r {
	case 0x9b:
		kind = '['
	case 0x9d, 0x90:
		kind = ']'
	default:
		if j < len(s) {
			kind = s[j]
			j++
		}
	}
	end := min(len(s), i+maxEscape)
	switch kind {
	case '[': // CSI: parameters, then one final byte
		for ; j < end; j++ {
			if s[j] >= 0x40 && s[j] <= 0x7e {
				return j + 1
			}
			if s[j] < 0x20 || s[j] > 0x7e {
				return j
			}
		}
		return j
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: up to BEL or ST
		for ; j < end; j++ {
			switch {
			case s[j] == 0x07:
				return j + 1
			case s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\':
				return j + 2
			case s[j] == 0x1b || s[j] == '\n':
				return j
			case s[j] == 0xc2 && j+1 < len(s) && s[j+1] == 0x9c:
				return j + 2
			}
		}
		return j
	case 0:
		return j
	}
	if kind >= 0x20 && kind <= 0x2f && j < len(s) { // intermediate, then final
		return j + 1
	}
	if kind >= 0x80 || kind < 0x20 { // not a sequence: keep what follows
		return j - 1
	}
	return j
}
