package schema

import (
	"slices"
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

	first string // the first listed value as JSON
	more  bool   // there are constraints that the fields do not show
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

var (
	pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~") // RFC 6901
	brackets       = strings.NewReplacer("[", ".", "]", "")
)

func splitPath(path string) []string {
	if strings.HasPrefix(path, "/") {
		tokens := strings.Split(path[1:], "/")
		for i, t := range tokens {
			tokens[i] = pointerEscapes.Replace(t)
		}
		return tokens
	}
	path = brackets.Replace(path)
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
