package schema

import (
	"errors"
	"io"
	"strings"

	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// program is a schema ready for use. The parts that could not be had are nil.
type program struct {
	check      *jsonschema.Schema
	properties []Property // of the root, required first
	root       any        // the prepared schema, for look-ups by path
	weight     int        // about its size in memory, in KiB
}

var (
	errRemote = errors.New("schemas are not loaded from anywhere")
	errBounds = errors.New("schema exceeds the bounds")
	errExotic = errors.New("schema uses dynamic references")
	errInJSON = errors.New("not one JSON value")
)

// location names the schema inside the compiler; it is never resolved.
const location = "https://schema.invalid/tool"

// noLoader refuses every remote reference.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRemote }

// compile never fails and never panics: what cannot be compiled is unknown.
func compile(raw string) (p *program) {
	p = &program{weight: 1}
	defer func() {
		if recover() != nil {
			p = &program{weight: 1}
		}
	}()
	doc, err := decode(raw)
	if err != nil {
		return p
	}
	prep := preparer{draft: draftOf(doc)}
	if err := prep.schema(doc, 0, 0); err != nil {
		return p
	}
	p.root, p.weight = doc, 1+prep.schemas+len(raw)/64+prep.pointers/256+prep.expressions.size/10
	p.properties = listProperties(doc, order(raw))
	if prep.loose && prep.exact {
		return p // a loosened part under "not" or "oneOf" would refuse valid values
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(prep.expressions.compile)
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for i := range lenientFormats {
		c.RegisterFormat(&lenientFormats[i])
	}
	if err := c.AddResource(location, doc); err != nil {
		return p
	}
	s, err := c.Compile(location)
	if err != nil {
		return p
	}
	p.check = s
	return p
}

// decode reads exactly one JSON value within the bounds of depth and numbers.
func decode(raw string) (any, error) {
	if tooDeep(raw, maxDepth) {
		return nil, errBounds
	}
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errInJSON
	}
	if !saneNumbers(v) {
		return nil, errBounds
	}
	return v, nil
}

// tooDeep reports whether raw nests deeper than limit. It looks at brackets
// outside strings only, so it may be asked before raw is parsed.
func tooDeep(raw string, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// saneNumbers refuses numbers whose exact value is expensive: comparisons are
// made on rationals, and 1e1000000 is a rational with a million digits.
func saneNumbers(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return saneNumber(string(v))
	case []any:
		for _, e := range v {
			if !saneNumbers(e) {
				return false
			}
		}
	case map[string]any:
		for _, e := range v {
			if !saneNumbers(e) {
				return false
			}
		}
	}
	return true
}

func saneNumber(s string) bool {
	if len(s) > 64 {
		return false
	}
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return true
	}
	return len(strings.TrimLeft(s[i+1:], "+-0")) <= 3
}

// order returns the names of the root's properties as the server wrote them.
func order(raw string) []string {
	var names []string
	gjson.Get(raw, "properties").ForEach(func(k, _ gjson.Result) bool {
		names = append(names, k.String())
		return len(names) < maxSchemas
	})
	return names
}
