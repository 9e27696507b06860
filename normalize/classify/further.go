package classify

import (
	"regexp"
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

// maxFurther is how many more refused arguments a text tells of besides the first.
const maxFurther = 2

// further says what else a validator refused in the same call, so that one
// correction is enough: the names and what is wrong with them, checked like the first.
func (w *writer) further() (sanitize.Safe, bool) {
	it := w.dec.issue
	if it == nil || !it.strong || w.v.Class != envelope.Validation || w.v.Code != envelope.BadRequest {
		return sanitize.Safe{}, false
	}
	others := it.more
	if len(w.d.issues) > 1 {
		others = append(others[:len(others):len(others)], w.d.issues...)
	}
	told := map[string]bool{trimPath(it.path): true}
	var parts []run
	for i := range others {
		x := &others[i]
		path := trimPath(x.path)
		if len(parts) == maxFurther {
			break
		}
		if path == "" || told[path] || !x.strong || x.output || x.kind == kindType && sameRoot(path, trimPath(it.path)) {
			continue
		}
		told[path] = true
		if r := w.refused(path, x); len(r) > 0 {
			parts = append(parts, r)
		}
	}
	return also(parts)
}

func trimPath(p string) string { return strings.TrimPrefix(p, "params.arguments.") }

// sameRoot reports whether two paths lead into one argument, as the alternatives
// of a union do.
func sameRoot(a, b string) bool {
	return a[:wordEnd(a, 0)] == b[:wordEnd(b, 0)]
}

// refused writes what is wrong with one more argument, or nothing.
func (w *writer) refused(path string, it *issue) run {
	name, ok := sanitize.Ident(path)
	if !ok {
		return nil
	}
	switch it.kind {
	case kindMissing, kindUnexpected, kindEmpty:
		return wrong(name, it.kind, nil)
	}
	return wrong(name, it.kind, w.expected(it))
}

// wrong says what is wrong with an argument; expected is what it should be, if that may be told.
func wrong(name sanitize.Slot, kind kind, expected run) run {
	who := run{sanitize.Word("argument '"), name, sanitize.Word("'")}
	switch {
	case kind == kindMissing:
		return append(who, sanitize.Word(" is missing"))
	case kind == kindUnexpected:
		return append(who, sanitize.Word(" is unknown"))
	case kind == kindEmpty:
		return append(who, sanitize.Word(" must not be empty"))
	case len(expected) == 0:
		return append(who, sanitize.Word(" is not valid"))
	case predicate(expected.String()):
		return cat(who, one(sanitize.Word(" ")), expected)
	}
	return cat(who, one(sanitize.Word(" expected ")), expected)
}

// breaks says what else the gateway's own check of the arguments found.
func (w *writer) breaks(vs []schema.Violation) (sanitize.Safe, bool) {
	var parts []run
	for _, v := range vs[:min(len(vs), maxFurther)] {
		name, ok := sanitize.Ident(v.Path)
		if !ok {
			continue
		}
		kind := kindOther
		switch v.Kind {
		case schema.Missing:
			kind = kindMissing
		case schema.Unexpected:
			kind = kindUnexpected
		}
		var expected run
		if s, ok := sanitize.Phrase(v.Expected); ok {
			expected = one(s)
		} else if s, ok := sanitize.Value(v.Expected); ok {
			expected = one(s)
		}
		parts = append(parts, wrong(name, kind, expected))
	}
	return also(parts)
}

// also joins what is wrong with further arguments to one sentence, with as many
// as pass the guard.
func also(parts []run) (sanitize.Safe, bool) {
	for n := len(parts); n > 0; n-- {
		all := run{sanitize.Word("Also: ")}
		for i, p := range parts[:n] {
			if i > 0 {
				all = append(all, sanitize.Word("; "))
			}
			all = append(all, p...)
		}
		if s, ok := append(all, sanitize.Word(".")).sentence(); ok {
			return s, true
		}
	}
	return sanitize.Safe{}, false
}

// listed matches the next name of a list that began with a quoted name, and bare
// one of a list of names without quotes.
var (
	listed = regexp.MustCompile(`^["'` + "`" + `]?(?:,| and|,? ) ?["'` + "`" + `]([A-Za-z_$][\w.\-$]*)["'` + "`" + `]`)
	bare   = regexp.MustCompile(`^, ?([A-Za-z_]\w*)(?:[,.\n]|$)`)
)

// rest returns what a validator's format refuses in the rest of the text: the
// other names of a list, or its next sentences.
func (f *form) rest(text string, first issue) []issue {
	if f.weak || first.path == "" {
		return nil
	}
	text = text[:min(len(text), maxLine)]
	var out []issue
	if f.kind == kindMissing || f.kind == kindUnexpected {
		next := listed
		if f.rule == "ruby" {
			next = bare
		}
		for tail := text; len(out) < maxFurther; {
			m := next.FindStringSubmatchIndex(tail)
			if m == nil {
				break
			}
			out = append(out, issue{path: tail[m[2]:m[3]], kind: f.kind, strong: true})
			tail = tail[m[3]:]
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		for len(out) < maxFurther {
			it, ok := f.apply(line)
			if !ok {
				break
			}
			if out = append(out, it); it.at+len(it.msg) == 0 {
				break
			}
			line = line[it.at+len(it.msg):]
		}
	}
	return out
}
