package sanitize

import "strings"

// driver removes the name of a driver's or a program's exception class and the
// colon behind it.
func (m *masker) driver(i, e int, w string) int {
	s := m.s
	colon := e < len(s) && s[e] == ':'
	drop := false
	switch {
	case w == "SQLSTATE" && e < len(s) && s[e] == '[':
		k := e + 1
		for k < len(s) && k-e < 8 && s[k] != ']' {
			k++
		}
		if k < len(s) && s[k] == ']' {
			e, drop = k+1, true
			colon = e < len(s) && s[e] == ':'
		}
	case (w == "pq" || w == "mssql" || w == "ora" || w == "pgx" || w == "redis" || w == "mongo" || w == "sqlite3" || w == "gorm") && colon && e+1 < len(s) && s[e+1] == ' ':
		drop = true
	case len(w) == 9 && strings.HasPrefix(w, "ORA-") && allDigits(w[4:]), len(w) >= 7 && strings.HasPrefix(w, "PLS-") && allDigits(w[4:]), strings.HasPrefix(w, "TNS-") && len(w) > 4 && allDigits(w[4:]):
		drop = true
	case colon && (strings.HasPrefix(w, "Mongo") || strings.HasPrefix(w, "Sequelize") || strings.HasPrefix(w, "PrismaClient") || strings.HasPrefix(w, "Redis")) && (strings.HasSuffix(w, "Error") || strings.HasSuffix(w, "Exception")):
		drop = true
	case classPath(w):
		drop = true
	}
	if !drop {
		return i
	}
	if colon {
		e++
		if e < len(s) && s[e] == ' ' {
			e++
		}
		return m.put(i, e, "", rDriver)
	}
	return m.put(i, e, mName, rDriver)
}

func allDigits(w string) bool {
	for i := 0; i < len(w); i++ {
		if !isDigit(w[i]) {
			return false
		}
	}
	return w != ""
}

// classPath recognises the dotted name of a class: psycopg2.errors.X, a.b.C.
func classPath(w string) bool {
	k := strings.LastIndexByte(w, '.')
	if k <= 0 || k+2 >= len(w) {
		return false
	}
	last := w[k+1:]
	if !isUpper(last[0]) || strings.ToUpper(last) == last {
		return false
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; !isAlnum(c) && c != '.' && c != '_' && c != '$' {
			return false
		}
	}
	if strings.HasSuffix(last, "Error") || strings.HasSuffix(last, "Exception") || strings.HasSuffix(last, "Warning") || strings.HasSuffix(last, "Failure") {
		return true
	}
	return strings.IndexByte(w[:k], '.') > 0 && isLower(w[0]) || strings.HasPrefix(w, "psycopg") || strings.HasPrefix(w, "System.")
}

// dbName reports whether the quoted or bare name at i stands behind "relation",
// "table" and the like.
func (m *masker) dbName(i int, w string) bool {
	s := m.s
	if m.word == "" || i == 0 {
		return false
	}
	q := s[i-1]
	quoted := q == '"' || q == '\'' || q == '`'
	gap := i - m.wordEnd
	if !quoted || gap < 1 || gap > 3 || i < 2 || s[i-2] != ' ' && (s[i-2] != '\\' || i < 3 || s[i-3] != ' ') {
		return false
	}
	switch strings.ToLower(m.word) {
	case "relation", "table", "column", "index", "constraint", "sequence", "schema", "database", "view", "trigger", "role", "keyspace", "tablespace":
		return !(strings.EqualFold(m.word, "role") && q == '`')
	case "collection", "namespace", "entry":
		return q != '`' && (m.word2 == "" || !strings.EqualFold(m.word2, "property"))
	case "key":
		switch strings.ToLower(m.word2) {
		case "foreign", "primary", "unique", "for", "duplicate":
			return true
		}
	case "user":
		return strings.EqualFold(m.word2, "for") || strings.EqualFold(m.word2, "to")
	}
	return false
}

// idPrefixes begin the ids of requests, charges, organisations and the like.
var idPrefixes = func() (t [128][]string) {
	for _, p := range strings.Fields(`req_ req- ch_ org- cus_ pi_ sub_ acct_ evt_ txn_ proj_ asst_ thread_ run_ msg_ file- in_ pm_ cs_ seti_ wh_
		trace- corr- resp_ chatcmpl- call_ toolu_ usr_ user_ sess_ order_ inv_`) {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()

// requestID recognises ids by their prefix: req_..., ch_..., org-....
func requestID(w string) bool {
	if w[0] >= 128 {
		return false
	}
	for _, p := range idPrefixes[w[0]] {
		if len(w) < len(p)+6 || w[:len(p)] != p {
			continue
		}
		t := w[len(p):]
		n := 0
		for k := 0; k < len(t); k++ {
			if isDigit(t[k]) {
				n++
			} else if !isAlpha(t[k]) {
				return false
			}
		}
		return n > 0 && n < len(t) || n >= 6 || oddCase(t)
	}
	return false
}

// envName recognises names of environment variables. Codes in capitals whose
// words all are known and harmless ("PERMISSION_DENIED") stay.
func envName(w string) bool {
	if len(w) < 4 || !isUpper(w[0]) || strings.IndexByte(w, '_') <= 0 {
		return false
	}
	// A code says what is wrong with a key: TOKEN_INVALID, MISSING_SECRET.
	state := false
	for _, p := range []string{"_INVALID", "_EXPIRED", "_MISSING", "_DENIED", "_REQUIRED", "_FAILED", "_ERROR", "_EXCEEDED", "_FOUND", "_UNSUPPORTED", "_MISMATCH", "_REVOKED", "_UNAUTHORIZED", "_FORBIDDEN"} {
		state = state || strings.HasSuffix(w, p)
	}
	for _, p := range []string{"INVALID_", "MISSING_", "UNKNOWN_", "ERR_", "EXPIRED_", "UNSUPPORTED_", "DUPLICATE_", "BAD_", "NO_"} {
		state = state || strings.HasPrefix(w, p)
	}
	harmless := true
	start := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && w[i] != '_' {
			if !isUpper(w[i]) && !isDigit(w[i]) {
				return false
			}
			continue
		}
		if i == start {
			return false
		}
		p := w[start:i]
		switch p {
		case "KEY", "KEYS", "TOKEN", "SECRET", "PASSWORD", "PASS", "PWD", "URL", "URI", "DSN", "HOST", "PORT", "USER", "USERNAME", "ENV", "PATH", "DIR", "HOME", "CREDENTIALS", "ENDPOINT", "BUCKET", "ACCOUNT", "WEBHOOK", "CERT":
			harmless = harmless && state
		case "ERR", "HTTP", "IS", "TO", "EOF", "SQL", "DNS", "SSL", "TLS", "CERT_":
		default:
			if !known(p) && !allDigits(p) {
				harmless = false
			}
		}
		start = i + 1
	}
	return !harmless
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
