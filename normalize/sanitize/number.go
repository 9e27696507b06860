package sanitize

import "strings"

// longNumber is the number of digits from which on a number may be an id.
const longNumber = 9

// number judges a chunk that begins with a digit.
func (m *masker) number(i, j int) int {
	s := m.s
	t := s[i:j]
	if k := dateEnd(t); k > 0 {
		return i // the caller goes on behind the name, which is harmless
	}
	if e := ipv4(s, i); e > i {
		for e < j && (s[e] == ':' || s[e] == '/') && e+1 < len(s) && isDigit(s[e+1]) {
			e++
			for e < len(s) && isDigit(s[e]) {
				e++
			}
		}
		return m.put(i, e, mIP, rIP)
	}
	if i > 0 && (isAlnum(s[i-1]) || s[i-1] == '_') {
		return i
	}
	if e := cardNumber(s, i); e > i {
		return m.put(i, e, mNumber, rCard)
	}
	if e := ssn(s, i); e > i {
		return m.put(i, e, mNumber, rSSN)
	}
	if e := nanp(s, i); e > i {
		return m.put(i, e, mNumber, rPhone)
	}
	// Digits with separators of thousands.
	digits, e, dots := 0, i, 0
	intDigits := 0
	for e < len(s) {
		c := s[e]
		if isDigit(c) {
			digits++
			e++
			continue
		}
		next := e+1 < len(s) && isDigit(s[e+1])
		if !next {
			break
		}
		if c == '.' {
			if dots == 0 {
				intDigits = digits
			}
			dots++
		} else if c == ',' || c == '_' || c == '\'' {
			if run := digitRun(s, e+1); run != 3 {
				break
			}
		} else if c == '-' {
			if digits < 2 {
				break
			}
		} else {
			break
		}
		e++
	}
	if e < len(s) && (isAlpha(s[e]) || s[e] == '_') {
		return i
	}
	if dots == 3 && intDigits <= 3 && digits <= 12 {
		return i // a version of four parts
	}
	if dots == 1 && intDigits <= 6 && digits <= 24 {
		return i // a decimal fraction
	}
	if digits >= longNumber {
		return m.put(i, e, mNumber, rNumber)
	}
	// Groups by blanks: 1 234 567 890, 12 34 56 78 90.
	if e2, n := spacedDigits(s, i); n >= longNumber {
		return m.put(i, e2, mNumber, rNumber)
	}
	return i
}

// spacedDigits counts digits in at least three groups of equal length that are
// separated by one blank each; the first may be shorter.
func spacedDigits(s string, i int) (end, digits int) {
	first := digitRun(s, i)
	if first == 0 || first > 4 {
		return i, 0
	}
	e, digits, groups, size := i+first, first, 1, 0
	for e+1 < len(s) && s[e] == ' ' && isDigit(s[e+1]) {
		n := digitRun(s, e+1)
		if size == 0 {
			size = n
		}
		if n != size || n < 2 || n > 4 {
			break
		}
		e, digits, groups = e+1+n, digits+n, groups+1
	}
	if groups < 3 || first > size || e < len(s) && isAlnum(s[e]) {
		return i, 0
	}
	return e, digits
}

func digitRun(s string, i int) int {
	n := 0
	for i+n < len(s) && isDigit(s[i+n]) && n <= maxToken {
		n++
	}
	return n
}

// dateEnd returns the length of a date at the start of t, with or without a
// time, and of a time. Impossible dates count: the caller may have sent one.
func dateEnd(t string) int {
	switch {
	case shape(t, "dddd-dd-dd"), shape(t, "dddd/dd/dd"), shape(t, "dd/dd/dddd"), shape(t, "dd.dd.dddd"), shape(t, "dd-dd-dddd"):
		if len(t) > 10 && isDigit(t[10]) {
			return 0
		}
		if len(t) > 10 && t[10] == 'T' && !timeTail(t[11:]) {
			return 0
		}
		if len(t) > 10 && t[10] != 'T' && isAlnum(t[10]) {
			return 0
		}
		return 10
	case shape(t, "dd:dd:dd"), shape(t, "dd:dd"), shape(t, "d:dd"):
		if timeTail(t) {
			return len(t)
		}
	}
	return 0
}

// timeTail reports digits, ":", ".", "+", "-" and a final "Z" of at most 24
// characters, with fewer than 16 digits.
func timeTail(t string) bool {
	if len(t) > 24 {
		return false
	}
	digits := 0
	for i := 0; i < len(t); i++ {
		c := t[i]
		switch {
		case isDigit(c):
			digits++
		case c == ':' || c == '.' || c == '+' || c == '-' || c == 'Z' && i == len(t)-1:
		default:
			return false
		}
	}
	return digits < 20 && strings.Count(t, ":") < 5
}

func shape(t, pattern string) bool {
	if len(t) < len(pattern) {
		return false
	}
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == 'd' {
			if !isDigit(t[i]) {
				return false
			}
		} else if t[i] != pattern[i] {
			return false
		}
	}
	return true
}
