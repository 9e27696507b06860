package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validates compiles a schema without any of this package's preparation, as a
// client does, and checks a value.
func validates(t *testing.T, schema, value string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatalf("schema %s: %v", schema, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("https://client.invalid/s", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://client.invalid/s")
	if err != nil {
		t.Fatalf("schema %s: %v", schema, err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

func envelopes(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, code := range envelope.Codes() {
		e := envelope.New("mcp", code, sanitize.Safe{}, envelope.WithWait(12e9), envelope.WithSuggestion("other"),
			envelope.WithNumbers(envelope.Current{Concurrency: 6, RPM: 3}, envelope.Limits{MaxConcurrency: 5, MaxRPM: 60}))
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

func TestEnvelopeSchema(t *testing.T) {
	for _, e := range envelopes(t) {
		if !validates(t, string(EnvelopeSchema()), e) {
			t.Errorf("refused: %s", e)
		}
	}
	for _, v := range []string{`{}`, `[]`, `{"service":"mcp","code":"teapot","error_class":"terminal","error":"x","sanitized_error":"x"}`} {
		if validates(t, string(EnvelopeSchema()), v) {
			t.Errorf("admitted: %s", v)
		}
	}
}

var amendCases = map[string]struct{ schema, good, bad string }{
	"closed":          {`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`, `{"n":1}`, `{"n":1,"x":2}`},
	"defs":            {`{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"required":["p"],"$defs":{"P":{"type":"object","required":["q"],"properties":{"q":{"$ref":"#/$defs/Q"}}},"Q":{"type":"string"}}}`, `{"p":{"q":"x"}}`, `{"p":{"q":1}}`},
	"draft 07":        {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"$ref":"#/definitions/P"}},"required":["p"],"definitions":{"P":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}`, `{"p":["a"]}`, `{"p":["a",1]}`},
	"root ref":        {`{"$ref":"#/$defs/R","$defs":{"R":{"type":"object","required":["r"]}}}`, `{"r":1}`, `{"s":1}`},
	"root ref 07":     {`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/R","definitions":{"R":{"type":"object","required":["r"]}}}`, `{"r":1}`, `{"s":1}`},
	"oneOf root":      {`{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"additionalProperties":{"type":"integer"}}`, `{"a":1}`, `{"a":1,"b":2}`},
	"anyOf root":      {`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, `{"c":1}`},
	"recursive root":  {`{"type":"object","properties":{"next":{"$ref":"#"},"v":{"type":"integer"}},"required":["v"],"additionalProperties":false}`, `{"v":1,"next":{"v":2}}`, `{"v":1,"next":{"v":"x"}}`},
	"path ref":        {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}},"required":["b"]}`, `{"b":1}`, `{"b":"x"}`},
	"path ref in def": {`{"type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/$defs/B"}},"required":["b"],"$defs":{"B":{"type":"array","items":{"$ref":"#/properties/a"}}}}`, `{"b":[1]}`, `{"b":["x"]}`},
	"root id":         {`{"$id":"https://example.com/out","type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"required":["p"],"$defs":{"P":{"type":"integer"}}}`, `{"p":1}`, `{"p":"x"}`},
	"unevaluated":     {`{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]}],"unevaluatedProperties":false}`, `{"a":1}`, `{"a":1,"b":1}`},
	"array (2026)":    {`{"type":"array","items":{"type":"integer"}}`, `[1]`, `["x"]`},
	"ref as a name":   {`{"type":"object","properties":{"$ref":{"type":"integer"},"$id":{"type":"string"}},"required":["$ref"]}`, `{"$ref":1}`, `{"$ref":"x"}`},
	"ref as a value":  {`{"type":"object","properties":{"p":{"const":{"$ref":"#/properties/p"}}},"required":["p"]}`, `{"p":{"$ref":"#/properties/p"}}`, `{"p":{"$ref":"#/anyOf/0/properties/p"}}`},
}

func TestAmendedSchemasAdmitBoth(t *testing.T) {
	all := envelopes(t)
	for name, c := range amendCases {
		t.Run(name, func(t *testing.T) {
			list := `{"tools":[{"name":"x","outputSchema":` + c.schema + ` , "inputSchema":{"type":"object"}}]}`
			out, changed := AmendOutput([]byte(list))
			if !changed || !json.Valid(out) {
				t.Fatalf("changed %v: %s", changed, out)
			}
			before, after, _ := strings.Cut(list, c.schema)
			s := strings.TrimSuffix(strings.TrimPrefix(string(out), before), after)
			if len(s)+len(before)+len(after) != len(out) {
				t.Fatalf("other bytes changed: %s", out)
			}
			if !validates(t, c.schema, c.good) || validates(t, c.schema, c.bad) {
				t.Fatal("the case itself is wrong")
			}
			if !validates(t, s, c.good) {
				t.Errorf("good value refused by %s", s)
			}
			if validates(t, s, c.bad) {
				t.Errorf("bad value admitted by %s", s)
			}
			for _, e := range all {
				if !validates(t, s, e) {
					t.Errorf("envelope refused by %s", s)
				}
			}
			var root struct{ Type string }
			if err := json.Unmarshal([]byte(s), &root); err != nil {
				t.Fatal(err)
			}
			if want := strings.Contains(c.schema, `"type":"object","`); want && name != "root ref" && name != "root ref 07" && root.Type != "object" {
				t.Errorf("type object lost: %s", s)
			}
			again, changed := AmendOutput(out)
			if changed || string(again) != string(out) {
				t.Errorf("amended twice: %s", again)
			}
			if !NewTool(nil, []byte(c.schema)).Amendable() || !NewTool(nil, []byte(s)).Amendable() {
				t.Error("not amendable")
			}
		})
	}
}

func TestAmendLeavesAlone(t *testing.T) {
	for name, s := range map[string]string{
		"nested id":     `{"type":"object","properties":{"a":{"$id":"https://example.com/a","$ref":"#/x"}}}`,
		"anchor":        `{"type":"object","$defs":{"A":{"$anchor":"a"}},"properties":{"p":{"$ref":"#a"}}}`,
		"dynamic":       `{"type":"object","properties":{"p":{"$dynamicRef":"#node"}}}`,
		"remote":        `{"type":"object","properties":{"p":{"$ref":"https://example.com/x"}}}`,
		"relative":      `{"type":"object","properties":{"p":{"$ref":"other.json#/a"}}}`,
		"escaped":       `{"type":"object","properties":{"p":{"$ref":"#/%24defs/A"}},"$defs":{"A":{}}}`,
		"elsewhere":     `{"type":"object","x":{"a":{}},"properties":{"p":{"$ref":"#/x/a"}}}`,
		"doubled":       `{"type":"object","type":"array"}`,
		"no object":     `true`,
		"too deep":      `{"type":"object","properties":` + strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70) + `}`,
		"too large":     `{"type":"object","description":"` + strings.Repeat("x", MaxSchema) + `"}`,
		"ref no string": `{"type":"object","$ref":5}`,
	} {
		t.Run(name, func(t *testing.T) {
			list := `{"tools":[{"name":"x","outputSchema":` + s + `}]}`
			out, changed := AmendOutput([]byte(list))
			if changed || string(out) != list {
				t.Errorf("changed: %s", out)
			}
			st := NewStore(10)
			st.Learn("", []byte(list), epoch)
			tool := st.Lookup("", "x", epoch)
			if tool.Amendable() || !tool.HasOutput() {
				t.Errorf("amendable %v, output %v", tool.Amendable(), tool.HasOutput())
			}
		})
	}
}

// An envelope branch of other words or fewer codes is not taken for ours.
func TestForeignBranch(t *testing.T) {
	s := `{"anyOf":[{"type":"object"},{"required":["code","error_class","sanitized_error"],"properties":{"code":{"enum":["bad_request"]}}}]}`
	if _, changed := AmendOutput([]byte(`{"tools":[{"name":"x","outputSchema":` + s + `}]}`)); !changed {
		t.Error("taken for amended")
	}
}
