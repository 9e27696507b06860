package schema

import (
	"strconv"
	"strings"
)

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
