package attacktest

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// text is a failing text that tries to bring something across.
type text struct {
	item           int
	name, raw      string
	secrets, cross []string
	keep           []string
}

// frames are reports whose reason is safe to tell, with a place for a secret.
var frames = []struct {
	format string
	keep   []string
}{
	{"Rate limit exceeded, retry after 12 seconds.\nDebug: %s", []string{"rate limit", "12 seconds"}},
	{"Argument 'quantity' must be an integer, received 'five'.\nContext: %s", []string{"quantity", "integer"}},
	{"404 Not Found: order 42 does not exist\n%s", []string{"not found"}},
	{"Connection refused.\nDetails: %s", []string{"could not be reached"}},
	{"Permission denied: insufficient scope\n%s", []string{"denied"}},
	{"The operation timed out. %s", []string{"timed out"}},
}

// hidden are secrets in every disguise: items 1 to 12, 14 and 20 to 22.
func hidden(f *Fakes) []text {
	var list []text
	n := 0
	add := func(item int, name, raw string, secrets ...string) {
		fr := frames[n%len(frames)]
		n++
		list = append(list, text{item: item, name: name, raw: fmt.Sprintf(fr.format, raw), secrets: secrets, keep: fr.keep})
	}
	for _, r := range []struct{ name, r string }{
		{"zero width space", "\u200b"}, {"soft hyphen", "\u00ad"}, {"byte order mark", "\ufeff"}, {"word joiner", "\u2060"}, {"Hangul filler", "\u3164"}, {"invisible times", "\u2062"},
	} {
		tok, secret := f.Vendor(n)
		add(1, r.name+" in a token", between(tok, r.r), secret)
		pw := f.Password()
		add(1, r.name+" in a key", "pass"+r.r+"word="+pw, pw)
	}
	tok, secret := f.Vendor(0)
	add(2, "fullwidth token", fullwidth(tok), secret)
	pw := f.Password()
	add(2, "fullwidth assignment", fullwidth("password="+pw), pw)
	add(2, "mathematical letters", shift("password=", 0x1d41a)+pw, pw)
	add(2, "circled letters", shift("secret", 0x24d0)+": "+pw, pw)
	add(3, "Cyrillic prefix", "АК"+"ІА"+secret, secret)
	add(3, "Cyrillic key", "pаsswоrd: "+pw, pw)
	add(3, "Greek key", "tοken="+pw, pw)
	for _, r := range []string{"\u0301", "\u0336", "\u20dd"} {
		tok, secret := f.Vendor(n)
		add(4, fmt.Sprintf("combining %U", []rune(r)[0]), between(tok, r), secret)
	}
	tok, secret = f.Vendor(2)
	add(5, "override", "\u202e"+tok+"\u202c", secret)
	add(5, "reversed", "\u202e"+reversed(tok)+"\u202c", secret)
	add(5, "isolates", "\u2066password\u2069=\u2067"+pw+"\u2069", pw)
	add(6, "tag characters", tags(tok), secret)
	add(6, "tags between", between(tok, "\U000e0041"), secret)
	add(7, "hidden by SGR", "\x1b[8mpassword="+pw+"\x1b[0m", pw)
	add(7, "SGR inside", between(tok, "\x1b[31m"), secret)
	add(7, "link", "\x1b]8;;https://e.example/"+secret+"\x1b\\here\x1b]8;;\x1b\\", secret)
	add(7, "title", "\x1b]0;"+tok+"\a", secret)
	add(7, "carriage return", "fine\rpassword="+pw, pw)
	add(7, "backspaces", "x\b\bpassword="+pw, pw)
	add(8, "unicode escapes", each(tok, `\u%04x`), secret)
	add(8, "hex escapes", each(tok, `\x%02x`), secret)
	add(8, "octal escapes", each("password=", `\%03o`)+pw, pw)
	add(8, "escaped twice", each("password", `\\u%04x`)+"="+pw, pw)
	add(8, "braces", each("token=", `\u{%x}`)+pw, pw)
	add(9, "JSON once", quote(`{"password":`+quote(pw)+`}`), pw)
	add(9, "JSON twice", quote(quote(`{"password":`+quote(pw)+`}`)), pw)
	add(9, "JSON three times", quote(quote(quote(`{"api_key":`+quote(tok)+`}`))), secret)
	add(9, "JSON in a list", `[{"a":[{"client_secret":`+quote(pw)+`}]}]`, pw)
	add(10, "percent", percent("password="+pw), pw)
	add(10, "percent twice", strings.ReplaceAll(percent("password="+pw), "%", "%25"), pw)
	add(10, "percent three times", strings.ReplaceAll(strings.ReplaceAll(percent(tok), "%", "%25"), "%", "%25"), secret)
	add(10, "in a query", "https://api.example.com/v1?city=Lisbon&access_token="+secret, secret)
	add(11, "Base64 token", base64.StdEncoding.EncodeToString([]byte(tok)), secret)
	add(11, "Base64 assignment", base64.StdEncoding.EncodeToString([]byte("password="+pw)), pw)
	add(11, "Base64 for URLs", base64.RawURLEncoding.EncodeToString([]byte("password="+pw+"??>")), pw)
	add(11, "Base64 twice", base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(tok)))), secret)
	add(11, "hex", hex.EncodeToString([]byte("password="+pw)), pw)
	add(11, "Basic", "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte("app:"+pw)), pw)
	add(12, "decimal references", each(tok, "&#%d;"), secret)
	add(12, "hex references", each(tok, "&#x%X;"), secret)
	add(12, "references without semicolon", each(tok, "&#%d "), secret)
	add(12, "named references", "password&equals;"+pw, pw)
	add(12, "escaped tags", "&lt;password&gt;"+pw+"&lt;/password&gt;", pw)
	for _, sep := range []string{" ", "-", "\n", ".", "_", "  ", "|"} {
		tok, secret := f.Vendor(0)
		add(14, "separated by "+quote(sep), between(tok, sep), secret, between(secret, sep))
	}
	body := f.base64(96)
	add(20, "PEM without end", "-----BEGIN RSA PRIVATE"+" KEY-----\n"+body, body)
	add(20, "PEM escaped", `-----BEGIN PRIVATE`+` KEY-----\n`+body+`\n`, body)
	add(20, "PEM in one line", "-----BEGIN EC PRIVATE"+" KEY----- "+body+" -----END", body)
	add(20, "OpenSSH", "-----BEGIN OPENSSH PRIVATE"+" KEY-----\n"+body[:64]+"\n"+body[64:], body)
	add(21, "allow marker", "password="+pw+" # gitleaks"+":allow", pw)
	add(21, "allowed word in the value", "token=false"+secret+"null", secret)
	add(21, "allowed word before", "secret: true"+secret, secret)
	add(21, "example word", "api_key=EXAMPLE"+secret+"EXAMPLE", secret)
	add(22, "as a key", `{`+quote(tok)+`:"invalid"}`, secret)
	add(22, "as a key in Python", `{'`+tok+`': None}`, secret)
	add(22, "as a KeyError", "KeyError: '"+tok+"'", secret)
	for i := range vendors {
		tok, secret := f.Vendor(i)
		add(22, "bare "+tok[:3], "used "+tok+" here", secret)
	}
	for _, c := range []string{
		"postgres://app:%s@db-1:5432/main", "mongodb+srv://u:%s@c0.example.net/x", "redis://:%s@cache-2:6379/1", "amqp://g:%s@mq/", "https://bob:%s@git.example.com/x.git", "root:%s@tcp(db-1:3306)/x",
		"Server=db;User Id=sa;Password=%s;Encrypt=1", "Bearer %s", "Cookie: connect.sid=%s; a=b", "Authorization: Bearer %s", "X-Api-Key: %s", "mysql -u root -p%s -h db", "--password %s", "DB_PASSWORD=%s",
		"<password>%s</password>", "{'password': '%s'}", "password => '%s'", "AccountKey=%s==", "sig=%s&se=2026", "scott/%s@orcl", "machine h login bob password %s", "aws_secret_access_key = %s",
		"export TOKEN='%s'", "secretOrKey: \"%s\"", "client_secret=%s", "otp: %s", "x-amz-security-token: %s", "npm config set //registry/:_authToken=%s", "passphrase: %s",
	} {
		s := f.Token(20)
		add(22, "in "+c[:min(16, len(c))], fmt.Sprintf(c, s), s)
	}
	return list
}

func between(s, sep string) string { return strings.Join(strings.Split(s, ""), sep) }

func each(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x20 && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}, s)
}

// shift moves the small letters to another alphabet.
func shift(s string, to rune) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return to + r - 'a'
		}
		return r
	}, s)
}

// tags writes ASCII in the invisible tag characters.
func tags(s string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, s)
}
