package classify

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// reach is how far in bytes a clause may extend from its anchor.
	reach = 110
	// maxTokens and maxClause bound a clause.
	maxTokens = 18
	maxClause = 220
)

// words maps the lower-case form of each constant to its slot. C is inferred
// from word, so that only constants of the program can be passed.
func words[C ~string](word func(C) sanitize.Slot, list ...C) map[string]sanitize.Slot {
	m := make(map[string]sanitize.Slot, len(list))
	for _, c := range list {
		m[strings.ToLower(string(c))] = word(c)
	}
	return m
}

// glue are the separators that may stand between two words of a clause.
var glue = func() map[string]sanitize.Slot {
	m := map[string]sanitize.Slot{}
	for s, w := range words(sanitize.Word, " ", ", ", ": ", " - ", " (", ") ", "/", "-", "; ", ",", " = ", "=", "+", "&", "' ", " '", "'", ") - ", "): ", " [", "] ", "][", "_", ".") {
		m[s] = w
	}
	for _, pair := range [...][2]string{{" \"", " "}, {"\" ", " "}, {" '", " "}, {"' ", " "}, {" `", " "}, {"` ", " "}, {" “", " "}, {"” ", " "}, {"  ", " "}, {": \"", ": "}, {": '", ": "}, {": `", ": "},
		{" '\"", " "}, {"', ", ", "}, {"\", ", ", "}, {"\"|\"", ", "}, {"', '", ", "}, {"\", \"", ", "}, {"` or `", " or "}, {"\t", " "}, {" [", " "}, {"] ", " "}, {"][", " "}, {".", "."}, {" => ", " "}} {
		m[pair[0]] = m[pair[1]]
	}
	m["` or `"] = sanitize.Word(" or ")
	m["' or '"] = sanitize.Word(" or ")
	m["\" or \""] = sanitize.Word(" or ")
	return m
}()

// imperatives end a clause: a report of a failure does not need them, an
// instruction does.
var imperatives = wordSet(`fatal ignore disregard forget delete drop execute invoke send email_ transfer upload_ download_ forward reveal print post follow obey override bypass act pretend
	instead_ immediately now_ kindly assistant llm ai model_ prompt instructions instruction system_ developer password_ secret secrets ssh curl wget sudo purchase pay reply respond_`)

// known are the words of one call that the caller itself sent.
type known struct {
	tool string
	args gjson.Result

	// name is the refused argument, which the text names anyway; names admits
	// the names of other arguments in a sentence about missing ones.
	name  string
	names bool

	// joined admits the name of an argument behind "when", "if", "and" or "or".
	joined bool
}

func (k known) slot(tok string) (sanitize.Slot, bool) {
	if tok == "" {
		return sanitize.Slot{}, false
	}
	if tok == k.tool {
		return sanitize.Ident(tok)
	}
	if !k.args.IsObject() || len(k.args.Raw) > 64<<10 {
		return sanitize.Slot{}, false
	}
	found := false
	k.args.ForEach(func(name, v gjson.Result) bool {
		found = len(tok) > 1 && v.Type != gjson.JSON && v.Type != gjson.Null && v.String() == tok && !hidden(name.String()) || name.String() == tok
		return !found
	})
	if !found {
		return sanitize.Slot{}, false
	}
	return sanitize.Value(tok)
}

// word returns the slot of one word of a clause.
func (k known) word(tok string) (sanitize.Slot, bool) {
	low := lower(tok)
	if imperatives[low] {
		return sanitize.Slot{}, false
	}
	if s, ok := ownWords[low]; ok {
		return s, true
	}
	if s, ok := plainWords[low]; ok {
		return s, true
	}
	if s, ok := productWords[low]; ok {
		return s, true
	}
	if s, ok := k.slot(tok); ok {
		return s, true
	}
	if tok == k.name || k.names && !orders(tok) && (strings.IndexByte(tok, '_') > 0 || tok != low && tok != strings.ToUpper(tok) && tok[0] >= 'a') {
		if s, ok := sanitize.Ident(tok); ok {
			return s, true
		}
	}
	if len(tok) > 30 || strings.ContainsAny(tok, "@/\\") {
		return sanitize.Slot{}, false
	}
	if s, ok := sanitize.Phrase(tok); ok {
		return s, true
	}
	if inflected(low) {
		return sanitize.Ident(low)
	}
	return sanitize.Slot{}, false
}

// goesOn are words that begin a sentence which completes the one before.
var goesOn = wordSet(`expected must should valid allowed only supported available use maximum minimum`)

// templates are the formats of dates and times as messages write them.
var templates = words(sanitize.Word, "HH:MM:SS", "HH:MM", "YYYY-MM-DDTHH:MM:SSZ", "YYYY-MM-DDTHH:MM:SS", "YYYY-MM-DD HH:MM:SS", "YYYY-MM-DD", "YYYY-MM", "YYYY/MM/DD", "MM/DD/YYYY", "DD/MM/YYYY", "ISO 8601", "ISO-8601", "ISO8601", "RFC 3339", "RFC3339", "H:MM", "MM-DD")

// template returns the length of the format with which s begins, or 0.
func template(s string) int {
	if s[0] != 'H' && s[0] != 'Y' && s[0] != 'M' && s[0] != 'D' && s[0] != 'I' && s[0] != 'R' {
		return 0
	}
	best := 0
	for f := range templates {
		if len(f) > best && len(s) >= len(f) && lower(s[:len(f)]) == f && boundary(s, len(f)) {
			best = len(f)
		}
	}
	return best
}

// timeUnits stand directly behind a number.
var timeUnits = words(sanitize.Word, "ms", "s", "m", "h", "d", "kb", "mb", "gb", "kib", "mib", "b", "px", "x", "th", "st", "nd", "rd", "k")

// token appends the slots of one word to dst, which may be a number with its unit.
func (k known) token(tok string, dst run) (run, bool) {
	if template(tok) == len(tok) {
		return append(dst, templates[lower(tok)]), true
	}
	n := 0
	for n < len(tok) && tok[n] >= '0' && tok[n] <= '9' {
		n++
	}
	if n > 0 && n <= 6 && n < len(tok) {
		if u, ok := timeUnits[lower(tok[n:])]; ok {
			v, _ := smallInt(tok[:n])
			if count := sanitize.Int(int64(v)); count.Valid() {
				return append(dst, count, u), true
			}
		}
	}
	s, ok := k.word(tok)
	return append(dst, s), ok
}

// ordered are words that make an order out of "you".
var ordered = wordSet(`must should need needs can may will shall ought are_ have_`)

// piece is one word of the text with what stands before it.
type piece struct {
	start, end int
	sep        sanitize.Slot
	slot       run
	room       [2]sanitize.Slot // for slot
	ok, tried  bool
	cut        bool // only the front of a compound may be shown

	// before and further are the two words in front, in lower case, and between
	// is what separates the nearer one.
	before, further, between string
}

// clause returns the words around text[start:end] that may be shown, as slots
// with their separators, or nil.
func (k known) clause(text string, start, end int, forward bool) run {
	lo := max(strings.LastIndexByte(text[:start], '\n')+1, start-reach)
	hi := min(len(text), end+reach)
	if n := strings.IndexByte(text[start:hi], '\n'); n >= 0 {
		hi = max(start+n, min(end, hi))
	}
	room := pieceRoom.Get().(*[maxPieces]piece)
	ps := pieces(text, lo, hi, room)
	defer func() {
		clear(ps) // they hold parts of the text
		pieceRoom.Put(room)
	}()
	best, from, to := 0, -1, -1
	for i := 0; i < len(ps); {
		if ps[i].end <= start || ps[i].start >= end || !k.fill(&ps[i], text) {
			i++
			continue
		}
		j, n := i+1, ps[i].end-ps[i].start
		for j < len(ps) && ps[j].start < end && !ps[j-1].cut && k.glued(ps, j, text) && k.fill(&ps[j], text) {
			n += ps[j].end - ps[j].start
			j++
		}
		if n > best {
			best, from, to = n, i, j
		}
		i = j
	}
	if from < 0 {
		return nil
	}
	for from > 0 && k.glued(ps, from, text) && k.fill(&ps[from-1], text) && !ps[from-1].cut {
		from--
	}
	for to < len(ps) && !ps[to-1].cut && k.glued(ps, to, text) && k.fill(&ps[to], text) {
		to++
	}
	from, to = k.told(ps, text, from, to, start, end)
	from, to = trim(ps, text, from, to, start, end, forward)
	if from >= to {
		return nil
	}
	out := make(run, 0, 2*(to-from)+1)
	open := 0
	for i := from; i < to; i++ {
		if i > from {
			out = append(out, ps[i].sep)
			open += strings.Count(ps[i].sep.String(), "(") - strings.Count(ps[i].sep.String(), ")")
		}
		out = append(out, ps[i].slot...)
		for _, s := range ps[i].slot {
			open += strings.Count(s.String(), "(") - strings.Count(s.String(), ")")
		}
	}
	if open == 1 {
		out = append(out, sanitize.Word(")"))
	}
	return out
}

// position reports whether a word is a line, a column or a port: digits that are
// no HTTP status.
func position(w string) bool {
	n, ok := smallInt(w)
	return ok && !httpStatus(n) || strings.IndexByte(w, ':') > 0
}

func digits(w string) bool { _, ok := smallInt(w); return ok }

// edge are words with which a clause neither begins nor ends.
var edge = wordSet(`a an the of to for and or in on at by with from is are was were be been that this it its as but if so than then when while error errors mcp`)

// joint are words with which a clause does not begin.
var joint = wordSet(`of to for and or in on at by with from be been as but so than then`)

// trim cuts a run to its bounds, drops sentences before the anchor's and words
// that say nothing at the ends, and keeps brackets in pairs.
func trim(ps []piece, text string, from, to, start, end int, forward bool) (int, int) {
	for i := to - 1; i > from; i-- {
		if ps[i].start <= start && !goesOn[lower(text[ps[i].start:ps[i].end])] && strings.HasPrefix(text[ps[i-1].end:ps[i].start], ". ") {
			from = i
			break
		}
	}
	for i := from + 1; i < to; i++ {
		if gap := text[ps[i-1].end:ps[i].start]; ps[i].start >= end && !goesOn[lower(text[ps[i].start:ps[i].end])] && (strings.HasPrefix(gap, ". ") || !forward && strings.Contains(gap, ":")) {
			to = i
			break
		}
	}
	for i := from + 1; i < to; i++ {
		// Numbers in a row are somebody's number.
		if digits(text[ps[i-1].start:ps[i-1].end]) && digits(text[ps[i].start:ps[i].end]) {
			if ps[i].start <= start {
				from = i
			} else {
				to = i
			}
		}
	}
	for i := from; i+1 < to; i++ {
		if w := lower(text[ps[i].start:ps[i].end]); (w == "you" || w == "i" || w == "we") && ordered[lower(text[ps[i+1].start:ps[i+1].end])] {
			if to = i; to <= from {
				return from, from
			}
			break
		}
	}
	for to-from > maxTokens && ps[from].end <= start {
		from++
	}
	for to-from > maxTokens && ps[to-1].start >= end {
		to--
	}
	for to-from > maxTokens {
		to--
	}
	modal := func(i int) bool { // "should be" stays whole
		w := lower(text[ps[i-1].start:ps[i-1].end])
		return lower(text[ps[i].start:ps[i].end]) == "be" && (w == "should" || w == "must")
	}
	for to-from > 1 && !modal(to-1) && (ps[to-1].start >= end && edge[lower(text[ps[to-1].start:ps[to-1].end])] || ps[to-1].end < end && joint[lower(text[ps[to-1].start:ps[to-1].end])]) {
		to--
	}
	bound := func(i int) bool { // "at least one" and "at most two" stay whole
		w := lower(text[ps[i+1].start:ps[i+1].end])
		return lower(text[ps[i].start:ps[i].end]) == "at" && (w == "least" || w == "most")
	}
	for to-from > 1 && ps[from].end <= start && !bound(from) && joint[lower(text[ps[from].start:ps[from].end])] {
		from++
	}
	for to-from > 1 && ps[from].end <= start && position(text[ps[from].start:ps[from].end]) {
		from++
	}
	depth, open := 0, from
	for i := from + 1; i < to; i++ {
		for _, c := range ps[i].sep.String() {
			switch c {
			case '(':
				if depth++; depth == 1 {
					open = i
				}
			case ')':
				if depth--; depth < 0 {
					return max(i, from), to
				}
			}
		}
	}
	if depth > 1 || depth == 1 && !strings.HasPrefix(text[ps[to-1].end:], ")") {
		to = open
	}
	return from, to
}
