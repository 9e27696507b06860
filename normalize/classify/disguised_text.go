package classify

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// asksToInstall reports whether a text tells its reader to install what is missing.
func asksToInstall(low string) bool {
	for _, w := range [...]string{". install ", "\ninstall ", "please install", "pip install", "npm install", "npx ", "install it ", "install the "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

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

// activities are what a tool does to things, in the form that follows "error".
var activities = wordSet(`placing submitting posting canceling cancelling closing opening booking assigning modifying editing publishing unpublishing validating resolving checking building deploying installing registering
	subscribing archiving merging cloning importing exporting attaching sharing inviting scheduling rendering fetching retrieving getting creating updating deleting sending listing saving loading adding removing
	joining leaving muting pinning forwarding executing analyzing decompiling renaming moving copying applying scaling restarting stopping starting enabling disabling refreshing rotating issuing`)

// activity reports whether a text begins with "error", what was being done and to
// what, and a colon: "error placing order: ".
func activity(low string) bool {
	head, _, _ := strings.Cut(low, ": ")
	rest, _ := strings.CutPrefix(head, "error ")
	return strings.IndexByte(rest, ' ') > 0 && len(head) <= 60 && activities[rest[:wordEnd(rest, 0)]]
}

// attempt reports whether a line begins with what a tool tried to do in vain, not
// as a title would.
func attempt(t string) bool {
	for _, p := range [...]string{"unable to ", "could not ", "couldn't ", "cannot ", "can't "} {
		if !foldPrefix(t, p) {
			continue
		}
		rest := t[len(p):]
		verb, after := rest[:wordEnd(rest, 0)], rest[wordEnd(rest, 0):]
		switch verb {
		case "fetch", "retrieve", "obtain", "load", "access", "parse", "process", "complete", "perform", "execute", "query", "download", "upload", "authenticate":
			return true
		case "connect":
			return strings.HasPrefix(after, " to ")
		}
	}
	return false
}

// titled reports whether a verb is written as in a title: "Cannot Connect the
// Dots". "Cannot POST /x" is none.
func titled(rest string) bool {
	return len(rest) > 1 && rest[0] >= 'A' && rest[0] <= 'Z' && rest[1] >= 'a' && rest[1] <= 'z'
}

// subject reports whether a status is what the text is about: "error 404 is a film".
func subject(rest string) bool {
	rest = strings.TrimLeft(rest, "0123456789")
	return strings.HasPrefix(rest, " is a ") || strings.HasPrefix(rest, " is an ") || strings.HasPrefix(rest, " means ")
}

// namesArgument reports whether a short line begins with the name of an argument,
// written as programs write names, that is missing or empty.
func namesArgument(t string) bool {
	name := t[:wordEnd(t, 0)]
	if len(t) > 160 || len(name) < 3 || len(name) > 40 || name[0] < 'a' || name[0] > 'z' || strings.IndexByte(name, '_') <= 0 && name == lower(name) {
		return false
	}
	for _, w := range [...]string{" is required", " are required", " cannot be empty", " must not be empty", " cannot be null", " must be provided", " must be specified", " must be a ", " must be an ", " is missing"} {
		if strings.HasPrefix(t[len(name):], w) {
			return true
		}
	}
	return false
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

// settled reports whether what follows says that the call went on and did its work.
func settled(rest string) bool {
	rest = lower(rest)
	for _, w := range [...]string{"creat", "added", "adding", "instead", "success", "using", "skipp", "fallback", "falling back"} {
		if strings.Contains(rest, w) {
			return true
		}
	}
	return false
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
			found = found || strings.HasPrefix(rest, w) && !settled(rest)
		}
		return !found
	})
	return found
}
