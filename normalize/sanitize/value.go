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
	if !m.sensitive(name) {
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
		tail := s[k:min(len(s), k+48)]
		v := strings.Index(tail, "<value>")
		if v < 0 {
			v = strings.Index(tail, "<string>") + 1
		}
		if v > 0 {
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
	if g < len(s) && s[g] == '\n' { // name: DB_PASSWORD, next line value: x
		if v := pairValue(s, g+1); v > 0 {
			return m.value(i, v, j, name, true)
		}
		return i
	}
	if quoted || g == k || g >= len(s) {
		return i
	}
	return m.afterBlank(i, j, g, name)
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
