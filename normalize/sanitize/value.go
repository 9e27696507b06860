package sanitize

import "strings"

// maxGap is how many blanks may stand round the sign between name and value.
const maxGap = 4

// keyValue handles the name s[i:j] and the value behind it. It returns i when
// the name is no sensitive one or when prose follows.
func (m *masker) keyValue(i, j int) int {
	s := m.s
	name := s[i:j]
	for len(name) > 0 && (name[len(name)-1] == '.' || name[len(name)-1] == '-') {
		name = name[:len(name)-1]
	}
	if len(name) < 2 {
		return i
	}
	scheme := len(name) >= 5 && len(name) <= 9 && j < len(s) && s[j] == ' ' && (strings.EqualFold(name, "bearer") || strings.EqualFold(name, "basic") || strings.EqualFold(name, "digest") || strings.EqualFold(name, "negotiate"))
	if scheme {
		return m.authScheme(i, j)
	}
	if m.mode != logging && j < len(s) && (s[j] == ':' || s[j] == '=' || s[j] == '"' || s[j] == ' ') && m.idName(name) {
		if k := m.idValue(j); k > j {
			return k
		}
	}
	if len(name) == 2 && strings.EqualFold(name, "by") && strings.EqualFold(m.word, "identified") {
		if g := skipBlanks(s, j); g > j && g < len(s) && (s[g] == '\'' || s[g] == '"') {
			return m.quotedValue(i, g, g, "", true)
		}
	}
	if len(name) == 4 && strings.EqualFold(name, "code") {
		return m.oneTimeCode(i, j)
	}
	if !sensitiveKey(name) {
		if j < len(s) && s[j] == '=' && len(name) == 3 && strings.EqualFold(name, "key") && j+9 < len(s) && tokenRun(s[j+1:], 8) {
			return m.value(i, j+1, j+1, "key", true)
		}
		if j < len(s) && s[j] == ':' {
			return m.userColon(i, j)
		}
		return i
	}
	// A closing quote or bracket of the name, escaped or not.
	k := j
	for k < len(s) && k-j < maxGap && (s[k] == '\\' || s[k] == '"' || s[k] == '\'' || s[k] == ']' || s[k] == '`') {
		k++
	}
	quoted := k > j
	g := skipBlanks(s, k)
	if g < len(s) {
		switch {
		case strings.HasPrefix(s[g:], "=>") || strings.HasPrefix(s[g:], ":=") || strings.HasPrefix(s[g:], "->") || strings.HasPrefix(s[g:], "=="):
			return m.value(i, g+2, j, name, true)
		case s[g] == '=' || strings.HasPrefix(s[g:], "%3D") || strings.HasPrefix(s[g:], "%3d") || strings.HasPrefix(s[g:], "%3A"):
			if s[g] == '%' {
				g += 2
			}
			return m.value(i, g+1, j, name, true)
		case s[g] == ':':
			return m.value(i, g+1, j, name, quoted && g == k)
		}
	}
	if quoted && k < len(s) && s[k] == ',' && g == k { // ["password", "x"]
		if v := pairValue(s, k+1); v > 0 {
			return m.value(i, v, j, name, true)
		}
		if v := skipBlanks(s, k+1); v < len(s) && (s[v] == '"' || s[v] == '\'') && i > 0 && (s[i-1] == '"' || s[i-1] == '\'') && i > 1 && (s[i-2] == '[' || s[i-2] == '(') {
			return m.value(i, k+1, j, name, true)
		}
		return i
	}
	if strings.HasPrefix(s[k:], "</") {
		if v := strings.Index(s[k:min(len(s), k+48)], "<value>"); v > 0 {
			v += k + len("<value>")
			e := v
			for e < len(s) && s[e] != '<' && e-v < maxToken {
				e++
			}
			if e > v && placeholder(s[v:e]) != e-v {
				m.put(v, e, mRedacted, rKey)
				return e
			}
		}
		return i
	}
	if quoted || g == k || g >= len(s) || s[g] == '\n' {
		return i
	}
	return m.afterBlank(i, j, g, name)
}

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

func skipBlanks(s string, i int) int {
	for n := 0; i < len(s) && n < maxGap && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}

// value masks what stands at v, the value of the field name. sure is false after
// a plain colon, where prose may follow.
func (m *masker) value(i, v, nameEnd int, name string, sure bool) int {
	s := m.s
	v = skipBlanks(s, v)
	if v >= len(s) {
		return i
	}
	if s[v] == '\n' && !sure {
		k := skipBlanks(s, v+1)
		e := k
		for e < len(s) && valueByte(s[e]) && e-k < maxToken {
			e++
		}
		if e < len(s) && s[e] != '\n' || !suspicious(s[k:e]) || placeholder(s[k:]) > 0 || strings.HasSuffix(s[k:e], ":") {
			return i
		}
		m.put(k, e, mRedacted, rKey)
		return e
	}
	if s[v] == '\n' {
		v = skipBlanks(s, v+1)
		if v >= len(s) {
			return i
		}
	}
	var arr [64]byte
	flat := string(flatten(arr[:0], name[max(0, len(name)-64):]))
	if lineKey(flat) && (nameEnd >= len(s) || s[nameEnd] != '"' && s[nameEnd] != '\'' && s[nameEnd] != '\\') {
		return m.lineValue(i, v, nameEnd, flat, sure)
	}
	// Quotes, with any number of backslashes before them.
	q := v
	for q < len(s) && q-v < 8 && s[q] == '\\' {
		q++
	}
	if q < len(s) && (s[q] == '"' || s[q] == '\'' || s[q] == '`') {
		return m.quotedValue(i, v, q, flat, sure)
	}
	if s[v] == '[' && v+1 < len(s) && (s[v+1] == '"' || s[v+1] == '\'') {
		return m.quotedValue(i, v+1, v+1, flat, sure)
	}
	if s[v] == '[' || s[v] == '(' {
		if n := placeholder(s[v:]); n > 0 {
			e := v + n
			if e >= len(s) || !valueByte(s[e]) || strings.IndexByte(".,:;)?!]}\"'", s[e]) >= 0 {
				return m.passphrase(e, e, flat)
			}
		} else if end := strings.IndexByte(s[v:min(len(s), v+maxToken)], closer(s[v])); end > 0 && sure {
			return m.put(v, v+end+1, mRedacted, rKey)
		} else {
			return i
		}
	}
	if s[v] == '{' || s[v] == '<' && !sure {
		return i
	}
	if strings.HasPrefix(s[v:], "-----BEGIN") {
		return v
	}
	e := v
	for e < len(s) && valueByte(s[e]) {
		if s[e] == ';' && followsKey(s, e+1) || s[e] == '&' && followsKey(s, e+1) || s[e] == ',' && (e+1 >= len(s) || isSpace(s[e+1]) || followsKey(s, e+1)) {
			break
		}
		if s[e] == '\\' && e+1 < len(s) && (s[e+1] == 'n' || s[e+1] == '"' || s[e+1] == '\'') {
			break
		}
		e++
	}
	end := e
	for end > v && strings.IndexByte(".,:;)]}", s[end-1]) >= 0 {
		end--
	}
	if end == v {
		return i
	}
	w := s[v:end]
	if emptyValue(w) || !sure && (proseWord(w) || prosePhrase(s, v, end)) || isSmall(w) || strings.HasPrefix(w, "[") && placeholder(w) == len(w) {
		return i
	}
	if strings.EqualFold(w, "bearer") || strings.EqualFold(w, "basic") {
		if k := m.authScheme(v, e); k > v {
			return k
		}
	}
	m.put(v, end, mRedacted, rKey)
	return m.passphrase(end, e, flat)
}

func closer(c byte) byte {
	if c == '[' {
		return ']'
	}
	return ')'
}

// valueByte reports what an unquoted value is made of.
func valueByte(c byte) bool {
	return !isSpace(c) && c != '"' && c != '\'' && c != '`' && c != '<' && c != '>'
}

// followsKey reports whether a name and "=" stand at i, as in a connection
// string or a query.
func followsKey(s string, i int) bool {
	i = skipBlanks(s, i)
	for n := 0; i < len(s) && n < 40; n++ {
		c := s[i]
		if c == '=' || c == ':' {
			return n > 1
		}
		if !keyByte(c) && c != ' ' {
			return false
		}
		i++
	}
	return i >= len(s)
}

// emptyValue reports the values that say that there is none.
func emptyValue(w string) bool {
	switch strings.ToLower(w) {
	case "yes", "no", "null", "none", "nil", "undefined", "true", "false", "''", `""`, "...", "***", "****", "*****", "********", "xxx", "<nil>":
		return true
	}
	return false
}

// isSmall reports numbers of one or two digits, which are counts.
func isSmall(w string) bool {
	return len(w) <= 2 && isDigit(w[0]) && isDigit(w[len(w)-1])
}

// prosePhrase reports whether the words at v..end and behind are a sentence: the
// value and the next word are known words in lower case.
func prosePhrase(s string, v, end int) bool {
	if !plainWord(s[v:end]) || !known(s[v:end]) {
		return false
	}
	n := skipBlanks(s, end)
	if n == end || n >= len(s) {
		return false
	}
	e := n
	for e < len(s) && isAlpha(s[e]) {
		e++
	}
	return e > n && proseWord(s[n:e])
}

func plainWord(w string) bool {
	for i := 0; i < len(w); i++ {
		if !isAlpha(w[i]) {
			return false
		}
	}
	return w != ""
}

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
	return n >= 3 && reason
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
	if s[g] == '(' && !flag {
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

// idName reports names of the ids of requests and traces.
func (m *masker) idName(name string) bool {
	if len(name) == 2 && strings.EqualFold(name, "id") {
		switch strings.ToLower(m.word) {
		case "request", "ray", "trace", "correlation", "span", "host", "incident", "reference", "event":
			return true
		}
		return false
	}
	if len(name) < 5 || len(name) > 24 || lower(name[len(name)-1]) != 'd' || lower(name[len(name)-2]) != 'i' {
		return false
	}
	var arr [64]byte
	switch string(flatten(arr[:0], name)) {
	case "requestid", "xrequestid", "traceid", "correlationid", "xcorrelationid", "rayid", "cfrayid", "hostid", "spanid", "errorid", "eventid", "amznrequestid", "xamznrequestid", "incidentid", "logid", "invocationid", "xamzrequestid":
		return true
	}
	return false
}

// idValue masks the id behind the name that ends at j.
func (m *masker) idValue(j int) int {
	s := m.s
	v := j
	for v < len(s) && v-j < 8 && strings.IndexByte(" :=\"'\\", s[v]) >= 0 {
		v++
	}
	e := v
	for e < len(s) && (isAlnum(s[e]) || strings.IndexByte("-_+/=.", s[e]) >= 0) && e-v < maxToken {
		e++
	}
	for e > v && s[e-1] == '.' {
		e--
	}
	if e-v < 4 || !hasDigit(s[v:e]) {
		return j
	}
	return m.put(v, e, mID, rRequestID)
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
	if strings.IndexAny(w, "(_[{=") >= 0 && !hasDigit(w) || strings.HasSuffix(w, "()") || strings.Contains(w, "'") && !hasDigit(w) {
		return false
	}
	return hasDigit(w) && !units(w) || strings.IndexAny(w, "!@#$%^&*+~") >= 0
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
