package classify

import (
	"strings"

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
	if (strings.Contains(line, "is not available") || strings.Contains(line, "not installed")) && asksToInstall(low) {
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

// probe asks the catalogue what a text is.
func probe(t string) (envelope.Code, bool) {
	e := &Evidence{Texts: []string{t}}
	return gather(e).decide(e).code, true
}
