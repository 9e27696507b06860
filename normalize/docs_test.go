package normalize

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

var updateDocs = flag.Bool("update", false, "write the examples of docs/envelope.md anew")

// example is a text of a server in docs/envelope.md and what it becomes.
var example = regexp.MustCompile("(?s)### `(\\w+)`|```text\n(.*?)\n```\n\n> ([^\n]*)")

// TestDocumentedExamples holds docs/envelope.md to what the gateway does.
func TestDocumentedExamples(t *testing.T) {
	const file = "../docs/envelope.md"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code, count, codes := "", 0, map[string]bool{}
	out := example.ReplaceAllStringFunc(string(doc), func(m string) string {
		part := example.FindStringSubmatch(m)
		if part[1] != "" {
			code = part[1]
			return m
		}
		count++
		codes[code] = true
		text, _ := json.Marshal(part[2])
		raw := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":%s}]}}`, text)
		c := toolCall("1")
		c.Tool = "search"
		got, _ := new(Normalizer).Message(Carrier{}, []byte(raw), one{c})
		e := gjson.GetBytes(got, "result.structuredContent")
		if e.Get("code").Str != code {
			t.Errorf("%q is %s, documented as %s", part[2], e.Get("code").Str, code)
		}
		line := fmt.Sprintf("`%s`: %s", e.Get("error_class").Str, e.Get("sanitized_error").Str)
		if s := e.Get("retryAfter"); s.Exists() {
			line += fmt.Sprintf(" (`retryAfter` %s)", s.Raw)
		}
		if !*updateDocs && line != part[3] {
			t.Errorf("%q becomes\n%s\ndocumented as\n%s", part[2], line, part[3])
		}
		return strings.TrimSuffix(m, part[3]) + line
	})
	if count < 14 || len(codes) != 14 {
		t.Errorf("%d examples of %d codes", count, len(codes))
	}
	if *updateDocs {
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
