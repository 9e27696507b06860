package classify

import (
	"strings"
	"testing"
)

// failing8K is a failing text of 8 KB: a trace with a message at its end.
func failing8K() string {
	var b strings.Builder
	b.WriteString("Traceback (most recent call last):\n")
	for b.Len() < 8<<10-200 {
		b.WriteString("  File \"/srv/app/server.py\", line 120, in call_tool\n    return fn(**arguments)\n")
	}
	b.WriteString("psycopg2.OperationalError: could not connect to server: Connection refused\n\tIs the server running on host \"db.corp.internal\" (10.0.0.5)?\n")
	return b.String()
}

func BenchmarkClassifyTrace8K(b *testing.B) {
	c := &Classifier{}
	e := &Evidence{Method: "tools/call", Tool: "query", Texts: []string{failing8K()}}
	b.ReportAllocs()
	for b.Loop() {
		c.Classify(e)
	}
}

func BenchmarkClassifyProse8K(b *testing.B) {
	c := &Classifier{}
	e := &Evidence{Method: "tools/call", Tool: "query", Texts: []string{"Error: Request failed with status code 503. " + strings.Repeat("The upstream could not be reached and it said nothing else. ", 135)}}
	b.ReportAllocs()
	for b.Loop() {
		c.Classify(e)
	}
}

func BenchmarkClassifyShort(b *testing.B) {
	c := &Classifier{}
	e := &Evidence{Method: "tools/call", Tool: "query", Texts: []string{"Error executing tool add: 1 validation error for addArguments\na\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='x', input_type=str]"}}
	b.ReportAllocs()
	for b.Loop() {
		c.Classify(e)
	}
}

func BenchmarkDisguisedSuccess(b *testing.B) {
	c := &Classifier{}
	e := &Evidence{Method: "tools/call", Tool: "query", Texts: []string{strings.Repeat("A line of a file that a tool has read. ", 26<<10)}}
	b.ReportAllocs()
	for b.Loop() {
		c.Disguised(e)
	}
}
