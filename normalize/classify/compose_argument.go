package classify

import (
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

// typeNames are what validators call the types, with the words for a sentence.
var typeNames = map[string]sanitize.Slot{}

func init() {
	for _, t := range []struct {
		word  sanitize.Slot
		names string
	}{
		{sanitize.Word("an integer"), "integer int int32 int64 i8 i16 i32 i64 u8 u16 u32 u64 usize isize long short uint uint32 uint64 atoi parseint system.int32 system.int64 java.lang.integer java.lang.long bigint"},
		{sanitize.Word("a number"), "number float float32 float64 double decimal f32 f64 numeric parsefloat system.double system.decimal java.lang.double java.math.bigdecimal"},
		{sanitize.Word("a string"), "string str text java.lang.string system.string &str char"},
		{sanitize.Word("a boolean"), "boolean bool parsebool system.boolean java.lang.boolean bool_type"},
		{sanitize.Word("an array"), "array list sequence tuple set vec seq slice []string []interface java.util.list"},
		{sanitize.Word("an object"), "object dict dictionary map mapping struct record hash model"},
		{sanitize.Word("null"), "null none nil undefined nonetype"},
		{sanitize.Word("a date"), "date isodate"},
		{sanitize.Word("a date and time"), "datetime date-time timestamp"},
		{sanitize.Word("a valid email"), "email email-address"},
		{sanitize.Word("a valid URL"), "url uri http-url"},
		{sanitize.Word("a valid uuid"), "uuid guid"},
	} {
		for n := range strings.FieldsSeq(t.names) {
			typeNames[n] = t.word
		}
	}
}

// argument writes the first sentence about a refused argument.
func (w *writer) argument(it *issue) (sanitize.Safe, bool) {
	if w.v.Code == envelope.OutputValidationFailed {
		if name, ok := sanitize.Ident(it.path); ok {
			return sanitize.Compose("Error: the tool returned a result that breaks its own output schema (field '%s').", name)
		}
		return sanitize.Safe{}, false
	}
	name, ok := sanitize.Ident(strings.TrimPrefix(it.path, "params.arguments."))
	expected := w.expected(it)
	var who run
	if ok {
		who = run{sanitize.Word("Validation Error: Argument '"), name, sanitize.Word("'")}
		switch it.kind {
		case kindMissing:
			lead := run{sanitize.Word("Validation Error: required argument '"), name, sanitize.Word("' is missing")}
			if len(expected) > 0 {
				if s, ok := cat(lead, one(sanitize.Word(" (expected ")), expected, one(sanitize.Word(")."))).sentence(); ok {
					return s, true
				}
			}
			return cat(lead, one(sanitize.Word("."))).sentence()
		case kindUnexpected:
			return sanitize.Compose("Validation Error: unknown argument '%s'.", name)
		case kindEmpty:
			return sanitize.Compose("Validation Error: argument '%s' must not be empty.", name)
		}
	} else {
		who = run{sanitize.Word("Validation Error: an argument")}
	}
	got := w.received(it)
	if len(expected) > 0 {
		verb := sanitize.Word(" expected ")
		if predicate(expected.String()) {
			verb = sanitize.Word(" ")
		}
		lead := cat(who, one(verb), expected)
		if len(got) > 0 {
			if s, ok := cat(lead, one(sanitize.Word(", but received ")), got, one(sanitize.Word("."))).sentence(); ok {
				return s, true
			}
		}
		if s, ok := cat(lead, one(sanitize.Word("."))).sentence(); ok {
			return s, true
		}
	}
	if len(got) > 2 {
		return first(cat(who, one(sanitize.Word(" is not valid: received ")), got, one(sanitize.Word("."))), cat(who, one(sanitize.Word(" is not valid."))))
	}
	if !ok {
		return sanitize.Safe{}, false
	}
	return cat(who, one(sanitize.Word(" is not valid."))).sentence()
}

// expected is what was expected: listed values, a type, or a constraint in the
// vocabulary of validators.
func (w *writer) expected(it *issue) run {
	if len(it.options) > 0 {
		var all []run
		for _, o := range it.options {
			s, ok := sanitize.Value(o)
			if !ok || !enumLike(o) && !w.listed(it.path, o) {
				continue
			}
			all = append(all, one(s))
		}
		if len(all) > 0 {
			return cat(one(sanitize.Word("one of ")), list(8, all...))
		}
		return nil
	}
	stated := it.expected
	for _, w := range [...]string{", but received", ", received", ", but got", ", got", " but received", " but got"} {
		stated, _, _ = strings.Cut(stated, w)
	}
	e := comparators.Replace(strings.Trim(stated, " .,:;\"'`[]"))
	if strings.Count(e, ")") > strings.Count(e, "(") {
		e = strings.TrimSuffix(e, ")")
	}
	if !strings.ContainsFunc(e, unicode.IsLetter) {
		return nil
	}
	if s, ok := typeNames[lower(e)]; ok {
		return one(s)
	}
	for e != "" && edge[lower(e[strings.LastIndexByte(e, ' ')+1:])] {
		e = strings.TrimSpace(e[:max(0, strings.LastIndexByte(e, ' '))])
	}
	for {
		if s, ok := sanitize.Phrase(e); ok {
			return one(s)
		}
		k := strings.LastIndexAny(e, ",;(")
		if k <= 0 {
			return nil
		}
		e = strings.TrimSpace(e[:k])
	}
}

// comparators are the signs that validators write for bounds.
var comparators = strings.NewReplacer("to be >=", "to be at least ", "to be <=", "to be at most ", "to be >", "to be greater than ", "to be <", "to be less than ",
	">= ", "at least ", "<= ", "at most ", ">=", "at least ", "<=", "at most ", "> ", "greater than ", "< ", "less than ", ">", "greater than ", "<", "less than ")

// predicate reports whether a constraint already is the verb of a sentence.
func predicate(e string) bool {
	for _, v := range [...]string{"must", "should", "cannot", "can not", "can't", "may ", "is ", "does ", "has ", "needs "} {
		if strings.HasPrefix(lower(e), v) {
			return true
		}
	}
	return false
}

// listed reports whether the schema of the tool lists the value.
func (w *writer) listed(path, v string) bool {
	p, ok := w.e.Schema.Property(path)
	return ok && contains(p.Enum, v)
}

// enumLike admits listed values of a validator without a schema: short names.
func enumLike(s string) bool {
	if len(s) > 40 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) && strings.IndexByte("-.+:/", s[i]) < 0 {
			return false
		}
	}
	return true
}

// received is what was received: a value that this call sent, or a type.
func (w *writer) received(it *issue) run {
	r := strings.TrimSpace(it.received)
	for _, v := range [...]string{it.instance, r} {
		if s := w.sent(it.path, v); len(s) > 0 {
			return s
		}
	}
	if s, ok := typeNames[lower(r)]; ok {
		return one(s)
	}
	return nil
}

// dots turns indices into members, as gjson writes paths.
var dots = strings.NewReplacer("[", ".", "]", "")

// sent returns the value that the call itself sent at path, or v when the call
// sent v somewhere; strings in quotes.
func (w *writer) sent(path, v string) run {
	if path != "" && !strings.ContainsAny(path, "*?#|@\\") {
		x := w.k.args.Get(dots.Replace(path))
		if x.Exists() {
			if hidden(path) || x.Type == gjson.JSON || x.Type == gjson.Null {
				return nil
			}
			return value(x.String(), x.Type == gjson.String)
		}
	}
	if v == "" || len(v) > 40 {
		return nil
	}
	if s, ok := w.k.slot(v); ok {
		return run{sanitize.Word("'"), s, sanitize.Word("'")}
	}
	return nil
}

func value(v string, quoted bool) run {
	s, ok := sanitize.Value(v)
	switch {
	case !ok:
		return nil
	case quoted:
		return run{sanitize.Word("'"), s, sanitize.Word("'")}
	}
	return one(s)
}

// violations writes the text from the gateway's own check of the arguments.
func (w *writer) violations() (sanitize.Safe, bool) {
	vs := w.e.Schema.CheckArguments(w.e.Arguments)
	if len(vs) == 0 {
		return sanitize.Safe{}, false
	}
	v := vs[0]
	name, ok := sanitize.Ident(v.Path)
	if !ok {
		return sanitize.Safe{}, false
	}
	var lead sanitize.Safe
	switch v.Kind {
	case schema.Missing:
		lead, ok = sanitize.Compose("Validation Error: required argument '%s' is missing.", name)
	case schema.Unexpected:
		lead, ok = sanitize.Compose("Validation Error: unknown argument '%s'.", name)
		if s, found := sanitize.Ident(v.Suggest); found {
			lead, ok = sanitize.Compose("Validation Error: unknown argument '%s', did you mean '%s'?", name, s)
		}
	default:
		expected, eok := sanitize.Phrase(v.Expected)
		if !eok {
			expected, eok = sanitize.Value(v.Expected)
		}
		who := run{sanitize.Word("Validation Error: Argument '"), name, sanitize.Word("'")}
		var got run
		if !hidden(v.Path) {
			got = value(v.Received, v.ReceivedType == "string" && v.Received != "string")
		}
		end := one(sanitize.Word("."))
		var said run
		if eok {
			said = cat(who, one(sanitize.Word(" expected ")), one(expected))
		}
		var full run
		if len(said) > 0 && len(got) > 0 {
			full = cat(said, one(sanitize.Word(", but received ")), got, end)
		}
		lead, ok = first(full, cat(said, end), cat(who, one(sanitize.Word(" is not valid."))))
	}
	if !ok {
		return sanitize.Safe{}, false
	}
	second, found := w.propertyHint(v.Path)
	if v.Kind == schema.Unexpected || !found {
		second, _ = w.properties()
	}
	if more, ok := w.breaks(vs[1:]); ok {
		return sanitize.Join(lead, more, second), true
	}
	return sanitize.Join(lead, second), true
}
