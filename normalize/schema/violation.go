package schema

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// reader turns the validator's tree of errors into violations.
type reader struct {
	schema *jsonschema.Schema
	value  any
	found  []finding
	failed bool // the schema itself was at fault: nothing is known
	index  map[string]*jsonschema.Schema
}

// finding is a violation whose suggestion is made when it is reported.
type finding struct {
	Violation
	suggest func() string
}

// result returns the first violations in order, one for each path and kind.
func (r *reader) result() []Violation {
	if r.failed || len(r.found) == 0 {
		return nil
	}
	var out []Violation
	for len(out) < maxViolations {
		next := -1
		for i := range r.found {
			f := &r.found[i].Violation
			if n := len(out); n > 0 && compare(f, &out[n-1]) <= 0 {
				continue
			}
			if next < 0 || cmp.Or(compare(f, &r.found[next].Violation), cmp.Compare(f.Expected, r.found[next].Expected)) < 0 {
				next = i
			}
		}
		if next < 0 {
			break
		}
		v := r.found[next].Violation
		if suggest := r.found[next].suggest; suggest != nil {
			v.Suggest = suggest()
		}
		out = append(out, v)
	}
	return out
}

// compare orders missing properties first, then by path and kind.
func compare(a, b *Violation) int {
	return cmp.Or(boolInt(b.Kind == Missing)-boolInt(a.Kind == Missing), comparePaths(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
}

// read walks the tree. Of alternatives it follows the most likely one.
func (r *reader) read(e *jsonschema.ValidationError) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, c := range e.Causes {
			r.read(c)
		}
	case *kind.AnyOf:
		r.alternatives(e)
	case *kind.OneOf:
		if k.Subschemas != nil {
			r.add(e, Other, "a value that matches exactly one of the allowed forms")
			return
		}
		r.alternatives(e)
	default:
		r.leaf(e)
	}
}

// alternatives reports one branch of anyOf or oneOf: all of them together when
// every branch refuses the value itself for its type or by its list of values,
// else the branch that comes closest.
func (r *reader) alternatives(e *jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		r.add(e, Other, "another value")
		return
	}
	if r.union(e) {
		return
	}
	best, bestScore := e.Causes[0], int(^uint(0)>>1)
	for _, c := range e.Causes {
		if s := r.score(c, len(e.InstanceLocation)); s < bestScore {
			best, bestScore = c, s
		}
	}
	r.read(best)
}

// union merges branches that differ in type or in listed values only.
func (r *reader) union(e *jsonschema.ValidationError) bool {
	var types []string
	var values []any
	typesOnly, valuesOnly := true, true
	for _, c := range e.Causes {
		c = single(c)
		if len(c.InstanceLocation) != len(e.InstanceLocation) {
			return false
		}
		switch k := c.ErrorKind.(type) {
		case *kind.Type:
			valuesOnly = false
			for _, w := range k.Want {
				if !slices.Contains(types, w) {
					types = append(types, w)
				}
			}
		case *kind.Const:
			typesOnly = false
			values = append(values, k.Want)
		case *kind.Enum:
			typesOnly = false
			values = append(values, k.Want...)
		default:
			return false
		}
	}
	switch {
	case typesOnly:
		r.add(e, WrongType, typePhrase(types))
	case valuesOnly:
		r.add(e, NotInEnum, oneOf(values))
	default:
		return false
	}
	return true
}

// single goes through wrappers that hold one error.
func single(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) == 1 {
		switch e.ErrorKind.(type) {
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
			e = e.Causes[0]
		default:
			return e
		}
	}
	return e
}

// score is the distance of a branch: a wrong type of the value itself weighs
// most, then a discriminator that names another branch, then the errors.
func (r *reader) score(e *jsonschema.ValidationError, depth int) int {
	const wrongType, wrongValue, one = 100_000, 1000, 10
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		sum := 0
		for _, c := range e.Causes {
			sum += r.score(c, depth)
		}
		return sum
	case *kind.AnyOf, *kind.OneOf:
		if len(e.Causes) == 0 {
			return one
		}
		least := wrongType
		for _, c := range e.Causes {
			least = min(least, r.score(c, depth))
		}
		return least
	case *kind.Type:
		if len(e.InstanceLocation) == depth {
			return wrongType
		}
		return one + 1
	case *kind.Const, *kind.Enum:
		if len(e.InstanceLocation) == depth+1 {
			return wrongValue
		}
		return one
	case *kind.FalseSchema:
		return wrongType
	case *kind.Required:
		return one * len(k.Missing)
	case *kind.AdditionalProperties:
		return one * len(k.Properties)
	}
	return one
}

// add notes a violation of the value at the error's place.
func (r *reader) add(e *jsonschema.ValidationError, k Kind, expected string) {
	v := locate(r.value, e.InstanceLocation)
	r.found = append(r.found, finding{Violation: Violation{
		Path: path(r.value, e.InstanceLocation), Kind: k, Expected: expected,
		Received: received(v), ReceivedType: jsonType(v),
	}})
}

// addMember notes a violation of a member of the object at the error's place.
func (r *reader) addMember(e *jsonschema.ValidationError, name string, v Violation, suggest func() string) {
	v.Path = path(r.value, append(slices.Clone(e.InstanceLocation), name))
	r.found = append(r.found, finding{v, suggest})
}

// at finds the compiled schema that an error speaks of.
func (r *reader) at(location string) *jsonschema.Schema {
	if r.index == nil {
		r.index = map[string]*jsonschema.Schema{}
		collect(r.schema, r.index)
	}
	return r.index[location]
}

func collect(s *jsonschema.Schema, index map[string]*jsonschema.Schema) {
	if s == nil || index[s.Location] != nil {
		return
	}
	index[s.Location] = s
	for _, sub := range subschemas(s) {
		collect(sub, index)
	}
}

// comparePaths orders a[2] before a[10].
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		i, j := digits(a), digits(b)
		if i > 0 && j > 0 {
			x, _ := strconv.Atoi(a[:min(i, 9)])
			y, _ := strconv.Atoi(b[:min(j, 9)])
			if x != y {
				return cmp.Compare(x, y)
			}
			if a[:i] != b[:j] {
				return cmp.Compare(a[:i], b[:j])
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
