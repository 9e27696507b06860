package schema

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// meter walks a schema and a value like the validator would at worst, without
// looking at results, and stops when the steps are used up. Schemas may be
// small and yet exponential ("allOf" of two references to the same, thirty
// times), so their cost must be known before they are run.
type meter struct{ left int }

const maxFrames = 512

func (m *meter) run(s *jsonschema.Schema, v any, frame int) bool {
	if m.left--; m.left < 0 || frame > maxFrames {
		return false
	}
	if s == nil || s.Bool != nil {
		return true
	}
	frame++
	if s.Enum != nil && !m.enum(s.Enum.Values) {
		return false
	}
	if s.Const != nil && !m.enum([]any{*s.Const}) {
		return false
	}
	for _, sub := range [...]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		if sub != nil && !m.run(sub, v, frame) {
			return false
		}
	}
	for _, list := range [...][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, sub := range list {
			if !m.run(sub, v, frame) {
				return false
			}
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return m.object(s, v, frame)
	case []any:
		return m.array(s, v, frame)
	case string:
		return m.text(s.Pattern, v)
	}
	return true
}

// enum charges for comparisons with structured values by what they hold.
func (m *meter) enum(values []any) bool {
	for _, v := range values {
		switch v := v.(type) {
		case map[string]any:
			m.left--
			for _, e := range v {
				if !m.enum([]any{e}) {
					return false
				}
			}
		case []any:
			m.left--
			if !m.enum(v) {
				return false
			}
		case json.Number:
			m.left-- // compared as rationals
		}
	}
	m.left -= len(values) / 8
	return m.left >= 0
}

// text charges for a match by the size of the text and of the program.
func (m *meter) text(re jsonschema.Regexp, s string) bool {
	if e, ok := re.(*expression); ok {
		m.left -= len(s) * e.size / 64
	}
	return m.left >= 0
}

func (m *meter) object(s *jsonschema.Schema, o map[string]any, frame int) bool {
	m.left -= (len(o) + len(s.Required)) / 8
	for _, sub := range s.DependentSchemas {
		if !m.run(sub, o, frame) {
			return false
		}
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*jsonschema.Schema); ok && !m.run(sub, o, frame) {
			return false
		}
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, v := range o {
		if sub := s.Properties[name]; sub != nil && !m.run(sub, v, frame) {
			return false
		}
		for re, sub := range s.PatternProperties {
			if !m.text(re, name) || !m.run(sub, v, frame) {
				return false
			}
		}
		if s.PropertyNames != nil && !m.run(s.PropertyNames, name, frame) {
			return false
		}
		for _, sub := range [...]*jsonschema.Schema{additional, s.UnevaluatedProperties} {
			if sub != nil && !m.run(sub, v, frame) {
				return false
			}
		}
	}
	return m.left >= 0
}

func (m *meter) array(s *jsonschema.Schema, a []any, frame int) bool {
	if s.UniqueItems {
		m.left -= len(a)
	}
	one, _ := s.Items.(*jsonschema.Schema)
	tuple, _ := s.Items.([]*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, v := range a {
		if i < len(tuple) && !m.run(tuple[i], v, frame) {
			return false
		}
		if i < len(s.PrefixItems) && !m.run(s.PrefixItems[i], v, frame) {
			return false
		}
		for _, sub := range [...]*jsonschema.Schema{one, additional, s.Items2020, s.Contains, s.UnevaluatedItems} {
			if sub != nil && !m.run(sub, v, frame) {
				return false
			}
		}
	}
	return m.left >= 0
}
