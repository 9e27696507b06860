package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// AmendOutput makes the outputSchema of every tool in the result object of a
// tools/list answer also admit the gateway's envelope. Clients of the
// TypeScript SDK 1.x validate structuredContent even when isError is true, and
// throw. Only the values of outputSchema change, every other byte stays; an
// amended schema is not amended again. A schema that cannot be amended stays
// as it is (see Tool.Amendable): one of more than 64 KiB or 64 levels, one
// that is no object, has doubled keys at its root, or refers by nested $id, by
// anchors, or to another document.
func AmendOutput(toolsListResult []byte) (out []byte, changed bool) {
	src := string(toolsListResult)
	root, ok := parseList(src)
	if !ok {
		return toolsListResult, false
	}
	var edits []edit
	eachTools(root, func(tools gjson.Result) {
		tools.ForEach(func(_, tool gjson.Result) bool {
			if !tool.IsObject() {
				return true
			}
			tool.ForEach(func(k, v gjson.Result) bool {
				if k.String() != "outputSchema" {
					return true
				}
				if s, ok := amend(v.Raw); ok && s != v.Raw {
					edits = append(edits, edit{v.Index, v.Index + len(v.Raw), s})
				}
				return true
			})
			return true
		})
	})
	if len(edits) == 0 {
		return toolsListResult, false
	}
	return []byte(apply(src, 0, len(src), edits)), true
}

func amendable(raw string) bool {
	_, ok := amend(raw)
	return ok
}

// branch is where the original schema stands in the amended one.
const branch = "#/anyOf/0"

// amend returns the schema that admits what raw admits, and the envelope:
//
//	{"$schema": …, "$id": …, "type": "object", "anyOf": [original, envelope], "$defs": …, "definitions": …}
//
// Definitions are hoisted so that references to them hold; references to other
// places of the document are moved along. The type stays at the root where it
// was "object", which MCP required up to 2025-11-25 and clients check.
func amend(raw string) (string, bool) {
	if len(raw) > MaxSchema || tooDeep(raw, maxDepth) {
		return "", false
	}
	root := gjson.Parse(raw)
	if !root.IsObject() {
		return "", false
	}
	if isAmended(root) {
		return raw, true
	}
	r := referrer{}
	r.schema(root, true)
	if r.stuck {
		return "", false
	}
	head, rest, tail := []string{}, []string{}, []string{}
	object := false
	seen := map[string]bool{}
	doubled := false
	root.ForEach(func(k, v gjson.Result) bool {
		name := k.String()
		doubled = doubled || seen[name]
		seen[name] = true
		member := k.Raw + ":" + apply(raw, v.Index, v.Index+len(v.Raw), r.edits)
		switch name {
		case "$schema", "$id":
			head = append(head, member)
		case "$defs", "definitions":
			tail = append(tail, member)
		default:
			object = object || name == "type" && v.Type == gjson.String && v.Str == "object"
			rest = append(rest, member)
		}
		return true
	})
	if doubled {
		return "", false
	}
	if object {
		head = append(head, `"type":"object"`)
	}
	head = append(head, `"anyOf":[{`+strings.Join(rest, ",")+"},"+branchSchema+"]")
	return "{" + strings.Join(append(head, tail...), ",") + "}", true
}

// isAmended recognises the envelope among the alternatives of the root, in any
// serialisation, as long as it admits all codes that this gateway uses.
func isAmended(root gjson.Result) bool {
	for _, alternative := range root.Get("anyOf").Array() {
		required := alternative.Get("required").Array()
		for _, name := range []string{"code", "error_class", "sanitized_error"} {
			if !slices.ContainsFunc(required, func(r gjson.Result) bool { return r.Str == name }) {
				required = nil
				break
			}
		}
		if required == nil {
			continue
		}
		codes := alternative.Get("properties.code.enum").Array()
		if len(codes) == 0 {
			continue
		}
		if !slices.ContainsFunc(codeNames(), func(c string) bool {
			return !slices.ContainsFunc(codes, func(r gjson.Result) bool { return r.Str == c })
		}) {
			return true
		}
	}
	return false
}

// referrer walks the places of a schema where schemas stand and collects the
// edits that its references need when it moves to the branch.
type referrer struct {
	edits []edit
	stuck bool
}

// scoping keywords give a schema an address of its own, which the move would
// change or which cannot be followed by text.
var scoping = []string{"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}

func (r *referrer) schema(s gjson.Result, atRoot bool) {
	if !s.IsObject() || r.stuck {
		return
	}
	s.ForEach(func(k, v gjson.Result) bool {
		switch name := k.String(); {
		case name == "$ref":
			r.reference(v)
		case name == "$id" && !atRoot, name == "id" && v.Type == gjson.String, slices.Contains(scoping, name):
			r.stuck = true
		case slices.Contains(mapSchemas, name):
			if v.IsObject() {
				r.each(v)
			}
		case slices.Contains(oneSchema, name), slices.Contains(manySchemas, name):
			if v.IsArray() {
				r.each(v)
			} else {
				r.schema(v, false)
			}
		}
		return !r.stuck
	})
}

func (r *referrer) each(v gjson.Result) {
	v.ForEach(func(_, e gjson.Result) bool {
		r.schema(e, false)
		return !r.stuck
	})
}

func (r *referrer) reference(v gjson.Result) {
	if v.Type != gjson.String {
		r.stuck = true
		return
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(v.Str, "#/"), "/")
	switch {
	case strings.ContainsAny(v.Str, "%\\"):
		r.stuck = true
	case v.Str == "#":
	case !strings.HasPrefix(v.Str, "#/"):
		r.stuck = true
		return
	case first == "$defs" || first == "definitions":
		return // hoisted
	case !slices.Contains(oneSchema, first) && !slices.Contains(manySchemas, first) && !slices.Contains(mapSchemas, first):
		r.stuck = true // into a place that was not walked
	}
	moved := strconv.Quote(branch + v.Str[1:])
	r.edits = append(r.edits, edit{v.Index, v.Index + len(v.Raw), moved})
}
