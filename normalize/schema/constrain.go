package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

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
	var forms []Property
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
			forms = append(forms, q)
		}
	}
	name, required := p.Name, p.Required
	if len(forms) == 1 {
		*p = forms[0]
	} else if len(p.Enum) == 0 && len(forms) > 1 && !slices.ContainsFunc(forms, func(q Property) bool { return len(q.Enum) == 0 }) {
		for _, q := range forms {
			p.Enum = append(p.Enum, q.Enum...)
		}
		p.first = forms[0].first
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
		s, ok := literal(v)
		if !ok || len(p.Enum) == maxListed {
			continue
		}
		p.Enum = append(p.Enum, s)
		if p.first == "" {
			p.first = asJSON(v)
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

// unshown are keywords whose effect no field of Property shows.
var unshown = []string{"multipleOf", "not", "if", "exclusiveMinimum", "exclusiveMaximum"}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func (p *Property) limits(m map[string]any) {
	whole := strings.TrimSuffix(p.Type, " or null") == "integer"
	for _, k := range unshown {
		if _, ok := m[k]; ok && !(whole && strings.HasPrefix(k, "exclusive")) {
			p.more = true
		}
	}
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
