package sanitize

import "strings"

// url handles scheme://... at i; j is the index of the colon.
func (m *masker) url(i, j int) int {
	s := m.s
	e := j + 3
	for e < len(s) && !isSpace(s[e]) && strings.IndexByte("\"'`<>", s[e]) < 0 && !(s[e] == '\\' && brokenAt(s, e)) {
		e++
	}
	if m.mode == logging {
		return m.logURL(j+3, e)
	}
	for e > j+3 && strings.IndexByte(".,;:!?)]}", s[e-1]) >= 0 {
		e--
	}
	return m.put(i, e, mURL, rURL)
}

// webAddress reports an address without "://": www.x.example, x.example/path,
// and what a browser would run.
func webAddress(t string) bool {
	for _, p := range []string{"javascript:", "vbscript:", "www."} {
		if len(t) > len(p)+1 && strings.EqualFold(t[:len(p)], p) {
			return true
		}
	}
	k := strings.IndexByte(t, '/')
	if k < 4 || k+1 >= len(t) {
		return false
	}
	host := t[:k]
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || len(host)-dot < 3 || len(host)-dot > 12 {
		return false
	}
	for i := 0; i < len(host); i++ {
		if c := host[i]; !isAlnum(c) && c != '-' && c != '.' || i > dot && !isLower(c) {
			return false
		}
	}
	return true
}

// logURL masks the credentials and the sensitive values in a URL's query.
func (m *masker) logURL(i, e int) int {
	s := m.s
	host := i
	for host < e && s[host] != '/' && s[host] != '?' && s[host] != '#' {
		host++
	}
	if at := strings.LastIndexByte(s[i:e], '@'); at > 0 && (i+at < host || strings.IndexByte(s[i:i+at], ':') >= 0) {
		m.put(i, i+at, mRedacted, rUserPass)
		host = max(host, i+at+1)
	}
	for k := i; k < e; {
		n := strings.IndexAny(s[k:e], "?&;#")
		if n < 0 {
			break
		}
		k += n + 1
		eq := strings.IndexByte(s[k:e], '=')
		if eq < 0 {
			break
		}
		v := k + eq + 1
		end := v
		for end < e && s[end] != '&' && s[end] != '#' && s[end] != ';' {
			end++
		}
		if name := s[k : k+eq]; (sensitiveKey(name) || sensitiveQuery(name)) && end > v {
			m.put(v, end, mRedacted, rKey)
		}
		k = end
	}
	// Segments that look like secrets (web hooks).
	for k := host; k < e; {
		end := k
		for end < e && s[end] != '/' && s[end] != '?' && s[end] != '#' {
			end++
		}
		if w := s[k:end]; k >= m.last && (vendorToken(w) || (entropyToken(w) || len(w) >= 16 && mixedToken(w)) && len(w) <= maxToken) {
			m.put(k, end, mSecret, rEntropy)
		}
		if end < e && s[end] == '?' {
			break
		}
		k = end + 1
	}
	return e
}

func sensitiveQuery(name string) bool {
	switch strings.ToLower(name) {
	case "key", "code", "state", "k", "auth", "hash", "x-amz-security-token", "x-amz-credential", "x-goog-credential":
		return true
	}
	return false
}
