package schema

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Of alternatives the report follows the one that was probably meant.
func TestAlternatives(t *testing.T) {
	const shapes = `{"properties":{"s":{"oneOf":[
		{"type":"object","required":["kind","radius"],"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"additionalProperties":false},
		{"type":"object","required":["kind","side"],"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"additionalProperties":false}]}}}`
	for name, c := range map[string]struct {
		schema, args string
		want         []Violation
	}{
		"types are united":       {`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}}}`, `{"a":[]}`, []Violation{{"a", WrongType, "a string, an integer or null", "array", "array", ""}}},
		"through references":     {`{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/s"},{"type":"null"}]}},"$defs":{"s":{"type":"string"}}}`, `{"a":1}`, []Violation{{"a", WrongType, "a string or null", "1", "integer", ""}}},
		"constants are united":   {`{"properties":{"a":{"anyOf":[{"const":"x"},{"const":"y"},{"enum":["z",5]}]}}}`, `{"a":"q"}`, []Violation{{"a", NotInEnum, "one of x, y, z, 5", "q", "string", ""}}},
		"the type that fits":     {`{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer","maximum":5}]}}}`, `{"a":9}`, []Violation{{"a", OutOfRange, "at most 5", "9", "integer", ""}}},
		"the discriminator":      {shapes, `{"s":{"kind":"square","radius":1}}`, []Violation{{"s.side", Missing, "a number", "missing", "", ""}, {"s.radius", Unexpected, "", "unexpected", "integer", ""}}},
		"the nearer of two":      {`{"anyOf":[{"required":["a","b","c"]},{"required":["d"]}]}`, `{}`, []Violation{{"d", Missing, "a value", "missing", "", ""}}},
		"nested alternatives":    {`{"properties":{"a":{"anyOf":[{"oneOf":[{"type":"string","maxLength":1},{"type":"boolean"}]},{"type":"null"}]}}}`, `{"a":"xy"}`, []Violation{{"a", TooLong, "at most 1 character", "2 characters", "string", ""}}},
		"more than one matches":  {`{"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":1}]}}}`, `{"a":5}`, []Violation{{"a", Other, "a value that matches exactly one of the allowed forms", "5", "integer", ""}}},
		"if then":                {`{"if":{"properties":{"m":{"const":"x"}},"required":["m"]},"then":{"required":["n"]},"else":{"required":["o"]}}`, `{"m":"x"}`, []Violation{{"n", Missing, "a value", "missing", "", ""}}},
		"allOf":                  {`{"allOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"integer"}}}]}`, `{"b":"x"}`, []Violation{{"a", Missing, "a string", "missing", "", ""}, {"b", WrongType, "an integer", "x", "string", ""}}},
		"dependent":              {`{"dependentRequired":{"a":["b"]},"properties":{"b":{"enum":["x","y"]}}}`, `{"a":1}`, []Violation{{"b", Missing, "one of x, y", "missing", "", ""}}},
		"dependencies 07":        {`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`, []Violation{{"b", Missing, "a value", "missing", "", ""}}},
		"not":                    {`{"properties":{"a":{"not":{"const":0}}}}`, `{"a":0}`, []Violation{{"a", Other, "another value", "0", "integer", ""}}},
		"false":                  {`{"properties":{"a":false}}`, `{"a":0}`, []Violation{{"a", Unexpected, "", "unexpected", "integer", ""}}},
		"unevaluated":            {`{"allOf":[{"properties":{"b":{}}}],"unevaluatedProperties":false}`, `{"b":1,"c":2}`, []Violation{{"c", Unexpected, "", "unexpected", "integer", ""}}},
		"property names":         {`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"A":1}`, []Violation{{"A", Unexpected, "", "unexpected", "integer", ""}}},
		"property names below":   {`{"properties":{"z":{"propertyNames":{"pattern":"^[a-z]+$"}},"a":{"properties":{"B":{"type":"string"}}}}}`, `{"a":{"c":{"d":1}},"z":{"B":1}}`, []Violation{{"z.B", Unexpected, "", "unexpected", "integer", ""}}},
		"property names unclear": {`{"properties":{"z":{"propertyNames":{"pattern":"^[a-z]+$"}},"a":{"properties":{"B":{"type":"string"}}}}}`, `{"a":{"B":"x"},"z":{"B":1}}`, []Violation{{"B", Unexpected, "", "unexpected", "", ""}}},
		"misspelt, open schema":  {`{"required":["query"],"properties":{"query":{"type":"string"},"limit":{}}}`, `{"Querry":"x","limit":1,"other":2}`, []Violation{{"query", Missing, "a string", "missing", "", ""}, {"Querry", Unexpected, "", "unexpected", "string", "query"}}},
		"nothing missing":        {`{"required":["query"],"properties":{"query":{}}}`, `{"query":"x","querry":1}`, nil},
		"both spellings near":    {`{"properties":{"file_path":{},"path":{}},"additionalProperties":false}`, `{"filepath":1}`, []Violation{{"filepath", Unexpected, "", "unexpected", "integer", "file_path"}}},
		"what is sent is no aim": {`{"properties":{"query":{}},"additionalProperties":false}`, `{"query":1,"querry":1}`, []Violation{{"querry", Unexpected, "", "unexpected", "integer", ""}}},
		"listed values are cut":  {`{"properties":{"a":{"enum":[1,2,3,4,5,6,7,8,9,10]}}}`, `{"a":0}`, []Violation{{"a", NotInEnum, "one of 1, 2, 3, 4, 5, 6, 7, 8 and others", "0", "integer", ""}}},
		"long values are not":    {`{"properties":{"a":{"enum":["` + strings.Repeat("x", 41) + `"]}}}`, `{"a":"` + strings.Repeat("y", 41) + `"}`, []Violation{{"a", NotInEnum, "one of the listed values", "string", "string", ""}}},
		"markup is not shown":    {`{"properties":{"a":{"type":"integer"}}}`, `{"a":"<b>x</b>"}`, []Violation{{"a", WrongType, "an integer", "string", "string", ""}}},
		"empty string":           {`{"properties":{"a":{"minLength":1}}}`, `{"a":""}`, []Violation{{"a", TooShort, "at least 1 character", "0 characters", "string", ""}}},
		"indexes in order":       {`{"items":{"type":"string"}}`, `[` + strings.Repeat(`"x",`, 9) + `1,"x",2,3,4]`, []Violation{{"[9]", WrongType, "a string", "1", "integer", ""}, {"[11]", WrongType, "a string", "2", "integer", ""}, {"[12]", WrongType, "a string", "3", "integer", ""}}},
		"decimal limit":          {`{"properties":{"a":{"maximum":0.5}}}`, `{"a":0.75}`, []Violation{{"a", OutOfRange, "at most 0.5", "0.75", "number", ""}}},
		"multiple":               {`{"properties":{"a":{"multipleOf":5}}}`, `{"a":7}`, []Violation{{"a", OutOfRange, "a multiple of 5", "7", "integer", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			tool := tool(c.schema)
			for range 5 { // maps are walked in another order each time
				if got := tool.CheckArguments([]byte(c.args)); !reflect.DeepEqual(got, c.want) {
					t.Fatalf("got %+v\nwant %+v", got, c.want)
				}
			}
		})
	}
}

func TestCheckResult(t *testing.T) {
	tool := NewTool(nil, []byte(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`))
	if vs := tool.CheckResult([]byte(`{"n":1}`)); vs != nil {
		t.Errorf("%+v", vs)
	}
	if vs := tool.CheckResult([]byte(`{"n":"x"}`)); len(vs) != 1 || vs[0].Path != "n" {
		t.Errorf("%+v", vs)
	}
	if vs := tool.CheckResult(nil); vs != nil {
		t.Errorf("%+v", vs)
	}
	if vs := tool.CheckArguments([]byte(`{"n":"x"}`)); vs != nil {
		t.Errorf("arguments without a schema: %+v", vs)
	}
}

// Schemas and values made at random: no panic, the same answer twice, every
// field filled, and the prose of the schema nowhere.
func TestRandomSchemas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 1000 {
		schema, args := randomSchema(r, 3), randomValue(r, 3)
		tool := NewTool([]byte(schema), []byte(schema))
		first := tool.CheckArguments([]byte(args))
		if !reflect.DeepEqual(first, tool.CheckArguments([]byte(args))) {
			t.Fatalf("not the same twice: %s %s", schema, args)
		}
		refused += min(1, len(first))
		for _, v := range first {
			if v.Received == "" || v.Expected == "" && v.Kind != Unexpected || strings.Contains(v.Expected+v.Path, "PROSE") {
				t.Fatalf("%+v of %s %s", v, schema, args)
			}
		}
		amended, ok := amend(schema)
		if !ok {
			continue
		}
		if validates(t, schema, args) && !validates(t, amended, args) {
			t.Fatalf("%s refuses %s, which %s admits", amended, args, schema)
		}
		if !validates(t, schema, args) && validates(t, amended, args) {
			t.Fatalf("%s admits %s, which %s refuses", amended, args, schema)
		}
	}
	if refused < 200 {
		t.Errorf("only %d of 1000 values were refused", refused)
	}
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func randomSchema(r *rand.Rand, depth int) string {
	members := map[string]string{"description": `"PROSE"`}
	n := strconv.Itoa(r.IntN(4))
	for range 1 + r.IntN(3) {
		switch k := r.IntN(16); {
		case k < 3:
			members["type"] = pick(r, `"object"`, `"string"`, `"integer"`, `"array"`, `["string","null"]`, `"boolean"`)
		case k == 3:
			members["required"] = pick(r, `["a"]`, `["b","c"]`)
		case k == 4:
			members["enum"] = pick(r, `["x","y"]`, `[1,null,{"a":1}]`)
		case k == 5:
			members[pick(r, "minimum", "exclusiveMaximum", "minLength", "maxItems", "minProperties", "maximum")] = n
		case k == 6:
			members["pattern"] = pick(r, `"^x"`, `"y$"`)
		case k == 7:
			members["additionalProperties"] = "false"
		case k == 8:
			members["$ref"] = pick(r, `"#/$defs/d"`, `"#/$defs/e"`)
		case depth > 0 && k < 12:
			members["properties"] = `{"a":` + randomSchema(r, depth-1) + `,"b":` + randomSchema(r, depth-1) + `}`
		case depth > 0 && k < 14:
			members[pick(r, "anyOf", "oneOf", "allOf")] = `[` + randomSchema(r, depth-1) + `,` + randomSchema(r, depth-1) + `]`
		case depth > 0:
			members[pick(r, "items", "not", "if", "then", "contains", "unevaluatedProperties", "propertyNames")] = randomSchema(r, depth-1)
		}
	}
	if depth == 3 {
		members["$defs"] = `{"d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}}},"e":{"type":"integer"}}`
	}
	var parts []string
	for k, v := range members {
		parts = append(parts, strconv.Quote(k)+":"+v)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	k := r.IntN(12)
	if depth == 3 {
		k = 11
	}
	switch {
	case k < 2:
		return strconv.Itoa(r.IntN(5))
	case k < 4:
		return pick(r, `"x"`, `"xy"`, `""`)
	case k == 4:
		return pick(r, "null", "true", "1.5")
	case k < 8 && depth > 0:
		return `[` + randomValue(r, depth-1) + `,` + randomValue(r, depth-1) + `]`
	case depth > 0:
		return `{"a":` + randomValue(r, depth-1) + `,"` + pick(r, "b", "c", "aa") + `":` + randomValue(r, depth-1) + `}`
	}
	return "0"
}
