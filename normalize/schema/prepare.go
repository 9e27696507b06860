package schema

import (
	"slices"
	"strings"
)

// Drafts whose meta-schema the compiler carries. Others are read as 2020-12,
// the default of MCP 2025-11-25 (SEP-1613).
const (
	draft04      = 4
	draftTuples  = 7 // 06, 07, 2019-09: "items" may be an array
	draft2020    = 2020
	schemaPrefix = "json-schema.org/"
)

// draftOf says how the root wants to be read, and removes a $schema that would
// have to be loaded.
func draftOf(doc any) int {
	m, ok := doc.(map[string]any)
	if !ok {
		return draft2020
	}
	uri, _ := m["$schema"].(string)
	_, version, _ := strings.Cut(uri, schemaPrefix)
	switch strings.TrimSuffix(version, "#") {
	case "draft-04/schema":
		return draft04
	case "draft-06/schema", "draft-07/schema", "draft/2019-09/schema":
		return draftTuples
	case "draft/2020-12/schema":
		return draft2020
	}
	delete(m, "$schema")
	return draft2020
}

var (
	prose       = []string{"title", "description", "default", "examples", "example", "$comment", "$vocabulary"}
	oneSchema   = []string{"additionalProperties", "additionalItems", "items", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
	manySchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapSchemas  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	inverting   = []string{"not", "if", "oneOf", "contains", "unevaluatedItems", "unevaluatedProperties"}
	typeNames   = []string{"string", "integer", "number", "boolean", "object", "array", "null"}
)

// preparer makes a decoded schema fit for the compiler: prose goes, and what
// servers commonly write but the meta-schemas refuse is mended.
type preparer struct {
	draft   int
	schemas int
	loose   bool // something was dropped that would have refused values
	exact   bool // something inverts its part: dropping there is not safe
	hasID   bool

	pointers    int // bytes of the JSON pointers to all schemas; each is kept
	expressions patterns
}

func (p *preparer) schema(v any, depth, at int) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil // true, false, or what the compiler refuses
	}
	p.schemas++
	p.pointers += at
	if p.schemas > maxSchemas || p.pointers > maxPointers || depth > maxDepth {
		return errBounds
	}
	for _, k := range prose {
		delete(m, k)
	}
	for _, k := range inverting {
		if _, ok := m[k]; ok {
			p.exact = true
		}
	}
	for _, k := range []string{"$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"} {
		if _, ok := m[k]; ok {
			return errExotic
		}
	}
	p.references(m, depth)
	p.types(m)
	p.ranges(m)
	p.patterns(m)
	p.tuples(m)
	return p.children(m, depth, at)
}

// references drops what points out of the document.
func (p *preparer) references(m map[string]any, depth int) {
	if id, ok := m["$id"].(string); ok && id != "" {
		if depth == 0 {
			delete(m, "$id") // refs are relative to the document then
		} else {
			p.hasID = true
		}
	}
	if depth > 0 {
		delete(m, "$schema")
	}
	if ref, ok := m["$ref"].(string); ok && !strings.HasPrefix(ref, "#") && !p.hasID {
		delete(m, "$ref")
		p.loose = true
	}
}

// types drops names that are no JSON type, admits null where OpenAPI's
// nullable asks for it, and drops formats that are not asserted.
func (p *preparer) types(m map[string]any) {
	switch t := m["type"].(type) {
	case nil:
	case string:
		if !slices.Contains(typeNames, t) {
			delete(m, "type")
			p.loose = true
		} else if m["nullable"] == true && t != "null" {
			m["type"] = []any{t, "null"}
		}
	case []any:
		for _, e := range t {
			if s, ok := e.(string); !ok || !slices.Contains(typeNames, s) {
				delete(m, "type")
				p.loose = true
				break
			}
		}
	}
	if _, ok := m["required"].(bool); ok {
		delete(m, "required") // draft 3 wrote it on the property
	}
	if f, ok := m["format"].(string); ok && !slices.Contains(assertedFormats, f) {
		delete(m, "format")
	}
}

// ranges turns draft 04's boolean exclusive limits into numbers.
func (p *preparer) ranges(m map[string]any) {
	if p.draft == draft04 {
		return
	}
	for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		b, ok := m[exclusive].(bool)
		if !ok {
			continue
		}
		delete(m, exclusive)
		if n, has := m[limit]; has && b {
			m[exclusive] = n
			delete(m, limit)
		}
	}
}

// patterns drops expressions that Go's linear engine does not know (look-
// around, back references) or that are too large.
func (p *preparer) patterns(m map[string]any) {
	if s, ok := m["pattern"].(string); ok {
		if _, err := p.expressions.compile(s); err != nil {
			delete(m, "pattern")
			p.loose = true
		}
	}
	names, _ := m["patternProperties"].(map[string]any)
	for name := range names {
		if _, err := p.expressions.compile(name); err != nil {
			delete(names, name)
			delete(m, "additionalProperties") // it would refuse what the pattern admits
			delete(m, "unevaluatedProperties")
			p.loose = true
		}
	}
}

// tuples reads the old array form of items as prefixItems.
func (p *preparer) tuples(m map[string]any) {
	items, ok := m["items"].([]any)
	if !ok || p.draft != draft2020 {
		return
	}
	if _, ok := m["prefixItems"]; ok {
		return
	}
	delete(m, "items")
	m["prefixItems"] = items
	if rest, ok := m["additionalItems"]; ok {
		m["items"] = rest
		delete(m, "additionalItems")
	}
}

// children goes on to the schemas inside; at is the length of the pointer to m.
func (p *preparer) children(m map[string]any, depth, at int) error {
	const index = 6 // of an array, in a pointer
	for _, k := range oneSchema {
		if err := p.schema(m[k], depth+1, at+len(k)+1); err != nil {
			return err
		}
	}
	for _, k := range manySchemas {
		list, _ := m[k].([]any)
		for _, e := range list {
			if err := p.schema(e, depth+1, at+len(k)+index); err != nil {
				return err
			}
		}
	}
	for _, k := range mapSchemas {
		members, _ := m[k].(map[string]any)
		for name, e := range members {
			if err := p.schema(e, depth+1, at+len(k)+len(name)+2); err != nil {
				return err
			}
		}
	}
	return nil
}
