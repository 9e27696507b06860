package classify

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize/envelope"
)

var update = flag.Bool("update", false, "count the words of the labelled texts anew")

// lesson is one labelled text.
type lesson struct {
	low         string
	code, class string
}

// textSets are the files of labelled texts, in the order in which they were written.
var textSets = []string{"heldout", "heldout2", "heldout3", "heldout4", "heldout5", "heldout6", "prose1", "prose2", "prose3", "prose4", "prose5", "prose6", "traps"}

// lessons reads the labelled texts of the files and, with answers, those of the
// servers' answers.
func lessons(t *testing.T, sets []string, answers ...string) []lesson {
	t.Helper()
	var out []lesson
	seen := map[string]bool{}
	add := func(e *Evidence, code, class string) {
		l := lesson{gather(e).low, code, class}
		if !seen[l.low] {
			seen[l.low] = true
			out = append(out, l)
		}
	}
	for _, name := range sets {
		for _, x := range readLines(t, "testdata/"+name+".txt") {
			code, _, _ := strings.Cut(strings.TrimPrefix(x.codes, "D"), ",")
			class, _, _ := strings.Cut(x.classes, ",")
			add(&Evidence{Texts: []string{x.text}}, shortCodes[code], shortClasses[class])
		}
	}
	for _, name := range answers {
		for _, x := range loadSamples(t, "testdata/"+name+".jsonl") {
			if e, _ := evidenceOf(x); x.Label.IsFailure && !x.Label.Ambiguous && e.Status == 0 {
				add(e, x.Label.Code, x.Label.Class)
			}
		}
	}
	return out
}

// countWords writes the table of words.txt.
func countWords(list []lesson) string {
	kinds := map[string]int{}
	for _, l := range list {
		kinds[l.code+" "+l.class]++
	}
	name := func(l lesson) string {
		if kinds[l.code+" "+l.class] < 8 {
			return l.code + " " + string(envelope.Code(l.code).Class())
		}
		return l.code + " " + l.class
	}
	number, texts, words := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for _, l := range list {
		k := name(l)
		texts[k]++
		eachVoter(l.low, func(w string) bool {
			if words[w] == nil {
				words[w] = map[string]int{}
			}
			words[w][k]++
			return true
		})
	}
	var b strings.Builder
	for i, k := range sorted(texts) {
		number[k] = i
		fmt.Fprintf(&b, "@ %s %d\n", k, texts[k])
	}
	for _, w := range sorted(words) {
		all := 0
		for _, n := range words[w] {
			all += n
		}
		if all < 2 {
			continue
		}
		b.WriteString(w)
		sep := byte('\t')
		for _, k := range sorted(words[w]) {
			b.WriteByte(sep)
			fmt.Fprintf(&b, "%d=%d", number[k], words[w][k])
			sep = ' '
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestWordCounts keeps words.txt in step with the labelled texts.
func TestWordCounts(t *testing.T) {
	got := countWords(lessons(t, textSets, "failures", "servers", "sources"))
	if *update {
		if err := os.WriteFile("words.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != wordCounts {
		t.Error("words.txt is not what the labelled texts count to: run go test -run TestWordCounts -update")
	}
}

// TestWordsUnseen counts without one set at a time and lets the words alone judge
// that set: what they are worth for texts that nobody has seen.
func TestWordsUnseen(t *testing.T) {
	var asked, right, decided int
	for i, name := range textSets {
		v := parseVotes(countWords(lessons(t, slices.Delete(slices.Clone(textSets), i, i+1), "failures")))
		a, r, d := 0, 0, 0
		for _, x := range readLines(t, "testdata/"+name+".txt") {
			a++
			code, _, ok := v.decide(gather(&Evidence{Texts: []string{x.text}}).low)
			if !ok {
				continue
			}
			d++
			for s := range strings.SplitSeq(strings.TrimPrefix(x.codes, "D"), ",") {
				if shortCodes[s] == string(code) {
					r++
					break
				}
			}
		}
		t.Logf("%-10s %3d texts, %3d decided, %3d right", name, a, d, r)
		asked, decided, right = asked+a, decided+d, right+r
	}
	if right*100 < asked*50 || right*100 < decided*70 {
		t.Errorf("of %d unseen texts %d decided, %d right", asked, decided, right)
	}
}
