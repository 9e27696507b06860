package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Property is what a schema says of one argument, without its prose. Names and
// listed values come from the server and have not been checked for being fit
// to show.
type Property struct {
	// Name is the last part of the path.
	Name string

	// Type is one JSON type, or types as "string or null"; "" when unknown.
	Type     string
	Required bool

	// Enum lists the admitted scalar values, strings without quotes: at most
	// eight, and only those of at most 40 characters.
	Enum []string

	// Format and Pattern constrain a string. A pattern of more than 80 bytes
	// is left out.
	Format, Pattern string

	// Minimum and Maximum include the limit. Exclusive limits of integers are
	// turned into including ones; those of other numbers are left out.
	Minimum, Maximum *float64

	// MinLength and MaxLength are in characters.
	MinLength, MaxLength *int
}

const maxProperties = 12

// Properties returns the arguments of the tool, required ones first, each
// group in the order of the schema; at most twelve. The slice is shared and
// must not be changed.
func (t *Tool) Properties() []Property {
	if t == nil || t.in == nil {
		return nil
	}
	all := t.in.compiled().properties
	return all[:min(len(all), maxProperties):min(len(all), maxProperties)]
}

// Property returns the argument at a path such as "a.b[0].c", through objects,
// arrays, references and the alternatives of anyOf, oneOf and allOf. JSON
// pointers ("/a/b/0") are understood too.
func (t *Tool) Property(path string) (p Property, ok bool) {
	if t == nil || t.in == nil || len(path) > 512 {
		return Property{}, false
	}
	defer func() {
		if recover() != nil {
			p, ok = Property{}, false
		}
	}()
	prog := t.in.compiled()
	f := finder{root: prog.root, left: 1000}
	tokens := splitPath(path)
	if len(tokens) == 0 {
		return Property{}, false
	}
	parent, node := f.find(prog.root, tokens)
	if node == nil {
		return Property{}, false
	}
	return f.describe(tokens[len(tokens)-1], node, requires(parent, tokens[len(tokens)-1])), true
}

// Names returns the names of all arguments at the root, required ones first;
// at most 2000. The slice is the caller's.
func (t *Tool) Names() []string {
	if t == nil || t.in == nil {
		return nil
	}
	all := t.in.compiled().properties
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.Name
	}
	return out
}

func splitPath(path string) []string {
	if strings.HasPrefix(path, "/") {
		tokens := strings.Split(path[1:], "/")
		for i, t := range tokens {
			tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
		}
		return tokens
	}
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	return slices.DeleteFunc(strings.Split(path, "."), func(s string) bool { return s == "" })
}

// listProperties describes the properties of the root in the order given.
func listProperties(root any, names []string) []Property {
	f := finder{root: root, left: 10 * maxSchemas}
	var required, optional []Property
	object := f.resolve(root, 0)
	properties, _ := object["properties"].(map[string]any)
	if len(names) == 0 {
		for n := range properties {
			names = append(names, n)
		}
		slices.Sort(names)
	}
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		v, ok := properties[n]
		if !ok || seen[n] {
			continue
		}
		seen[n] = true
		if requires(object, n) {
			required = append(required, f.describe(n, v, true))
		} else {
			optional = append(optional, f.describe(n, v, false))
		}
	}
	return append(required, optional...)
}

func requires(object any, name string) bool {
	m, _ := object.(map[string]any)
	list, _ := m["required"].([]any)
	return slices.Contains(list, any(name))
}

// finder looks things up in a prepared schema; left bounds its steps.
type finder struct {
	root any
	left int
}

// resolve follows references inside the document to an object, or nil.
func (f *finder) resolve(v any, hops int) map[string]any {
	m, _ := v.(map[string]any)
	ref, ok := m["$ref"].(string)
	if !ok || hops > 8 {
		return m
	}
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return m
	}
	if pointer == "" {
		return f.resolve(f.root, hops+1)
	}
	target := locate(f.root, splitPath(pointer))
	if t, ok := target.(map[string]any); ok {
		return f.resolve(t, hops+1)
	}
	return m
}

// find returns the schema at the path, and the object schema that holds it.
func (f *finder) find(v any, tokens []string) (parent map[string]any, node any) {
	if f.left--; f.left < 0 {
		return nil, nil
	}
	m := f.resolve(v, 0)
	if m == nil {
		return nil, nil
	}
	if next, ok := f.step(m, tokens[0]); ok {
		if len(tokens) == 1 {
			return m, next
		}
		if p, n := f.find(next, tokens[1:]); n != nil {
			return p, n
		}
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := m[k].([]any)
		for _, e := range list {
			if p, n := f.find(e, tokens); n != nil {
				return p, n
			}
		}
	}
	return nil, nil
}

func (f *finder) step(m map[string]any, token string) (any, bool) {
	properties, _ := m["properties"].(map[string]any)
	if v, ok := properties[token]; ok {
		return v, true
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 {
		for _, k := range []string{"prefixItems", "items"} {
			if tuple, ok := m[k].([]any); ok && i < len(tuple) {
				return tuple[i], true
			}
		}
		if items, ok := m["items"].(map[string]any); ok {
			return items, true
		}
	}
	if more, ok := m["additionalProperties"].(map[string]any); ok && len(more) > 0 {
		return more, true
	}
	return nil, false
}

func (f *finder) describe(name string, v any, required bool) Property {
	p := Property{Name: name, Required: required}
	f.constrain(&p, v, 0)
	return p
}

// constrain reads the constraints of a schema and of what it is made of.
func (f *finder) constrain(p *Property, v any, depth int) {
	if f.left--; f.left < 0 || depth > 8 {
		return
	}
	m := f.resolve(v, 0)
	f.scalars(p, m)
	if list, ok := m["allOf"].([]any); ok {
		for _, e := range list {
			f.constrain(p, e, depth+1)
		}
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if list, ok := m[k].([]any); ok {
			f.either(p, list, depth)
		}
	}
	if p.Type == "" && m["properties"] != nil {
		p.Type = "object"
	}
	if p.Type == "" && len(p.Enum) > 0 {
		p.Type = "string"
	}
}

// either unites the types of alternatives. Constraints are taken over when all
// but null leave one alternative, or when all alternatives list values.
func (f *finder) either(p *Property, list []any, depth int) {
	var real []Property
	var types []string
	for _, e := range list {
		var q Property
		f.constrain(&q, e, depth+1)
		for t := range strings.SplitSeq(q.Type, " or ") {
			if t != "" && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		if q.Type != "null" {
			real = append(real, q)
		}
	}
	name, required := p.Name, p.Required
	if len(real) == 1 {
		*p = real[0]
	} else if len(p.Enum) == 0 && len(real) > 1 && !slices.ContainsFunc(real, func(q Property) bool { return len(q.Enum) == 0 }) {
		for _, q := range real {
			p.Enum = append(p.Enum, q.Enum...)
		}
		p.Enum = p.Enum[:min(len(p.Enum), maxListed)]
	}
	p.Name, p.Required = name, required
	if len(types) > 0 {
		p.Type = strings.Join(types, " or ")
	}
}

func (f *finder) scalars(p *Property, m map[string]any) {
	switch t := m["type"].(type) {
	case string:
		p.Type = t
	case []any:
		var names []string
		for _, e := range t {
			if s, ok := e.(string); ok {
				names = append(names, s)
			}
		}
		p.Type = strings.Join(names, " or ")
	}
	values, _ := m["enum"].([]any)
	if c, ok := m["const"]; ok {
		values = []any{c}
	}
	for _, v := range values {
		if s, ok := literal(v); ok && len(p.Enum) < maxListed {
			p.Enum = append(p.Enum, s)
		}
	}
	if p.Type == "" && len(values) > 0 {
		p.Type = jsonType(values[0])
	}
	if s, ok := m["format"].(string); ok {
		p.Format = s
	}
	if s, ok := m["pattern"].(string); ok && len(s) <= 80 {
		p.Pattern = s
	}
	p.limits(m)
}

func (p *Property) limits(m map[string]any) {
	whole := p.Type == "integer"
	if n, ok := number(m["minimum"]); ok {
		p.Minimum = &n
	}
	if n, ok := number(m["maximum"]); ok {
		p.Maximum = &n
	}
	if n, ok := number(m["exclusiveMinimum"]); ok && whole {
		n = math.Floor(n) + 1
		p.Minimum = &n
	}
	if n, ok := number(m["exclusiveMaximum"]); ok && whole {
		n = math.Ceil(n) - 1
		p.Maximum = &n
	}
	if n, ok := number(m["minLength"]); ok && n >= 0 && n < 1e9 {
		i := int(n)
		p.MinLength = &i
	}
	if n, ok := number(m["maxLength"]); ok && n >= 0 && n < 1e9 {
		i := int(n)
		p.MaxLength = &i
	}
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}
