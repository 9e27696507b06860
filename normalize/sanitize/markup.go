package sanitize

import "strings"

// maxTag is how far the end of a tag is looked for, in bytes.
const maxTag = 512

// tag removes HTML and XML tags, and the contents of elements with a sensitive
// name.
func (m *masker) tag(i int) int {
	s := m.s
	if i+1 >= len(s) {
		return i + 1
	}
	if c := s[i+1]; !isAlpha(c) && c != '/' && c != '!' && c != '?' && c != '|' && c != '%' || m.mode == logging && !isAlpha(c) {
		return i + 1
	}
	e := m.nextClose(i + 1)
	if e < 0 || e-i > maxTag {
		if m.mode == logging {
			return i + 1
		}
		return m.put(i, i+1, "", rMarkup) // not closed: without "<" it is no tag
	}
	j := i + 1
	for j < e && keyByte(s[j]) || j < e && s[j] == ':' {
		j++
	}
	name := s[i+1 : j]
	if k := strings.LastIndexByte(name, ':'); k >= 0 {
		name = name[k+1:]
	}
	if m.mode != logging {
		r := rMarkup
		if strings.Contains(s[j:e], " at 0x") {
			r = rRepr
		} else if !tagShape(s[i+1:j], s[j:e]) {
			return m.put(i, i+1, "", rMarkup) // <HttpError 404 when ...>: the words count
		}
		m.put(i, e+1, "", r)
	}
	if len(name) > 1 && sensitiveKey(name) {
		if m.mode == logging { // the attributes stay, so they are masked too
			if rest := maskPass(s[j:e], logging, m.hits); rest != s[j:e] {
				m.put(j, e, rest, rMarkup)
			}
		}
		v := e + 1
		k := v
		for k < len(s) && s[k] != '<' && k-v < 16<<10 {
			k++
		}
		if k > v && strings.HasPrefix(s[k:], "</") && strings.TrimSpace(s[v:k]) != "" && placeholder(s[v:k]) != k-v {
			return m.put(v, k, mRedacted, rKey)
		}
		return v
	}
	if m.mode == logging {
		return j
	}
	return e + 1
}

// tagShape reports a name followed by nothing or by attributes.
func tagShape(name, rest string) bool {
	rest = strings.TrimLeft(rest, " \t\n")
	if name == "" || rest == "" || rest == "/" {
		return true
	}
	k := 0
	for k < len(rest) && (keyByte(rest[k]) || rest[k] == ':' || rest[k] == '@') {
		k++
	}
	return k > 0 && k < len(rest) && rest[k] == '=' || strings.EqualFold(name, "img") || strings.EqualFold(name, "a") || strings.EqualFold(name, "script")
}

// nextClose returns the index of the next ">" or -1. It remembers where it has
// looked, so that a flood of "<" costs one scan.
func (m *masker) nextClose(i int) int {
	if i < m.closeTo {
		if m.noClose >= i {
			return m.noClose
		}
		if m.noClose < 0 {
			return -1
		}
	}
	k := strings.IndexByte(m.s[i:], '>')
	if k < 0 {
		m.noClose, m.closeTo = -1, len(m.s)
		return -1
	}
	m.noClose, m.closeTo = i+k, i+k+1
	return i + k
}

// link removes the target of a Markdown link and the sign of an image.
func (m *masker) link(i int) int {
	s := m.s
	if m.mode == logging || i+1 >= len(s) {
		return i + 1
	}
	if s[i] == '!' {
		if s[i+1] == '[' && placeholder(s[i+1:]) == 0 {
			return m.put(i, i+2, "", rLink)
		}
		return i + 1
	}
	if s[i+1] != '(' {
		return i + 1
	}
	e := i + 2
	for e < len(s) && e-i < maxTag && s[e] != ')' && s[e] != '\n' {
		e++
	}
	if e < len(s) && s[e] == ')' {
		e++
	}
	return m.put(i, e, "] "+mLink, rLink)
}

// dash handles PEM blocks and options of a command line.
func (m *masker) dash(i int) int {
	s := m.s
	if strings.HasPrefix(s[i:], "-----BEGIN") {
		return m.pem(i)
	}
	prev := i == 0 || isSpace(s[i-1]) || s[i-1] == '"' || s[i-1] == '\'' || s[i-1] == '['
	if prev && i+2 < len(s) && (s[i+1] == 'p' || s[i+1] == 'a') && strings.IndexByte(" \t\n", s[i+2]) < 0 && m.tool() {
		// mysql -pSECRET, redis-cli -aSECRET
		e := i + 2
		for e < len(s) && valueByte(s[e]) {
			e++
		}
		if w := s[i+2 : e]; placeholder(w) == 0 {
			return m.put(i+2, e, mRedacted, rCLI)
		}
		return e
	}
	if prev && i+3 < len(s) && (s[i+1] == 'p' || s[i+1] == 'a' || s[i+1] == 'u') && s[i+2] == ' ' && m.tool() && isAlnum(s[i+3]) {
		e := i + 3
		for e < len(s) && valueByte(s[e]) {
			e++
		}
		if s[i+1] != 'u' || strings.IndexByte(s[i+3:e], ':') > 0 {
			return m.put(i+3, e, mRedacted, rCLI)
		}
	}
	return i + 1
}

// tool reports a client program among the last two words, where -p is a password.
func (m *masker) tool() bool {
	for _, w := range []string{m.word, m.word2} {
		switch w {
		case "mysql", "mysqldump", "mysqladmin", "mariadb", "redis-cli", "sshpass", "curl", "sqlcmd", "mongo", "mongosh", "login", "root", "docker", "h", "u", "P":
			return true
		}
	}
	return strings.Contains(m.s[max(0, m.wordEnd-64):m.wordEnd], "mysql")
}

// maxPEM bounds a PEM block; one that is not closed ends with the text or here.
const maxPEM = 16 << 10

func (m *masker) pem(i int) int {
	s := m.s
	e := min(len(s), i+maxPEM)
	if k := strings.Index(s[i+10:e], "-----END"); k >= 0 {
		e = i + 10 + k + 8
		for n := 0; e < len(s) && n < 80 && s[e] != '\n' && s[e] != '"'; n++ {
			e++
			if strings.HasSuffix(s[:e], "-----") {
				break
			}
		}
		return m.put(i, e, mKey, rPEM)
	}
	// Not closed: as long as lines look like Base64.
	k := i + 10
	for k < e {
		c := s[k]
		if !isAlnum(c) && strings.IndexByte("+/=-\\ \n\r:,", c) < 0 {
			break
		}
		k++
	}
	// Words behind the block are prose again: cut at the last long run.
	end := lastRun(s, i+10, k)
	return m.put(i, end, mKey, rPEM)
}

// lastRun returns the end of the last run of at least 16 Base64 characters in
// s[i:k], or of the header.
func lastRun(s string, i, k int) int {
	end, run := i, 0
	for j := i; j < k; j++ {
		if isAlnum(s[j]) || s[j] == '+' || s[j] == '/' || s[j] == '=' {
			run++
			if run >= 16 {
				end = j + 1
			}
			continue
		}
		if s[j] == '-' && run == 0 || s[j] == '-' {
			end = j + 1
		}
		run = 0
	}
	if end < k && run > 0 && run < 16 && hasDigit(s[end:k]) || k == len(s) {
		end = k
	}
	return end
}
