package sanitize

import (
	"html"
	"strings"
	"unicode/utf8"
)

const (
	maxTraceLines = 8
	maxPlainLines = 64 // of a text without a trace
	maxLine       = 300
	maxCauses     = 8
	// maxLook is how much of a line is looked at; a longer one counts as a dump.
	maxLook = 4 << 10
)

// Trace is what a text says apart from its stack trace.
type Trace struct {
	// Found reports that there was a trace.
	Found bool
	// Lines are the lines of text that survive, at most 8 of 300 bytes each; of a
	// text without a trace, all lines that are not blank, at most 64.
	Lines []string
	// Causes are the messages behind "Caused by:" and "--->", the root last.
	Causes []string
	// Last is the line that states the failure: the root cause if there is one,
	// the last exception of a Python trace, else the first line of text.
	Last string
}

// FilterTrace separates the message of a failure from its stack trace, for the
// formats of Python, JavaScript (Node, Deno, Bun, Firefox, Safari), Java and its
// kin, .NET, Go, Rust, Ruby, PHP, Elixir, Erlang, Swift, Perl, Dart, Lua, Julia,
// R, PowerShell, gdb and the sanitizers, with line breaks escaped or not. It
// reads each line once and remembers one.
func FilterTrace(cleaned string) Trace {
	s := unfold(cleaned)
	var m traceMachine
	var keep lineKeeper
	rest := s
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		kind, text := m.next(line)
		switch kind {
		case kindText:
			keep.text(text)
		case kindCause:
			keep.cause(text)
		case kindFrame:
			keep.frames++
			keep.afterFrame = true
		}
	}
	return keep.trace(m.found, m.python, s)
}

// lineKeeper keeps the few lines that matter.
type lineKeeper struct {
	first, last []string // first and last lines of text
	message     string   // first text after the last frame
	afterFrame  bool
	causes      []string
	total       int
	frames      int
}

func (k *lineKeeper) text(t string) {
	t = cutLine(strings.TrimSpace(t))
	if t == "" {
		return
	}
	if k.afterFrame {
		k.message, k.afterFrame = t, false
	}
	k.total++
	if len(k.first) < maxPlainLines {
		k.first = append(k.first, t)
	}
	if len(k.last) == maxTraceLines {
		copy(k.last, k.last[1:])
		k.last = k.last[:maxTraceLines-1]
	}
	k.last = append(k.last, t)
}

func (k *lineKeeper) cause(t string) {
	t = cutLine(strings.TrimSpace(t))
	if t == "" {
		return
	}
	if len(k.causes) == maxCauses {
		copy(k.causes, k.causes[1:])
		k.causes = k.causes[:maxCauses-1]
	}
	k.causes = append(k.causes, t)
}

func (k *lineKeeper) trace(found, python bool, s string) Trace {
	t := Trace{Found: found, Causes: k.causes}
	switch {
	case !found:
		t.Lines = k.first
		t.Causes = nil
	case python && k.total > maxTraceLines:
		t.Lines = k.last
	default:
		t.Lines = k.first[:min(len(k.first), maxTraceLines)]
	}
	switch {
	case len(t.Causes) > 0:
		t.Last = t.Causes[len(t.Causes)-1]
	case found && python && k.message != "":
		t.Last = k.message
	case found && python && len(k.last) > 0:
		t.Last = k.last[len(k.last)-1]
	case len(t.Lines) > 0:
		t.Last = t.Lines[0]
	}
	return t
}

func cutLine(s string) string {
	if len(s) <= maxLine {
		return s
	}
	n := maxLine
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var breaks = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\r`, "\n", `\t`, "\t", `\"`, `"`)

// unfold turns escaped line breaks into real ones when the text has the marks of
// a trace on one line.
func unfold(s string) string {
	if strings.Contains(s, "<br") && (strings.Contains(s, "<pre") || strings.Contains(s, "at ")) {
		s = unbreak(s)
	}
	if !strings.Contains(s, `\n`) && !strings.Contains(s, `\r`) {
		return s
	}
	if strings.Count(s, "\n") > strings.Count(s, `\n`) {
		return s
	}
	for range 3 { // escaped more than once
		if !strings.Contains(s, `\\n`) {
			break
		}
		s = strings.ReplaceAll(s, `\\`, `\`)
	}
	return breaks.Replace(s)
}

// unbreak turns the trace of an HTML page into lines of text.
func unbreak(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		k := strings.IndexByte(s, '<')
		if k < 0 || k+1 >= len(s) {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:k])
		c := s[k+1]
		e := strings.IndexByte(s[k:min(len(s), k+maxTag)], '>')
		if e < 0 || !isAlpha(c) && c != '/' && c != '!' {
			b.WriteByte('<')
			s = s[k+1:]
			continue
		}
		if strings.HasPrefix(s[k:], "<br") || strings.HasPrefix(s[k:], "</p") || strings.HasPrefix(s[k:], "</h") || strings.HasPrefix(s[k:], "</li") || strings.HasPrefix(s[k:], "</title") {
			b.WriteByte('\n')
		}
		s = s[k+e+1:]
	}
	return strings.ReplaceAll(html.UnescapeString(b.String()), "\u00a0", " ")
}
