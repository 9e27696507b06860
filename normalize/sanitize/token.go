package sanitize

import "strings"

// token handles the token that begins at i: a name with its value, or a piece
// that is judged by its shape.
func (m *masker) token(i int) int {
	s := m.s
	j := i
	for j < len(s) && keyByte(s[j]) && j-i <= maxToken {
		j++
	}
	if isAlnum(s[i]) && i+1 < len(s) && !isAlnum(s[i+1]) {
		if k := m.spaced(i); k > i {
			return k
		}
	}
	if strings.HasPrefix(s[j:], "://") && j > i {
		return m.url(i, j)
	}
	if j > i && j-i <= maxToken {
		if k := m.keyValue(i, j); k > i {
			m.remember(i, k)
			return k
		}
	}
	k := m.chunk(i)
	if k > i {
		return k
	}
	// Nothing to hide in the chunk as a whole: go on after its first name, since
	// a "=" or ":" may begin a value.
	if j == i {
		return i + 1
	}
	m.remember(i, j)
	return j
}

func (m *masker) remember(i, j int) {
	m.word2, m.word, m.wordEnd = m.word, m.s[i:j], j
}

// chunkEnd returns the end of the run of token characters at i, at most
// maxToken+1 bytes on; over reports that it is longer.
func chunkEnd(s string, i int) (end int, over bool) {
	j := i
	for j < len(s) && tokenByte(s[j]) && !(s[j] == '\\' && brokenAt(s, j)) {
		if j-i > maxToken {
			for j < len(s) && tokenByte(s[j]) {
				j++
			}
			return j, true
		}
		j++
	}
	return j, false
}

// brokenAt reports an escaped line break, tab or quote at i.
func brokenAt(s string, i int) bool {
	return i+1 < len(s) && strings.IndexByte("nrt\"'", s[i+1]) >= 0
}

// chunk judges the run of token characters at i by its shape. It returns i when
// the run may stay.
func (m *masker) chunk(i int) int {
	s := m.s
	j, over := chunkEnd(s, i)
	if over {
		return m.put(i, j, mRedacted, rLong)
	}
	// Punctuation at the end belongs to the sentence.
	for j > i && strings.IndexByte(".:!?", s[j-1]) >= 0 {
		j--
	}
	if j-i < 2 {
		if j > i && m.mode != logging && m.dbName(i, s[i:j]) {
			return m.put(i, j, mName, rName)
		}
		return i
	}
	t := s[i:j]
	fl := traits(t)
	if fl == 0 && len(t) > 4 && len(t) <= 16 && len(t) != 9 { // most words
		if m.mode != logging && m.dbName(i, t) {
			return m.put(i, j, mName, rName)
		}
		return i
	}
	if fl != 0 && vendorToken(t) {
		return m.put(i, j, mSecret, rVendor)
	}
	if fl&isDashed != 0 && isUUID(t) && (len(t) == 36 || !isAlnum(t[36])) {
		return m.put(i, i+36, mID, rUUID)
	}
	if m.mode != logging {
		if k := m.strictChunk(i, j, fl); k > i {
			return k
		}
	} else if at := strings.LastIndexByte(t, '@'); at > 0 && userPass(t, at) {
		k := strings.IndexAny(t, ":/")
		if t[k] == ':' || suspicious(t[k+1:at]) {
			return m.put(i+k+1, i+at, mRedacted, rUserPass)
		}
	}
	if fl&(isNumbered|isPercent|isCapital) == 0 && len(t) < 20 {
		return i
	}
	// From here on: shapes of secrets, which may stand behind "=" or ":".
	e := i
	for e < j && (isAlnum(s[e]) || strings.IndexByte("_-+/.~", s[e]) >= 0) {
		e++
	}
	for e < j && s[e] == '=' && (e+1 == j || s[e+1] == '=') {
		e++
	}
	w := s[i:e]
	if k := m.looks(i, e, w); k > i {
		return k
	}
	if fl&isSigned != 0 && len(t) >= 8 && strongPassword(t) {
		return m.put(i, j, mSecret, rPassword)
	}
	if m.mode != nested && len(t) >= 8 && m.hidden(t) {
		return m.put(i, j, mRedacted, rEncoded)
	}
	return i
}

// trait says which kinds of characters a token has besides small letters. Most
// rules need one of them.
type trait uint16

const (
	isCapital trait = 1 << iota
	isNumbered
	isUnder
	isDashed
	isDotted
	isSlashed
	isColoned
	isPercent
	isSigned
)

var traitOf = func() (t [256]trait) {
	for c := range t {
		switch b := byte(c); {
		case isLower(b):
		case isUpper(b):
			t[c] = isCapital
		case isDigit(b):
			t[c] = isNumbered
		case b == '_':
			t[c] = isUnder
		case b == '-':
			t[c] = isDashed
		case b == '.':
			t[c] = isDotted
		case b == '/' || b == '\\':
			t[c] = isSlashed | isSigned
		case b == ':':
			t[c] = isColoned
		case b == '%':
			t[c] = isPercent | isSigned
		default:
			t[c] = isSigned
		}
	}
	return t
}()

func traits(w string) (t trait) {
	for i := 0; i < len(w); i++ {
		t |= traitOf[w[i]]
	}
	return t
}

// looks judges a token by its characters alone.
func (m *masker) looks(i, e int, w string) int {
	switch {
	case len(w) < 8:
		return i
	case hexID(w):
		return m.put(i, e, mID, rHex)
	case entropyToken(w):
		return m.put(i, e, mSecret, rEntropy)
	case m.mode != logging && mixedToken(w):
		return m.put(i, e, mID, rMixed)
	case m.mode == logging && len(w) >= 16 && mixedToken(w) && strings.IndexByte(w, '/') < 0 && strings.IndexByte(w, '.') < 0:
		return m.put(i, e, mSecret, rMixed)
	}
	return i
}

// strictChunk applies the rules for what is internal rather than secret.
func (m *masker) strictChunk(i, j int, fl trait) int {
	s, t := m.s, m.s[i:j]
	c := t[0]
	if at := strings.IndexByte(t, '@'); fl&isSigned != 0 && at >= 0 {
		if k := m.at(i, j, at); k > i {
			return k
		}
	}
	if isDigit(c) {
		if k := m.number(i, j); k > i {
			return k
		}
	}
	if isHex(c) && fl&(isColoned|isDashed) != 0 {
		if k := m.hexIP(i, j); k > i {
			return k
		}
	}
	if fl&(isColoned|isSlashed) == 0 {
		// neither a resource nor a path of its own
	} else if strings.HasPrefix(t, "arn:") || strings.HasPrefix(t, "projects/") && strings.Count(t, "/") >= 3 ||
		strings.HasPrefix(t, "urn:") && len(t) > 12 || strings.HasPrefix(t, "spiffe:") {
		return m.put(i, j, mARN, rCloud)
	}
	if fl&isColoned != 0 && isAlpha(c) && len(t) > 2 && t[1] == ':' && (t[2] == '\\' || t[2] == '/') {
		return m.path(i)
	}
	if len(t) > 5 && strings.EqualFold(t[:5], "file:") {
		return m.path(i)
	}
	if fl&(isSlashed|isColoned|isDotted) != 0 && webAddress(t) {
		return m.put(i, j, mURL, rURL)
	}
	if isDigit(c) || isAlpha(c) {
		if fl&(isSlashed|isDotted) != 0 {
			if k := m.relativePath(i, j); k > i {
				return k
			}
		}
		if fl&(isDotted|isDashed|isColoned) != 0 || len(t) == 9 {
			if k := m.hostToken(i, j); k > i {
				return k
			}
		}
	}
	// The name at the start of the chunk.
	e := i
	for e < j && keyByte(s[e]) {
		e++
	}
	if e == i {
		return i
	}
	w := strings.TrimRight(s[i:e], ".")
	if k := m.driver(i, i+len(w), w); k > i {
		return k
	}
	if m.dbName(i, w) {
		return m.put(i, i+len(w), mName, rName)
	}
	if fl&(isUnder|isDashed|isNumbered) == 0 {
		return i
	}
	if requestID(w) {
		return m.put(i, i+len(w), mID, rRequestID)
	}
	if envName(w[strings.LastIndexByte(w, '.')+1:]) {
		return m.put(i, i+len(w), mRedacted, rEnv)
	}
	if k := iban(m.s, i); k > i {
		return m.put(i, k, mNumber, rIBAN)
	}
	return i
}

// at judges a chunk with an "@" in it: user:password@host, e-mail, Java object.
func (m *masker) at(i, j, at int) int {
	t := m.s[i:j]
	before, after := t[:at], t[at+1:]
	if before == "" || after == "" {
		return i
	}
	switch {
	case userPass(t, at):
		// tcp(host:3306)/db after the "@" belongs to it.
		k := j
		for k < len(m.s) && !isSpace(m.s[k]) && k-j < maxToken && strings.IndexByte("\"'`<>", m.s[k]) < 0 {
			k++
		}
		return m.put(i, k, mRedacted, rUserPass)
	case isDigit(after[0]) && strings.IndexByte(after, '.') > 0 && strings.IndexByte(before, '.') < 0:
		return i // package@1.2.3
	case allHex(after) && len(after) >= 5 && hasDigit(after):
		return m.put(i, j, mID, rRepr)
	case strings.IndexByte(after, '.') > 0 || isAlpha(after[0]) && len(before) > 1 && strings.IndexByte(before, '/') < 0:
		return m.put(i, j, mEmail, rEmail)
	}
	return i
}

// userPass reports user:password@host and user/password@sid.
func userPass(t string, at int) bool {
	if k := strings.LastIndexByte(t, '@'); k > at {
		at = k
	}
	k := strings.IndexAny(t[:at], ":/")
	return k > 0 && k < at-1 && at < len(t)-1 && t[0] != '/'
}

func allHex(w string) bool {
	for i := 0; i < len(w); i++ {
		if !isHex(w[i]) {
			return false
		}
	}
	return w != ""
}
