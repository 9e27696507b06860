package sanitize

import (
	_ "embed"
	"strings"
	"sync"
)

// The vocabulary: common words of error messages, written for this project.
//
//go:embed words.txt
var wordList string

var vocabulary = sync.OnceValue(func() map[string]bool { return set(wordList) })

// known reports whether w is a word of the vocabulary, in any case.
func known(w string) bool {
	if w == "" || len(w) > 20 {
		return false
	}
	var arr [20]byte
	for i := 0; i < len(w); i++ {
		arr[i] = lower(w[i])
	}
	b := arr[:len(w)]
	if vocabulary()[string(b)] {
		return true
	}
	return len(b) > 3 && b[len(b)-1] == 's' && vocabulary()[string(b[:len(b)-1])]
}

// explains are words of which a sentence that gives a reason has at least one.
var explains = set(`must should expected expects required requires require missing invalid not cannot can't failed exceeds exceeded allowed
denied unknown unsupported unexpected expired unavailable empty already duplicate least most only between minimum maximum limit timeout unable
incorrect wrong malformed unauthorized forbidden refused conflict late early large small long short many few before after valid`)

const (
	maxResidual = 300
	// maxShare is the part of a sentence's words, in per cent, that may be removed.
	maxShare = 20
)

// Residual returns one sentence of the text that explains the failure, of at
// most 300 bytes, with every word that is not in the vocabulary removed. It
// returns false when there is none, or when more than a fifth of its words
// would be removed. It is meant for the lenient mode only.
func Residual(cleaned string) (Safe, bool) {
	if t := FilterTrace(cleaned); t.Found {
		cleaned = strings.Join(t.Lines, "\n")
	}
	text, _ := Mask(cleaned)
	for n := 0; text != "" && n < 64; n++ {
		k := residualEnd(text)
		one := strings.TrimSpace(text[:k])
		text = text[k:]
		if len(one) < 8 || len(one) > maxResidual {
			continue
		}
		if s, ok := residual(one); ok {
			return s, true
		}
	}
	return Safe{}, false
}

var unquoted = strings.NewReplacer("\"", "", "'", "", "`", "")

func residualEnd(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || (s[i] == '.' || s[i] == '!' || s[i] == '?') && (i+1 == len(s) || isSpace(s[i+1])) {
			return i + 1
		}
	}
	return len(s)
}

func residual(one string) (Safe, bool) {
	words := strings.Fields(one)
	out := make([]string, 0, len(words))
	removed, reason := 0, false
	for _, w := range words {
		core := strings.Trim(w, ".,:;!?()'\"-")
		low := strings.ToLower(core)
		reason = reason || explains[low]
		switch {
		case core == "":
			out = append(out, w)
		case known(core), len(core) <= 6 && allDigits(core), dateEnd(core) == len(core), plainParts(core):
			out = append(out, unquoted.Replace(w))
		default:
			removed++
			if len(out) == 0 || out[len(out)-1] != "..." {
				out = append(out, "...")
			}
		}
	}
	if !reason || len(words) < 3 || removed*100 > maxShare*len(words) {
		return Safe{}, false
	}
	s := strings.TrimRight(strings.Join(out, " "), " :,;")
	if !strings.HasSuffix(s, " ...") {
		s = strings.TrimRight(s, ".") + "."
	}
	if lo, hi := Report(one, 0, len(one), nil); lo > 0 || hi < len(strings.TrimRight(one, " .!?:;)]\"'")) {
		return Safe{}, false // a name, a date or a passphrase stands in it
	}
	if !Guard(s, nil) || Directs(one) {
		return Safe{}, false
	}
	return Safe{s}, true
}

// plainParts reports known words and numbers joined by "-" or "/". Names with "_"
// are names of tools and fields and do not count.
func plainParts(w string) bool {
	start := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && w[i] != '-' && w[i] != '/' && w[i] != '\'' {
			continue
		}
		if p := w[start:i]; !known(p) && (!allDigits(p) || len(p) > 6) {
			return false
		}
		start = i + 1
	}
	return start > 0
}
