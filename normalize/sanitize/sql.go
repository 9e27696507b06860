package sanitize

import "strings"

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
const maxSQL = 128

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
