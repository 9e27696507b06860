package schema

import (
	"fmt"
	"strings"
	"testing"
)

// bomb references itself twice at each of n levels: 2^n evaluations.
func bomb(keyword string, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"required":["x"]}}}`, n)
	return b.String()
}

func wide(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","required":["q"],"properties":{`)
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{},`, i)
	}
	b.WriteString(`"q":{}}}`)
	return b.String()
}

// Each of these has to come to an end in bounded steps, without a panic, and
// without refusing anything that it cannot judge.
func TestHostileSchemas(t *testing.T) {
	manyNumbers := `{"a":[` + strings.Repeat(`1e999999,`, 20_000) + `1]}`
	for name, c := range map[string]struct{ schema, args string }{
		"allOf bomb":             {bomb("allOf", 60), `{}`},
		"anyOf bomb":             {bomb("anyOf", 60), `{}`},
		"oneOf bomb":             {bomb("oneOf", 60), `{}`},
		"self reference":         {`{"$ref":"#"}`, `{}`},
		"circle":                 {`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, `{}`},
		"doubling per level":     {`{"type":"object","properties":{"x":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"x":`, 60) + `1` + strings.Repeat(`}`, 60)},
		"too many properties":    {wide(5000), `{}`},
		"10,000 properties":      {wide(10_000), `{}`},
		"long names":             {`{"properties":{"` + strings.Repeat("a", 20_000) + `":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 1000) + `{}]}},"type":"string"}`, `{}`},
		"remote":                 {`{"$ref":"http://127.0.0.1:1/x.json"}`, `{}`},
		"file":                   {`{"$ref":"file:///etc/passwd"}`, `{}`},
		"remote meta-schema":     {`{"$schema":"http://127.0.0.1:1/meta","type":"object"}`, `{}`},
		"remote under an id":     {`{"properties":{"a":{"$id":"http://127.0.0.1:1/","$ref":"x"}}}`, `{"a":1}`},
		"huge expression":        {`{"properties":{"a":{"pattern":"((a{1,100}){1,10}){1,1000}"}}}`, `{"a":"` + strings.Repeat("a", 100_000) + `!"}`},
		"slow expression":        {`{"properties":{"a":{"type":"array","items":{"pattern":"^(a?){400}a{400}$"}}}}`, `{"a":["` + strings.Repeat("a", 100_000) + `"]}`},
		"huge numbers":           {`{"properties":{"a":{"items":{"multipleOf":3}}}}`, manyNumbers},
		"huge number in schema":  {`{"properties":{"a":{"minimum":1e999999}}}`, `{"a":1}`},
		"deep schema":            {strings.Repeat(`{"not":`, 10_000) + `{}` + strings.Repeat(`}`, 10_000), `{}`},
		"deep arguments":         {`{"type":"string"}`, strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000)},
		"large arguments":        {`{"type":"string"}`, `{"a":"` + strings.Repeat("a", MaxValue) + `"}`},
		"many items, many forms": {`{"properties":{"a":{"items":{"anyOf":[` + strings.Repeat(`{"type":"string","minLength":3},`, 500) + `{"type":"null"}]}}}}`, `{"a":[` + strings.Repeat(`1,`, 50_000) + `1]}`},
		"large enum":             {`{"properties":{"a":{"items":{"enum":[` + strings.Repeat(`[[[[[[1]]]]]],`, 2000) + `2]}}}}`, `{"a":[` + strings.Repeat(`[[[[[[0]]]]]],`, 10_000) + `1]}`},
		"dynamic":                {`{"$dynamicRef":"#a","$defs":{"x":{"$dynamicAnchor":"a","type":"string"}}}`, `{}`},
		"recursive 2019":         {`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#"}`, `{}`},
		"not JSON":               {`{"type":`, `{}`},
		"two values":             {`{} {}`, `{}`},
		"arguments not JSON":     {`{"type":"string"}`, `{"a":`},
		"arguments two values":   {`{"type":"string"}`, `{} {}`},
		"wrong kinds":            {`{"type":5,"properties":[],"required":{},"enum":3,"allOf":{},"$ref":7,"items":"x","minimum":"y"}`, `{}`},
		"unresolved":             {`{"$ref":"#/$defs/none"}`, `{}`},
		"look-ahead under not":   {`{"not":{"pattern":"(?=x)y"}}`, `{"a":1}`},
		"look-ahead in oneOf":    {`{"properties":{"a":{"oneOf":[{"pattern":"(?!x)y"},{"type":"string"}]}}}`, `{"a":"q"}`},
	} {
		t.Run(name, func(t *testing.T) {
			tool := tool(c.schema)
			if vs := tool.CheckArguments([]byte(c.args)); vs != nil {
				t.Errorf("judged: %+v", vs)
			}
			tool.Properties()
			tool.Property("a.b[0].c")
			amendable(c.schema)
		})
	}
}

// What is odd but harmless is still judged.
func TestMendedSchemas(t *testing.T) {
	for name, c := range map[string]struct{ schema, good, bad string }{
		"unknown format":        {`{"properties":{"a":{"type":"string","format":"colour"}}}`, `{"a":"x"}`, `{"a":1}`},
		"bad pattern dropped":   {`{"properties":{"a":{"type":"string","pattern":"(?=x)"}}}`, `{"a":"q"}`, `{"a":1}`},
		"bad pattern property":  {`{"properties":{"a":{"type":"string"}},"patternProperties":{"(?=x)":{}},"additionalProperties":false}`, `{"a":"q","x":1}`, `{"a":1}`},
		"tuple without $schema": {`{"properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}`, `{"a":["x"]}`, `{"a":["x",1]}`},
		"draft 4 limit":         {`{"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, `{"a":2}`, `{"a":1}`},
		"true draft 4":          {`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, `{"a":2}`, `{"a":1}`},
		"draft 7":               {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/i"}},"definitions":{"i":{"type":"integer"}}}`, `{"a":2}`, `{"a":"x"}`},
		"nullable":              {`{"properties":{"a":{"type":"string","nullable":true}}}`, `{"a":null}`, `{"a":1}`},
		"required on property":  {`{"properties":{"a":{"type":"string","required":true}}}`, `{"a":"x"}`, `{"a":1}`},
		"type unknown":          {`{"properties":{"a":{"type":"any"},"b":{"type":"string"}}}`, `{"a":{}}`, `{"b":1}`},
		"own $id":               {`{"$id":"https://example.com/s","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`, `{"a":"x"}`, `{"a":1}`},
		"remote part":           {`{"properties":{"a":{"$ref":"https://example.com/x"},"b":{"type":"string"}}}`, `{"a":5}`, `{"b":1}`},
		"private $schema":       {`{"$schema":"https://example.com/mine","properties":{"a":{"type":"string"}}}`, `{"a":"x"}`, `{"a":1}`},
		"recursive":             {`{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":{"v":1,"next":{"next":{}}}}`, `{"a":{"next":{"next":{"v":"x"}}}}`},
		"prose named keyword":   {`{"properties":{"title":{"type":"string"},"default":{"type":"integer"}},"required":["title"]}`, `{"title":"x","default":1}`, `{"title":1}`},
		"pattern as a property": {`{"properties":{"pattern":{"type":"string"},"$ref":{"type":"integer"}}}`, `{"pattern":"(?=","$ref":1}`, `{"$ref":"x"}`},
		"lenient date-time":     {`{"properties":{"a":{"type":"string","format":"date-time"}}}`, `{"a":"2026-01-31T10:00:00"}`, `{"a":"tomorrow"}`},
		"lenient uuid":          {`{"properties":{"a":{"type":"string","format":"uuid"}}}`, `{"a":"123e4567e89b12d3a456426614174000"}`, `{"a":"12"}`},
		"email":                 {`{"properties":{"a":{"type":"string","format":"email"}}}`, `{"a":"a@example.com"}`, `{"a":"nobody"}`},
		"uri":                   {`{"properties":{"a":{"type":"string","format":"uri"}}}`, `{"a":"https://example.com"}`, `{"a":"no uri"}`},
		"ipv4":                  {`{"properties":{"a":{"type":"string","format":"ipv4"}}}`, `{"a":"192.0.2.1"}`, `{"a":"300.1.1.1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			tool := tool(c.schema)
			if vs := tool.CheckArguments([]byte(c.good)); vs != nil {
				t.Errorf("good value refused: %+v", vs)
			}
			if vs := tool.CheckArguments([]byte(c.bad)); vs == nil {
				t.Error("bad value admitted")
			}
		})
	}
}

// Patterns are small in text and large in memory: 2,000 of them made 180 MB.
func TestPatternsAreBounded(t *testing.T) {
	var p patterns
	refused := 0
	for i := range 2000 {
		if _, err := p.compile(fmt.Sprintf("^(a{1,%d}|b)$", i%900+50)); err != nil {
			refused++
		}
	}
	if p.size > maxPrograms+maxProgram || refused == 0 {
		t.Errorf("%d instructions, %d refused", p.size, refused)
	}
	for _, ordinary := range []string{`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`, `^\d{4}-\d{2}-\d{2}$`, `^\p{L}{1,100}$`, `^[^\s@]+@[^\s@]+\.[^\s@]+$`, `^#[0-9a-fA-F]{6}$`, `^.{1,500}$`} {
		var p patterns
		if _, err := p.compile(ordinary); err != nil {
			t.Errorf("%s: %v", ordinary, err)
		}
	}
}

// The meter must not let through what is dear: this is the size of the largest
// array that is still checked against five alternatives.
func TestMeterBounds(t *testing.T) {
	schema := `{"properties":{"a":{"items":{"anyOf":[{"type":"string"},{"type":"array"},{"type":"object"},{"type":"boolean"},{"type":"null"}]}}}}`
	for n, judged := range map[int]bool{1: true, 1000: true, 3000: true, 4000: false, 100_000: false} {
		vs := tool(schema).CheckArguments([]byte(`{"a":[` + strings.Repeat("1,", n) + `1]}`))
		if (vs != nil) != judged {
			t.Errorf("%d items: %d violations", n, len(vs))
		}
	}
}
