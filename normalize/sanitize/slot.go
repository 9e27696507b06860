package sanitize

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxIdent  = 64
	maxValue  = 40
	maxPhrase = 80
	maxList   = 8
	// maxWords is how many words a value may have: enough for "New York City".
	maxWords = 4
)

// Slot is a checked value for a template. The zero Slot is invalid: Compose
// refuses it.
type Slot struct {
	s  string
	ok bool
}

// Valid reports whether the slot passed its check.
func (s Slot) Valid() bool { return s.ok }

// String returns the checked text of the slot.
func (s Slot) String() string { return s.s }

// Int returns a number of at most nine digits. A longer one could be an id or a
// telephone number and gives an invalid Slot.
func Int(n int64) Slot {
	if n > 999_999_999 || n < -999_999_999 {
		return Slot{}
	}
	s := strconv.FormatInt(n, 10)
	if !masked(s) {
		return Slot{s, true}
	}
	return Slot{}
}

// Float returns a number in its shortest form; one that needs an exponent or
// more than 12 characters gives an invalid Slot.
func Float(f float64) Slot {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if len(s) > 12 || f != f || f > 1e9 || f < -1e9 || masked(s) {
		return Slot{}
	}
	return Slot{s, true}
}

// Duration returns d in words: "12 seconds", rounded up to whole seconds, or in
// minutes and hours where these are whole. Negative durations count as 0.
func Duration(d time.Duration) Slot {
	n := int64((max(d, 0) + time.Second - 1) / time.Second)
	unit := "second"
	switch {
	case n >= 7200 && n%3600 == 0:
		n, unit = n/3600, "hour"
	case n >= 120 && n%60 == 0:
		n, unit = n/60, "minute"
	}
	if n > 999_999 {
		return Slot{}
	}
	if n != 1 {
		unit += "s"
	}
	return Slot{strconv.FormatInt(n, 10) + " " + unit, true}
}

// Word returns a constant of the program as a slot.
func Word(c constant) Slot { return Slot{string(c), true} }

// Ident returns the name of an argument, a property or a tool. It must match
// ^[A-Za-z_][A-Za-z0-9_.\[\]-]{0,63}$, must not look like a secret, an internal
// name or an address, and must not carry an instruction.
func Ident(name string) (Slot, bool) {
	if name == "" || len(name) > maxIdent || !isAlpha(name[0]) && name[0] != '_' {
		return Slot{}, false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isAlnum(c) && !strings.ContainsRune("_.[]-", rune(c)) {
			return Slot{}, false
		}
	}
	if !brackets(name) || secretShaped(name) || instructs(name) {
		return Slot{}, false
	}
	// A property may be called API_KEY: the rule against environment names does
	// not apply to a name, all others do.
	if probe := strings.ToLower(name); masked(probe) || name != strings.ToUpper(name) && masked(name) {
		return Slot{}, false
	}
	return Slot{name, true}, true
}

// brackets reports whether brackets occur only as "[digits]" or "[]".
func brackets(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ']':
			return false
		case '[':
			j := i + 1
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			if j >= len(s) || s[j] != ']' || i == 0 {
				return false
			}
			i = j
		}
	}
	return true
}

// Value returns a scalar that the caller itself sent, or an enum value or
// constant of a schema: at most 40 characters and 4 words, which Clean and Mask
// leave alone, without quotes, brackets, markup and line breaks, not shaped like
// a secret, not an instruction.
func Value(v string) (Slot, bool) {
	if v == "" || utf8.RuneCountInString(v) > maxValue || !utf8.ValidString(v) {
		return Slot{}, false
	}
	if strings.ContainsAny(v, "\"'`<>[]{}()|\\\n\t*#=;$@!?") || strings.Contains(v, "://") {
		return Slot{}, false
	}
	if v[0] == ' ' || v[len(v)-1] == ' ' || len(strings.Fields(v)) > maxWords {
		return Slot{}, false
	}
	if strings.HasSuffix(v, ":") || strings.Contains(v, ": ") || strings.Contains(v, ". ") {
		return Slot{}, false
	}
	if Clean(v) != v || masked(v) || instructs(v) || strings.IndexByte(v, ' ') > 0 && commands(v) {
		return Slot{}, false
	}
	for _, w := range strings.Fields(v) {
		if secretShaped(w) {
			return Slot{}, false
		}
	}
	return Slot{v, true}, true
}

// Sensitive reports whether the value of an argument or property of that name is
// a secret and must not be echoed, whatever it looks like: password, api_key,
// session_id and their kin.
func Sensitive(name string) bool { return sensitiveKey(name) }

// Phrase returns the short constraint of a validator ("less than or equal to
// 20", "a valid email"): words of a fixed vocabulary, numbers of at most six
// digits and plain punctuation, at most 80 characters.
func Phrase(s string) (Slot, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxPhrase || !plainASCII(s) {
		return Slot{}, false
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case isAlpha(c):
			j := i
			for j < len(s) && (isAlpha(s[j]) || s[j] == '\'' && j+1 < len(s) && isAlpha(s[j+1])) {
				j++
			}
			for j < len(s) && isDigit(s[j]) { // int64, utf8
				j++
			}
			if !known(s[i:j]) {
				return Slot{}, false
			}
			i = j
		case isDigit(c):
			j := i
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			if j-i > 6 {
				return Slot{}, false
			}
			i = j
		case strings.IndexByte(" ,.:;()-/+%&", c) >= 0:
			i++
		case c == '<' || c == '>' || c == '=':
			return Slot{}, false
		default:
			return Slot{}, false
		}
	}
	if masked(s) || instructs(s) || commands(s) || handed(s) || strings.IndexByte(s, ' ') > 0 && Directs(s) {
		return Slot{}, false
	}
	return Slot{s, true}, true
}

// List returns the slots as "a, b, c": at most eight, then "...". It is invalid
// when there is none or one of them is invalid.
func List(slots ...Slot) Slot {
	if len(slots) == 0 {
		return Slot{}
	}
	var b strings.Builder
	for i, s := range slots {
		if !s.ok {
			return Slot{}
		}
		if i == maxList {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.s)
	}
	return Slot{b.String(), true}
}

// Compose returns format with every %s replaced by the next slot. It returns
// false when the number of slots does not fit, when a slot is invalid, and when
// the result does not pass Guard.
func Compose(format constant, slots ...Slot) (Safe, bool) {
	var b strings.Builder
	rest := string(format)
	for _, s := range slots {
		head, tail, found := strings.Cut(rest, "%s")
		if !found || !s.ok {
			return Safe{}, false
		}
		b.WriteString(head)
		b.WriteString(s.s)
		rest = tail
	}
	if strings.Contains(rest, "%s") {
		return Safe{}, false
	}
	b.WriteString(rest)
	if s := b.String(); Guard(s, nil) {
		return Safe{s}, true
	}
	return Safe{}, false
}
