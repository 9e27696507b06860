package schema

import (
	"fmt"
	"strings"
	"testing"
)

const typical = `{"type":"object","properties":{"query":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":100},` +
	`"lang":{"type":"string","enum":["en","de","fr"]},"since":{"type":"string","format":"date"},"tags":{"type":"array","items":{"type":"string"}},` +
	`"exact":{"type":"boolean"}},"required":["query"],"additionalProperties":false}`

func fifty() []byte {
	tools := make([]string, 50)
	for i := range tools {
		tools[i] = fmt.Sprintf(`{"name":"tool_%d","description":"%s","inputSchema":%s,"outputSchema":{"type":"object","properties":{"r%d":{"type":"string"}}}}`,
			i, strings.Repeat("what it does ", 20), strings.Replace(typical, "query", fmt.Sprint("query", i), 2), i)
	}
	return page("", tools...)
}

func BenchmarkLookup(b *testing.B) {
	s := NewStore(100)
	s.Learn("scope", fifty(), epoch)
	b.ReportAllocs()
	for b.Loop() {
		if s.Lookup("scope", "tool_7", epoch) == nil {
			b.Fatal("not found")
		}
	}
}

func BenchmarkLearnUnchanged(b *testing.B) {
	s, list := NewStore(100), fifty()
	s.Learn("scope", list, epoch)
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		s.Learn("scope", list, epoch)
	}
}

func BenchmarkCheckValid(b *testing.B) {
	benchCheck(b, typical, `{"query":"gateway","limit":10,"lang":"de","since":"2026-01-31","tags":["a","b"],"exact":true}`)
}

func BenchmarkCheckInvalid(b *testing.B) {
	benchCheck(b, typical, `{"querry":"gateway","limit":"ten"}`)
}

// The dearest checks that the bounds let through.
func BenchmarkCheckWorst(b *testing.B) {
	items := strings.Repeat(`1,`, 3000) + "1"
	forms := strings.Repeat(`{"type":"string"},`, 4)
	benchCheck(b, `{"properties":{"a":{"items":{"anyOf":[`+forms+`{"type":"null"}]}}}}`, `{"a":[`+items+`]}`)
}

func benchCheck(b *testing.B, schema, args string) {
	tool := NewTool([]byte(schema), nil)
	tool.CheckArguments([]byte(args))
	b.ReportAllocs()
	for b.Loop() {
		tool.CheckArguments([]byte(args))
	}
}

func BenchmarkCompile(b *testing.B) {
	for name, s := range map[string]string{"typical": typical, "widest": wide(1990)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if compile(s).check == nil {
					b.Fatal("not compiled")
				}
			}
		})
	}
}

func BenchmarkAmend(b *testing.B) {
	list := fifty()
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		AmendOutput(list)
	}
}

func BenchmarkFilter(b *testing.B) {
	list := fifty()
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		FilterTools(list, func(name string) bool { return !strings.HasSuffix(name, "7") })
	}
}
