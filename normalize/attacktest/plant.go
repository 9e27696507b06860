package attacktest

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand"
	"net/url"
	"strings"
)

// Planted puts a secret into text, where "$" stands, else at a random place, and
// the text into a random place of an answer. All of it depends on seed.
func Planted(seed int64, text string) Case {
	r := rand.New(rand.NewSource(seed))
	f := NewFakes(seed ^ 0x5eed)
	var secret, token string
	switch r.Intn(4) {
	case 0:
		token, secret = f.Vendor(r.Intn(len(vendors)))
	case 1:
		secret = f.Token(20 + r.Intn(30))
		token = secret
	case 2:
		secret = f.hex(32)
		token = secret
	default:
		secret = f.Password() + f.Password()
		token = []string{"password=", "token: ", "secret='", "https://u:"}[r.Intn(4)] + secret
	}
	forms := []string{token, token, token, fullwidth(token), between(token, "\u200b"), quote(token), base64.StdEncoding.EncodeToString([]byte(token)), percent(token), each(token, `\u%04x`), hex.EncodeToString([]byte(token))}
	form := forms[r.Intn(len(forms))]
	if strings.Contains(text, "$") {
		text = strings.ReplaceAll(text, "$", form)
	} else {
		at := r.Intn(len(text) + 1)
		text = text[:at] + " " + form + " " + text[at:]
	}
	c := Case{Name: "planted", Call: ToolCall(), Secrets: []string{secret}}
	carriers[r.Intn(len(carriers))].put(&c, text)
	return c
}

// Encoded returns the codings of a literal that an operator's list covers.
func Encoded(s string) map[string]string {
	out := map[string]string{
		"as it is": s, "upper": strings.ToUpper(s), "lower": strings.ToLower(s), "percent": url.QueryEscape(s), "path": url.PathEscape(s), "hex": hex.EncodeToString([]byte(s)),
		"fullwidth": fullwidth(s), "zero width": between(s, "\u200b"), "JSON": strings.Trim(quote(s), `"`), "escapes": each(s, `\u%04x`), "references": each(s, "&#%d;"),
	}
	for off := range 3 {
		out["Base64 "+string(rune('0'+off))] = base64.StdEncoding.EncodeToString([]byte("xyz"[:off] + s + "q"))
		out["Base64 for URLs "+string(rune('0'+off))] = base64.RawURLEncoding.EncodeToString([]byte("xyz"[:off] + s + "q"))
	}
	return out
}
