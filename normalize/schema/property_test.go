package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const booking = `{"type":"object","required":["to","people"],"properties":{
	"note":{"type":"string","description":"PROSE","default":"PROSE","examples":["PROSE"],"title":"PROSE","maxLength":40},
	"people":{"type":"integer","minimum":1,"exclusiveMaximum":10},
	"to":{"$ref":"#/$defs/place"},
	"lang":{"anyOf":[{"type":"string","enum":["en","de"]},{"type":"null"}]},
	"mode":{"oneOf":[{"const":"fast"},{"const":"slow"}]},
	"when":{"type":["string","null"],"format":"date"},
	"legs":{"type":"array","items":{"type":"object","required":["km"],"properties":{"km":{"type":"number","minimum":0.5},"via":{"$ref":"#/$defs/place"}}}},
	"pair":{"type":"array","items":[{"type":"string"},{"type":"integer"}]},
	"extra":{"type":"object","additionalProperties":{"type":"boolean"}},
	"either":{"anyOf":[{"type":"string"},{"type":"object","properties":{"inner":{"type":"integer"}}}]},
	"all":{"allOf":[{"$ref":"#/$defs/place"},{"minLength":3}]},
	"title":{"type":"string"}},
	"$defs":{"place":{"type":"object","required":["city"],"properties":{"city":{"type":"string","pattern":"^[A-Z]"},"near":{"$ref":"#/$defs/place"}}}}}`

func TestProperty(t *testing.T) {
	tool := tool(booking)
	for path, want := range map[string]string{
		"note":                    "note string |string of at most 40 characters|\"text\"",
		"people":                  "people integer required|integer from 1 to 9|1",
		"to":                      "to object required|object|",
		"to.city":                 "city string required|string|",
		"to.near.near.city":       "city string required|string|",
		"/to/near/city":           "city string required|string|",
		"lang":                    "lang string or null |one of en, de|\"en\"",
		"mode":                    "mode string |one of fast, slow|\"fast\"",
		"when":                    "when string or null |string or null in date format|\"2026-01-31\"",
		"legs":                    "legs array |array|",
		"legs[0].km":              "km number required|number of at least 0.5|0.5",
		"legs.3.via.city":         "city string required|string|",
		"pair[1]":                 "1 integer |integer|1",
		"extra.anything":          "anything boolean |boolean|true",
		"either.inner":            "inner integer |integer|1",
		"either":                  "either string or object |string or object|",
		"all.city":                "city string required|string|",
		"title":                   "title string |string|\"text\"",
		"none":                    "",
		"to.none":                 "",
		"":                        "",
		"...":                     "",
		strings.Repeat("a.", 400): "",
	} {
		p, ok := tool.Property(path)
		got := ""
		if ok {
			required := ""
			if p.Required {
				required = "required"
			}
			got = fmt.Sprintf("%s %s %s|%s|%s", p.Name, p.Type, required, p.Constraint(), p.Example())
		}
		if got != want {
			t.Errorf("%.30s: %q, want %q", path, got, want)
		}
	}
	if p, _ := tool.Property("to.city"); p.Pattern != "^[A-Z]" {
		t.Errorf("pattern %q", p.Pattern)
	}
}

func TestProperties(t *testing.T) {
	var names []string
	for _, p := range tool(booking).Properties() {
		names = append(names, p.Name)
		if p.Required != (p.Name == "to" || p.Name == "people") {
			t.Errorf("%s: required %v", p.Name, p.Required)
		}
	}
	want := []string{"people", "to", "note", "lang", "mode", "when", "legs", "pair", "extra", "either", "all", "title"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("%v", names)
	}
	if n := len(tool(wide(500)).Properties()); n != maxProperties {
		t.Errorf("%d properties", n)
	}
	if n := len(tool(wide(500)).Names()); n != 501 {
		t.Errorf("%d names", n)
	}
	if p := tool(wide(500)).Properties(); p[0].Name != "q" || !p[0].Required {
		t.Errorf("the required one does not come first: %+v", p[0])
	}
	// A schema that the compiler refuses still has its properties.
	odd := tool(`{"properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/none"}},"required":["a"]}`)
	if odd.CheckArguments([]byte(`{}`)) != nil || len(odd.Properties()) != 2 {
		t.Errorf("%+v", odd.Properties())
	}
	root := tool(`{"$ref":"#/$defs/in","$defs":{"in":{"properties":{"z":{},"a":{}},"required":["z"]}}}`)
	if !slices.Equal(root.Names(), []string{"z", "a"}) {
		t.Errorf("%v", root.Names())
	}
}

// An example is always valid for its own schema.
func TestExamplesAreValid(t *testing.T) {
	for _, s := range []string{
		`{"type":"string"}`, `{"type":"string","minLength":10}`, `{"type":"string","maxLength":2}`, `{"type":"string","pattern":"^x"}`,
		`{"type":"integer","minimum":5}`, `{"type":"integer","maximum":-5}`, `{"type":"integer","exclusiveMinimum":5}`, `{"type":"integer","minimum":0.5}`,
		`{"type":"number","exclusiveMinimum":5}`, `{"type":"number","minimum":0.25,"maximum":0.5}`, `{"type":"integer","multipleOf":7}`, `{"type":"number","exclusiveMaximum":1}`,
		`{"type":"boolean"}`, `{"enum":["a","b"]}`, `{"enum":[1,2]}`, `{"enum":[null,"x"]}`, `{"enum":[true]}`, `{"const":5}`, `{"enum":[1,"x"]}`, `{"enum":["x",1]}`,
		`{"type":["string","null"],"enum":["a",null]}`, `{"type":"string","format":"date"}`, `{"type":"string","format":"date-time"}`,
		`{"type":"string","format":"email"}`, `{"type":"string","format":"uuid"}`, `{"type":"string","format":"ipv4"}`, `{"type":"string","format":"ipv6"}`,
		`{"type":"string","format":"hostname"}`, `{"type":"string","format":"uri"}`, `{"type":"string","format":"colour"}`, `{"type":"string","const":"null"}`,
		`{"type":"integer","minimum":3,"maximum":2}`, `{"type":"string","enum":["two words"]}`, `{"not":{"const":1},"type":"integer"}`, `{"type":"integer","minimum":1e30}`,
	} {
		tool := tool(`{"properties":{"a":` + s + `}}`)
		p, ok := tool.Property("a")
		if !ok {
			t.Errorf("%s: not found", s)
			continue
		}
		example := p.Example()
		if example == "" {
			continue
		}
		if !json.Valid([]byte(example)) {
			t.Errorf("%s: %s is no JSON", s, example)
			continue
		}
		if vs := tool.CheckArguments([]byte(`{"a":` + example + `}`)); vs != nil {
			t.Errorf("%s: %s is refused: %+v", s, example, vs)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"query", "limit", "start_date", "end_date", "id", "repo"}
	for name, want := range map[string]string{
		"querry": "query", "qurey": "query", "Query": "query", "startDate": "start_date", "startdat": "start_date", "lim": "limit",
		"x": "", "is": "", "in": "", "ids": "id", "repository": "", "": "", "owner": "", strings.Repeat("q", 1000): "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%.20s: %q, want %q", name, got, want)
		}
	}
}
