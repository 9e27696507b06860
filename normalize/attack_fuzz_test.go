package normalize_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/attacktest"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// FuzzPlanted plants a secret made from seed into text, at a place and in a
// carrier that the seed chooses too: no eight bytes of it are in the answer, as
// they are or encoded.
func FuzzPlanted(f *testing.F) {
	for i, s := range []string{
		"", "rate limit exceeded", "argument 'a' must be an integer, received $", `{"error":{"message":"not found: $"}}`, "Traceback (most recent call last):\n  File \"x\", line 1\nValueError: $",
		"connection to $ refused", "password=$", "$", "<html><title>$</title>", "1 validation error for x\n$\n  Field required [type=missing]", "user $ not found", "key $ value $", "\u202e$", "https://$@host/",
		`[{"path":["$"],"message":"Required","code":"invalid_type","expected":"$"}]`, "Unknown tool: $", "token $ expired", "$$$$", "[$](x)", "%41$", "\\u0041$", "must be one of: $, b", "retry after $ seconds",
	} {
		f.Add(s, int64(i))
	}
	lenient := &normalize.Normalizer{Classifier: classify.Classifier{Lenient: true}}
	strict := new(normalize.Normalizer)
	f.Fuzz(func(t *testing.T, text string, seed int64) {
		if len(text) > 1<<16 {
			return
		}
		c := attacktest.Planted(seed, text)
		if c.Message != nil && !gjson.ValidBytes(c.Message) {
			return
		}
		// The secret may not be what the text had before.
		if attacktest.Piece(text, c.Secrets[0]) != "" {
			return
		}
		for _, n := range []*normalize.Normalizer{strict, lenient} {
			out, reports := c.Run(n)
			if p := c.Found(out); p != "" {
				t.Fatalf("%q crossed in %s, planted as %q", p, out, c.Message)
			}
			if !gjson.ValidBytes(out) {
				t.Fatalf("not JSON: %q", out)
			}
			for _, r := range reports {
				if s := r.Envelope.Sanitized.String(); !sanitize.Guard(s, nil) {
					t.Fatalf("the guard refuses %q", s)
				}
			}
		}
	})
}

// The operator's literals never cross, in no coding and no mode.
func TestAttackLiterals(t *testing.T) {
	f := attacktest.NewFakes(9)
	r := rand.New(rand.NewSource(9))
	for _, literal := range []string{f.Password(), f.Token(12), "window table", "green", "Lisbon office 42", "Grüße-" + f.Token(6), "a&b=c " + f.Token(5), f.Passphrase("paper garden summer river cloud")} {
		lit := sanitize.NewLiterals([]string{literal})
		for _, mode := range []bool{false, true} {
			n := &normalize.Normalizer{Classifier: classify.Classifier{Lenient: mode, Literals: lit}}
			for name, form := range attacktest.Encoded(literal) {
				for _, frame := range []string{
					"Not found: %", "The value % must be an integer", "argument 'city' must be one of: %, b", "Permission denied for %", "% is invalid", "Rate limit exceeded for %, retry after 12 seconds",
					`{"error":"not found","message":"%"}`, "Missing required argument: %", "Unknown tool: %",
				} {
					text := strings.ReplaceAll(frame, "%", form)
					call := attacktest.ToolCall()
					if r.Intn(2) == 0 {
						call.Arguments = []byte(`{"city":` + string(normalize.Marshal(literal)) + `}`)
					}
					out, _ := n.Message(normalize.Carrier{}, failingMessage(text), attacktest.Exchange{C: call})
					if strings.Contains(strings.ToLower(string(out)), strings.ToLower(literal)) || form != literal && len(form) >= 8 && strings.Contains(string(out), form) {
						t.Errorf("lenient %v, %s: %q crossed in %s", mode, name, literal, out)
					}
				}
			}
			for _, field := range []string{`{"service":%,"code":"not_found","error":"x"}`, `{"service":"x","code":"not_found","error":%}`, `{"service":"x","code":"forbidden","error":"x","suggestion":{"tool":%}}`} {
				e := strings.ReplaceAll(field, "%", string(normalize.Marshal(literal)))
				msg := `{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[],"structuredContent":` + e + `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":` + string(normalize.Marshal(literal)) + `,"version":"1"}}}}`
				out, _ := n.Message(normalize.Carrier{}, []byte(msg), attacktest.Exchange{C: attacktest.ToolCall()})
				if strings.Contains(strings.ToLower(string(out)), strings.ToLower(literal)) {
					t.Errorf("lenient %v, envelope: %q crossed in %s", mode, literal, out)
				}
			}
		}
	}
}

// Lenient mode tells more, and nothing forbidden.
func TestAttackLenient(t *testing.T) {
	n := &normalize.Normalizer{Classifier: classify.Classifier{Lenient: true}}
	for _, c := range attacktest.Cases(4) {
		out, _ := c.Run(n)
		if p := c.Found(out); p != "" {
			t.Errorf("%d %s: %q crossed in %s", c.Item, c.Name, p, out)
		}
	}
	attacktest.Sweep(5, sparing(func(c attacktest.Case) bool {
		out, _ := c.Run(n)
		if p := c.Found(out); p != "" {
			t.Errorf("%d %s: %q crossed in %s", c.Item, c.Name, p, out)
		}
		return true
	}))
}
