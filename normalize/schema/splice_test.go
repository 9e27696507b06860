package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestFilterTools(t *testing.T) {
	keep := func(name string) bool { return !strings.HasPrefix(name, "h") && name != "" }
	for name, c := range map[string]struct {
		in, want string
		removed  int
	}{
		"nothing hidden":   {`{"tools":[{"name":"a"}, {"name":"b"}],"x":1}`, `{"tools":[{"name":"a"}, {"name":"b"}],"x":1}`, 0},
		"no tools":         {`{"tools":[]}`, `{"tools":[]}`, 0},
		"first":            {`{"tools":[ {"name":"h"} , {"name":"b"} ]}`, `{"tools":[ {"name":"b"} ]}`, 1},
		"last":             {`{"tools":[ {"name":"a"} , {"name":"h"} ]}`, `{"tools":[ {"name":"a"} ]}`, 1},
		"middle":           {"{\"tools\":[{\"name\":\"a\"},\n {\"name\":\"h\"},\n {\"name\":\"b\"}]}", "{\"tools\":[{\"name\":\"a\"},\n {\"name\":\"b\"}]}", 1},
		"only":             {`{"tools":[ {"name":"h"} ],"nextCursor":"c"}`, `{"tools":[  ],"nextCursor":"c"}`, 1},
		"all":              {`{"tools":[{"name":"h1"},{"name":"h2"}]}`, `{"tools":[]}`, 2},
		"runs":             {`{"tools":[{"name":"h1"},{"name":"h2"},{"name":"a"},{"name":"h3"},{"name":"h4"},{"name":"b"},{"name":"h5"},{"name":"h6"}]}`, `{"tools":[{"name":"a"},{"name":"b"}]}`, 6},
		"escaped name":     {`{"tools":[{"name":"\u0068idden"},{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, 1},
		"escaped keys":     {`{"t\u006fols":[{"n\u0061me":"h"},{"name":"a"}]}`, `{"t\u006fols":[{"name":"a"}]}`, 1},
		"doubled name":     {`{"tools":[{"name":"a","name":"h"},{"name":"h","name":"a"},{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, 2},
		"doubled list":     {`{"tools":[{"name":"h"}],"tools":[{"name":"h"},{"name":"a"}]}`, `{"tools":[],"tools":[{"name":"a"}]}`, 2},
		"other case":       {`{"Tools":[{"Name":"h"},{"NAME":"a"}]}`, `{"Tools":[{"NAME":"a"}]}`, 1},
		"no name":          {`{"tools":[{"title":"h"},5,{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, 2},
		"elsewhere":        {`{"_meta":{"tools":[{"name":"h"}]},"tools":[{"name":"a","tools":[{"name":"h"}]}]}`, `{"_meta":{"tools":[{"name":"h"}]},"tools":[{"name":"a","tools":[{"name":"h"}]}]}`, 0},
		"brackets in text": {`{"tools":[{"name":"a","description":"],{\"name\":\"h\"}"},{"name":"h"}]}`, `{"tools":[{"name":"a","description":"],{\"name\":\"h\"}"}]}`, 1},
		"not JSON":         {`{"tools":[{"name":"h"}`, `{"tools":[]}`, 1},
		"too deep":         {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `{"tools":[]}`, 1},
		"no list":          {`{"tools":{"name":"h"}}`, `{"tools":{"name":"h"}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			out, removed := FilterTools([]byte(c.in), keep)
			if string(out) != c.want || removed != c.removed {
				t.Errorf("%d removed: %s", removed, out)
			}
		})
	}
}

func FuzzFilterTools(f *testing.F) {
	f.Add(`{"tools":[{"name":"h"} , {"name":"a"},{"name":"h2"}],"ttlMs":5}`)
	f.Add(`{"tools":[{"name":"h"}],"tools":[1,2,{"name":"\u0068"}]}`)
	f.Fuzz(func(t *testing.T, src string) {
		hidden := func(name string) bool { return !strings.HasPrefix(name, "h") }
		out, removed := FilterTools([]byte(src), hidden)
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s", out)
		}
		if removed == 0 && string(out) != src {
			t.Fatalf("changed: %s", out)
		}
		if again, n := FilterTools(out, hidden); n != 0 || string(again) != string(out) {
			t.Fatalf("%d left in %s", n, out)
		}
		if removed == 0 || !json.Valid([]byte(src)) {
			return
		}
		if !subsequence(string(out), src) {
			t.Fatalf("bytes that were not there: %s", out)
		}
		var result struct{ Tools []struct{ Name string } }
		if json.Unmarshal(out, &result) == nil && slices.ContainsFunc(result.Tools, func(e struct{ Name string }) bool { return strings.HasPrefix(e.Name, "h") }) {
			t.Fatalf("a hidden tool passed: %s", out)
		}
	})
}

func subsequence(part, whole string) bool {
	for i := 0; i < len(whole) && part != ""; i++ {
		if part[0] == whole[i] {
			part = part[1:]
		}
	}
	return part == ""
}

func FuzzAmendOutput(f *testing.F) {
	for _, c := range amendCases {
		f.Add(c.schema)
	}
	f.Add(`{"type":"object","a":1,"anyOf":[{"required":["code"]}]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		list := `{"tools":[{"name":"x","outputSchema":` + schema + `,"a":[1, 2]}],"n":1}`
		out, changed := AmendOutput([]byte(list))
		if !changed {
			if string(out) != list {
				t.Fatalf("changed: %s", out)
			}
			return
		}
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s", out)
		}
		if again, changed := AmendOutput(out); changed || string(again) != string(out) {
			t.Fatalf("amended twice: %s", again)
		}
		if !json.Valid([]byte(schema)) {
			return // the schema was cut by its own brackets
		}
		before, after, _ := strings.Cut(list, schema)
		if !strings.HasPrefix(string(out), before) || !strings.HasSuffix(string(out), after) {
			t.Fatalf("other bytes changed: %s", out)
		}
	})
}

func FuzzCheckArguments(f *testing.F) {
	f.Add(typical, `{"querry":"x","limit":"ten"}`)
	f.Add(bomb("anyOf", 8), `{}`)
	f.Add(`{"properties":{"a":{"oneOf":[{"const":1},{"type":"array","items":{"$ref":"#"}}]}}}`, `{"a":[{"a":2}]}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		tool := NewTool([]byte(schema), []byte(schema))
		first := tool.CheckArguments([]byte(args))
		if !slices.Equal(first, tool.CheckArguments([]byte(args))) {
			t.Fatal("not the same twice")
		}
		if len(first) > maxViolations {
			t.Fatalf("%d violations", len(first))
		}
		for _, v := range first {
			if v.Received == "" || v.Expected == "" && v.Kind != Unexpected || len(v.Path) > 2*maxPath {
				t.Fatalf("%+v", v)
			}
			tool.Property(v.Path)
		}
		for _, p := range tool.Properties() {
			p.Example()
		}
		tool.Amendable()
	})
}
