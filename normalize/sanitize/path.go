package sanitize

import "strings"

// slash handles what begins with "/", "~", "./", "../" or a backslash.
func (m *masker) slash(i int) int {
	s := m.s
	if s[i] == '\\' {
		if strings.HasPrefix(s[i:], `\\`) && i+2 < len(s) && isAlnum(s[i+2]) && m.mode != logging {
			if e := pathEnd(s, i); strings.Count(s[i+2:e], `\`) > 0 && (i == 0 || !isAlnum(s[i-1])) {
				return m.path(i)
			}
		}
		if i+1 < len(s) && strings.IndexByte(`ntr"'\/`, s[i+1]) >= 0 { // an escaped break
			if i+2 < len(s) && isAlnum(s[i+2]) && s[i+1] != '\\' {
				m.newline = s[i+1] == 'n'
			}
			return i + 2
		}
		return i + 1
	}
	if m.mode == logging {
		return i + 1
	}
	if i > 0 && (isAlnum(s[i-1]) || s[i-1] == ')' || s[i-1] == ']' || s[i-1] == '/' || s[i-1] == '}' || s[i-1] == '<') {
		return i + 1
	}
	if strings.HasPrefix(s[i:], "//") && i+2 < len(s) && isAlnum(s[i+2]) && (i == 0 || s[i-1] != ':') {
		e := pathEnd(s, i)
		return m.put(i, e, mURL, rURL)
	}
	if s[i] == '~' {
		k := i + 1
		for k < len(s) && isLower(s[k]) && k-i < 32 {
			k++
		}
		if k >= len(s) || s[k] != '/' {
			return i + 1
		}
		return m.path(i)
	}
	e := pathEnd(s, i)
	t := s[i:e]
	if s[i] == '.' {
		return m.path(i)
	}
	if len(t) < 2 || !isAlnum(t[1]) && t[1] != '.' && t[1] != '_' && t[1] != '@' && t[1] != '$' && t[1] < 0x80 {
		return i + 1
	}
	k := strings.IndexByte(t[1:], '/')
	first := t[1:]
	if k >= 0 {
		first = t[1 : k+1]
	}
	// One segment is a route or a pointer ("/mcp", "/age"), unless it is a
	// directory of a system or a file.
	if k < 0 && !rootDir(first) && strings.IndexByte(first, '.') < 0 {
		if len(first) > 24 || hasDigit(first) && mixedToken(first) {
			return m.put(i, e, mPath, rPath)
		}
		return i + 1
	}
	if isDigit(t[1]) && strings.Trim(t[1:], "0123456789/.") == "" {
		return i + 1 // 1 /2
	}
	if pointer(t) {
		return i + 1
	}
	return m.path(i)
}

// pointer reports a JSON pointer into a schema or a body: names and numbers only.
func pointer(t string) bool {
	first, rest, _ := strings.Cut(strings.TrimLeft(t, "#/"), "/")
	switch first {
	case "properties", "items", "definitions", "$defs", "allOf", "anyOf", "oneOf", "body", "params", "arguments", "instance":
	case "data":
		if t[0] == '/' {
			return false
		}
	default:
		return false
	}
	for i := 0; i < len(rest); i++ {
		if c := rest[i]; !isAlpha(c) && c != '_' && c != '/' && c != '-' && !isDigit(c) {
			return false
		}
	}
	return rest != "" && !mixedToken(rest)
}

func rootDir(w string) bool {
	switch w {
	case "etc", "root", "home", "usr", "var", "opt", "srv", "tmp", "proc", "sys", "dev", "mnt", "app", "workspace", "Users", "private", "data", "code", "src", "run", "boot", "lib", "bin", "sbin":
		return true
	}
	return false
}

// pathEnd returns the end of the path at i.
func pathEnd(s string, i int) int {
	e := i
	unix := i < len(s) && (s[i] == '/' || s[i] == '~' || s[i] == '.')
	for e < len(s) && !isSpace(s[e]) && strings.IndexByte("\"'`<>|,;(){}[]*", s[e]) < 0 && !(unix && s[e] == '\\') {
		e++
	}
	for e > i && strings.IndexByte(".:!?", s[e-1]) >= 0 {
		e--
	}
	return e
}

// path removes the path at i. In quotes it reaches to the closing quote; outside,
// words behind a blank belong to it while they hold a separator.
func (m *masker) path(i int) int {
	s := m.s
	if m.mode == logging {
		return i + 1
	}
	if i > 0 && (s[i-1] == '"' || s[i-1] == '\'' || s[i-1] == '`') {
		lim := min(len(s), i+maxTag)
		if k := strings.IndexByte(s[i:lim], s[i-1]); k > 0 && strings.IndexByte(s[i:i+k], '\n') < 0 {
			return m.put(i, i+k, mPath, rPath)
		}
	}
	e := pathEnd(s, i)
	// (x86), [id], {a,b} and the like inside of it.
	for n := 0; n < 4 && e < len(s) && e-i < maxTag; n++ {
		switch {
		case strings.IndexByte("([{*", s[e]) >= 0:
			k := e + 1
			for k < len(s) && k-e < 64 && !isSpace(s[k]) && strings.IndexByte("\"'`<>", s[k]) < 0 {
				k++
			}
			if strings.ContainsAny(s[e:k], `/\`) {
				e = k
			}
		case s[e] == ' ':
			// "/Users/John Smith/file": the next words are part of it when a
			// separator follows within them.
			k := e + 1
			words := 0
			for k < len(s) && k-e < 64 && s[k] != '\n' && strings.IndexByte("\"'`<>:,;", s[k]) < 0 {
				if s[k] == ' ' {
					words++
				}
				if s[k] == '/' || s[k] == '\\' {
					break
				}
				k++
			}
			if k < len(s) && words < 2 && k > e+1 && (s[k] == '/' || s[k] == '\\') && s[k-1] != ' ' && (s[k] == '\\' || isUpper(s[e+1])) {
				e = pathEnd(s, k)
			}
		}
	}
	for e > i+1 && strings.IndexByte(".:!?", s[e-1]) >= 0 {
		e--
	}
	if e <= i {
		return i + 1
	}
	return m.put(i, e, mPath, rPath)
}

// relativePath removes a/b.ext and a\b.ext, with or without a line number.
func (m *masker) relativePath(i, j int) int {
	t := m.s[i:j]
	cut := strings.IndexAny(t, `/\`)
	if cut <= 0 {
		// a file of source code with a line: server.py:12
		if k := strings.IndexByte(t, ':'); k > 0 && k+1 < len(t) && isDigit(t[k+1]) && sourceFile(t[:k]) {
			return m.put(i, j, mPath, rPath)
		}
		if sourceFile(t) {
			return m.put(i, j, mPath, rPath)
		}
		return i
	}
	e := strings.IndexByte(t, ':')
	if e < 0 {
		e = len(t)
	}
	if e < cut {
		return i
	}
	p := t[:e]
	last := p[strings.LastIndexAny(p, `/\`)+1:]
	n := strings.Count(p, "/") + strings.Count(p, `\`)
	switch {
	case strings.Contains(p, "://"), pointer(p):
		return i
	case t[cut] == '\\' && n >= 2, sourceFile(last), n >= 3 && !units(p) && strings.Trim(p, "0123456789/") != "" && !alternatives(p):
		return m.put(i, j, mPath, rPath)
	case n >= 1 && strings.IndexByte(last, '.') > 0 && len(last)-strings.LastIndexByte(last, '.') <= 5 && isAlpha(last[len(last)-1]) && !mime(p):
		return m.put(i, j, mPath, rPath)
	}
	return i
}

// alternatives reports "create/read/update/delete": known words only.
func alternatives(p string) bool {
	for _, w := range strings.Split(p, "/") {
		if !known(w) {
			return false
		}
	}
	return true
}

func mime(p string) bool {
	for _, t := range []string{"application/", "text/", "image/", "audio/", "video/", "multipart/", "font/", "model/", "message/"} {
		if strings.HasPrefix(p, t) {
			return true
		}
	}
	return false
}

// sourceFile reports the name of a file that belongs to a program.
func sourceFile(w string) bool {
	k := strings.LastIndexByte(w, '.')
	if k <= 0 || len(w)-k > 7 {
		return false
	}
	switch w[k+1:] {
	case "py", "pyc", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "rs", "rb", "php", "java", "kt", "scala", "cs", "fs", "vb", "cpp", "cc", "hpp", "ex", "exs", "erl", "swift", "dart", "lua", "jl", "ps1", "psm1", "sh", "bash", "pl", "pm", "sql", "so", "dll", "exe", "dylib", "jar", "war", "class", "env", "pem", "pfx", "p12", "key", "crt", "cer", "jks", "conf", "cfg", "ini", "toml", "lock", "db", "sqlite", "sqlite3", "log", "bak", "kdbx", "tfstate", "tfvars":
	default:
		return false
	}
	switch strings.ToLower(w) {
	case "node.js", "next.js", "vue.js", "express.js", "nuxt.js", "d3.js", "three.js", "deno.js", "asp.net", "vb.net":
		return false
	}
	// "x.key" and "user.log" are fields as often as files.
	switch w[k+1:] {
	case "key", "class", "log", "env", "db", "conf", "lock", "so", "go", "pl", "cs", "ex", "rs", "pm", "ts":
		return strings.IndexByte(w[:k], '.') < 0 && len(w) > k+1 && (w[k+1:] == "go" || w[k+1:] == "rs" || w[k+1:] == "ts" || w[k+1:] == "cs" || w[k+1:] == "ex" || w[k+1:] == "pl" || w[k+1:] == "pm" || w[k+1:] == "conf" || w[k+1:] == "so")
	}
	return true
}
