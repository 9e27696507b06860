package sanitize

import "strings"

// frame recognises one frame of a trace. t is the line without blanks at both
// ends.
func frame(t, line string, indent int) (lineKind, string, bool) {
	switch t[0] {
	case 'F':
		if (has(t, "File \"") || has(t, "File '")) && strings.Contains(t, ", line ") {
			return kindFrame, "", true
		}
	case 'a':
		if atFrame(t, indent) {
			return kindFrame, "", true
		}
	case 'A':
		if has(t, "At ") && strings.Contains(t, " char:") {
			return kindFrame, "", true
		}
	case '+':
		if has(t, "+ CategoryInfo") || has(t, "+ FullyQualifiedErrorId") || has(t, "+ ~~") || has(t, "+ ") && indent == 0 && len(t) < 200 {
			return kindFrame, "", true
		}
	case '.':
		if has(t, "... ") && (strings.HasSuffix(t, " more") || strings.HasSuffix(t, "omitted") || strings.Contains(t, "frames elided")) {
			return kindFrame, "", true
		}
	case '(':
		if has(t, "(Coroutine boundary)") || indent >= 4 && strings.Contains(t, ") ") && elixirPlace(t) {
			return kindFrame, "", true
		}
	case '#':
		if k := digitRun(t, 1); k > 0 && k < 5 && len(t) > k+1 && t[k+1] == ' ' && (strings.IndexByte(t, '(') > 0 || strings.Contains(t, " 0x") || strings.Contains(t, "{main}")) {
			return kindFrame, "", true
		}
	case '@':
		if placed(t[1:]) || has(t, "@ ") && indent > 0 {
			return kindFrame, "", true
		}
	case '[':
		// Julia: [1] f(x); Lua: [C]: in
		if k := digitRun(t, 1); k > 0 && has(t[k+1:], "] ") && indent > 0 || has(t, "[C]: in") {
			return kindFrame, "", true
		}
	case 'c':
		if has(t, "created by ") && (strings.Contains(t, "goroutine") || strings.IndexByte(t, '.') > 0) {
			return kindFrame, "", true
		}
	case 'f':
		if has(t, "from ") && (strings.Contains(t, ":in ") || placed(t[5:])) {
			return kindFrame, "", true
		}
	case '<':
		if t == "<asynchronous suspension>" {
			return kindFrame, "", true
		}
	case 'i':
		if (has(t, "in function ") || has(t, "in call from ")) && strings.HasSuffix(t, ")") {
			return kindFrame, "", true
		}
	case 'L':
		if t == "Line |" {
			return kindFrame, "", true
		}
	case 'n':
		if has(t, "node:internal/") || has(t, "node:") && placed(t) {
			return kindFrame, "", true
		}
	}
	if isDigit(t[0]) && numbered(t, indent) {
		return kindFrame, "", true
	}
	if called(t) || codeFrameStart(t) || goFile(t, indent) || indent >= 2 && elixirPlace(t) {
		return kindFrame, "", true
	}
	if k := strings.IndexByte(t, '@'); k > 0 && strings.IndexByte(t[:k], ' ') < 0 && (placed(t[k+1:]) && strings.IndexByte(t, ' ') < 0 || t[k+1:] == "[native code]") {
		return kindFrame, "", true
	}
	if rest, ok := strings.CutPrefix(t, "..."); ok && indent > 0 && has(rest, " ") && len(t) < 60 && (strings.Contains(t, "skipping") || strings.Contains(t, "frames")) {
		return kindFrame, "", true
	}
	return kindText, "", false
}

// atFrame reports "at f (path:1:2)", "at a.b.C.m(F.java:3)", "at N.C.M() in
// C:\x.cs:line 4", "at async f", "at path:1:2", "at /rustc/...".
func atFrame(t string, indent int) bool {
	if !has(t, "at ") || len(t) < 5 {
		return false
	}
	rest := t[3:]
	for _, p := range []string{"async ", "new ", "Object.", "<anonymous>", "node:", "file://", "ext:", "async*", "/", "./", "internal/", "Function.", "Module.", "process."} {
		if has(rest, p) {
			return indent > 0 || placed(rest) || strings.HasSuffix(rest, ")")
		}
	}
	if placed(rest) || strings.Contains(rest, ":line ") {
		return true
	}
	// No prose: one name, then a bracket.
	k := strings.IndexByte(rest, '(')
	if k > 0 && strings.IndexByte(strings.TrimRight(rest[:k], " "), ' ') < 0 || k > 0 && indent > 0 {
		return strings.HasSuffix(rest, ")") || strings.HasSuffix(rest, ") {") || strings.Contains(rest[k:], ") in ") || strings.Contains(rest[k:], ") [") || indent > 0
	}
	return indent > 0 && strings.IndexByte(rest, ' ') < 0
}

// placed reports a path or URL that ends in ":line" or ":line:column".
func placed(p string) bool {
	p = strings.TrimRight(p, ")")
	n := 0
	for n < 2 {
		k := strings.LastIndexByte(p, ':')
		if k <= 0 || !allDigits(p[k+1:]) {
			break
		}
		p, n = p[:k], n+1
	}
	return n > 0 && len(p) > 2 && (n == 2 || strings.ContainsAny(p, "/\\") || sourceFile(p))
}

// codeFrameStart reports "/path/file.js:12" alone on its line, and "12 | code".
func codeFrameStart(t string) bool {
	if strings.IndexByte(t, ' ') < 0 && (t[0] == '/' || has(t, "file://") || len(t) > 3 && t[1] == ':' && t[2] == '\\') && placed(t) {
		return true
	}
	k := digitRun(t, 0)
	return k > 0 && k < 6 && has(strings.TrimLeft(t[k:], " "), "|") || has(t, "> ") && codeFrameStart2(t[2:])
}

func codeFrameStart2(t string) bool {
	k := digitRun(t, 0)
	return k > 0 && k < 6 && has(strings.TrimLeft(t[k:], " "), "|")
}

// numbered reports frames that begin with a number: Rust "0: sym", Swift "0
// lib 0x.. sym + 3", R "1: f(x)".
func numbered(t string, indent int) bool {
	k := digitRun(t, 0)
	if k == 0 || k > 4 || k >= len(t) {
		return false
	}
	rest := t[k:]
	if has(rest, ": ") {
		w := strings.TrimSpace(rest[2:])
		return indent > 0 && (strings.Contains(w, "::") || has(w, "0x") || has(w, "_") || has(w, "rust_") || has(w, "core") || has(w, "std")) || strings.HasSuffix(w, ")") && strings.IndexByte(w, '(') > 0 && strings.IndexByte(w[:strings.IndexByte(w, '(')], ' ') < 0
	}
	return rest[0] == ' ' && strings.Contains(rest, " 0x") && (strings.Contains(rest, " + ") || strings.Contains(rest, " in "))
}

// called reports Perl's "main::f(1) called at f.pl line 3" and Go's calls with
// pointers.
func called(t string) bool {
	return strings.Contains(t, " called at ") && strings.Contains(t, " line ") || goCall(t) && (strings.Contains(t, "(0x") || strings.Contains(t, "{0x") || strings.HasSuffix(t, "(...)"))
}

// goCall reports pkg.f(...) and pkg.(*T).f(...).
func goCall(t string) bool {
	k := strings.IndexByte(t, '(')
	return k > 0 && strings.HasSuffix(t, ")") && strings.IndexByte(t[:k], ' ') < 0 && (strings.IndexByte(t[:k], '.') > 0 || t[:k] == "panic")
}

// goFile reports "\t/path/f.go:12 +0x1d" and Lua's "f.lua:3: in function".
func goFile(t string, indent int) bool {
	if indent == 0 {
		return false
	}
	if k := strings.Index(t, ".go:"); k > 0 && k+4 < len(t) && isDigit(t[k+4]) {
		e := k + 4 + digitRun(t, k+4)
		return e == len(t) || has(t[e:], " +0x")
	}
	return strings.Contains(t, ": in function") || strings.Contains(t, ": in main chunk") || strings.Contains(t, ": in upvalue") || strings.Contains(t, ": in local") || strings.Contains(t, ": in method") || strings.Contains(t, ": in field")
}

// elixirPlace reports "(app 0.1) lib/f.ex:12: M.f/2" and "lib/f.ex:12: M.f/2".
func elixirPlace(t string) bool {
	for _, ext := range []string{".ex:", ".exs:", ".erl:"} {
		if k := strings.Index(t, ext); k > 0 && k+len(ext) < len(t) && isDigit(t[k+len(ext)]) {
			return true
		}
	}
	return t[0] == '(' && strings.Contains(t, ") ") && strings.Contains(t, "/") && strings.Contains(t, ".")
}
