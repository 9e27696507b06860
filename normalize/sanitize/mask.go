package sanitize

// Mask replaces every secret, personal datum and internal detail in a cleaned
// text by a placeholder and counts what it replaced. It never changes its own
// output: Mask(Mask(x)) == Mask(x). Words, small numbers, dates, times, versions
// and field names stay. The work is linear in the length of the text: tokens of
// more than 256 bytes are removed whole and every look-ahead is bounded or ends
// where the masker goes on.
func Mask(cleaned string) (string, Hits) {
	var hits [nRules]int
	out := maskStable(cleaned, strict, &hits)
	return out, count(&hits)
}

func count(hits *[nRules]int) Hits {
	var h Hits
	for id, n := range hits {
		if n > 0 {
			if h == nil {
				h = make(Hits, 4)
			}
			h[ruleIDs[id]] = n
		}
	}
	return h
}

// maskStable masks until nothing changes any more. One pass almost always is
// enough, since no rule matches a placeholder; a text that needs more than four
// was made to defeat the rules and is withheld as a whole.
func maskStable(s string, md mode, hits *[nRules]int) string {
	for range maxUnstable {
		next := maskPass(s, md, hits)
		if next == s {
			return s
		}
		s = next
	}
	var again [nRules]int
	if maskPass(s, md, &again) == s {
		return s
	}
	hits[rUnstable]++
	return mRedacted
}

// mode says how much is masked.
type mode uint8

const (
	// strict masks everything that section 4 of the rule table names.
	strict mode = iota
	// logging masks secrets only and keeps paths, hosts, ids and structure.
	logging
	// nested is strict for text that was decoded from a token: no further decoding.
	nested
)

// masker is the state of one pass.
type masker struct {
	s    string
	out  []byte
	last int // s[:last] stands in out, masked
	hits *[nRules]int
	mode mode

	word    string // last word, as written
	wordEnd int    // index after it
	word2   string // the word before
	newline bool   // only blanks since the line began
	credEnd int    // index after the last credential that was removed, or -1
	noClose int    // no ">" from here on up to noCloseTo
	closeTo int

	// names remembers what sensitiveKey said of the names seen last: the words of
	// a text repeat.
	names [64]struct {
		name string
		yes  bool
	}
}

// sensitive is sensitiveKey with a memory.
func (m *masker) sensitive(name string) bool {
	n := &m.names[(len(name)*31+int(name[0])*7+int(name[len(name)-1]))&63]
	if n.name != name {
		n.name, n.yes = name, sensitiveKey(name)
	}
	return n.yes
}

func maskPass(s string, md mode, hits *[nRules]int) string {
	if md != logging {
		s = dropInstructions(s, hits)
	}
	s = unescape(s)
	m := masker{s: s, hits: hits, mode: md, newline: true, credEnd: -1}
	for i := 0; i < len(s); {
		i = m.step(i)
	}
	if m.last == 0 && m.out == nil {
		return s
	}
	m.out = append(m.out, s[m.last:]...)
	return string(m.out)
}

// put replaces s[i:j] by repl.
func (m *masker) put(i, j int, repl string, r rule) int {
	if m.s[i:j] == repl {
		return j
	}
	if i < m.last { // part of it is gone already
		i = m.last
	}
	if i > j {
		return j
	}
	if m.out == nil {
		m.out = make([]byte, 0, len(m.s)+64)
	}
	m.out = append(m.out, m.s[m.last:i]...)
	m.out = append(m.out, repl...)
	m.last = j
	m.hits[r]++
	switch repl {
	case mSecret, mKey, mRedacted:
		m.credEnd = j
	}
	return j
}

func (m *masker) step(i int) int {
	s := m.s
	c := s[i]
	switch {
	case c == '\n':
		m.newline = true
		return i + 1
	case c == ' ' || c == '\t':
		return i + 1
	}
	begin := m.newline
	m.newline = false
	if begin || i > 0 && (s[i-1] == ' ' || s[i-1] == '[' || s[i-1] == '"' || s[i-1] == '\t') {
		if j := m.lineRule(i, begin); j > i {
			return j
		}
	}
	if begin && m.credEnd == i-1 && m.credEnd > 0 && isAlnum(c) {
		if j := m.continuation(i); j > i {
			return j
		}
	}
	switch c {
	case '[':
		if n := placeholder(s[i:]); n > 0 {
			return i + n
		}
		return i + 1
	case '-':
		return m.dash(i)
	case '<':
		return m.tag(i)
	case ']', '!':
		return m.link(i)
	case '/', '~', '\\':
		return m.slash(i)
	case '.':
		if i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '.' && i+2 < len(s) && s[i+2] == '/') {
			return m.slash(i)
		}
		return i + 1
	case ':':
		if j := m.colonIP(i); j > i {
			return j
		}
		return i + 1
	case '+', '(':
		if j := m.phone(i); j > i {
			return j
		}
		return i + 1
	case '%':
		if j := m.chunk(i); j > i {
			return j
		}
		return i + 1
	}
	if len(foreignByFirst[c]) > 0 {
		if j := m.foreignKey(i); j > i {
			return j
		}
	}
	if isAlnum(c) || c == '_' || c == '$' || c == '@' || c == '#' {
		return m.token(i)
	}
	return i + 1
}

// continuation masks the second half of a credential that was broken at the end
// of a line.
func (m *masker) continuation(i int) int {
	j := i
	mixed := false
	for j < len(m.s) && tokenByte(m.s[j]) {
		if !isLower(m.s[j]) {
			mixed = true
		}
		j++
	}
	if j-i >= 4 && mixed && (hasDigit(m.s[i:j]) || j-i >= 8 && oddCase(m.s[i:j])) {
		return m.put(i, j, mSecret, rVendor)
	}
	return i
}

// tokenByte reports the characters that a token is made of: all but blanks,
// quotes, brackets and the separators of lists.
func tokenByte(c byte) bool { return tokenTable[c] }

var tokenTable = func() (t [256]bool) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-32] = true, true
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = true
	}
	for _, c := range []byte("_+/=~.%-@:&#$*!?^\\") {
		t[c] = true
	}
	return t
}()

// keyByte reports the characters of a field's name.
func keyByte(c byte) bool {
	return isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '$'
}
