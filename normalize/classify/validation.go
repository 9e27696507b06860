package classify

import (
	"regexp"
	"strings"
)

// form is one way in which validators and servers name a refused argument. It
// is tried only on the lines that contain one of lits (lower case).
type form struct {
	rule string
	lits []string
	re   *regexp.Regexp // groups: a argument, e expected, r received, i instance
	kind kind
	// expected is used when the group e is absent.
	expected string
	// weak forms are prose: they decide nothing when the text has a cause of
	// another kind.
	weak bool
}

const (
	// maxLine bounds the part of a line that an expression sees.
	maxLine = 400
	// maxLines bounds the lines looked at for one form.
	maxLines = 3
)

// scanForms returns the first argument that a line of text names.
func scanForms(forms []form, text, low string) (issue, bool) {
	grams := trigramsOf(low)
	for i := range forms {
		f := &forms[i]
		for _, lit := range f.lits {
			if !grams.mayHold(lit) {
				continue
			}
			from, tries := 0, 0
			for tries < maxLines {
				k := strings.Index(low[from:], lit)
				if k < 0 {
					break
				}
				k += from
				start := max(strings.LastIndexByte(low[:k], '\n')+1, k-maxLine/2)
				end := len(low)
				if n := strings.IndexByte(low[k:], '\n'); n >= 0 {
					end = k + n
				}
				end = min(end, k+maxLine)
				if it, ok := f.apply(text[start:end]); ok {
					it.at += start
					it.more = f.rest(text[it.at+len(it.msg):], it)
					return it, true
				}
				from = end
				tries++
				if from >= len(low) {
					break
				}
			}
		}
	}
	return issue{}, false
}

// trigrams is the set of the three-byte sequences of a text, hashed: most words
// that a text does not hold are ruled out without a search.
type trigrams [512]uint64

func gram(s string, i int) uint32 {
	return (uint32(s[i])*961 + uint32(s[i+1])*31 + uint32(s[i+2])) * 2654435761 >> 17
}

func trigramsOf(s string) *trigrams {
	var t trigrams
	for i := 0; i+3 <= len(s); i++ {
		g := gram(s, i)
		t[g>>6] |= 1 << (g & 63)
	}
	return &t
}

func (t *trigrams) mayHold(s string) bool {
	for i := 0; i+3 <= len(s); i++ {
		if g := gram(s, i); t[g>>6]&(1<<(g&63)) == 0 {
			return false
		}
	}
	return true
}

func (f *form) apply(line string) (issue, bool) {
	m := f.re.FindStringSubmatchIndex(line)
	if m == nil {
		return issue{}, false
	}
	it := issue{kind: f.kind, expected: f.expected, rule: "validation." + f.rule, strong: !f.weak, at: m[0], msg: line[m[0]:m[1]]}
	for i, name := range f.re.SubexpNames() {
		if name == "" || m[2*i] < 0 {
			continue
		}
		s := line[m[2*i]:m[2*i+1]]
		switch name[:1] {
		case "a":
			if f.rule == "prose.colon" && s == strings.ToUpper(s) && len(s) > 1 {
				return issue{}, false // an abbreviation in a heading
			}
			if f.rule == "prose.colon" && (productWords[lower(s)].Valid() || services[lower(s)]) {
				return issue{}, false // "hubspot: Property values ..."
			}
			if f.rule == "prose.required" && elsewhere(lower(line[m[1]:])) {
				return issue{}, false
			}
			if f.weak && afterVerb(lower(line[:m[2*i]])) {
				return issue{}, false
			}
			if it.path = pointer(strings.TrimSuffix(s, "=")); !identLike(strings.TrimLeft(it.path, "[")) || f.weak && notArgument(it.path) && !(opened(line, m[2*i]) && notWord(it.path)) || alternatives(f, line[:m[0]]) {
				return issue{}, false
			}
			if e := m[2*i+1]; e < len(line) && quote(line[e]) && !opened(line, m[2*i]) {
				return issue{}, false // the end of a quoted text, not a name
			}
			if f.kind == kindUnexpected || f.kind == kindMissing {
				it.path, _, _ = strings.Cut(it.path, ",")
			}
		case "e":
			it.expected = strings.TrimSpace(s)
		case "r":
			it.received = strings.TrimSpace(s)
		case "i":
			it.instance = strings.Trim(strings.TrimSpace(s), `'"`)
		}
	}
	if f.rule == "serde" && f.kind == kindEnum {
		it.options = quoted(it.expected)
		if noArguments[lower(it.path)] {
			it.path = "" // "failed to deserialize parameters: "
		}
	}
	if f.rule == "listed" {
		it.options = quoted(it.expected)
	}
	if it.path == "" && it.instance == "" && it.expected == "" && it.received == "" {
		return issue{}, false
	}
	return it, true
}

// services are further names that servers put before their messages.
var services = wordSet(`slack github gitlab jira confluence notion linear sentry stripe grafana discord telegram kubernetes kubectl docker postgres postgresql mysql redis mongodb elasticsearch azure aws google openai anthropic mcp api graphql sql http`)

// afterVerb reports whether what stands before a name is the heading of a report,
// so that the name is a tool's or a command's.
func afterVerb(before string) bool {
	before = strings.TrimRight(before, " '\"`")
	for _, w := range [...]string{"error in", "error executing", "error calling", "error running", "error invoking", "error processing", "error during", "error from", "executing tool", "calling tool",
		"running tool", "invoking tool", "exception in", "failure in", "arguments for", "arguments for tool", "parameters for tool", "input for tool"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// elsewhere reports whether what follows "is missing" names a place that is not
// the call: then it is no argument that is missing.
func elsewhere(after string) bool {
	for _, w := range [...]string{" in the ", " from the ", " on the ", " at the ", " on this ", " from this "} {
		if rest, ok := strings.CutPrefix(after, w); ok {
			switch rest[:wordEnd(rest, 0)] {
			case "request", "body", "call", "input", "arguments", "parameters", "payload", "query", "header", "headers", "params", "url":
				return false
			}
			return true
		}
	}
	return false
}

// noArguments are words that stand where an argument's name would stand.
var noArguments = wordSet(`this it that value input field argument arguments parameter parameters property data request body string number integer object array item
	items the a an and or one which what there here is are be error errors message validation invalid missing required option options key keys name_ type schema json
	params tool function call method query_ he she you we they user_ authentication authorization login token credentials access permission account password api_key apikey
	all any both either none only at least most exactly must should may not no also please you your ensure make sure different another correct new details detail reason cause note hint status description configuration config setting settings server client service resource response result output
	http https url_ null true false undefined nan expected received got instead valid values following fields elements list code in on for with of to from by as if then else
	parameters operation operations deserialize root record entity text each every first last payload content-type header headers host origin permissions scope scopes role admin enum iana iso expression regex rejected refused denied crashed stopped not_ query_ search_ request req isoformat syntax indices index_ you we failed`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[strings.TrimSuffix(w, "_")+""] = !strings.HasSuffix(w, "_")
	}
	return m
}

// opened reports whether a quote opens before i, with the dashes of an option
// or the signs of a path between.
func opened(line string, i int) bool {
	for i > 0 && strings.IndexByte("-/$.", line[i-1]) >= 0 {
		i--
	}
	return i > 0 && quote(line[i-1])
}

// notWord reports whether only the list of common words speaks against a name:
// in quotes such a word is a name.
func notWord(s string) bool {
	return identLike(s) && len(s) <= 64 && !strings.HasSuffix(s, "Error") && !strings.HasSuffix(s, "Exception") && !typeWords[lower(s)]
}

var typeWords = wordSet(`string number integer boolean object array undefined null none nan true false`)

func quote(c byte) bool { return c == '\'' || c == '"' || c == '`' }

// alternatives reports whether prose names one of several arguments: then none
// of them is the one that is missing.
func alternatives(f *form, before string) bool {
	if !f.weak || f.kind != kindMissing {
		return false
	}
	before = lower(before)
	return strings.HasSuffix(before, " or ") || strings.HasSuffix(before, "either ") || strings.Contains(before, "one of ")
}

func notArgument(s string) bool {
	for _, x := range [...]string{"Error", "Exception", "error", "failed", "Failed"} {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return s == "" || len(s) > 64 || noArguments[lower(s)] || !identLike(s) && !strings.HasPrefix(s, "[")
}

// findIssue returns what the text says about a refused argument.
func (d *doc) findIssue(e *Evidence) (issue, bool) {
	var best issue
	ok := false
	if len(d.issues) > 0 {
		best, ok = d.issues[0], true
		for _, it := range d.issues {
			if it.path != "" {
				best = it
				break
			}
		}
	}
	if !ok || best.path == "" && !best.strong {
		if it, found := scanForms(forms, d.text, d.low); found {
			best, ok = it, true
		}
	}
	if (!ok || best.path == "") && d.trace {
		raw := d.raw[:min(len(d.raw), 4<<10)]
		if it, found := scanForms(validatorForms, raw, lower(raw)); found && it.path != "" {
			if it.at = 0; ok {
				best.path = it.path
			} else {
				best, ok = it, true
			}
		}
	}
	if !ok {
		return issue{}, false
	}
	if best.path == "" && best.instance != "" {
		best.path = argumentOf(e.Arguments, best.instance)
	}
	return best, true
}
