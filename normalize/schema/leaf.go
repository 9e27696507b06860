package schema

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// leaf notes an error that has no causes of interest.
func (r *reader) leaf(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.InvalidJsonValue, *kind.RefCycle:
		r.failed = true
	case *kind.Type:
		r.add(e, WrongType, typePhrase(k.Want))
	case *kind.Enum:
		r.add(e, NotInEnum, oneOf(k.Want))
	case *kind.Const:
		r.add(e, NotInEnum, oneOf([]any{k.Want}))
	case *kind.Format:
		r.add(e, BadFormat, "a string in "+k.Want+" format")
	case *kind.Pattern:
		r.add(e, BadPattern, "a string in the required pattern")
	case *kind.Minimum:
		r.add(e, OutOfRange, "at least "+rational(k.Want))
	case *kind.Maximum:
		r.add(e, OutOfRange, "at most "+rational(k.Want))
	case *kind.ExclusiveMinimum:
		r.add(e, OutOfRange, "greater than "+rational(k.Want))
	case *kind.ExclusiveMaximum:
		r.add(e, OutOfRange, "less than "+rational(k.Want))
	case *kind.MultipleOf:
		r.add(e, OutOfRange, "a multiple of "+rational(k.Want))
	case *kind.MinLength:
		r.size(e, TooShort, "at least", k.Want, k.Got, "character")
	case *kind.MaxLength:
		r.size(e, TooLong, "at most", k.Want, k.Got, "character")
	case *kind.MinItems:
		r.size(e, TooShort, "at least", k.Want, k.Got, "item")
	case *kind.MaxItems:
		r.size(e, TooLong, "at most", k.Want, k.Got, "item")
	case *kind.AdditionalItems:
		r.add(e, TooLong, "fewer items")
	case *kind.MinProperties:
		r.size(e, TooShort, "at least", k.Want, k.Got, "property")
	case *kind.MaxProperties:
		r.size(e, TooLong, "at most", k.Want, k.Got, "property")
	case *kind.UniqueItems:
		r.add(e, Other, "unique items")
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		r.add(e, Other, "another set of items")
	case *kind.Not:
		r.add(e, Other, "another value")
	default:
		r.member(e)
	}
}

// member notes an error about a property of the object at the error's place.
func (r *reader) member(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		r.missing(e, k.Missing)
	case *kind.DependentRequired:
		r.missing(e, k.Missing)
	case *kind.Dependency:
		r.missing(e, k.Missing)
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			r.unexpected(e, name)
		}
	case *kind.PropertyNames:
		r.name(e, k.Property)
	case *kind.FalseSchema:
		if n := len(e.InstanceLocation); n > 0 {
			v := locate(r.value, e.InstanceLocation)
			r.found = append(r.found, finding{Violation: Violation{
				Path: path(r.value, e.InstanceLocation), Kind: Unexpected, Received: "unexpected", ReceivedType: jsonType(v),
			}})
			return
		}
		r.add(e, Other, "another value")
	default:
		r.add(e, Other, "another value")
	}
}

// name notes a property whose name is not admitted. The validator does not own
// the location of such an error (v6.0.3: it is overwritten by what is checked
// next), only its length is right; so the object is looked for, and when several
// might be meant the name stands alone.
func (r *reader) name(e *jsonschema.ValidationError, name string) {
	places := holders(r.value, nil, len(e.InstanceLocation), name)
	at := *e
	at.InstanceLocation = nil
	if len(places) == 1 {
		at.InstanceLocation = places[0]
		r.unexpected(&at, name)
		return
	}
	r.found = append(r.found, finding{Violation: Violation{Path: path(nil, []string{name}), Kind: Unexpected, Received: "unexpected"}})
}

// holders returns the places at a depth where an object has the property, in
// the order of their paths.
func holders(v any, at []string, depth int, name string) [][]string {
	var out [][]string
	switch v := v.(type) {
	case map[string]any:
		if depth == 0 {
			if _, ok := v[name]; ok {
				out = append(out, slices.Clone(at))
			}
			return out
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, holders(v[k], append(at, k), depth-1, name)...)
		}
	case []any:
		for i, e := range v {
			if depth > 0 {
				out = append(out, holders(e, append(at, strconv.Itoa(i)), depth-1, name)...)
			}
		}
	}
	return out
}

func (r *reader) missing(e *jsonschema.ValidationError, names []string) {
	s := r.at(e.SchemaURL)
	for _, name := range names {
		v := Violation{Kind: Missing, Received: "missing"}
		if s != nil {
			v.Expected = phrase(s.Properties[name], 0)
		}
		r.addMember(e, name, v, nil)
	}
	if s != nil && s.AdditionalProperties == nil && len(s.PatternProperties) == 0 {
		r.misspelt(e, s, names)
	}
}

// misspelt notes properties that an open schema admits but that look like one
// of those missing: most schemas do not say additionalProperties false.
func (r *reader) misspelt(e *jsonschema.ValidationError, s *jsonschema.Schema, names []string) {
	const most = 50 // properties and names that are compared
	object, _ := locate(r.value, e.InstanceLocation).(map[string]any)
	if len(object) > most {
		return
	}
	for sent := range object {
		if s.Properties[sent] != nil {
			continue
		}
		if near := Nearest(sent, names[:min(most, len(names))]); s.Properties[near] != nil {
			r.unexpected(e, sent)
		}
	}
}

func (r *reader) unexpected(e *jsonschema.ValidationError, name string) {
	object, _ := locate(r.value, e.InstanceLocation).(map[string]any)
	v := Violation{Kind: Unexpected, Received: "unexpected", ReceivedType: jsonType(object[name])}
	r.addMember(e, name, v, func() string {
		s := r.at(e.SchemaURL)
		if s == nil {
			return ""
		}
		var names []string
		for n := range s.Properties {
			if _, sent := object[n]; !sent {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		return Nearest(name, names)
	})
}

// size notes a count that is out of bounds.
func (r *reader) size(e *jsonschema.ValidationError, k Kind, bound string, want, got int, unit string) {
	r.add(e, k, bound+" "+count(want, unit))
	r.found[len(r.found)-1].Received = count(got, unit)
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	if unit == "property" {
		return strconv.Itoa(n) + " properties"
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// subschemas returns what a compiled schema is made of, in a stable order as
// far as the order is the schema's.
func subschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.Contains, s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems, s.Items2020}
	out = slices.Concat(out, s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems)
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, sub := range m {
			out = append(out, sub)
		}
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	for _, v := range s.Dependencies {
		if sub, ok := v.(*jsonschema.Schema); ok {
			out = append(out, sub)
		}
	}
	for _, v := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch v := v.(type) {
		case *jsonschema.Schema:
			out = append(out, v)
		case []*jsonschema.Schema:
			out = append(out, v...)
		}
	}
	return out
}

// short reports whether s may stand as a literal: few characters, no markup.
func short(s string) bool {
	if s == "" || len(s) > 4*maxLiteral || !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxLiteral {
		return false
	}
	for _, c := range s {
		if c < ' ' || c == 0x7f || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '{' || c == '}' {
			return false
		}
	}
	return true
}
