package classify

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// MaxDisguise is the longest text of a failure in disguise, in bytes; a longer one is
	// content.
	MaxDisguise = 8 << 10
	// maxBare bounds texts that begin with softer words.
	maxBare = 600
)

// Disguised reports whether a result that does not say so is a failure. It looks
// at how the first text begins and at the shape of JSON, never at words in the
// middle. A result with structuredContent is trusted unless that itself holds an
// error; a text that echoes an argument is trusted.
func (c *Classifier) Disguised(e *Evidence) (bad bool) {
	defer func() {
		if recover() != nil {
			bad = false
		}
	}()
	if e == nil {
		return false
	}
	if len(e.Structured) > 0 && gjson.ValidBytes(e.Structured) {
		v := gjson.ParseBytes(e.Structured)
		if e.Schema.HasOutput() && len(e.Schema.CheckResult(e.Structured)) > 0 {
			return failureObject(v)
		}
		return structuredError(v) && !echoes(e.Arguments, strings.TrimSpace(v.Get("result").Str))
	}
	if len(e.Texts) == 0 || len(e.Texts[0]) > MaxDisguise {
		return false
	}
	t := strings.TrimSpace(e.Texts[0])
	return t != "" && (failureText(t, 0) || absentArgument(e.Arguments, t)) && !echoes(e.Arguments, t)
}

// absentArgument reports whether a short text says that what an argument of the
// call names does not exist: "User 'ana' not found.".
func absentArgument(args []byte, t string) bool {
	line, _, _ := strings.Cut(t, "\n")
	if len(line) > 200 || len(args) == 0 || len(args) > 64<<10 {
		return false
	}
	found := false
	gjson.ParseBytes(args).ForEach(func(_, v gjson.Result) bool {
		if v.Type != gjson.String && v.Type != gjson.Number || len(v.String()) < 2 {
			return true
		}
		at := strings.Index(line, v.String())
		if at <= 0 || at > 40 || strings.ContainsAny(line[:at], ".:;,()") || foldPrefix(line, "no ") {
			return true
		}
		rest := strings.TrimLeft(line[at+len(v.String()):], "'\"` ")
		for _, w := range [...]string{"not found", "was not found", "is not found", "does not exist", "doesn't exist", "could not be found", "is unknown"} {
			found = found || strings.HasPrefix(rest, w)
		}
		return !found
	})
	return found
}

func failureText(t string, depth int) bool {
	if t[0] == '{' || t[0] == '[' || t[0] == '"' {
		if gjson.Valid(t) {
			return failureJSON(gjson.Parse(t), depth)
		}
		if t[0] == '{' {
			return false
		}
	}
	return failureProse(t)
}

// structuredError reports whether structured content holds an error member, at
// the top or in the first of its results.
func structuredError(v gjson.Result) bool {
	for _, x := range [...]gjson.Result{v, v.Get("result"), v.Get("result.0"), v.Get("results.0")} {
		if x.IsObject() && failureObject(x) {
			return true
		}
	}
	return wrappedError(v)
}

// wrappedError reports whether structured content is but a text under "result",
// as FastMCP wraps what a tool without an output model returns, or a text block
// there, and the text is a failure.
func wrappedError(v gjson.Result) bool {
	only := v.Get("result")
	if !only.Exists() || v.Get("@keys.#").Int() != 1 {
		return false
	}
	if only.IsArray() && only.Get("#").Int() == 1 && only.Get("0.type").Str == "text" {
		only = only.Get("0.text")
	}
	t := strings.TrimSpace(only.Str)
	return only.Type == gjson.String && t != "" && len(t) <= MaxDisguise && failureText(t, 1)
}

func failureJSON(v gjson.Result, depth int) bool {
	switch {
	case v.IsObject():
		return failureObject(v)
	case v.IsArray():
		first := v.Get("0")
		if first.Get("type").Str == "text" && first.Get("text").Type == gjson.String && depth < 2 {
			if t := strings.TrimSpace(first.Get("text").Str); t != "" {
				return failureText(t, depth+1)
			}
			return false
		}
		if first.IsObject() && v.Get("#").Int() == 1 {
			return failureObject(first)
		}
	case v.Type == gjson.String && depth < 2:
		if t := strings.TrimSpace(v.Str); t != "" {
			return failureText(t, depth+1)
		}
	}
	return false
}

// failureProse reports whether a text begins like the report of a failure.
func failureProse(t string) bool {
	t = sanitize.Clean(t[:min(len(t), 2<<10)])
	plain, marked := unmark(t)
	if plain == "" || strings.HasPrefix(plain, "{") {
		return false
	}
	if len(plain) > maxBare && !marked && !beginsHard(plain) && !exceptionPrefix(plain) {
		return false // what most successes are, decided by their first bytes
	}
	low := lower(plain)
	line, _, _ := strings.Cut(low, "\n")
	lines := strings.Count(low, "\n") + 1
	if reportLines(low, lines) {
		return false
	}
	for _, p := range hard {
		if strings.HasPrefix(low, p) && (!strings.HasSuffix(p, "error") || reports(low[len(p):])) {
			return !strings.HasPrefix(p, "failed:") || !countsTests(line)
		}
	}
	if exceptionPrefix(plain) {
		return true
	}
	if marked {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown && lines <= 12 && !strings.Contains(t, "✅")
	}
	if len(plain) > maxBare || lines > 6 || strings.Contains(line, "?") {
		return false
	}
	if strings.Contains(low, "install") && (strings.Contains(line, "is not available") || strings.Contains(line, "not installed")) {
		code, ok := probe(plain)
		return ok && code == envelope.ServiceUnavailable
	}
	if strings.Contains(line, ": ") && gerund(low) {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown
	}
	for _, p := range soft {
		if strings.HasPrefix(low, p) && (strings.HasSuffix(p, " ") || ends(low[len(p):])) {
			code, ok := probe(plain)
			return ok && code != envelope.UpstreamUnknown
		}
	}
	return false
}

// beginsHard reports whether a text begins with one of hard.
func beginsHard(t string) bool {
	low := lower(t[:min(len(t), hardest)])
	for _, p := range hard {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return false
}

// hardest is the length of the longest of hard.
var hardest = func() (n int) {
	for _, p := range hard {
		n = max(n, len(p))
	}
	return n
}()

// gerund reports whether a text begins with "error" and what was being done.
func gerund(low string) bool {
	rest, ok := strings.CutPrefix(low, "error ")
	if !ok {
		return false
	}
	w := rest[:wordEnd(rest, 0)]
	switch w {
	case "handling", "logging", "reporting", "tracking", "monitoring", "correcting", "budgeting", "during":
		return false
	}
	return len(w) > 4 && strings.HasSuffix(w, "ing")
}

// reports reports whether what follows "database error" tells of one error, and
// not of error logs, rates or counts.
func reports(rest string) bool {
	if rest == "" || strings.IndexByte(":.,;!(\n*[", rest[0]) >= 0 {
		return true
	}
	for _, w := range [...]string{" -", " –", " —", " (", " [", " 4", " 5", " occurred", " while", " when", " during", " from", " in tool", " calling", " executing", " has occurred", " at ", " on ", " with "} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// ends reports whether what follows a beginning can belong to a report: an end,
// punctuation, or a word that goes on with it.
func ends(rest string) bool {
	if rest == "" || strings.IndexByte(":.,;-(!\n'\"[", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' {
		return true
	}
	for _, w := range [...]string{" due to", " for", " by", " to", " after", " because", " is", " are", " has", " with", " on", " at", " in", " while", " when", " from", " request", " error", " access", " provided", " given", " the", " your",
		" not", " invalid", " was", " waiting", " client", " server", " gateway", " found", " and", " -", " –", " —", " you", " a ", " expired", " too", " operation", "efused", "eset", "ound", "out"} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// unmark removes a sign of failure from the front and reports whether there was
// one.
func unmark(t string) (string, bool) {
	marked := false
	for {
		r, n := utf8.DecodeRuneInString(t)
		switch {
		case strings.ContainsRune("❌🚫⛔💥🛑🔴❗✗✘‼", r):
			marked = true
		case r == '\uFE0F' || r == ' ' || r == '⚠' || r == '\n':
		default:
			return t, marked
		}
		if n == 0 || len(t) == 0 {
			return "", marked
		}
		t = t[n:]
	}
}

// exceptionPrefix reports whether a text begins with the name of an exception
// class and a colon, or with a quoted call to one.
func exceptionPrefix(t string) bool {
	i := 0
	for i < len(t) && i < 96 && (wordByte(t[i]) || t[i] == '.') {
		i++
	}
	name, rest := t[:i], t[i:]
	if k := strings.LastIndexByte(name, '.'); k >= 0 {
		name = name[k+1:]
	}
	if len(name) < 6 || name[0] < 'A' || name[0] > 'Z' || !strings.HasPrefix(rest, ":") && rest != "" {
		return false
	}
	for _, s := range [...]string{"Error", "Exception", "Fault", "Timeout", "Failure"} {
		if strings.HasSuffix(name, s) && len(name) > len(s) {
			return true
		}
	}
	return false
}

// reportLines reports whether a text of several lines is a log or a list: most
// lines begin alike, with a level, a date or a mark.
func reportLines(low string, lines int) bool {
	if lines < 3 {
		return false
	}
	n := 0
	for l := range strings.SplitSeq(low, "\n") {
		l = strings.TrimLeft(l, " [(")
		for _, p := range [...]string{"error", "warn", "info", "debug", "20", "19", "trace:", "fatal", "- ", "* ", "| ", "1.", "2.", "3.", "passed", "failed", "❌", "✅", "✓", "ok ", "fail "} {
			if strings.HasPrefix(l, p) {
				n++
				break
			}
		}
	}
	return n*3 >= lines*2 && n >= 3
}

func countsTests(line string) bool {
	return strings.Contains(line, "passed") || strings.Contains(line, "test") || strings.Contains(line, "skipped")
}

// probe asks the catalogue what a text is.
func probe(t string) (envelope.Code, bool) {
	e := &Evidence{Texts: []string{t}}
	return gather(e).decide(e).code, true
}

// echoes reports whether the text begins with what an argument held.
func echoes(args []byte, t string) bool {
	if len(args) == 0 || len(args) > 256<<10 || t == "" {
		return false
	}
	head := t[:min(len(t), 24)]
	found := false
	var look func(v gjson.Result, depth int)
	look = func(v gjson.Result, depth int) {
		if depth > 4 || found {
			return
		}
		v.ForEach(func(_, x gjson.Result) bool {
			if x.Type == gjson.String {
				found = found || len(x.Str) >= 6 && strings.Contains(x.Str, head)
			} else if x.Type == gjson.JSON {
				look(x, depth+1)
			}
			return !found
		})
	}
	if v := gjson.ParseBytes(args); v.IsObject() {
		look(v, 0)
	}
	return found
}
