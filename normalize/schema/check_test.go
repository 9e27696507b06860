package schema

import (
	"reflect"
	"testing"
)

func tool(input string) *Tool { return NewTool([]byte(input), nil) }

func TestCheckArguments(t *testing.T) {
	const order = `{"type":"object","properties":{
		"quantity":{"type":"integer","minimum":1,"maximum":100,"description":"SECRET"},
		"lang":{"enum":["en","de"]},
		"start_date":{"type":"string","format":"date"},
		"query":{"type":"string","minLength":2,"maxLength":5},
		"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2,"uniqueItems":true},
		"code":{"type":"string","pattern":"^[A-Z]+$"},
		"deep":{"type":"object","required":["a"],"properties":{"a":{"type":"array","items":{"$ref":"#/$defs/n"}}}}
		},"required":["query"],"additionalProperties":false,"$defs":{"n":{"type":["number","null"],"exclusiveMaximum":10}}}`
	for name, c := range map[string]struct {
		schema, args string
		want         []Violation
	}{
		"valid":          {order, `{"query":"abc","quantity":5,"deep":{"a":[1,null]}}`, nil},
		"no arguments":   {order, ``, []Violation{{"query", Missing, "a string", "missing", "", ""}}},
		"null arguments": {order, `null`, []Violation{{"query", Missing, "a string", "missing", "", ""}}},
		"not an object":  {order, `[]`, []Violation{{"", WrongType, "an object", "array", "array", ""}}},
		"wrong type":     {order, `{"query":"abc","quantity":"five"}`, []Violation{{"quantity", WrongType, "an integer", "five", "string", ""}}},
		"fraction":       {order, `{"query":"abc","quantity":1.5}`, []Violation{{"quantity", WrongType, "an integer", "1.5", "number", ""}}},
		"range":          {order, `{"query":"abc","quantity":101}`, []Violation{{"quantity", OutOfRange, "at most 100", "101", "integer", ""}}},
		"enum":           {order, `{"query":"abc","lang":"fr"}`, []Violation{{"lang", NotInEnum, "one of en, de", "fr", "string", ""}}},
		"format":         {order, `{"query":"abc","start_date":"31.01.2026"}`, []Violation{{"start_date", BadFormat, "a string in date format", "31.01.2026", "string", ""}}},
		"too long":       {order, `{"query":"abcdefg"}`, []Violation{{"query", TooLong, "at most 5 characters", "7 characters", "string", ""}}},
		"pattern":        {order, `{"query":"abc","code":"abc"}`, []Violation{{"code", BadPattern, "a string in the required pattern", "abc", "string", ""}}},
		"items":          {order, `{"query":"abc","tags":[]}`, []Violation{{"tags", TooShort, "at least 1 item", "0 items", "array", ""}}},
		"unique":         {order, `{"query":"abc","tags":["a","a"]}`, []Violation{{"tags", Other, "unique items", "array", "array", ""}}},
		"nested":         {order, `{"query":"abc","deep":{"a":[1,"x",11]}}`, []Violation{{"deep.a[1]", WrongType, "a number or null", "x", "string", ""}, {"deep.a[2]", OutOfRange, "less than 10", "11", "integer", ""}}},
		"nested missing": {order, `{"query":"abc","deep":{}}`, []Violation{{"deep.a", Missing, "an array", "missing", "", ""}}},
		"did you mean":   {order, `{"querry":"abc"}`, []Violation{{"query", Missing, "a string", "missing", "", ""}, {"querry", Unexpected, "", "unexpected", "string", "query"}}},
		"three at most, missing first": {order, `{"quantity":"a","lang":1,"tags":5,"zzz":1}`, []Violation{
			{"query", Missing, "a string", "missing", "", ""}, {"lang", NotInEnum, "one of en, de", "1", "integer", ""}, {"quantity", WrongType, "an integer", "a", "string", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := tool(c.schema).CheckArguments([]byte(c.args))
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
		})
	}
}
