package classify

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// maxText bounds the text that is looked at after the trace filter, maxPart
	// one message in it: of a longer one the head and, a third, the tail.
	maxText = 4 << 10
	maxPart = 2400
	// maxRounds and maxDepth bound the unwrapping of JSON in text in JSON.
	maxRounds = 3
	maxDepth  = 8
	// maxTexts and maxRaw bound the texts that are read at all.
	maxTexts = 64
	maxRaw   = 64 << 10
	// maxIssues bounds the list of validation issues.
	maxIssues = 4
)

// doc is what was read out of the evidence: one text for the catalogue and the
// facts that stood in structure.
type doc struct {
	text, low string // messages, one per line; low has the same positions
	raw       string // everything that was cleaned, for the rules' names
	msgs      []string
	codes     []string // strings under code-like keys
	issues    []issue  // validation issues in structured form
	status    int      // an HTTP status in structured form
	wait      wait
	page      bool // an HTML page stood there
	pageOnly  bool // nothing else stood there
	trace     bool
	size      int
	sentences []int
	asides    []bool // the sentences that advise rather than report
	hits      []hit
}

// gather reads all texts of the evidence.
func gather(e *Evidence) *doc {
	d := &doc{}
	for i, t := range e.Texts {
		if i == maxTexts || len(d.raw) > maxRaw {
			break
		}
		d.add(t)
	}
	if len(e.Structured) > 0 && len(d.msgs) == 0 {
		d.walk(gjson.ParseBytes(e.Structured), "", 0, 0)
	}
	// A message that only repeats the JSON-RPC code comes after the data, which
	// then says what happened.
	late := blank[strings.Trim(lower(peel(e.Message)), " .!")]
	if e.Message != "" && !late {
		d.add(e.Message)
	}
	if len(e.Data) > 0 {
		d.data(e.Data)
	}
	if late {
		d.add(e.Message)
	}
	if len(e.Body) > 0 {
		d.add(string(e.Body[:min(len(e.Body), 64<<10)]))
	}
	var b strings.Builder
	for i, list := range [2][]string{d.msgs, d.codes} {
		for _, m := range list {
			if b.Len() > 0 {
				if i == 1 {
					b.WriteByte(';') // a code does not go on with the sentence before it
				}
				b.WriteByte('\n')
			}
			b.WriteString(m[:min(len(m), maxText-min(maxText, b.Len()))])
		}
	}
	d.text = strings.ToValidUTF8(b.String(), "")
	d.low = lower(d.text)
	return d
}

// blank are the messages that say no more than the JSON-RPC code.
var blank = map[string]bool{"invalid params": true, "invalid parameters": true, "internal error": true, "server error": true, "invalid request": true, "error": true, "unknown error": true,
	"tool execution failed": true, "tool call failed": true, "bad request": true}

// data reads error.data, which is a string, an object or a list.
func (d *doc) data(raw []byte) {
	v := gjson.ParseBytes(raw)
	if v.Type == gjson.String {
		if s := v.String(); strings.TrimSpace(s) != "" {
			d.add(s)
		}
		return
	}
	d.walk(v, "", 0, 0)
}

// add reads one raw text.
func (d *doc) add(raw string) {
	s := sanitize.Clean(raw)
	if strings.ContainsRune(s, '’') {
		s = strings.ReplaceAll(s, "’", "'")
	}
	if len(d.raw) <= maxRaw {
		d.raw += s + "\n"
	}
	d.message(s, 0)
}

// message takes one cleaned text apart: pages, JSON inside it, traces, wrappers.
func (d *doc) message(s string, round int) {
	s = strings.TrimSpace(s)
	if s == "" || len(d.msgs) >= 16 {
		return
	}
	if text, ok := page(s); ok {
		d.page = true
		d.pageOnly = d.pageOnly || len(d.msgs) == 0
		s = text
		if s == "" {
			return
		}
	}
	if round < maxRounds {
		if at, v := findJSON(s); at >= 0 {
			head, tail := strings.TrimSpace(s[:at]), ""
			if end := at + v.Index; end < len(s) {
				tail = strings.Trim(s[end:], " \t\n\"'>.,;")
			}
			if head != "" {
				d.plain(head)
			}
			d.walk(v, "", 0, round+1)
			if tail != "" && len(tail) > 2 {
				d.plain(tail)
			}
			return
		}
	}
	d.plain(s)
}

var unescaped = strings.NewReplacer("\\n", "\n", "\\t", "\t", "\\\"", "\"", "\\r", "")

// plain adds a text without structure: traces out, wrappers off.
func (d *doc) plain(s string) {
	if len(s) > 4 && (strings.Contains(s, "\\n") || strings.Contains(s, "\\u00")) && !strings.Contains(s, "\n") {
		s = unescaped.Replace(s)
	}
	d.scanIssues(s)
	if strings.IndexByte(s, '\n') >= 0 || len(s) > 600 {
		if t := sanitize.FilterTrace(s); t.Found {
			d.trace = true
			if lines := traceLines(t); len(lines) > 0 {
				s = strings.Join(lines, "\n")
			}
		}
	}
	s = peel(s)
	if len(s) > maxPart {
		s = strings.ToValidUTF8(s[:maxPart*2/3]+"\n"+s[len(s)-maxPart/3:], "")
	}
	if s == "" || d.size > maxText {
		return
	}
	for _, m := range d.msgs {
		if m == s {
			return
		}
	}
	d.size += len(s)
	d.msgs = append(d.msgs, s)
}

// traceLines returns the lines of a filtered trace with the message first.
func traceLines(t sanitize.Trace) []string {
	var out []string
	seen := map[string]bool{}
	for _, list := range [][]string{{t.Last}, t.Causes, t.Lines} {
		for _, l := range list {
			if l = strings.TrimSpace(l); l != "" && !seen[l] {
				seen[l] = true
				out = append(out, l)
			}
		}
	}
	return out
}

// wrappers are prefixes that SDKs put before the message of a tool. "X" stands
// for one word.
var wrappers = []string{
	"mcp error X:", "error executing tool X:", "error calling tool X:", "error invoking tool X:", "error running tool X:",
	"error calling X:", "tool X execution failed:", "tool execution failed:", "error:", "### error", "tool execution error:", "internal error:",
	"error processing X query:", "an error occurred invoking X:", "failed to call tool X:", "uncaught error:", "exception:",
	"error in tool X:", "failed to invoke tool:", "failed to execute tool X:", "toolerror:", "mcperror:", "operation failed:", "execution failed:",
	"unexpected error:", "error invoking method:", "error message:", "message:", "details:", "detail:", "reason:",
}

// peel removes wrappers and decoration from the front of a message. What is
// left is never empty unless the message was.
func peel(s string) string {
	for range 8 {
		t := strings.TrimLeft(s, " \t\n\r❌⚠️🚫🔴✗✘×⛔💥❗‼🛑*#-•>")
		t = strings.TrimSpace(t)
		for _, w := range wrappers {
			if rest, ok := afterWrapper(t, w); ok && strings.TrimSpace(rest) != "" {
				t = strings.TrimSpace(rest)
				break
			}
		}
		if t == "" || t == s {
			return strings.TrimSpace(s)
		}
		s = t
	}
	return s
}

func afterWrapper(s, w string) (string, bool) {
	head, tail, two := strings.Cut(w, "X")
	if !foldPrefix(s, head) {
		return "", false
	}
	s = s[len(head):]
	if !two {
		return s, true
	}
	k := strings.IndexAny(s, ": \n")
	if k <= 0 || k > 80 {
		return "", false
	}
	if s = s[k:]; !foldPrefix(s, tail) {
		return "", false
	}
	return s[len(tail):], true
}
