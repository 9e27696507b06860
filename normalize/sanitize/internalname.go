package sanitize

import "strings"

// hostSuffixes end the names of hosts that only their owner should know, besides
// the domains of inner networks in innerHost.
var hostSuffixes = []string{
	".home.arpa", ".amazonaws.com", ".windows.net", ".mongodb.net", ".azure.com", ".rds.aliyuncs.com", ".neon.tech", ".supabase.co",
	".cloud.es.io", ".psdb.cloud", ".cockroachlabs.cloud", ".aivencloud.com", ".upstash.io", ".redislabs.com",
	".redns.redis-cloud.com", ".snowflakecomputing.com", ".run.app",
}

// servicePorts are ports that give away a service of the inner network.
func servicePort(p string) bool {
	switch p {
	case "5432", "6432", "6379", "3306", "27017", "9200", "9300", "8080", "8443", "8000", "3000", "5000", "5672", "15672", "9092", "2181", "11211", "2379", "1433", "1521", "8086", "8500", "8200", "9042", "50051", "26257", "4222", "8888", "9000", "9090", "7474", "7687", "5601", "6333", "19530", "9876", "2375", "2376", "10250", "6443", "8529", "1883", "389", "636", "5055", "3128":
		return true
	}
	return false
}

// innerHost reports a name under one of hostSuffixes.
func innerHost(name string) bool {
	var arr [16]byte
	last := name[strings.LastIndexByte(name, '.')+1:]
	if len(last) > 12 {
		return false
	}
	switch string(fold(arr[:0], last)) {
	case "internal", "corp", "lan", "local", "localdomain", "svc", "intranet", "private", "consul", "cluster", "home", "ec2", "test", "invalid":
		return true
	case "com", "net", "co", "tech", "io", "app", "cloud", "arpa":
		for _, suf := range hostSuffixes {
			if len(name) > len(suf) && strings.EqualFold(name[len(name)-len(suf):], suf) {
				return true
			}
		}
	}
	return strings.Contains(name, ".svc.")
}

// measure reports words behind which a number is a number, not a port.
func measure(w string) bool {
	switch strings.ToLower(w) {
	case "port", "line", "column", "col", "value", "limit", "max", "min", "maximum", "minimum", "status", "code", "size", "timeout", "length", "count",
		"position", "offset", "number", "error", "row", "rows", "index", "bytes", "ms", "total", "pid", "errno", "duration", "elapsed", "tokens", "items", "age", "id", "ttl", "width", "height", "limits", "received", "got", "expected":
		return true
	}
	return false
}

// hostToken recognises names of hosts in the chunk s[i:j].
func (m *masker) hostToken(i, j int) int {
	s := m.s
	e := i
	for e < j && (isAlnum(s[e]) || s[e] == '-' || s[e] == '.' || s[e] == '_') {
		e++
	}
	name := strings.TrimRight(s[i:e], ".")
	e = i + len(name)
	if len(name) < 3 {
		return i
	}
	port := ""
	end := e
	if e+1 < j && s[e] == ':' && isDigit(s[e+1]) {
		k := e + 1
		for k < j && isDigit(s[k]) {
			k++
		}
		if k-e-1 <= 5 && (k == j || !isAlnum(s[k])) {
			port, end = s[e+1:k], k
		}
	}
	if strings.EqualFold(name, "localhost") || strings.EqualFold(name, "host.docker.internal") {
		return m.put(i, end, mHost, rHost)
	}
	if strings.IndexByte(name, '.') > 0 && isAlpha(name[len(name)-1]) {
		if innerHost(name) {
			return m.put(i, end, mHost, rHost)
		}
		if port != "" {
			return m.put(i, end, mHost, rHost)
		}
	}
	if strings.HasPrefix(name, "ip-") && strings.Count(name, "-") >= 4 || podName(name) {
		return m.put(i, end, mHost, rHost)
	}
	if port != "" && len(port) >= 3 && isAlpha(name[0]) && (servicePort(port) && !measure(name) || len(port) >= 4 && strings.IndexByte(name, '-') > 0) {
		return m.put(i, end, mHost, rHost)
	}
	return i
}

// podName recognises name-<hash>-<5> and name-<hash of 8 to 10>.
func podName(w string) bool {
	k := strings.LastIndexByte(w, '-')
	if k <= 0 || len(w)-k-1 != 5 || !lowerAlnum(w[k+1:]) {
		return false
	}
	h := strings.LastIndexByte(w[:k], '-')
	if h <= 0 {
		return false
	}
	hash := w[h+1 : k]
	return len(hash) >= 4 && len(hash) <= 10 && lowerAlnum(hash) && (hasDigit(hash) || hasDigit(w[k+1:])) && isLower(w[0]) && !(allDigits(hash) || allDigits(w[k+1:]))
}

func lowerAlnum(w string) bool {
	for i := 0; i < len(w); i++ {
		if !isLower(w[i]) && !isDigit(w[i]) {
			return false
		}
	}
	return w != ""
}

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

// lineRule handles what removes the rest of a line.
func (m *masker) lineRule(i int, begin bool) int {
	s := m.s
	c := s[i]
	if m.mode == logging {
		return i
	}
	drop := false
	switch c {
	case 'L':
		drop = begin && strings.HasPrefix(s[i:], "LINE ") && i+5 < len(s) && isDigit(s[i+5])
	case 'D':
		drop = strings.HasPrefix(s[i:], "DETAIL:")
	case 'H':
		drop = strings.HasPrefix(s[i:], "HINT:")
	case 'C':
		drop = begin && strings.HasPrefix(s[i:], "CONTEXT:")
	case 'Q':
		drop = strings.HasPrefix(s[i:], "QUERY:")
	case 'S', 's':
		drop = strings.HasPrefix(s[i:], "STATEMENT:") || strings.HasPrefix(s[i:], "SQL: ") || m.sql(i)
	case 'p':
		drop = i > 0 && s[i-1] == '[' && strings.HasPrefix(s[i:], "parameters:")
	case 'E':
		if strings.HasPrefix(s[i:], "ERROR ") && i+6 < len(s) && isDigit(s[i+6]) {
			// ERROR 1213 (40001): text
			e := i + 6
			for e < len(s) && e-i < 24 && (isAlnum(s[e]) || s[e] == ' ' || s[e] == '(' || s[e] == ')') {
				if s[e] == ' ' && e+1 < len(s) && s[e+1] != '(' {
					break
				}
				e++
			}
			if e < len(s) && s[e] == ':' && strings.IndexByte(s[i:e], '(') > 0 {
				return m.put(i, min(e+2, len(s)), "", rDriver)
			}
		}
	case 'I', 'i', 'U', 'u', 'd', 'W', 'w', 'A', 'a', 'c', 'T', 't', 'M', 'm', 'R', 'r', 'B', 'b':
		drop = m.sql(i)
	}
	if !drop && (c == 'D' || c == 'C') {
		drop = m.sql(i)
	}
	if !drop {
		return i
	}
	e := strings.IndexByte(s[i:], '\n')
	if e < 0 {
		e = len(s)
	} else {
		e += i
	}
	if i > 0 && s[i-1] == '[' {
		return m.put(i-1, e, mSQL, rSQL)
	}
	return m.put(i, e, mSQL, rSQL)
}

// maxSQL is how far behind its verb a statement has to show itself, in bytes.
const maxSQL = 160

// sql reports a statement at i. Capitals are taken for SQL sooner than small
// letters, which may be prose: "select a value from the list".
func (m *masker) sql(i int) bool {
	s := m.s
	if i > 0 && isAlnum(s[i-1]) {
		return false
	}
	k := i
	shout := true
	for k < len(s) && isAlpha(s[k]) && k-i < 9 {
		shout = shout && isUpper(s[k])
		k++
	}
	if k-i < 4 || k >= len(s) || !isSpace(s[k]) {
		return false
	}
	var arr [8]byte
	verb := fold(arr[:0], s[i:k])
	if string(verb) == "select" || string(verb) == "insert" || string(verb) == "update" || string(verb) == "delete" || string(verb) == "with" ||
		string(verb) == "create" || string(verb) == "alter" || string(verb) == "drop" || string(verb) == "truncate" || string(verb) == "merge" ||
		string(verb) == "replace" || string(verb) == "grant" || string(verb) == "revoke" || string(verb) == "call" || string(verb) == "exec" || string(verb) == "execute" {
		return statement(string(verb), readClauses(s[k:min(len(s), k+maxSQL)]), shout)
	}
	return false
}

// clauses is what follows a verb: its first word and the words and signs of SQL.
type clauses struct {
	first                                                       string // in lower case
	loud                                                        bool   // first is in capitals
	from, where, set, values, as, join, limit, on, add, ex, sel bool
	compare, bracket, star, semi                                bool
	words                                                       int
}

func readClauses(t string) (c clauses) {
	var arr [16]byte
	for i := 0; i < len(t); {
		switch ch := t[i]; {
		case isAlpha(ch) || ch == '_':
			j := i
			for j < len(t) && (isAlnum(t[j]) || t[j] == '_' || t[j] == '.') {
				j++
			}
			c.words++
			if j-i <= len(arr) {
				w := fold(arr[:0], t[i:j])
				switch string(w) {
				case "from":
					c.from = true
				case "where":
					c.where = true
				case "set":
					c.set = true
				case "values":
					c.values = true
				case "as":
					c.as = c.as || j+1 < len(t) && (t[j] == '(' || t[j+1] == '(')
				case "join":
					c.join = true
				case "limit":
					c.limit = true
				case "on":
					c.on = true
				case "select":
					c.sel = true
				case "add":
					c.add = true
				case "exists":
					c.ex = true
				}
				if c.words == 1 {
					c.first = string(w)
					c.loud = t[i:j] != c.first
				}
			}
			i = j
			continue
		case ch == '=' || ch == '<' || ch == '>':
			c.compare = true
		case ch == '(':
			c.bracket = true
		case ch == '*':
			c.star = c.star || c.words == 0
		case isDigit(ch) && c.words == 0:
			c.words, c.first = 1, "1"
		case ch == ';':
			c.semi = true
		}
		i++
	}
	return c
}

func statement(verb string, c clauses, shout bool) bool {
	switch verb {
	case "select":
		return shout && (c.from || c.star || c.bracket || c.first == "1") || c.star ||
			c.from && (c.where && c.compare || c.join || c.limit)
	case "insert", "replace", "merge":
		return c.first == "into" && (shout || c.values || c.bracket)
	case "update":
		return c.set && (shout || c.compare)
	case "delete":
		return c.first == "from" && (shout && c.loud || c.where && c.compare)
	case "with":
		return c.as && (shout || c.sel)
	case "create", "alter", "drop", "truncate":
		switch c.first {
		case "table", "index", "database", "view", "schema", "function", "trigger", "role", "unique", "temp", "temporary":
			return shout && c.loud && c.words > 1 || c.ex || c.bracket || c.add
		}
	case "grant", "revoke":
		return shout && c.on
	case "call", "exec", "execute":
		return shout && c.bracket
	}
	return false
}

func fold(buf []byte, w string) []byte {
	for i := 0; i < len(w); i++ {
		buf = append(buf, lower(w[i]))
	}
	return buf
}
