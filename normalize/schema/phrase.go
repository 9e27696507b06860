package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxLiteral = 40 // characters of a value that is quoted
	maxListed  = 8  // values of an enumeration that are listed
	maxPath    = 200
)

// typePhrase puts JSON types in words: "an integer", "a string or null".
func typePhrase(types []string) string {
	types = slices.Clone(types)
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
	}
	slices.SortStableFunc(types, func(a, b string) int { // null comes last
		return boolInt(a == "null") - boolInt(b == "null")
	})
	if len(types) == 0 {
		return "another value"
	}
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = article(t)
	}
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func article(t string) string {
	switch t {
	case "integer", "object", "array":
		return "an " + t
	case "null":
		return t
	}
	return "a " + t
}

// oneOf lists scalar values: "one of a, b". Values that are not short are left
// out, and at most eight are listed.
func oneOf(values []any) string {
	var words []string
	more := false
	for _, v := range values {
		w, ok := literal(v)
		if !ok || len(words) == maxListed {
			more = true
			continue
		}
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	switch {
	case len(words) == 0:
		return "one of the listed values"
	case len(words) == 1 && !more:
		return "the value " + words[0]
	case more:
		return "one of " + strings.Join(words, ", ") + " and others"
	}
	return "one of " + strings.Join(words, ", ")
}

// literal returns a scalar as it stands in JSON, strings without quotes.
func literal(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		return string(v), len(v) <= maxLiteral
	case string:
		return v, short(v)
	}
	return "", false
}

// received says what a value is: the scalar itself when it is short, else its
// JSON type.
func received(v any) string {
	if v == "" {
		return "an empty string"
	}
	if s, ok := literal(v); ok {
		return s
	}
	return jsonType(v)
}

func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func rational(r *big.Rat) string {
	if r.IsInt() {
		return r.RatString()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// phrase says what a schema asks for, without its prose.
func phrase(s *jsonschema.Schema, depth int) string {
	if s == nil || depth > 8 {
		return "a value"
	}
	switch {
	case s.Enum != nil:
		return oneOf(s.Enum.Values)
	case s.Const != nil:
		return oneOf([]any{*s.Const})
	case s.Ref != nil && s.Types == nil:
		return phrase(s.Ref, depth+1)
	case s.Types != nil && s.Format != nil && slices.Contains(s.Types.ToStrings(), "string"):
		return "a string in " + s.Format.Name + " format"
	case s.Types != nil:
		return typePhrase(s.Types.ToStrings())
	}
	for _, list := range [...][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		var types []string
		for _, sub := range list {
			if sub.Types != nil {
				types = append(types, sub.Types.ToStrings()...)
			}
		}
		if len(types) > 0 {
			return typePhrase(slices.Compact(types))
		}
	}
	if len(s.AllOf) > 0 {
		return phrase(s.AllOf[0], depth+1)
	}
	return "a value"
}

// locate follows a path of names and indexes into a value.
func locate(v any, tokens []string) any {
	for _, t := range tokens {
		switch c := v.(type) {
		case map[string]any:
			v = c[t]
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

// path writes tokens as "a.b[0]", cut before a part that would make it longer
// than 200 bytes.
func path(v any, tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		if b.Len()+len(t) > maxPath {
			break
		}
		if a, ok := v.([]any); ok {
			b.WriteString("[" + t + "]")
			if i, err := strconv.Atoi(t); err == nil && i >= 0 && i < len(a) {
				v = a[i]
			}
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(t)
		o, _ := v.(map[string]any)
		v = o[t]
	}
	return b.String()
}
