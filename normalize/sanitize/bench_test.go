package sanitize

import (
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize/cputime"
)

// failing is a realistic failing text of about 8 KiB.
func failing() string {
	var b strings.Builder
	b.WriteString("Error executing tool query: could not reach the database, see the details below\nTraceback (most recent call last):\n")
	for b.Len() < 7<<10 {
		b.WriteString("  File \"/srv/app/handlers/query.py\", line 120, in run_query\n    return session.execute(statement, timeout=30)\n")
	}
	b.WriteString("sqlalchemy.exc.OperationalError: connection to server at \"db-1.corp.internal\" (10.0.0.7), port 5432 failed: password authentication failed for user \"app\"\n")
	b.WriteString("postgresql://app:" + fake("", 16) + "@db-1:5432/main\nquantity must be less than or equal to 20, received 900 (request " + fake("req_", 20) + ")\n")
	return b.String()
}

func pipeline(s string) int {
	c := Clean(s)
	t := FilterTrace(c)
	out, _ := Mask(c)
	return len(out) + len(t.Lines)
}

func BenchmarkPipeline8K(b *testing.B) {
	s := failing()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		pipeline(s)
	}
}

func BenchmarkCleanASCII(b *testing.B) {
	s := failing()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Clean(s)
	}
}

func BenchmarkMask8K(b *testing.B) {
	s := failing()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Mask(s)
	}
}

func BenchmarkFilterTrace8K(b *testing.B) {
	s := failing()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		FilterTrace(s)
	}
}

func BenchmarkHostile64K(b *testing.B) {
	for _, u := range hostile() {
		b.Run(u.name, func(b *testing.B) {
			s := fill(u.unit, 64<<10)
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				pipeline(s)
			}
		})
	}
}

type unit struct{ name, unit string }

// hostile are units whose repetition is the worst case of one rule each.
func hostile() []unit {
	return []unit{
		{"assign", "a=a="}, {"assign-blank", "a = a = "}, {"password-quote", "password='"}, {"password-colon", "password: "}, {"password-eq", "password="},
		{"pem", "-----BEGIN "}, {"pem-line", "-----BEGIN X PRIVATE KEY-----\n"}, {"at", "at (((("}, {"at-lines", "    at f (((\n"}, {"digits", "1"}, {"digit-groups", "1,234 "},
		{"digits-blank", "12 34 "}, {"keywords", "akia ghp_ sk- token secret "}, {"long-a", "aaaaaaaa"}, {"lt", "<"}, {"lt-a", "<a "}, {"link", "]("}, {"bracket", "["},
		{"backslash", "\\"}, {"escape-u", "\\u0041"}, {"percent", "%41"}, {"percent-blank", "%41%42 "}, {"amp", "&amp;"}, {"slash", "/a"}, {"slash-blank", "/a/b "}, {"drive", "C:\\a b\\"},
		{"colon-hex", "a:"}, {"at-sign", "a@"}, {"user-colon", "a:b@c "}, {"scheme", "a://"}, {"base64", "QUJDREVG "}, {"hex", "6162 "}, {"bearer", "Bearer "}, {"auth", "Authorization: "},
		{"ignore", "ignore "}, {"ignore-x", "ignore a b c "}, {"select", "SELECT "}, {"select-line", "select a, b\n"}, {"quotes", "\"'`"}, {"escaped-quote", "\\\""}, {"spaced", "A "}, {"csi", "\x1b["}, {"osc", "\x1b]8;;"},
		{"combining", "a\u0301"}, {"marks", "\u0301"}, {"mixed-script", "pаss "}, {"cr", "\r"}, {"zero-width", "\u200b"}, {"invalid", "\xff"}, {"nfkc", "\ufdfa"}, {"frames", "  File \"a\", line 1, in f\n"}, {"goroutine", "goroutine 1 [x]:\n"}, {"caused", "Caused by:\n"}, {"arrow", "a ---> "},
		{"nested-json", "{\"a\":"}, {"pass-words", "passphrase one two "}, {"tag-secret", "<password>"}, {"iban", "GB29 NWBK "}, {"plus", "+1 "}, {"newline", "\n"}, {"escaped-newline", "\\n"}, {"jwt", "eyJhbGciOi."}, {"dots", "a."}, {"dash", "-a "},
	}
}

// fill repeats u as a whole: a piece at the end could hit another rule.
func fill(u string, n int) string { return strings.Repeat(u, n/len(u)) }

// The work grows linearly: twice the text takes at most 2.6 times as long. The
// steps are called without the cap of Clean. It is the ratio of processor times,
// so that a busy machine does not fail it.
func TestLinear(t *testing.T) {
	small := 1 << 20
	if raceEnabled || testing.Short() {
		small = 128 << 10
	}
	for _, u := range hostile() {
		a, b := fill(u.unit, small), fill(u.unit, 2*small)
		ratio := cputime.Ratio(func() { run(a) }, func() { run(b) }, 2.6, 10)
		if ratio > 2.6 {
			t.Errorf("%s: twice the text takes %.2f times as long", u.name, ratio)
		}
	}
}

func run(s string) {
	c := unconfuse(strip(s))
	FilterTrace(c)
	Mask(c)
}

func TestAllocations(t *testing.T) {
	s := failing()
	if n := testing.AllocsPerRun(20, func() { Clean(s) }); n != 0 {
		t.Errorf("Clean of plain ASCII allocates %v times", n)
	}
	if n := testing.AllocsPerRun(20, func() { pipeline(s) }); n >= 300 {
		t.Errorf("8 KiB cost %v allocations, want less than 300", n)
	}
}
