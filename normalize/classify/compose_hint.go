package classify

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

// maxNamed is how many arguments a hint lists.
const maxNamed = 6

// hint says what a valid argument looks like, from the schema alone.
func (w *writer) hint() (sanitize.Safe, bool) {
	if w.dec.issue != nil && w.dec.issue.path != "" && w.dec.issue.kind != kindUnexpected {
		if s, ok := w.propertyHint(w.dec.issue.path); ok {
			return s, true
		}
	}
	return w.properties()
}

// propertyHint describes one argument.
func (w *writer) propertyHint(path string) (sanitize.Safe, bool) {
	p, ok := w.e.Schema.Property(path)
	if !ok {
		return sanitize.Safe{}, false
	}
	d := describe(p)
	if len(d) == 0 {
		return sanitize.Safe{}, false
	}
	end := one(sanitize.Word("."))
	lead := cat(one(sanitize.Word("Expected: ")), d)
	var full run
	name, nok := sanitize.Ident(p.Name)
	ex, eok := sanitize.Value(strings.Trim(p.Example(), `"`))
	if nok && eok {
		open, shut := sanitize.Word(`": `), sanitize.Word(`}.`)
		if strings.HasPrefix(p.Example(), `"`) {
			open, shut = sanitize.Word(`": "`), sanitize.Word(`"}.`)
		}
		full = cat(lead, run{sanitize.Word(`; for example {"`), name, open, ex, shut})
	}
	return first(full, cat(lead, end))
}

// properties lists the arguments of the tool, required ones first.
func (w *writer) properties() (sanitize.Safe, bool) {
	var all []run
	for _, p := range w.e.Schema.Properties() {
		name, ok := sanitize.Ident(p.Name)
		if !ok {
			continue
		}
		r := one(name)
		if d := describe(p); len(d) > 0 {
			r = cat(r, one(sanitize.Word(" (")), d, one(sanitize.Word(")")))
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return sanitize.Safe{}, false
	}
	return cat(one(sanitize.Word("Valid arguments: ")), list(maxNamed, all...), one(sanitize.Word("."))).sentence()
}

// describe writes "integer from 1 to 100, required".
func describe(p schema.Property) run {
	var parts []run
	add := func(r run) {
		if len(r) > 0 {
			parts = append(parts, r)
		}
	}
	if len(p.Enum) > 0 {
		var all []run
		for _, e := range p.Enum {
			if s, ok := sanitize.Value(e); ok {
				all = append(all, one(s))
			}
		}
		if len(all) == len(p.Enum) {
			add(cat(one(sanitize.Word("one of ")), list(8, all...)))
		}
	} else if t, ok := sanitize.Phrase(p.Type); ok {
		add(bounds(p, one(t)))
	}
	if f, ok := sanitize.Phrase(p.Format); ok {
		add(run{sanitize.Word("format "), f})
	}
	if p.Required {
		add(one(sanitize.Word("required")))
	}
	return list(3, parts...)
}

// bounds adds the limits of a property to its type.
func bounds(p schema.Property, t run) run {
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		t = append(t, sanitize.Word(" from "), sanitize.Float(*p.Minimum), sanitize.Word(" to "), sanitize.Float(*p.Maximum))
	case p.Minimum != nil:
		t = append(t, sanitize.Word(" of at least "), sanitize.Float(*p.Minimum))
	case p.Maximum != nil:
		t = append(t, sanitize.Word(" of at most "), sanitize.Float(*p.Maximum))
	case p.MinLength != nil && *p.MinLength == 1 && p.MaxLength == nil:
		t = append(run{sanitize.Word("non-empty ")}, t...)
	case p.MaxLength != nil:
		t = append(t, sanitize.Word(" of at most "), sanitize.Int(int64(*p.MaxLength)), sanitize.Word(" characters"))
	}
	return cat(t)
}
