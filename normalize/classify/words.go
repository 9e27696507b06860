package classify

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// When nothing in the catalogue knows a text, its words vote. wordCounts holds how
// often a word, or two in a row, stood in failures of each kind; it is counted
// from the labelled texts in testdata (go test -run TestWordCounts -update). A
// vote decides a code and a class, never a word of what is shown.

//go:embed words.txt
var wordCounts string

const (
	// shrink pulls a word that was seen seldom towards saying nothing.
	shrink = 4
	// margin is by how much, in natural logarithms, the best code must lead the next.
	margin = 1.0
	// maxVoters bounds the words of one text.
	maxVoters = 64
)

// votes are the kinds of failure and how often each word stood in texts of each.
type votes struct {
	kinds []kindOf
	total float64
	words map[string][]ballot
}

type kindOf struct {
	code  envelope.Code
	class envelope.Class
	n     float64
}

type ballot struct {
	kind int
	n    float64
}

var electorate = sync.OnceValue(func() *votes { return parseVotes(wordCounts) })

// parseVotes reads the lines "@ <code> <class> <texts>" and "<words>\t<kind>=<n> ...".
func parseVotes(s string) *votes {
	v := &votes{words: map[string][]ballot{}}
	for line := range strings.SplitSeq(s, "\n") {
		if rest, ok := strings.CutPrefix(line, "@ "); ok {
			if f := strings.Fields(rest); len(f) == 3 {
				n, _ := strconv.ParseFloat(f[2], 64)
				v.kinds = append(v.kinds, kindOf{envelope.Code(f[0]), envelope.Class(f[1]), n})
				v.total += n
			}
			continue
		}
		w, rest, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		var list []ballot
		for f := range strings.FieldsSeq(rest) {
			k, n, _ := strings.Cut(f, "=")
			kind, err := strconv.Atoi(k)
			if err != nil || kind < 0 || kind >= len(v.kinds) {
				continue
			}
			c, _ := strconv.ParseFloat(n, 64)
			list = append(list, ballot{kind, c})
		}
		v.words[w] = list
	}
	return v
}

// decide returns the kind that the words of a text vote for; ok is false when no
// kind leads, or when they vote for a failure without a reason.
func (v *votes) decide(low string) (code envelope.Code, class envelope.Class, ok bool) {
	if len(v.kinds) == 0 {
		return "", "", false
	}
	score := make([]float64, len(v.kinds))
	for i, k := range v.kinds {
		score[i] = math.Log(k.n / v.total)
	}
	voters := 0
	eachVoter(low, func(w string) bool {
		list := v.words[w]
		if len(list) == 0 {
			return true
		}
		all := 0.0
		for _, c := range list {
			all += c.n
		}
		q := (all + 0.5) / (v.total + 1)
		for i, k := range v.kinds {
			n := 0.0
			for _, c := range list {
				if c.kind == i {
					n = c.n
				}
			}
			score[i] += math.Log((n + shrink*q) / (k.n + shrink) / q)
		}
		voters++
		return voters < maxVoters
	})
	best, second := 0, math.Inf(-1)
	for i := range score {
		if score[i] > score[best] {
			best = i
		}
	}
	for i, k := range v.kinds {
		if k.code != v.kinds[best].code {
			second = max(second, score[i])
		}
	}
	if voters < 2 || strings.Count(strings.TrimSpace(low), " ") < 2 || score[best]-second < margin || v.kinds[best].code == envelope.UpstreamUnknown {
		return "", "", false
	}
	return v.kinds[best].code, v.kinds[best].class, true
}

// endsVague reports whether a text names what was tried and then says only that it
// failed: what was tried is no cause.
func endsVague(low string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(low), "\n")
	if strings.Contains(line, ": command failed: ") {
		return true
	}
	line = strings.TrimRight(line, " .!")
	if rest, ok := strings.CutPrefix(line, "failed to "); ok && len(line) < 100 {
		if k := strings.IndexAny(rest, "/\\"); k > 0 {
			rest = rest[:k]
		}
		if strings.Count(rest, " ") < 7 && !strings.ContainsAny(rest, ":;,.'") && !explains(rest) {
			return true
		}
	}
	k := strings.LastIndex(line, ": ")
	switch line[k+1:] {
	case " unexpected error", " unknown error", " an unexpected error occurred", " an unknown error occurred", " an error occurred", " something went wrong", " error", " undefined", " null", " none", " failed":
		return true
	}
	return false
}

// explains reports whether what could not be done comes with a reason.
func explains(rest string) bool {
	for w := range strings.FieldsSeq(rest) {
		switch w {
		case "because", "since", "due", "as", "not", "no", "invalid", "missing", "within", "after", "already", "too", "authenticate", "authorize", "login", "connect", "reach", "parse", "validate", "find", "locate", "resolve", "acquire", "decode", "deserialize":
			return true
		}
	}
	return false
}

// small are words that say nothing alone; with a neighbour they do.
var small = wordSet(`the a an of to in for and or is are was were be been this that it on with as at by from`)

// eachVoter calls f with each word of the first 600 bytes and with each two in a row, once.
func eachVoter(low string, f func(string) bool) {
	low = low[:min(len(low), 600)]
	seen := map[string]bool{}
	start, before := -1, -1
	vote := func(w string) bool {
		if seen[w] {
			return true
		}
		seen[w] = true
		return f(w)
	}
	for i := 0; i <= len(low); i++ {
		if i < len(low) && (low[i] >= 'a' && low[i] <= 'z' || low[i] == '\'' && start >= 0) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start < 0 {
			continue
		}
		w := low[start:i]
		if len(w) > 1 && len(w) <= 20 && !small[w] && !vote(w) {
			return
		}
		if before >= 0 && i-before <= 40 && strings.IndexByte(" -_", low[start-1]) >= 0 && strings.Count(low[before:i], " ")+strings.Count(low[before:i], "-")+strings.Count(low[before:i], "_") == 1 && !vote(low[before:i]) {
			return
		}
		before, start = start, -1
	}
}
