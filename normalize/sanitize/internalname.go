package sanitize

import "strings"

// hostSuffixes end the names of hosts that only a network's own members know.
var hostSuffixes = []string{
	".internal", ".corp", ".lan", ".local", ".localdomain", ".svc", ".intranet", ".private", ".home.arpa", ".consul", ".cluster", ".home", ".ec2",
	".amazonaws.com", ".windows.net", ".mongodb.net", ".azure.com", ".database.azure.com", ".rds.aliyuncs.com", ".neon.tech", ".supabase.co",
	".redis.cache.windows.net", ".cloud.es.io", ".psdb.cloud", ".cockroachlabs.cloud", ".aivencloud.com", ".upstash.io", ".redislabs.com", ".redns.redis-cloud.com", ".snowflakecomputing.com", ".run.app", ".test", ".invalid",
}

// servicePorts are ports that give away a service of the inner network.
func servicePort(p string) bool {
	switch p {
	case "5432", "6432", "6379", "3306", "27017", "9200", "9300", "8080", "8443", "8000", "3000", "5000", "5672", "15672", "9092", "2181", "11211", "2379", "1433", "1521", "8086", "8500", "8200", "9042", "50051", "26257", "4222", "8888", "9000", "9090", "7474", "7687", "5601", "6333", "19530", "9876", "2375", "2376", "10250", "6443", "8529", "1883", "389", "636", "5055", "3128":
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
		for _, suf := range hostSuffixes {
			if len(name) > len(suf) && strings.EqualFold(name[len(name)-len(suf):], suf) || len(name) > len(suf) && strings.Contains(name, ".svc.") {
				return m.put(i, end, mHost, rHost)
			}
		}
		if port != "" {
			return m.put(i, end, mHost, rHost)
		}
	}
	if strings.HasPrefix(name, "ip-") && strings.Count(name, "-") >= 4 || podName(name) {
		return m.put(i, end, mHost, rHost)
	}
	if port != "" && len(port) >= 3 && isAlpha(name[0]) && (servicePort(port) && !known(name) || len(port) >= 4 && strings.IndexByte(name, '-') > 0) {
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
	return len(hash) >= 4 && len(hash) <= 10 && lowerAlnum(hash) && (hasDigit(hash) || hasDigit(w[k+1:]))
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
	if !quoted || gap < 1 || gap > 3 {
		return false
	}
	switch strings.ToLower(m.word) {
	case "relation", "table", "column", "index", "constraint", "sequence", "schema", "database", "view", "trigger", "role", "keyspace", "tablespace", "collection", "namespace", "entry":
		return true
	case "key":
		switch strings.ToLower(m.word2) {
		case "foreign", "primary", "unique", "for", "duplicate":
			return true
		}
	case "user":
		return strings.EqualFold(m.word2, "for")
	}
	return false
}

// requestID recognises ids by their prefix: req_..., ch_..., org-....
func requestID(w string) bool {
	for _, p := range []string{"req_", "req-", "ch_", "org-", "cus_", "pi_", "sub_", "acct_", "evt_", "txn_", "proj_", "asst_", "thread_", "run_", "msg_", "file-", "in_", "pm_", "cs_", "seti_", "wh_", "trace-", "corr-", "resp_", "chatcmpl-", "call_", "toolu_", "usr_", "user_", "sess_", "order_", "inv_"} {
		if len(w) >= len(p)+6 && w[:len(p)] == p {
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
	}
	return false
}

// envName recognises names of environment variables. Codes in capitals whose
// words all are known and harmless ("PERMISSION_DENIED") stay.
func envName(w string) bool {
	if len(w) < 4 || !isUpper(w[0]) || strings.IndexByte(w, '_') <= 0 {
		return false
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
			harmless = false
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

// sql reports a statement at i.
func (m *masker) sql(i int) bool {
	s := m.s
	if i > 0 && isAlnum(s[i-1]) {
		return false
	}
	end := min(len(s), i+300)
	if k := strings.IndexByte(s[i:min(end, i+12)], ' '); k < 0 || !plainWord(s[i:i+k]) {
		return false
	}
	verb, rest, _ := strings.Cut(s[i:end], " ")
	if len(verb) < 4 {
		return false
	}
	upper := strings.ToUpper(verb)
	shout := upper == verb
	switch upper {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE", "ALTER", "DROP", "TRUNCATE", "MERGE", "REPLACE", "GRANT", "REVOKE", "CALL", "EXEC", "EXECUTE":
	default:
		return false
	}
	if k := strings.IndexByte(rest, '\n'); k >= 0 && upper != "SELECT" && upper != "WITH" {
		rest = rest[:k]
	}
	up := strings.ToUpper(rest)
	has := func(p string) bool { return strings.Contains(up, p) }
	switch upper {
	case "SELECT":
		return shout && (has(" FROM ") || has("\nFROM ") || has("(") || strings.HasPrefix(up, "*") || strings.HasPrefix(up, "1")) ||
			has(" FROM ") && (strings.HasPrefix(up, "*") || has(" WHERE ") && strings.ContainsAny(up, "=<>") || has(" JOIN ") || has(" LIMIT ") || has("(*)"))
	case "INSERT", "REPLACE", "MERGE":
		return strings.HasPrefix(up, "INTO ") && (shout || has("VALUES") || has("("))
	case "UPDATE":
		return has(" SET ") && (shout || strings.Contains(up, "="))
	case "DELETE":
		return strings.HasPrefix(up, "FROM ") && (shout || has(" WHERE ") && strings.ContainsAny(up, "=<>"))
	case "WITH":
		return has(" AS (") && (shout || has("SELECT"))
	case "CREATE", "ALTER", "DROP", "TRUNCATE":
		obj, tail, _ := strings.Cut(up, " ")
		switch obj {
		case "TABLE", "INDEX", "DATABASE", "VIEW", "SCHEMA", "FUNCTION", "TRIGGER", "ROLE", "UNIQUE", "TEMP", "TEMPORARY":
			return shout && tail != "" && strings.HasPrefix(rest, obj) || !shout && (has(" IF EXISTS ") || has(" IF NOT EXISTS ") || has("(") || has(" ADD "))
		}
	case "GRANT", "REVOKE":
		return shout && has(" ON ")
	case "CALL", "EXEC", "EXECUTE":
		return shout && (has("(") || has("@"))
	}
	return false
}
