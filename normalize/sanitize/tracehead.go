package sanitize

import "strings"

func has(t, p string) bool { return strings.HasPrefix(t, p) }

// head recognises the lines that begin, join or end traces, and those that carry
// a message next to them.
func (m *traceMachine) head(t, line string) (lineKind, string, bool) {
	set := func(s state) { m.found, m.state, m.lines = true, s, 0 }
	switch t[0] {
	case 'T':
		if has(t, "Traceback (most recent call last)") {
			m.python = true
			set(stText)
			return kindHead, "", true
		}
		if has(t, "The above exception was the direct cause") {
			m.python = true
			set(stText)
			return kindNoise, "", true
		}
		if has(t, "Thread ") && (strings.HasSuffix(t, "crashed:") || strings.HasSuffix(t, "crashed")) || t == "Thrown at:" || t == "Traceback:" {
			set(stFrames)
			return kindHead, "", true
		}
	case 'D':
		if has(t, "During handling of the above exception") {
			m.python = true
			set(stText)
			return kindNoise, "", true
		}
	case 'E':
		if has(t, "Exception Group Traceback") {
			m.python = true
			set(stText)
			return kindHead, "", true
		}
		if has(t, "Exception in thread ") {
			m.found = true
			if k := strings.Index(t, "\" "); k > 0 {
				return kindText, t[k+2:], true
			}
		}
		if t == "Execution halted" {
			m.found = true
			return kindNoise, "", true
		}
		if has(t, "Error in ") && strings.Contains(t, " : ") { // R
			_, msg, _ := strings.Cut(t, " : ")
			m.found = true
			return kindText, msg, true
		}
	case 'S':
		if has(t, "Stack trace:") || has(t, "Stacktrace:") || has(t, "Stack dump:") || has(t, "Stack backtrace:") || t == "Stack:" {
			set(stFrames)
			return kindHead, "", true
		}
		if has(t, "Suppressed: ") {
			m.found = true
			return kindNoise, "", true
		}
		if has(t, "SUMMARY: ") && strings.Contains(t, "anitizer") {
			m.found = true
			return kindNoise, "", true
		}
	case 's':
		if has(t, "stack backtrace:") || has(t, "stack traceback:") || has(t, "stacktrace:") || has(t, "stack trace:") {
			set(stFrames)
			return kindHead, "", true
		}
	case 'g':
		if has(t, "goroutine ") && strings.HasSuffix(t, "]:") {
			set(stFrames)
			return kindHead, "", true
		}
	case 'p':
		if has(t, "panic: ") && !has(t, "panic: [") {
			m.found = true
			msg := strings.TrimSuffix(t[7:], " [recovered]")
			return kindText, msg, true
		}
	case 't':
		if has(t, "thread '") && strings.Contains(t, "panicked at ") {
			_, msg, _ := strings.Cut(t, "panicked at ")
			if msg != "" && msg[0] == '\'' { // before Rust 1.73
				if k := strings.LastIndex(msg, "', "); k > 0 {
					m.found = true
					return kindText, msg[1:k], true
				}
			}
			set(stNextText)
			return kindHead, "", true
		}
		if has(t, "thrown in ") && m.found {
			return kindNoise, "", true
		}
	case 'C':
		if t == "Caused by:" {
			set(stCauses)
			return kindHead, "", true
		}
		if has(t, "Caused by: ") {
			m.found = true
			m.state = stText
			return kindCause, t[len("Caused by: "):], true
		}
		if has(t, "Calls: ") && strings.Contains(t, "->") {
			m.found = true
			return kindNoise, "", true
		}
	case 'n':
		if has(t, "note: run with `RUST_BACKTRACE") || has(t, "note: Some details are omitted") {
			m.found = true
			return kindNoise, "", true
		}
	case 'N':
		if has(t, "Node.js v") && len(t) < 24 {
			m.found = true
			return kindNoise, "", true
		}
	case 'B':
		if has(t, "Bun v") {
			m.found = true
			return kindNoise, "", true
		}
		if has(t, "Backtrace:") {
			set(stFrames)
			return kindHead, "", true
		}
	case 'U':
		if t == "Unhandled exception:" {
			m.found = true
			set(stNextText)
			return kindHead, "", true
		}
		if has(t, "Uncaught ") && strings.Contains(t, ": ") {
			return kindText, strings.TrimPrefix(strings.TrimPrefix(t, "Uncaught "), "(in promise) "), true
		}
	case 'e':
		if has(t, "error: Uncaught ") {
			return kindText, strings.TrimPrefix(strings.TrimPrefix(t, "error: Uncaught "), "(in promise) "), true
		}
		if has(t, "exit status ") && m.found {
			return kindNoise, "", true
		}
	case '-':
		if has(t, "--- End of ") || has(t, "---> ") || has(t, "--> ") && m.found {
			m.found = true
			if has(t, "---> ") {
				return kindCause, t[5:], true
			}
			return kindNoise, "", true
		}
	case '[':
		if has(t, "[signal SIG") || has(t, "[Previous line repeated ") || has(t, "[CIRCULAR REFERENCE") {
			m.found = true
			return kindNoise, "", true
		}
	case '=':
		if has(t, "=CRASH REPORT====") || has(t, "=ERROR REPORT====") || has(t, "==") && strings.Contains(t, "==ERROR:") {
			m.found = true
			return kindNoise, "", true
		}
		if strings.Trim(t, "=") == "" && len(t) > 8 {
			return kindNoise, "", true
		}
	case '*':
		if has(t, "** (") { // Elixir
			if k := strings.Index(t, ") "); k > 0 && m.frames == 0 {
				return kindText, t[k+2:], true
			}
		}
	case 'P':
		if has(t, "PHP ") && strings.Contains(t, ": ") && (has(t, "PHP Fatal") || has(t, "PHP Warning") || has(t, "PHP Parse") || has(t, "PHP Notice") || has(t, "PHP Recoverable")) {
			m.found = true
			_, msg, _ := strings.Cut(t, ": ")
			return kindText, phpMessage(strings.TrimSpace(msg)), true
		}
	case 'F':
		if has(t, "Fatal error: ") {
			return kindText, phpMessage(strings.TrimSpace(t[len("Fatal error: "):])), true
		}
	}
	return m.message(t, line)
}

// message recognises messages that share their line with a place in a program.
func (m *traceMachine) message(t, line string) (lineKind, string, bool) {
	// .NET puts inner exceptions behind " ---> ".
	if k := strings.Index(t, " ---> "); k > 0 {
		m.found = true
		// Both parts count: the outer one as text, the rest as the cause. The cause
		// is what the machine hands on; the outer is kept with it.
		return kindCause, t[strings.LastIndex(t, " ---> ")+6:], true
	}
	// Ruby: f.rb:12:in 'm': message (Class)
	if k := strings.Index(t, ":in "); k > 0 && rubyPlace(t[:k]) {
		rest := t[k+4:]
		if has(t, "from ") {
			return kindFrame, "", false
		}
		if c := strings.Index(rest, "': "); c > 0 {
			m.found = true
			return kindText, rest[c+3:], true
		}
	}
	// Lua: lua: f.lua:1: message
	if has(t, "lua: ") || has(t, "luajit: ") {
		_, msg, _ := strings.Cut(t, ": ")
		return kindText, msg, true
	}
	// Perl: message at f.pl line 12.
	if k := strings.LastIndex(t, " at "); k > 0 && !strings.HasSuffix(t[:k], " called") && strings.Contains(t[k:], " line ") && placeOfPerl(t[k+4:]) {
		m.found = true
		return kindText, t[:k], true
	}
	// Swift: file.swift:12: Fatal error: message
	if k := strings.Index(t, ": Fatal error: "); k > 0 {
		m.found = true
		return kindText, t[k+len(": Fatal error: "):], true
	}
	return kindText, "", false
}

// rubyPlace reports f.rb:12.
func rubyPlace(p string) bool {
	k := strings.LastIndexByte(p, ':')
	return k > 0 && allDigits(p[k+1:]) && !strings.Contains(p, ": ")
}

// placeOfPerl reports "file line 12." and "file line 12, <FH> line 3."
func placeOfPerl(p string) bool {
	_, n, ok := strings.Cut(p, " line ")
	return ok && n != "" && isDigit(n[0]) && !has(p, "line ") && (strings.HasSuffix(n, ".") || allDigits(n)) && strings.IndexByte(p[:strings.Index(p, " line ")], ' ') < 0
}

// phpMessage cuts "Uncaught E: message in /f.php:3" to "E: message".
func phpMessage(t string) string {
	t = strings.TrimPrefix(t, "Uncaught ")
	for _, in := range []string{" in /", " in C:\\", ": file "} {
		if k := strings.LastIndex(t, in); k > 0 {
			t = t[:k]
		}
	}
	return t
}

// causeText cuts the number off a cause of anyhow and eyre: "0: message".
func causeText(t string) string {
	k := digitRun(t, 0)
	if k > 0 && k < 3 && has(t[k:], ": ") {
		return t[k+2:]
	}
	return t
}
