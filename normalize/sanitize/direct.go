package sanitize

import "strings"

// actions are verbs, also as participles, that an instruction wants done and a
// constraint does not need: a value "must be a date", it "must be sent" nowhere.
var actions = set(`attach attached append appended approve ask asked browse bypass call called click collect collected copy copied decode delete deleted
disable disclose disclosed display download downloaded drop email emailed encode execute executed export exported fetch fetched follow forward forwarded
gather gathered get give given go grab grant handed hand invoke invoked leak look mail mailed navigate obtain open opened paste pasted pay post posted
print printed publish published purchase put quote quoted read reply report reported respond retrieve retrieved reveal revealed run say send sent share shared show
shown skip speak switch take tell told transfer transferred transmit transmitted type typed upload uploaded visit wire wired write written act behave pretend ignore disregard forget
obey comply relay relayed repeat repeated dump dumped install`)

// modals ask for what follows them.
var modals = set(`must should shall ought`)

// softeners may stand between a modal and its verb.
var softeners = set(`now first then also always be been to next immediately instead just please simply kindly therefore still once again and have either`)

// demands ask for a value.
var demands = set(`must should shall contain contains include includes including expected expects provide providing provided give pass passing set supply add adding specify fill put insert requires needs need`)

// handings are participles of giving something away: "after sending your token".
var handings = set(`sending posting pasting putting providing writing uploading including entering attaching forwarding sharing revealing
submitting transmitting copying typing adding emailing giving supplying echoing printing passing disclosing`)

// means stand before the participle of what is to be done.
var means = set(`by after and then or before until first`)

// cargo is what an instruction wants to have handed over.
var cargo = set(`conversation conversations transcript contents passwords secrets credentials instructions prompt prompts environment history memory thoughts tokens keys`)

// nounUse are words behind a verb's name that show it to be a noun: "read
// timed out", "query failed", "call limit reached".
var nounUse = set(`failed fails failure failures timed timeout timeouts time error errors denied limit limits exceeded exceeds is are was were has had not cannot could
request requests operation operations permission permissions access aborted cancelled canceled refused rejected conflict conflicts lock locked only or method mode
rate quota quotas id ids name names key keys size count counts type types status code codes returned returns did does took of at while during before after
by because since without parameters parameter argument arguments path paths url urls command commands function functions call calls statement statements
event events handler handlers process processes later again tool tools number numbers size volume result results response responses must should may can will expired
up more less fewer date dates rows row unsuccessful unsupported unavailable invalid missing unknown no depth stack`)

// Directs reports whether a clause from a server tells its reader to do
// something or to hand something over, instead of reporting what failed. It is
// stricter than the phrases of Guard and made for clauses of few words.
func Directs(s string) bool {
	if len(instructions(s)) > 0 {
		return true
	}
	var arr [64]word
	words := wordsOf(s, arr[:0])
	tool := false
	for i, w := range words {
		if w.start && directive(words, i) || tool && w.s == "instead" {
			return true
		}
		tool = tool || w.s == "tool" || w.s == "tools"
		switch {
		case modals[w.s], (w.s == "need" || w.s == "needs" || w.s == "have" || w.s == "has" || w.s == "required" || w.s == "supposed" || w.s == "want" || w.s == "expected" || w.s == "asked" || w.s == "instructed" || w.s == "advised" || w.s == "encouraged") && i+1 < len(words) && words[i+1].s == "to":
			k := i + 1
			for k < len(words) && softeners[words[k].s] {
				k++
			}
			if k < len(words) && actions[words[k].s] && !passed(words, k) {
				return true
			}
		}
		if i > 0 && i+1 < len(words) && errands[w.s] && !governs[words[i-1].s] && determiners[words[i+1].s] && !words[i+1].hard {
			return true
		}
		if i > 0 && i+1 < len(words) && actors[words[i-1].s] && (w.s == "to" || w.s == "may" || w.s == "can" || w.s == "must" || w.s == "should" || w.s == "shall" || w.s == "needs" || w.s == "has") &&
			!states[words[i+1].s] && !(i > 1 && words[i-2].s == "by") {
			return true
		}
		if w.s == "values" && i+1 < len(words) && (words[i+1].s == "are" || words[i+1].s == "is") && carries(words[i+2:min(len(words), i+10)]) {
			return true
		}
		if demands[w.s] && carries(words[i+1:min(len(words), i+9)]) {
			return true
		}
		if handings[w.s] && i > 0 && means[words[i-1].s] && surrenders(words[i+1:min(len(words), i+6)]) {
			return true
		}
		if (w.s == "your" || w.s == "user's" || w.s == "users'") && i+1 < len(words) && (cargo[words[i+1].s] || words[i+1].s == "files" || words[i+1].s == "file") {
			return true
		}
	}
	return false
}

// actors are names for the reader; what they may or must do is told to them,
// except to be or to have something.
var (
	actors = set(`caller callers model agent agents assistant ai llm`)
	states = set(`be been have not no only access authenticate exceed a an the this`)
)

// errands are verbs that act on a thing; before a thing, and behind a word that
// does not govern them, they are instructions: "in the next step upload the file".
var errands = set(`upload transfer send forward delete copy share give email disable reveal paste attach visit invoke execute append dump grant`)

// governs are words behind which a verb reports: "failed to upload the file".
var governs = set(`to not cannot can't could couldn't can did didn't do does doesn't don't will would won't may might must should shall when while if you we they i who which that or and never failed only also
be been is are was were has have had by for of in on a an the this no before after unable`)

// passed reports the harmless end of "has to be called", "must be given":
// "given as a string", "sent as JSON", "read only".
func passed(words []word, k int) bool {
	if k+1 >= len(words) {
		w := words[k].s
		return w == "given" || w == "written" || w == "called" || w == "run" || w == "read" || w == "quoted"
	}
	switch words[k+1].s {
	case "as", "in", "only", "access", "permission", "permissions":
		return true
	}
	return false
}

// directive reports an imperative at words[i], the first word of a clause.
func directive(words []word, i int) bool {
	for i < len(words) && (softeners[words[i].s] || words[i].s == "before" || words[i].s == "you" || words[i].s == "should" || words[i].s == "system" || words[i].s == "assistant") && !actions[words[i].s] {
		i++
	}
	if i+1 >= len(words) {
		return false
	}
	w := words[i].s
	if !imperatives[w] && !actions[w] || strings.HasSuffix(w, "ed") || w == "sent" || w == "given" || w == "shown" || w == "written" || w == "told" {
		return false
	}
	next := words[i+1]
	if next.s == "access" && !reports[w] && !next.hard {
		return true // grant access, give access
	}
	if next.hard || nounUse[next.s] || reports[w] && i+2 < len(words) && nounUse[words[i+2].s] {
		return false
	}
	if reports[w] && !determiners[next.s] && !objects[next.s] && !valuables[next.s] && !cargo[next.s] {
		return false
	}
	if w == "use" && formats(words[i+1:]) {
		return false
	}
	return true
}

// reports are verbs with which a line of a log begins too: "connect failed",
// "open file: no such file". They direct only with an object.
var reports = set(`use get make report post query update insert delete read write stop restart change add save call connect open copy move export import download upload run
request reset print fetch submit cancel create execute push pull drop put display list run publish append install commit confirm query modify navigate merge load unlock revoke type take click
record enable authorize restart retrieve skip return quote behave`)

// objects are what an instruction's verb acts on.
var objects = set(`config configuration admin user users tool tools message messages chat page link website shell script function mail report data database system server account accounts`)

var determiners = set(`the a an all any every each this that these those my our their its your everything it them`)

// formats reports that words describe the form of a value and nothing else.
func formats(words []word) bool {
	for _, w := range words {
		switch w.s {
		case "a", "an", "the", "format", "iso", "yyyy", "mm", "dd", "hh", "integer", "number", "string", "date", "time", "or", "and", "json", "valid", "public", "address", "instead", "smaller", "larger", "shorter",
			"value", "values", "of", "true", "false", "between", "at", "most", "least", "utc", "https", "http", "letters", "digits", "lowercase", "uppercase", "only", "positive", "absolute", "relative", "limit", "page", "range":
		default:
			return false
		}
	}
	return true
}

// carries reports that the words behind a demand name what must not be handed
// over.
func carries(words []word) bool {
	for i, w := range words {
		if w.start && i > 0 && w.hard {
			return false
		}
		if cargo[w.s] || w.s == "everything" {
			return true
		}
		if i+1 >= len(words) {
			continue
		}
		n := words[i+1].s
		if n == "of" && i+2 < len(words) && (w.s == "names" || w.s == "list" || w.s == "text" || w.s == "copy" || w.s == "summary") &&
			(determiners[words[i+2].s] || cargo[words[i+2].s]) {
			return true
		}
		switch {
		case (w.s == "previous" || w.s == "prior" || w.s == "last" || w.s == "earlier") && (n == "user" || n == "tool" || n == "assistant" || n == "results" || n == "answer" || n == "output" || n == "turn"),
			w.s == "content" && (n == "of" || n == "from"), w.s == "user's", w.s == "your" && (n == "password" || n == "token" || n == "key" || n == "secret" || n == "api"),
			(w.s == "config" || w.s == "credentials" || w.s == "key" || w.s == "env" || w.s == "password" || w.s == "secret" || w.s == "secrets") && (n == "file" || n == "files" || n == "store"),
			w.s == "private" && n == "key", w.s == "password" && n == "of", (w.s == "previous" || w.s == "prior" || w.s == "all" || w.s == "earlier" || w.s == "chat" || w.s == "private") && (n == "message" || n == "messages"), w.s == "chat" && n == "log", w.s == "system" && n == "message":
			return true
		}
	}
	return false
}

// surrenders reports that the words behind a participle name a secret of the
// reader's.
func surrenders(words []word) bool {
	for _, w := range words {
		if w.hard {
			return false
		}
		switch w.s {
		case "password", "passwords", "passphrase", "token", "tokens", "secret", "secrets", "credential", "credentials", "cookie", "cookies", "conversation", "prompt":
			return true
		}
	}
	return false
}

// word is one lower-case word of a clause.
type word struct {
	s     string
	start bool // it begins a clause
	hard  bool // after a full stop, a colon or a semicolon
}

// lowered returns s with ASCII letters in lower case and the same length.
func lowered(s string) string {
	for i := range len(s) {
		if isUpper(s[i]) {
			return asciiLower(s)
		}
	}
	return s
}

// wordsOf splits s into words. A word begins a clause at the beginning, behind a
// sign and behind "then", "and", "but" or "so".
func wordsOf(s string, dst []word) []word {
	start, hard := true, true
	low := lowered(s)
	for i := 0; i < len(s); {
		c := s[i]
		if !isAlpha(c) {
			if strings.IndexByte(".:;,(!?->]|#*", c) >= 0 && (c != '-' && c != '.' || i+1 == len(s) || s[i+1] == ' ') {
				start = true
				hard = hard || c != ',' && c != '-' && c != '('
			}
			i++
			continue
		}
		j := i
		for j < len(s) && (isAlpha(s[j]) || s[j] == '\'' && j+1 < len(s) && isAlpha(s[j+1])) {
			j++
		}
		w := low[i:j]
		dst = append(dst, word{w, start, hard})
		start, hard = w == "then" || w == "and" || w == "but" || w == "so" || w == "next" || w == "first" || w == "now" || w == "instead" || w == "please", false
		i = j
	}
	return dst
}

// handed reports a constraint that asks for what must not be handed over: "the
// content of the file", "all previous messages".
func handed(s string) bool {
	if strings.IndexByte(s, ' ') < 0 {
		return false
	}
	var arr [32]word
	words := wordsOf(s, arr[:0])
	return len(words) > 2 && carries(words)
}
