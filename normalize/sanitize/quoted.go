package sanitize

import "strings"

// passphrase goes on over the words behind a masked password until the line, the
// clause or the passphrase ends. i is the end of what is masked.
func (m *masker) passphrase(masked, i int, flat string) int {
	if !strings.Contains(flat, "pass") && !strings.Contains(flat, "secret") && flat != "pwd" && flat != "pw" && flat != "seed" || i > masked {
		return max(i, masked)
	}
	s := m.s
	end := i
	for n := 0; n < 24; n++ {
		k := skipBlanks(s, end)
		if k == end || k >= len(s) {
			break
		}
		e := k
		for e < len(s) && isAlpha(s[e]) {
			e++
		}
		if e == k || e-k > 16 || e < len(s) && !isSpace(s[e]) && s[e] != '.' || proseWord(s[k:e]) || isUpper(s[k]) {
			break
		}
		end = e
	}
	if end == i {
		return i
	}
	return m.put(i, end, "", rKey)
}

// quotedValue masks a value in quotes. v is where its backslashes begin, q the
// quote.
func (m *masker) quotedValue(i, v, q int, flat string, sure bool) int {
	s := m.s
	slashes := q - v
	e := q + 1
	for e < len(s) && e-q < 16<<10 {
		if s[e] == s[q] {
			n := 0
			for e-1-n > q && s[e-1-n] == '\\' {
				n++
			}
			if n == slashes || n < slashes {
				break
			}
			if slashes == 0 && n%2 == 0 {
				break
			}
		}
		if s[e] == '\n' && !sure {
			break
		}
		e++
	}
	inner := s[q+1 : min(e, len(s))]
	inner = strings.TrimRight(inner, `\`)
	first, _, many := strings.Cut(inner, " ")
	if inner == "" || emptyValue(inner) || placeholder(inner) == len(inner) || isSmall(inner) || proseWord(inner) && !many {
		return min(e, len(s))
	}
	if many && proseWord(first) && (!sure || explanation(inner)) {
		return i
	}
	if len(inner) == 1 && !isAlnum(inner[0]) { // token: expected ','
		return i
	}
	end := q + 1 + len(inner)
	if e >= len(s) || s[e] == '\n' && s[q] != '\n' && !sure {
		end = min(e, len(s))
	}
	m.put(q+1, end, mRedacted, rKey)
	return end
}

// explanation reports a sentence of known words that gives a reason, such as
// "This field is required." in the place of a password.
func explanation(s string) bool {
	n, reason := 0, false
	for _, w := range strings.Fields(s[:min(len(s), maxLine)]) {
		w = strings.ToLower(strings.Trim(w, ".,:;!?()"))
		if !known(w) && !allDigits(w) {
			return false
		}
		n++
		reason = reason || explains[w]
	}
	return n >= 2 && reason
}

// lineValue masks up to the end of the line, or to the quote that stands before
// the name.
func (m *masker) lineValue(i, v, nameEnd int, flat string, sure bool) int {
	s := m.s
	e := v
	var quote byte
	if k := m.nameStart(nameEnd); k > 0 && (s[k-1] == '"' || s[k-1] == '\'') {
		quote = s[k-1]
	}
	first := v
	for first < len(s) && valueByte(s[first]) && first-v < 20 {
		first++
	}
	if w := s[v:first]; !sure && proseWord(w) && !strings.EqualFold(w, "basic") {
		return i
	}
	for e < len(s) && s[e] != '\n' && (quote == 0 || s[e] != quote) {
		if s[e] == '\\' && e+1 < len(s) && s[e+1] == 'n' {
			break
		}
		e++
	}
	w := s[v:e]
	if w == "" || w == mRedacted || emptyValue(w) {
		return i
	}
	r := rHeader
	if strings.Contains(flat, "phrase") {
		r = rKey
	}
	return m.put(v, e, mRedacted, r)
}

func (m *masker) nameStart(end int) int {
	k := end
	for k > 0 && keyByte(m.s[k-1]) && end-k < 64 {
		k--
	}
	return k
}
