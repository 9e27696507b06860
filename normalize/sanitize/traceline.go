package sanitize

import "strings"

// lineKind is what a line of a failure is.
type lineKind uint8

const (
	kindText  lineKind = iota // says something
	kindHead                  // begins a trace
	kindFrame                 // a frame, or a line of source
	kindNoise                 // belongs to a trace and says nothing
	kindCause                 // the message of a cause
	kindBlank
)

// state is what the lines before have announced.
type state uint8

const (
	stText      state = iota
	stPyFrame         // behind File "..", line n
	stFrames          // up to a blank line: Go, PHP, Rust, Lua, Julia
	stDump            // an object or locals, up to "}" or a blank line
	stCodeFrame       // source shown with a caret
	stCauses          // behind a bare "Caused by:"
	stNextText        // the next line is the message, whatever it looks like
	stBox             // inside a box of rich
)

// traceMachine classifies line after line.
type traceMachine struct {
	state  state
	found  bool
	python bool
	frames int // frames in a row
	lines  int // lines in this state
}

// next classifies one line and returns the text of it that counts.
func (m *traceMachine) next(line string) (lineKind, string) {
	if len(line) > maxLook {
		if m.state == stText && !m.found {
			return kindText, line[:maxLook]
		}
		return kindNoise, ""
	}
	raw := line
	line, gutter := m.ungutter(line)
	t := strings.TrimSpace(line)
	if t == "" {
		m.lines++
		if strings.TrimSpace(raw) != "" {
			m.found = m.found || gutter
			return kindNoise, ""
		}
		if m.state != stPyFrame && m.state != stBox && m.state != stNextText {
			m.state = stText
		}
		return kindBlank, ""
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if kind, text, ok := m.head(t, line); ok {
		return kind, text
	}
	if m.state == stNextText {
		m.state = stText
		return kindText, t
	}
	if kind, text, ok := frame(t, line, indent); ok {
		m.found = true
		m.frames++
		switch {
		case strings.HasPrefix(t, "File \"") || strings.HasPrefix(t, "File '"):
			m.python = true
			m.state = stPyFrame
			m.lines = 0
		case strings.HasSuffix(t, "{") && strings.HasPrefix(t, "at "):
			m.state = stDump
		case codeFrameStart(t):
			m.state, m.lines = stCodeFrame, 0
		}
		return kind, text
	}
	return m.within(t, line, indent)
}

// within judges a line that is neither a header nor a frame by the state.
func (m *traceMachine) within(t, line string, indent int) (lineKind, string) {
	m.lines++
	switch m.state {
	case stPyFrame:
		if indent >= 4 || indent >= 2 && m.lines == 1 || carets(t) {
			return kindFrame, ""
		}
		m.state = stText
	case stFrames:
		if indent > 0 || goCall(t) || m.lines < 2 && !sentence(t) {
			return kindFrame, ""
		}
		m.state = stText
	case stDump:
		if t == "}" || t == "]" || t == "})" || t == "}," {
			m.state = stText
		}
		return kindNoise, ""
	case stCodeFrame:
		if carets(t) {
			m.state = stText
			return kindFrame, ""
		}
		if m.lines <= 3 {
			return kindFrame, ""
		}
		m.state = stText
	case stCauses:
		if indent > 0 {
			return kindCause, causeText(t)
		}
		m.state = stText
	case stBox:
		m.state = stText
	}
	if carets(t) && m.found {
		return kindFrame, ""
	}
	if m.found && (t == "{" || strings.HasPrefix(t, "{ ") || strings.HasSuffix(t, " {")) && m.frames > 0 {
		if !strings.HasSuffix(t, "}") {
			m.state = stDump
		}
		return kindNoise, ""
	}
	if m.found && (t == "}" || t == "]") {
		return kindNoise, ""
	}
	return kindText, t
}

// ungutter removes the gutters of exception groups and the walls of boxes.
func (m *traceMachine) ungutter(line string) (string, bool) {
	t := strings.TrimLeft(line, " ")
	if t == "" {
		return line, false
	}
	switch {
	case strings.HasPrefix(t, "│") || strings.HasPrefix(t, "┃"):
		return "", true
	case strings.HasPrefix(t, "╭") || strings.HasPrefix(t, "╰") || strings.HasPrefix(t, "├") || strings.HasPrefix(t, "└") && strings.Contains(t, "─") || strings.HasPrefix(t, "┌"):
		return "", true
	case strings.HasPrefix(t, "+-"):
		if strings.Trim(t, "+-0123456789. ") == "" {
			return "", true
		}
	}
	g := false
	for range 4 {
		if m.found && strings.HasPrefix(t, "| ") || strings.HasPrefix(t, "+ Exception Group") || strings.HasPrefix(t, "+ Traceback") {
			line, g = t[2:], true
			t = strings.TrimLeft(line, " ")
			if t == "" {
				return "", true
			}
			continue
		}
		if t == "|" && m.found {
			return "", true
		}
		break
	}
	return line, g
}

// carets reports a line of marks below a line of source.
func carets(t string) bool {
	for i := 0; i < len(t); i++ {
		if c := t[i]; c != '^' && c != '~' && c != ' ' && c != '|' && c != '-' {
			return false
		}
	}
	return strings.IndexByte(t, '^') >= 0 || strings.Contains(t, "~~")
}

// sentence reports a line that reads like prose.
func sentence(t string) bool {
	return strings.IndexByte(t, ' ') > 0 && strings.IndexByte(t, '(') < 0
}
