package sanitize

import "strings"

// Ending returns text with a last sentence that must stay: of text as many
// sentences are kept as there is room for before it.
func Ending(text, last Safe) Safe {
	rest, keep := strings.TrimSpace(text.s), ""
	for n := maxSentences - 1; n > 0 && rest != ""; n-- {
		k := sentenceEnd(rest)
		keep += rest[:k] + " "
		rest = strings.TrimSpace(rest[k:])
	}
	if joined := Join(Safe{keep}, last); strings.HasSuffix(joined.s, last.s) {
		return joined
	}
	return last
}
