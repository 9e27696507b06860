// Package attacktest holds attempts to bring something across the gateway that
// must not cross: secrets hidden in every way that is known to hide them,
// instructions, other people's data, internal names. It serves tests alone.
// Every secret is made at run time from a seed; none stands in the repository.
package attacktest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/classify"
)

// Case is one attempt.
type Case struct {
	// Item numbers the kind of attack, 1 to 36; 36 is what programs write.
	Item int
	Name string

	Call    *normalize.Call
	Carrier normalize.Carrier
	Fault   classify.Fault

	// Message is a JSON-RPC message, or Page an HTTP body that is none.
	Message []byte
	Page    []byte

	// Secrets must not cross in pieces of eight bytes, in no encoding. Cross
	// must not cross as it stands. Both also hold after NFKC and without
	// format characters.
	Secrets, Cross []string

	// Keep must be in the text, in any case.
	Keep []string
}

// Exchange answers every message with one call; nil is an unknown call.
type Exchange struct{ C *normalize.Call }

// Call returns the one call.
func (x Exchange) Call([]byte) *normalize.Call { return x.C }

// Success changes nothing.
func (Exchange) Success(_ *normalize.Call, result []byte) []byte { return result }

// Run normalizes the case.
func (c *Case) Run(n *normalize.Normalizer) (out []byte, reports []normalize.Report) {
	if c.Message != nil {
		return n.Message(c.Carrier, c.Message, Exchange{c.Call})
	}
	out, rep := n.Failure(c.Carrier, c.Fault, c.Page, c.Call)
	return out, []normalize.Report{rep}
}

// Found returns what crossed in out though it must not, or "".
func (c *Case) Found(out []byte) string {
	for _, view := range views(out) {
		for _, s := range c.Secrets {
			if p := Piece(view, s); p != "" {
				return p
			}
		}
		low := strings.ToLower(view)
		for _, s := range c.Cross {
			if strings.Contains(low, strings.ToLower(s)) {
				return s
			}
		}
	}
	return ""
}

// Missing returns a phrase that must stay and is gone, or "".
func (c *Case) Missing(out []byte) string {
	low := strings.ToLower(strings.Join(views(out), "\n"))
	for _, k := range c.Keep {
		if !strings.Contains(low, strings.ToLower(k)) {
			return k
		}
	}
	return ""
}

// views are the bytes, the strings of the JSON in them, and both after NFKC and
// without format characters.
func views(out []byte) []string {
	var b strings.Builder
	collect(gjson.ParseBytes(out), &b, 0)
	raw, text := string(out), b.String()
	return []string{raw, text, flat(raw), flat(text)}
}

func collect(v gjson.Result, b *strings.Builder, depth int) {
	if v.Type == gjson.String {
		b.WriteString(v.Str + "\n")
	}
	if depth < 32 && (v.IsObject() || v.IsArray()) {
		v.ForEach(func(k, x gjson.Result) bool {
			b.WriteString(k.Str + "\n")
			collect(x, b, depth+1)
			return true
		})
	}
}

func flat(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// pieceSize is the shortest part of a secret, in bytes, that counts as the secret.
const pieceSize = 8

// Piece returns a part of eight bytes of the secret that stands in s, as it is
// or encoded, or "".
func Piece(s, secret string) string {
	n := min(pieceSize, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if p := secret[i : i+n]; strings.Contains(s, p) {
			return p
		}
	}
	for _, e := range encodings(secret) {
		if strings.Contains(s, e) {
			return e
		}
	}
	return ""
}

func encodings(s string) []string {
	out := []string{hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))), percent(s), reversed(s)}
	if q := url.QueryEscape(s); q != s {
		out = append(out, q)
	}
	for off := range 3 {
		e := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:off] + s))
		skip, end := []int{0, 2, 3}[off], (off+len(s))*8/6
		if skip+8 <= end {
			out = append(out, e[skip:end], strings.NewReplacer("+", "-", "/", "_").Replace(e[skip:end]))
		}
	}
	return out
}

func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// quote writes s as a JSON string; invalid UTF-8 stays as it is.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

// ToolCall is the call that the cases answer.
func ToolCall() *normalize.Call {
	return &normalize.Call{
		ID: []byte("7"), Method: "tools/call", Tool: "get_orders", Structured: true, Disguised: normalize.DisguiseRewrite,
		Arguments: []byte(`{"order_id":"42","city":"Lisbon","quantity":"five"}`),
	}
}
