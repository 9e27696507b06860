package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lookalike maps letters that are drawn like an ASCII letter (Unicode TR39,
// confusables) to that letter. Full-width forms need no entry: NFKC maps them.
var lookalike = pairs(
	// Cyrillic
	"аa", "вb", "еe", "ёe", "іi", "їi", "јj", "кk", "мm", "нh", "оo", "рp", "сc", "тt", "уy", "хx", "ѕs", "ԁd", "һh", "ԛq", "ԝw", "ӏl", "ѵv", "гr", "пn", "ьb", "зe", "ѡw", "ү"+"y", "ҽe", "ԍg", "ո"+"n",
	"АA", "ВB", "ЕE", "ЁE", "ІI", "ЇI", "ЈJ", "КK", "МM", "НH", "ОO", "РP", "СC", "ТT", "УY", "ХX", "ЅS", "ԌG", "Ԛ"+"Q", "ԜW", "ӀI", "ѴV", "Ү"+"Y", "З3", "б6", "ԁd", "ԝw",
	// Greek
	"αa", "βb", "γy", "εe", "ηn", "ιi", "κk", "νv", "οo", "ρp", "σo", "τt", "υu", "χx", "ωw", "ϲc", "ϳj", "ζz", "μu", "ςc", "ϱp",
	"ΑA", "ΒB", "ΕE", "ΖZ", "ΗH", "ΙI", "ΚK", "ΜM", "ΝN", "ΟO", "ΡP", "ΤT", "ΥY", "ΧX", "ϹC", "ϺM", "Ϲ"+"C",
	// Latin outside ASCII, Armenian, Cherokee and others
	"ıi", "ȷj", "ɑa", "ɡg", "ɩi", "ʀR", "ɪI", "ʟL", "ɴN", "ʙB", "ɢG", "ʜH", "ᴀA", "ᴄc", "ᴅD", "ᴇE", "ᴊJ", "ᴋk", "ᴍM", "ᴏo", "ᴘP", "ꜱs", "ᴛT", "ᴜu", "ᴠv", "ᴡw", "ʏY", "ᴢz", "ɛe", "ɾr", "ƅb", "ǀl", "ɗd", "ɓb", "ƙk", "ƥp", "ƭt", "ɦh", "ɱm", "ŋn", "ø"+"o", "đd", "ħh", "łl", "ŧt",
	"օo", "ոn", "սu", "հh", "ցg", "քp", "ԛq", "զq", "ѕs", "յj", "լl", "ӏl", "Ꭺ"+"A", "ᏴB", "ᏟC", "ᎠD", "ᎬE", "ᏀG", "ᎻH", "ᎫJ", "ᏦK", "ᏞL", "ᎷM", "ᏢP", "ᏒR", "ᏚS", "ᎢT", "ᏙV", "ᎳW", "ᏃZ",
)

func pairs(list ...string) map[rune]byte {
	m := make(map[rune]byte, len(list))
	for _, p := range list {
		r, n := utf8.DecodeRuneInString(p)
		m[r] = p[n]
	}
	return m
}

// unconfuse maps look-alikes in words that mix scripts, in words that are wholly
// look-alikes and name a secret, and in precomposed disguises of ASCII. Words
// of one script stay as they are.
func unconfuse(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		j, ascii := wordEnd(s, i)
		if j == i {
			n := 1
			if s[i] >= 0x80 {
				_, n = utf8.DecodeRuneInString(s[i:])
			}
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if ascii {
			b.WriteString(s[i:j])
		} else {
			unconfuseWord(&b, s[i:j])
		}
		i = j
	}
	return b.String()
}

// wordEnd returns the end of the word at i, and whether it is plain ASCII.
func wordEnd(s string, i int) (end int, ascii bool) {
	ascii = true
	for i < len(s) {
		c := s[i]
		if c < 0x80 {
			if !isAlnum(c) && c != '_' && c != '-' {
				return i, ascii
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i, ascii
		}
		i += n
		ascii = false
	}
	return i, ascii
}

func unconfuseWord(b *strings.Builder, w string) {
	var asciiLetters, digits, like, other int
	for _, r := range w {
		switch {
		case r < 0x80:
			if isAlpha(byte(r)) {
				asciiLetters++
			} else if isDigit(byte(r)) {
				digits++
			}
		case likeASCII(r) != 0:
			like++
		default:
			other++
		}
	}
	if like == 0 || asciiLetters == 0 && other > 0 || asciiLetters == 0 && digits < 4 && !sensitiveKey(toASCII(w)) {
		b.WriteString(w)
		return
	}
	for _, r := range w {
		if c := likeASCII(r); c != 0 {
			b.WriteByte(c)
		} else {
			b.WriteRune(r)
		}
	}
}

func toASCII(w string) string {
	b := make([]byte, 0, 64)
	for _, r := range w {
		if len(b) == cap(b) {
			break
		}
		if c := likeASCII(r); c != 0 {
			b = append(b, c)
		} else if r < 0x80 {
			b = append(b, byte(r))
		}
	}
	return string(b)
}

// nearLookalike holds the look-alikes of the Greek, Cyrillic and Armenian blocks.
var nearLookalike = func() (t [0x590 - 0x370]byte) {
	for r, c := range lookalike {
		if r >= 0x370 && r < 0x590 {
			t[r-0x370] = c
		}
	}
	return t
}()

func likeASCII(r rune) byte {
	switch {
	case r < 0x80:
		return 0
	case r >= 0x370 && r < 0x590:
		return nearLookalike[r-0x370]
	case r >= 0x2e80 && r < 0xa000, r >= 0xac00 && r < 0xd800: // Han, Kana, Hangul
		return 0
	}
	return lookalike[r]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool { return isLower(c) || isUpper(c) }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}
