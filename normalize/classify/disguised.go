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
	// maxLiteral bounds a Python literal that is read as JSON.
	maxLiteral = 2 << 10
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
		m := membersOf(v)
		bare := failureObject(v)
		says := (bare || m.failure()) && !echoes(e.Arguments, strings.TrimSpace(m.result.Str))
		// The check costs more than all else, and of nearly every success both say no.
		if bare != says && e.Schema.HasOutput() && len(e.Schema.CheckResult(e.Structured)) > 0 {
			return bare
		}
		return says
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
			if len(t) <= maxLiteral {
				if p := pythonJSON(t); p != "" && gjson.Valid(p) {
					return failureJSON(gjson.Parse(p), depth)
				}
			}
			return false
		}
	}
	return failureProse(t)
}

// members are those of structured content that may hold what the tool said.
type members struct {
	result, results gjson.Result
	n               int // of all
}

// membersOf finds them in one pass: content may have megabytes.
func membersOf(v gjson.Result) (m members) {
	v.ForEach(func(k, x gjson.Result) bool {
		m.n++
		switch name := k.String(); {
		case name == "result" && !m.result.Exists():
			m.result = x
		case name == "results" && !m.results.Exists():
			m.results = x
		}
		return true
	})
	return m
}

// failure reports whether there is an error member in the result or in the
// first of the results, or whether the result is but a text that is a failure.
func (m members) failure() bool {
	for _, x := range [...]gjson.Result{m.result, m.result.Get("0"), m.results.Get("0")} {
		if failureObject(x) {
			return true
		}
	}
	return wrappedError(m.result, m.n)
}

// wrappedError reports whether structured content of n members is but a text
// under "result", as FastMCP wraps what a tool without an output model returns, or a text block
// there, and the text is a failure.
func wrappedError(only gjson.Result, n int) bool {
	if !only.Exists() || n != 1 {
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
		// One member alone may wrap the report.
		return failureObject(v) || v.Get("@keys.#").Int() == 1 && (failureObject(v.Get("result")) || failureObject(v.Get("response")))
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
	if rest := after(plain); rest != "" && failureProse(rest) {
		return true
	}
	if lines <= 6 && headed(low) {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown
	}
	if marked {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown && lines <= 12 && !strings.Contains(t, "✅")
	}
	if len(plain) > maxBare || lines > 6 || strings.Contains(line, "?") {
		return false
	}
	if (strings.Contains(line, "is not available") || strings.Contains(line, "not installed") || strings.Contains(line, " not found. please install")) && asksToInstall(low) {
		code, ok := probe(plain)
		return ok && code == envelope.ServiceUnavailable
	}
	if strings.Contains(line, ": ") && gerund(low) {
		code, ok := probe(plain)
		return ok && code != envelope.UpstreamUnknown || activity(low)
	}
	if lines == 1 && (attempt(plain) || limitHit(low) || lacksCredentials(low) || waitsFor(low) || namesArgument(plain)) {
		return true
	}
	for _, p := range soft {
		if strings.HasPrefix(low, p) && (strings.HasSuffix(p, " ") && !titled(plain[len(p):]) || !strings.HasSuffix(p, " ") && (p[len(p)-1] == ':' && told(low[len(p):]) || ends(low[len(p):])) && !subject(low[len(p):])) {
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
