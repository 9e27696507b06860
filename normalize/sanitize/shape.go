package sanitize

import (
	"math"
	"strings"
)

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(w string) bool {
	if len(w) < 36 {
		return false
	}
	for i := 0; i < 36; i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if w[i] != '-' {
				return false
			}
		} else if !isHex(w[i]) {
			return false
		}
	}
	return true
}

// hexID reports 0x and at least 4 digits, or 12 and more hexadecimal digits of
// which one is a decimal one.
func hexID(w string) bool {
	if len(w) > 5 && w[0] == '0' && (w[1] == 'x' || w[1] == 'X') {
		return allHex(w[2:])
	}
	return len(w) >= 12 && allHex(w) && (hasDigit(w) || len(w) >= 16)
}

// entropy returns the Shannon entropy of w in bits per byte.
func entropy(w string) float64 {
	var n [256]uint16
	for i := 0; i < len(w); i++ {
		n[w[i]]++
	}
	h, total := 0.0, float64(len(w))
	for _, c := range n {
		if c > 0 {
			p := float64(c) / total
			h -= p * math.Log2(p)
		}
	}
	return h
}

// entropyToken reports random-looking tokens: from 20 characters with a digit
// and two more classes on, or from 32 characters on.
func entropyToken(w string) bool {
	if len(w) < 20 || wordy(w) {
		return false
	}
	var up, low, dig bool
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case isUpper(c):
			up = true
		case isLower(c):
			low = true
		case isDigit(c):
			dig = true
		}
	}
	if dig && (up || low) && entropy(w) > 3 {
		return true
	}
	return len(w) >= 32 && entropy(w) > 3.5 || len(w) >= 20 && up && low && entropy(w) > 3.5
}

// wordy reports names and paths: pieces between separators and capitals that are
// letters with at most a short number behind.
func wordy(w string) bool {
	pieces, letters, total, loud, hard := 0, 0, 0, 0, 0
	for i := 0; i < len(w); {
		c := w[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == '/' || c == '+' || c == '=' || c == '~':
			i++
		case isAlpha(c):
			j := i
			for j < len(w) && isUpper(w[j]) {
				j++
			}
			caps := j - i
			for j < len(w) && isLower(w[j]) {
				j++
			}
			if j-i > 16 || caps > 12 {
				return false
			}
			if j-i >= 3 {
				letters += j - i
			}
			if caps > 1 && j-i > caps {
				loud++
			}
			if consonants(w[i:j]) > 5 {
				hard++
			}
			pieces, total = pieces+1, total+j-i
			i = j
		case isDigit(c):
			j := i
			for j < len(w) && isDigit(w[j]) {
				j++
			}
			if j-i > 4 {
				return false
			}
			pieces, total = pieces+1, total+j-i
			i = j
		default:
			return false
		}
	}
	// Names are made of few long pieces, random tokens of many short ones.
	return pieces > 0 && letters*10 >= total*8 && total >= pieces*3 && hard == 0 && (loud <= 1 || loud*3 <= pieces) && vowels(w)
}

// consonants returns the longest run of small consonants.
func consonants(w string) int {
	run, longest := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y' || !isLower(c):
			run = 0
		default:
			run++
			longest = max(longest, run)
		}
	}
	return longest
}

// vowels reports whether the letters of w could be words: every fifth a vowel.
func vowels(w string) bool {
	n, v := 0, 0
	for i := 0; i < len(w); i++ {
		switch c := lower(w[i]); {
		case c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y':
			n, v = n+1, v+1
		case isLower(c):
			n++
		}
	}
	return v*6 >= n
}

// mixedToken reports letters and digits in turns, such as short ids, outside the
// plain shapes: a word with a short number, a number with a unit.
func mixedToken(w string) bool {
	if len(w) < 8 {
		return false
	}
	turns, digits, letters, run, longest := 0, 0, 0, 0, 0
	prev := byte(0)
	for i := 0; i < len(w); i++ {
		c := w[i]
		kind := byte('-')
		switch {
		case isDigit(c):
			kind, digits = 'd', digits+1
		case isAlpha(c):
			kind, letters = 'l', letters+1
		}
		if kind == prev {
			run++
		} else {
			if prev == 'd' && kind == 'l' || prev == 'l' && kind == 'd' {
				turns++
			}
			run = 1
		}
		if kind == 'd' {
			longest = max(longest, run)
		}
		prev = kind
	}
	if digits == 0 || letters == 0 {
		return false
	}
	return turns >= 3 || turns == 2 && !wordy(w) && !units(w) || turns == 1 && longest >= 5
}

// units reports "15m27s", "1h30m", "2026-01-31T10:00:00Z" and the like: numbers
// with short units.
func units(w string) bool {
	for i := 0; i < len(w); {
		j := i
		for j < len(w) && (isDigit(w[j]) || w[j] == '.' || w[j] == '-') {
			j++
		}
		if j == i {
			return false
		}
		k := j
		for k < len(w) && isAlpha(w[k]) {
			k++
		}
		if k-j > 3 {
			return false
		}
		i = k
	}
	return true
}

// oddCase reports capitals in the middle of a word, as in random letters.
func oddCase(w string) bool {
	turns := 0
	for i := 1; i < len(w); i++ {
		if isLower(w[i-1]) && isUpper(w[i]) || isUpper(w[i-1]) && isLower(w[i]) && i > 1 {
			turns++
		}
	}
	return turns*3 > len(w)
}

// strongPassword reports letters of both cases, digits and a sign between them,
// as policies for passwords demand it and names never have it.
func strongPassword(w string) bool {
	if len(w) > 64 {
		return false
	}
	up, low, dig, sign := false, false, false, false
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case isUpper(c):
			up = true
		case isLower(c):
			low = true
		case isDigit(c):
			dig = true
		case c == '/' || c == '\\' || c == '=' || c == ':' || c == '&' || c == '@' || c == '?':
			return false
		case strings.IndexByte("!#*+^%~$", c) >= 0:
			if i > 0 && i+1 < len(w) && isAlnum(w[i-1]) && isAlnum(w[i+1]) && (c != '%' && c != '$' || isDigit(w[i+1])) {
				sign = true
			}
		}
	}
	return up && low && dig && sign
}

// password reports letters and digits with a sign that no name has, or letters
// of both cases with three digits or more.
func password(w string) bool {
	up, low, dig, sign := 0, 0, 0, 0
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case isUpper(c):
			up++
		case isLower(c):
			low++
		case isDigit(c):
			dig++
		case c != '-' && c != '_' && c != '.' && c != ':' && c != '/' && c != ',' && c != '[' && c != ']' && c < 0x80:
			sign++
		}
	}
	return up+low > 1 && dig > 0 && sign > 0 || up > 0 && low > 0 && dig >= 3 && !strings.ContainsAny(w, "-:/.")
}

// secretShaped reports what may not stand in a slot though Mask lets it pass:
// short tokens of mixed classes.
func secretShaped(w string) bool {
	if dateEnd(w) > 0 {
		return false
	}
	if vendorToken(w) || hexID(w) || entropyToken(w) || mixedToken(w) {
		return true
	}
	if len(w) < 8 {
		return false
	}
	if oddCase(w) || len(w) >= 24 && !wordy(w) || password(w) {
		return true
	}
	turns := 0
	for i := 1; i < len(w); i++ {
		if isDigit(w[i]) != isDigit(w[i-1]) && isAlnum(w[i]) && isAlnum(w[i-1]) {
			turns++
		}
	}
	return turns >= 2 && !strings.ContainsAny(w, "-:.")
}
