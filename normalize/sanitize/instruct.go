package sanitize

import (
	_ "embed"
	"strings"
)

//go:embed phrases.txt
var phraseList string

// An instruction is a run of words that tells a reader what to do and has no
// place in the report of a failure. Each phrase is a list of words; "*" stands
// for up to two words of any kind. The first word selects the list.
var phrases = phraseTable(phraseList)

// maxPhrase words are remembered while the phrases are matched.
const phraseWords = 8

type phrase struct {
	words  []string
	clause bool // only at the start of a clause
}

func phraseTable(list string) map[string][]phrase {
	t := make(map[string][]phrase)
	for _, line := range strings.Split(list, "\n") {
		rest, clause := strings.CutPrefix(line, "^")
		if w := strings.Fields(rest); len(w) > 0 {
			// Matched backwards from the last word.
			last := w[len(w)-1]
			t[last] = append(t[last], phrase{w, clause})
		}
	}
	return t
}

// roles begin a line that imitates another speaker.
var roles = []string{"system:", "assistant:", "user:", "human:", "developer:", "tool:", "[system]", "[inst]", "[/inst]", "### instruction", "### system", "<|im_start|>", "<|system|>", "<system>", "<important>", "begin system", "instructions:", "instruction:", "important:", "attention:", "admin:", "note to "}

// span is a piece of a text.
type span struct{ from, to int }

// dropInstructions removes every sentence that holds an instruction.
func dropInstructions(s string, hits *[nRules]int) string {
	drop := instructions(s)
	if len(drop) == 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	last := 0
	for _, d := range drop {
		if d.from > last {
			b = append(b, s[last:d.from]...)
		}
		last = max(last, d.to)
		hits[rInjection]++
	}
	b = append(b, s[last:]...)
	return string(b)
}

// instructs reports whether s, read as words however it is joined, carries an
// instruction.
func instructs(s string) bool {
	if len(instructions(s)) > 0 {
		return true
	}
	words := split(s)
	if confides(words) {
		return true
	}
	if len(words) < 3 {
		return false
	}
	if len(instructions(strings.Join(words, " "))) > 0 {
		return true
	}
	if handsOver(words) {
		return true
	}
	for i, w := range words {
		switch w {
		case "please", "you", "your", "instructions", "immediately", "instead", "prompt", "assistant", "jailbreak", "exfiltrate":
			return true
		case "ignore", "disregard", "forget", "override", "bypass":
			if i == 0 && len(words) > 2 && (words[1] == "all" || words[1] == "previous" || words[1] == "above" || words[1] == "prior" || words[1] == "the" || words[1] == "rules") {
				return true
			}
		case "call", "run", "invoke", "execute", "send", "delete", "use", "read", "transfer", "email", "forward", "upload":
			if i == 0 && (words[len(words)-1] == "now" || words[len(words)-1] == "first" || words[len(words)-1] == "everything" || len(words) > 5) {
				return true
			}
		}
	}
	return false
}

// split cuts a name or a value into lower-case words.
func split(s string) []string {
	var out []string
	start := -1
	flush := func(i int) {
		if start >= 0 && i > start {
			out = append(out, strings.ToLower(s[start:i]))
		}
		start = -1
	}
	for i := 0; i < len(s); i++ {
		if !isAlpha(s[i]) && s[i] != '\'' {
			flush(i)
			continue
		}
		if start >= 0 && isUpper(s[i]) && isLower(s[i-1]) {
			flush(i)
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(s))
	return out
}

type seen struct {
	from, to int  // the word
	begin    int  // where its sentence or line begins
	clause   bool // first word of a clause
	arr      [12]byte
	n        int
}

// instructions returns the sentences of s that hold an instruction, in order.
func instructions(s string) []span {
	var (
		drop  []span
		ring  [phraseWords]seen
		count int
		begin int
		line  = true
		// clause: the next word is the first of a clause
		clause = true
	)
	for i := 0; i < len(s); {
		c := s[i]
		if line {
			if c == ' ' || c == '\t' || c == '>' || c == '*' || c == '"' || c == '-' && i+1 < len(s) && s[i+1] == ' ' {
				i++
				continue
			}
			line = false
			if imitates(s[i:]) {
				e := lineEnd(s, i)
				drop = append(drop, span{begin, e})
				i, begin, count, clause = e, e, 0, true
				continue
			}
		}
		if !isAlpha(c) {
			switch c {
			case '\n':
				begin, line, clause = i+1, true, true
			case ',', ':', '(', ')', '"', '\'', '-', '>', ']':
				clause = true
			case '.', '!', '?', ';':
				if i+1 >= len(s) || isSpace(s[i+1]) || s[i+1] == '"' || s[i+1] == '\'' {
					begin, count, clause, line = i+1, 0, true, true
				}
			}
			i++
			continue
		}
		j := i
		w := &ring[count%phraseWords]
		w.n = 0
		for j < len(s) && (isAlpha(s[j]) || (s[j] == '\'' || s[j] == '_') && j+1 < len(s) && isAlpha(s[j+1])) {
			if w.n < len(w.arr) {
				w.arr[w.n] = lower(s[j])
				w.n++
			}
			j++
		}
		if j-i > len(w.arr) { // too long for the table, except by its beginning
			if j-i != len("instructions") {
				w.n = len(w.arr)
			}
		}
		w.from, w.to, w.begin, w.clause = i, j, begin, clause
		clause = false
		count++
		if list, ok := phrases[string(w.arr[:w.n])]; ok {
			if from := match(list, &ring, count); from >= 0 {
				e := sentenceStop(s, j)
				drop = append(drop, span{ring[from%phraseWords].begin, e})
				i, begin, count = e, e, 0
				continue
			}
		}
		i = j
	}
	return drop
}

// match compares the last words with the phrases of list, backwards. It returns
// the number of the word at which a phrase begins, or -1.
func match(list []phrase, ring *[phraseWords]seen, count int) int {
	for _, ph := range list {
		p := ph.words
		k := count - 1
		ok := true
		for n := len(p) - 1; n >= 0 && ok; n-- {
			if p[n] == "*" {
				// up to two words, then the word before the star
				n--
				found := -1
				for skip := 0; skip <= 3; skip++ {
					at := k - skip
					if at < 0 || count-at > phraseWords {
						break
					}
					w := &ring[at%phraseWords]
					if string(w.arr[:w.n]) == p[n] {
						found = at
						break
					}
				}
				ok = found >= 0
				k = found - 1
				continue
			}
			if k < 0 || count-k > phraseWords {
				ok = false
				break
			}
			w := &ring[k%phraseWords]
			ok = string(w.arr[:w.n]) == p[n]
			k--
		}
		if ok && (!ph.clause || ring[(k+1)%phraseWords].clause) {
			return k + 1
		}
	}
	return -1
}

func imitates(s string) bool {
	if len(s) < 5 {
		return false
	}
	switch lower(s[0]) {
	case 's', 'a', 'u', 'h', 'd', 't', 'i', 'n', 'b', '[', '#', '<':
	default:
		return false
	}
	for _, r := range roles {
		if len(s) > len(r) && strings.EqualFold(s[:len(r)], r) {
			switch r {
			case "user:", "tool:", "system:", "admin:", "human:", "developer:", "assistant:":
				// "user: not found" is a report, "System: you ..." is not.
				rest := strings.TrimLeft(s[len(r):], " ")
				k := strings.IndexAny(rest, " \n")
				return k > 0 && !proseWord(rest[:k]) && r != "user:" && r != "tool:" || r == "assistant:" || r == "human:"
			}
			return true
		}
	}
	return false
}

func lineEnd(s string, i int) int {
	if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(s)
}

// sentenceStop returns the index after the sentence or the line that goes on at i.
func sentenceStop(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return i
		case '.', '!', '?':
			if i+1 >= len(s) || isSpace(s[i+1]) {
				return i + 1
			}
		}
	}
	return i
}
