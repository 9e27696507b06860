package sanitize

import (
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

const (
	maxText      = 600 // characters of a finished text
	maxSentences = 3
	maxOperator  = 200
)

// Guard is the last look at a finished text: it reports whether s may cross. It
// is independent of how s was built. s must be one line of valid UTF-8 of at
// most 600 characters which Clean and Mask leave as it is; without URL, path,
// "<", backtick, Markdown link, placeholder or instruction; and without the
// operator's literals.
func Guard(s string, lit *Literals) bool {
	if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxText {
		return false
	}
	if strings.ContainsAny(s, "<`\n\t") || strings.Contains(s, "://") || strings.Contains(s, "](") || strings.Contains(s, "![") {
		return false
	}
	for _, p := range placeholders {
		if strings.Contains(s, p) {
			return false
		}
	}
	if guardedBefore(s) {
		return !lit.Contains(s)
	}
	if Clean(s) != s || masked(s) || reasonDirects(s) {
		return false
	}
	remember(s)
	return !lit.Contains(s)
}

// guarded remembers texts that passed all checks but the operator's literals: most failures are told in the same few
// sentences. A text takes the place of another with the same hash.
var (
	guarded [512]atomic.Pointer[string]
	seed    = maphash.MakeSeed()
)

func guardedBefore(s string) bool {
	p := guarded[maphash.String(seed, s)%uint64(len(guarded))].Load()
	return p != nil && *p == s
}

func remember(s string) {
	s = strings.Clone(s) // not a part of something larger
	guarded[maphash.String(seed, s)%uint64(len(guarded))].Store(&s)
}

// reasonDirects looks at the one sentence of a text that has words of the
// server: a reason that tells the reader what to do does not cross.
func reasonDirects(s string) bool {
	_, reason, ok := strings.Cut(s, "Reason: ")
	return ok && Directs(reason[:sentenceEnd(reason)])
}

// masked reports whether Mask would change s.
func masked(s string) bool {
	out, hits := Mask(s)
	return len(hits) > 0 || out != s
}

// Join returns the sentences as one text, separated by a space: at most three
// sentences and 600 characters. What does not fit is left out as a whole
// sentence; nothing is cut inside one.
func Join(parts ...Safe) Safe {
	var b strings.Builder
	left, runes := maxSentences, 0
	for _, p := range parts {
		rest := strings.TrimSpace(p.s)
		for rest != "" && left > 0 {
			k := sentenceEnd(rest)
			one := strings.TrimSpace(rest[:k])
			n := utf8.RuneCountInString(one)
			if b.Len() > 0 {
				n++
			}
			if runes+n > maxText {
				return Safe{b.String()}
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(one)
			runes, left = runes+n, left-1
			rest = strings.TrimSpace(rest[k:])
		}
	}
	return Safe{b.String()}
}

// sentenceEnd returns the index after the first sentence of s: after ".", "!" or
// "?" that is followed by a space and a capital letter.
func sentenceEnd(s string) int {
	for i := 0; i+2 < len(s); i++ {
		if c := s[i]; (c == '.' || c == '!' || c == '?') && s[i+1] == ' ' && (isUpper(s[i+2]) || s[i+2] >= 0x80) {
			if strings.HasSuffix(s[:i+1], "e.g.") || strings.HasSuffix(s[:i+1], "i.e.") {
				continue
			}
			return i + 1
		}
	}
	return len(s)
}

// Operator returns text from the operator's configuration as safe text: one line
// of at most 200 characters that passes Guard.
func Operator(text string) (Safe, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Safe{}, errors.New("the text is empty")
	case strings.ContainsAny(text, "\n\r"):
		return Safe{}, errors.New("the text has more than one line")
	case utf8.RuneCountInString(text) > maxOperator:
		return Safe{}, fmt.Errorf("the text has %d characters, at most %d are allowed", utf8.RuneCountInString(text), maxOperator)
	}
	if Guard(text, nil) {
		return Safe{text}, nil
	}
	if _, hits := Mask(Clean(text)); len(hits) > 0 {
		return Safe{}, fmt.Errorf("the text holds what must not reach a client (%s)", strings.Join(hits.Rules(), ", "))
	}
	return Safe{}, errors.New("the text holds markup, a link or characters that must not reach a client")
}
