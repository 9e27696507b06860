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

// ipv4 returns the end of a dotted quad at i, or i.
func ipv4(s string, i int) int {
	e := i
	for g := range 4 {
		n := digitRun(s, e)
		if n == 0 || n > 3 || n == 3 && (s[e] > '2' || s[e] == '2' && (s[e+1] > '5' || s[e+1] == '5' && s[e+2] > '5')) {
			return i
		}
		e += n
		if g < 3 {
			if e >= len(s) || s[e] != '.' {
				return i
			}
			e++
		}
	}
	if e < len(s) && (isAlnum(s[e]) || s[e] == '.' && e+1 < len(s) && isDigit(s[e+1])) {
		return i
	}
	return e
}

// hexIP recognises IPv6 and MAC addresses that begin with a hexadecimal digit.
func (m *masker) hexIP(i, j int) int {
	s := m.s
	e := i
	colons, dashes, digits, groups, double, other := 0, 0, 0, 1, false, false
	for e < j && (isHex(s[e]) || s[e] == ':' || s[e] == '-' || s[e] == '.') {
		switch s[e] {
		case ':':
			colons++
			groups++
			if e+1 < j && s[e+1] == ':' {
				double = true
			}
		case '-':
			dashes++
		case '.':
			other = true
		default:
			if isDigit(s[e]) {
				digits++
			}
		}
		e++
	}
	if e < j && isAlnum(s[e]) && !(e > i && s[e-1] == '%') {
		return i
	}
	n := e - i
	switch {
	case n == 17 && (colons == 5 || dashes == 5) && colons+dashes == 5 && macShape(s[i:e]):
		return m.put(i, e, mIP, rMAC)
	case colons >= 2 && double && dashes == 0, colons == 7 && dashes == 0 && !other:
		if double && digits == 0 && n < 5 {
			return i
		}
		if e < len(s) && s[e] == '%' { // zone
			e++
			for e < len(s) && isAlnum(s[e]) {
				e++
			}
		}
		if e < len(s) && s[e] == '/' {
			e++
			e += digitRun(s, e)
		}
		return m.put(i, e, mIP, rIP)
	}
	return i
}

func macShape(w string) bool {
	for k := 0; k < 17; k++ {
		if k%3 == 2 {
			if w[k] != w[2] {
				return false
			}
		} else if !isHex(w[k]) {
			return false
		}
	}
	return true
}

// colonIP recognises "::1" and the like.
func (m *masker) colonIP(i int) int {
	s := m.s
	if m.mode == logging || !strings.HasPrefix(s[i:], "::") || i+2 >= len(s) || !isHex(s[i+2]) || i > 0 && (isAlnum(s[i-1]) || s[i-1] == ']' || s[i-1] == ')') {
		return i
	}
	e := i + 2
	for e < len(s) && e-i < 46 && (isHex(s[e]) || s[e] == ':' || s[e] == '.') {
		e++
	}
	if e < len(s) && isAlnum(s[e]) || !hasDigit(s[i:e]) {
		return i
	}
	return m.put(i, e, mIP, rIP)
}

// cardNumber recognises 13 to 19 digits, in groups or not, that pass Luhn.
func cardNumber(s string, i int) int {
	e, n, sum := i, 0, 0
	var d [20]byte
	gap := byte(0)
	for e < len(s) && n < 20 {
		if isDigit(s[e]) {
			d[n] = s[e] - '0'
			n++
			e++
			continue
		}
		if (s[e] == ' ' || s[e] == '-') && (gap == 0 || gap == s[e]) && n >= 4 && e+4 < len(s) && isDigit(s[e+1]) && isDigit(s[e+2]) && isDigit(s[e+3]) {
			gap = s[e]
			e++
			continue
		}
		break
	}
	if n < 13 || n > 19 || e < len(s) && isAlnum(s[e]) {
		return i
	}
	for k := 0; k < n; k++ {
		v := int(d[n-1-k])
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	if sum%10 != 0 {
		return i
	}
	return e
}

// ssn recognises ddd-dd-dddd.
func ssn(s string, i int) int {
	if shape(s[i:], "ddd-dd-dddd") || shape(s[i:], "ddd dd dddd") {
		if e := i + 11; e == len(s) || !isAlnum(s[e]) {
			return e
		}
	}
	return i
}

// nanp recognises ddd-ddd-dddd and its spellings.
func nanp(s string, i int) int {
	for _, p := range []string{"ddd-ddd-dddd", "ddd.ddd.dddd", "ddd ddd dddd", "ddd ddd-dddd", "ddd-dddd"} {
		if shape(s[i:], p) {
			if e := i + len(p); e == len(s) || !isAlnum(s[e]) && s[e] != '-' {
				if len(p) > 8 || i > 1 && s[i-1] == ' ' && s[i-2] == ')' {
					return e
				}
			}
		}
	}
	return i
}

// phone recognises +CC numbers and "(ddd) ddd-dddd".
func (m *masker) phone(i int) int {
	s := m.s
	if m.mode == logging {
		return i
	}
	if s[i] == '(' {
		if shape(s[i:], "(ddd) ddd-dddd") {
			return m.put(i, i+14, mNumber, rPhone)
		}
		if shape(s[i:], "(ddd)ddd-dddd") {
			return m.put(i, i+13, mNumber, rPhone)
		}
		return i
	}
	if i+1 >= len(s) || !isDigit(s[i+1]) || s[i+1] == '0' || i > 0 && isAlnum(s[i-1]) {
		return i
	}
	e, n, end := i+1, 0, i+1
	for e < len(s) && e-i < 32 {
		c := s[e]
		if isDigit(c) {
			n++
			e++
			end = e
			continue
		}
		if strings.IndexByte(" -.()/", c) < 0 {
			break
		}
		e++
	}
	if n < 8 || n > 15 || end < len(s) && isAlnum(s[end]) {
		return i
	}
	return m.put(i, end, mNumber, rPhone)
}

// iban returns the end of an IBAN at i (ISO 13616, modulo 97), or i.
func iban(s string, i int) int {
	if i+15 > len(s) || !isUpper(s[i]) || !isUpper(s[i+1]) || !isDigit(s[i+2]) || !isDigit(s[i+3]) {
		return i
	}
	var c [36]byte
	n, e := 0, i
	for e < len(s) && n < 34 {
		if isUpper(s[e]) || isDigit(s[e]) {
			c[n] = s[e]
			n++
			e++
			continue
		}
		if s[e] == ' ' && n%4 == 0 && e+1 < len(s) && (isUpper(s[e+1]) || isDigit(s[e+1])) {
			e++
			continue
		}
		break
	}
	for tries := 0; n >= 15 && tries < 3; tries++ {
		r := 0
		for k := 0; k < n; k++ {
			b := c[(k+4)%n]
			if isDigit(b) {
				r = (r*10 + int(b-'0')) % 97
			} else {
				r = (r*100 + int(b-'A') + 10) % 97
			}
		}
		if r == 1 {
			return e
		}
		// A capital word behind the number may have been taken for a part of it.
		k := strings.LastIndexByte(s[i:e], ' ')
		if k < 0 {
			return i
		}
		for j := i + k; j < e; j++ {
			if s[j] != ' ' {
				n--
			}
		}
		e = i + k
	}
	return i
}
