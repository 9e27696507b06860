package policy

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

const maxViolations = 3

// ViolationText says what is wrong with the arguments: one sentence for each
// violation, at most three, in the words of the schema's structure and of the
// caller's own short values. The zero Safe means that nothing could be said.
func ViolationText(vs []schema.Violation) sanitize.Safe {
	var sentences []sanitize.Safe
	for _, v := range vs {
		if len(sentences) == maxViolations {
			break
		}
		if s, ok := violation(v, len(sentences) == 0); ok {
			sentences = append(sentences, s)
		}
	}
	return sanitize.Join(sentences...)
}

// words is a slot with a word of the program before and after it.
type words struct{ before, slot, after sanitize.Slot }

func plainWords(s sanitize.Slot) words { return words{sanitize.Word(""), s, sanitize.Word("")} }

// violation writes one sentence; the first carries the class.
func violation(v schema.Violation, first bool) (sanitize.Safe, bool) {
	argument, required, unknown := sanitize.Word("Argument"), sanitize.Word("Required argument"), sanitize.Word("Unknown argument")
	if first {
		argument, required, unknown = sanitize.Word("Validation Error: Argument"), sanitize.Word("Validation Error: required argument"), sanitize.Word("Validation Error: unknown argument")
	}
	name, named := sanitize.Ident(v.Path)
	if !named {
		return nameless(v, first)
	}
	e, expects := expected(v.Expected)
	switch {
	case v.Kind == schema.Missing:
		if expects {
			if s, ok := sanitize.Compose("%s '%s' is missing (expected %s%s%s).", required, name, e.before, e.slot, e.after); ok {
				return s, true
			}
		}
		return sanitize.Compose("%s '%s' is missing.", required, name)
	case v.Kind == schema.Unexpected:
		if near, ok := sanitize.Ident(v.Suggest); ok {
			if s, ok := sanitize.Compose("%s '%s', perhaps '%s' is meant.", unknown, name, near); ok {
				return s, true
			}
		}
		return sanitize.Compose("%s '%s'.", unknown, name)
	case expects:
		if r, ok := received(v); ok {
			if s, ok := sanitize.Compose("%s '%s' expected %s%s%s, but received %s%s%s.", argument, name, e.before, e.slot, e.after, r.before, r.slot, r.after); ok {
				return s, true
			}
		}
		if s, ok := sanitize.Compose("%s '%s' expected %s%s%s.", argument, name, e.before, e.slot, e.after); ok {
			return s, true
		}
	}
	return sanitize.Compose("%s '%s' is not valid.", argument, name)
}

// nameless is for a violation whose argument cannot be named.
func nameless(v schema.Violation, first bool) (sanitize.Safe, bool) {
	whole := v.Path == "" && v.Kind != schema.Missing && v.Kind != schema.Unexpected
	start := sanitize.Word("An argument")
	switch {
	case whole && first:
		start = sanitize.Word("Validation Error: the object of all arguments")
	case whole:
		start = sanitize.Word("The object of all arguments")
	case first:
		start = sanitize.Word("Validation Error: an argument")
	}
	switch v.Kind {
	case schema.Missing:
		return sanitize.Compose("%s that the input schema requires is missing.", start)
	case schema.Unexpected:
		return sanitize.Compose("%s is not known to the input schema.", start)
	}
	if e, ok := expected(v.Expected); ok {
		if s, ok := sanitize.Compose("%s expected %s%s%s.", start, e.before, e.slot, e.after); ok {
			return s, true
		}
	}
	return sanitize.Compose("%s does not match the input schema.", start)
}

// expected admits a phrase of the schema's structure ("an integer", "at most
// 130"), or listed values, each of which is checked ("one of a, b").
func expected(s string) (words, bool) {
	if value, ok := strings.CutPrefix(s, "the value "); ok {
		v, ok := sanitize.Value(value)
		return words{sanitize.Word("the value '"), v, sanitize.Word("'")}, ok
	}
	if list, ok := strings.CutPrefix(s, "one of "); ok && list != "the listed values" {
		list, others := strings.CutSuffix(list, " and others")
		var values []sanitize.Slot
		for one := range strings.SplitSeq(list, ", ") {
			v, ok := sanitize.Value(one)
			if !ok {
				return plainWords(sanitize.Word("one of the listed values")), true
			}
			values = append(values, v)
		}
		w := words{sanitize.Word("one of "), sanitize.List(values...), sanitize.Word("")}
		if others {
			w.after = sanitize.Word(" and others")
		}
		return w, true
	}
	p, ok := sanitize.Phrase(s)
	return plainWords(p), ok
}

// received is what the caller sent: a string in quotes, another scalar, a size
// or a type.
func received(v schema.Violation) (words, bool) {
	switch {
	case v.Received == "" || v.Received == "missing" || v.Received == "unexpected":
		return words{}, false
	case v.Received == "array":
		return plainWords(sanitize.Word("an array")), true
	case v.Received == "object":
		return plainWords(sanitize.Word("an object")), true
	case v.ReceivedType == "string" && v.Received == "string":
		return plainWords(sanitize.Word("another string")), true
	case v.Kind == schema.TooLong, v.Kind == schema.TooShort, v.ReceivedType != "string", v.Received == "an empty string":
		if p, ok := sanitize.Phrase(v.Received); ok {
			return plainWords(p), true
		}
		s, ok := sanitize.Value(v.Received)
		return plainWords(s), ok
	}
	if s, ok := sanitize.Value(v.Received); ok {
		return words{sanitize.Word("'"), s, sanitize.Word("'")}, true
	}
	return plainWords(sanitize.Word("another string")), true
}
