package sanitize

import "strings"

// pairValue returns where the value stands in {"name":"password","value":"x"},
// with i behind the comma, or 0.
func pairValue(s string, i int) int {
	for n := 0; i < len(s) && n < 8 && strings.IndexByte(" \n\"'\\", s[i]) >= 0; n++ {
		i++
	}
	e := i
	for e < len(s) && isAlpha(s[e]) && e-i < 12 {
		e++
	}
	if w := s[i:e]; !strings.EqualFold(w, "value") && !strings.EqualFold(w, "val") {
		return 0
	}
	for n := 0; e < len(s) && n < 4 && strings.IndexByte("\"'\\ ", s[e]) >= 0; n++ {
		e++
	}
	if e < len(s) && (s[e] == ':' || s[e] == '=') {
		return e + 1
	}
	return 0
}

// oneTimeCode masks the digits behind "verification code" and the like.
func (m *masker) oneTimeCode(i, j int) int {
	switch strings.ToLower(m.word) {
	case "verification", "security", "access", "login", "confirmation", "backup", "recovery", "passcode", "sms", "time", "auth", "pairing", "device":
	default:
		return i
	}
	s := m.s
	v := j
	for n := 0; v < len(s) && n < 12 && (strings.IndexByte(" :=\"'", s[v]) >= 0 || has(s[v:], "is ") || has(s[v:], "s ")); n++ {
		if isLower(s[v]) && v+1 < len(s) && s[v+1] != ' ' {
			v++
		}
		v++
	}
	n := digitRun(s, v)
	if n < 4 || n > 10 {
		return i
	}
	return m.put(v, v+n, mRedacted, rKey)
}

// authScheme masks the credential behind "Bearer", "Basic" and "Digest".
func (m *masker) authScheme(i, j int) int {
	s := m.s
	v := skipBlanks(s, j)
	e := v
	for e < len(s) && valueByte(s[e]) && s[e] != ',' && s[e] != ';' && s[e] != ')' && s[e] != '}' && s[e] != ']' {
		e++
	}
	for e > v && strings.IndexByte(".:", s[e-1]) >= 0 {
		e--
	}
	w := s[v:e]
	if len(w) < 4 || proseWord(w) || known(w) || strings.IndexByte(w, '=') > 0 && strings.IndexByte(w, '=') < len(w)-2 {
		return i
	}
	if placeholder(w) > 0 {
		return i
	}
	return m.put(v, e, mRedacted, rHeader)
}

// afterBlank judges the word behind "password " and "--token ".
func (m *masker) afterBlank(i, j, g int, name string) int {
	s := m.s
	flag := i > 0 && s[i-1] == '-'
	e := g
	if s[g] == '"' || s[g] == '\'' {
		if flag {
			return m.quotedValue(i, g, g, "", true)
		}
		end := strings.IndexByte(s[g+1:min(len(s), g+1+maxToken)], s[g])
		if end <= 0 {
			return i
		}
		w := s[g+1 : g+1+end]
		if suspicious(w) && !m.near() {
			m.put(g+1, g+1+end, mRedacted, rKey)
			return g + 1 + end
		}
		return i
	}
	if (s[g] == '(' || s[g] == '<' && m.mode == logging) && !flag {
		g++
		e = g
	}
	for e < len(s) && valueByte(s[e]) {
		e++
	}
	end := e
	for end > g && strings.IndexByte(".,:;)]}", s[end-1]) >= 0 {
		end--
	}
	if end == g || placeholder(s[g:]) > 0 {
		return i
	}
	w := s[g:end]
	if flag && w[0] != '-' && (!known(w) || !proseWord(w) && !known(nextWord(s, end))) {
		return m.put(g, end, mRedacted, rCLI)
	}
	if m.near() {
		return i
	}
	if end < len(s) && s[end] == ':' && proseWord(w) { // password incorrect: x
		v := skipBlanks(s, end+1)
		k := v
		for k < len(s) && valueByte(s[k]) {
			k++
		}
		for k > v && strings.IndexByte(".,:;)]}", s[k-1]) >= 0 {
			k--
		}
		if k > v && v > end+1 && suspicious(s[v:k]) && placeholder(s[v:k]) == 0 {
			m.put(v, k, mRedacted, rKey)
			return k
		}
		return i
	}
	if len(w) >= 4 && allDigits(w) && pinName(name) {
		return m.put(g, end, mRedacted, rKey)
	}
	if low := strings.ToLower(w); low == "is" || low == "was" || low == "of" || low == "are" {
		// "the password is x"
		v := skipBlanks(s, end)
		k := v
		for k < len(s) && valueByte(s[k]) {
			k++
		}
		for k > v && strings.IndexByte(".,:;)]}", s[k-1]) >= 0 {
			k--
		}
		if k > v && low != "of" && (suspicious(s[v:k]) || k-v >= 4 && allDigits(s[v:k])) && placeholder(s[v:k]) == 0 {
			m.put(v, k, mRedacted, rKey)
			return k
		}
		return i
	}
	if netrc := strings.EqualFold(name, "password") && strings.EqualFold(m.word2, "login"); netrc || suspicious(w) {
		m.put(g, end, mRedacted, rKey)
		return end
	}
	return i
}

// pinName reports names whose value is a number.
func pinName(name string) bool {
	switch strings.ToLower(name) {
	case "otp", "totp", "pin", "passcode", "cvv", "cvc":
		return true
	}
	return false
}

// nextWord returns the word behind a blank at i.
func nextWord(s string, i int) string {
	k := skipBlanks(s, i)
	e := k
	for e < len(s) && isAlpha(s[e]) {
		e++
	}
	return s[k:e]
}

// near reports a word before that makes "token x" a matter of syntax.
func (m *masker) near() bool {
	switch strings.ToLower(m.word) {
	case "unexpected", "near", "at", "invalid", "illegal", "expected", "unknown":
		return m.word == strings.ToLower(m.word) && m.word != "invalid" && m.word != "unknown" || m.word == "Unexpected"
	}
	return false
}

// suspicious reports a word that is no word of error messages: with digits or
// signs in it, or not in the vocabulary.
func suspicious(w string) bool {
	if len(w) < 3 || proseWord(w) || emptyValue(w) || isSmall(w) {
		return false
	}
	if plainWord(w) || strings.IndexByte(w, '-') > 0 && plainWord(strings.ReplaceAll(w, "-", "")) {
		return !known(w) && !known(strings.TrimRight(w, "s")) && strings.IndexByte(w, '-') < 0
	}
	if strings.ContainsAny(w, "(_[{=") && !hasDigit(w) || strings.HasSuffix(w, "()") || strings.Contains(w, "'") && !hasDigit(w) {
		return false
	}
	return hasDigit(w) && !units(w) || strings.ContainsAny(w, "!@#$%^&*+~")
}

// userColon handles user:password@host with signs that end a token.
func (m *masker) userColon(i, j int) int {
	s := m.s
	if j+1 >= len(s) || isSpace(s[j+1]) || s[j+1] == '/' {
		return i
	}
	end := min(len(s), j+128)
	at := -1
	for k := j + 1; k < end && !isSpace(s[k]) && s[k] != '"' && s[k] != '\'' && s[k] != '<' && s[k] != '>'; k++ {
		if s[k] == '@' {
			at = k
		}
	}
	if at < 0 || at == j+1 || at+1 >= len(s) || !isAlnum(s[at+1]) && s[at+1] != '[' && s[at+1] != '(' {
		return i
	}
	k := at + 1
	for k < len(s) && k-at < maxToken && valueByte(s[k]) && s[k] != ',' && s[k] != ';' {
		k++
	}
	if m.mode == logging {
		return m.put(j+1, at, mRedacted, rUserPass)
	}
	return m.put(i, k, mRedacted, rUserPass)
}
