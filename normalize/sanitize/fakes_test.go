package sanitize

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fakes makes secrets at run time; none stands in the repository.
type fakes struct{ r *rand.Rand }

func newFakes(seed int64) *fakes { return &fakes{rand.New(rand.NewSource(seed))} }

func (f *fakes) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[f.r.Intn(len(alphabet))]
	}
	return string(b)
}

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// tok has letters of both cases and digits, at least two of each.
func (f *fakes) tok(n int) string {
	b := []byte(f.from(lowers+uppers+digits, n))
	for i, set := range []string{lowers, uppers, digits, digits, uppers, lowers} {
		if 2*i < n {
			b[2*i] = set[f.r.Intn(len(set))]
		}
	}
	return string(b)
}

func (f *fakes) upper(n int) string { return "Q7" + f.from(uppers+"234567", n-2) }
func (f *fakes) hex(n int) string   { return "7a" + f.from("0123456789abcdef", n-2) }
func (f *fakes) digits(n int) string {
	return string(digits[1+f.r.Intn(9)]) + f.from(digits, n-1)
}

// pass is a short password with signs.
func (f *fakes) pass() string {
	return f.from(uppers, 1) + f.from(lowers, 4) + f.from("!#$%*+", 1) + f.from(digits, 3) + f.from(lowers, 2)
}

// words is a passphrase of ordinary words.
func (f *fakes) words() string {
	list := strings.Fields("otter violin maple comet pepper lantern walrus glacier tulip raven cobalt muffin")
	f.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return strings.Join(list[:4], " ")
}

func (f *fakes) uuid() string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", f.hex(8), f.hex(4), f.hex(3), f.hex(3), f.hex(12))
}

func (f *fakes) b64(n int) string {
	b := make([]byte, n)
	f.r.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

func (f *fakes) jwt() string {
	e := base64.RawURLEncoding.EncodeToString
	return e([]byte(`{"alg":"HS256"}`)) + "." + e([]byte(`{"sub":"`+f.tok(10)+`"}`)) + "." + strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(f.b64(32))
}

func (f *fakes) pem(kind string) (block, body string) {
	body = f.b64(48)
	return "-----BEGIN " + kind + " PRIVATE KEY-----\n" + body + "\n" + f.b64(48) + "\n-----END " + kind + " PRIVATE KEY-----", body
}

// card is a number of 16 digits that passes Luhn.
func (f *fakes) card() string {
	d := "4" + f.digits(14)
	for c := '0'; c <= '9'; c++ {
		if cardNumber(d+string(c), 0) > 0 {
			return d + string(c)
		}
	}
	return d + "0"
}

func b64of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
func hexof(s string) string { return hex.EncodeToString([]byte(s)) }

func percentAll(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func each(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func between(s, sep string) string { return strings.Join(strings.Split(s, ""), sep) }

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x20 && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}, s)
}

// crossed reports a piece of eight bytes of the secret in out, as it is and after
// NFKC without format characters.
func crossed(out, secret string) string {
	flat := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, norm.NFKC.String(out))
	n := min(8, len(secret))
	for i := 0; i+n <= len(secret); i++ {
		if p := secret[i : i+n]; strings.Contains(out, p) || strings.Contains(flat, p) {
			return p
		}
	}
	return ""
}
