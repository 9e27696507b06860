package sanitize

import "strings"

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
	for tries := 0; n >= 15 && tries < 2; tries++ {
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
