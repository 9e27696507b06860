package sanitize

import "strings"

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
