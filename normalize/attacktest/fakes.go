package attacktest

import (
	"encoding/base64"
	"math/rand"
	"strings"
)

// Fakes makes secrets.
type Fakes struct{ r *rand.Rand }

// NewFakes returns a source that depends on seed alone.
func NewFakes(seed int64) *Fakes { return &Fakes{rand.New(rand.NewSource(seed))} }

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

func (f *Fakes) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[f.r.Intn(len(alphabet))]
	}
	return string(b)
}

// Token has letters of both cases and digits.
func (f *Fakes) Token(n int) string {
	b := []byte(f.from(lowers+uppers+digits, n))
	for i, set := range []string{lowers, uppers, digits, digits, uppers, lowers} {
		if 2*i < n {
			b[2*i] = set[f.r.Intn(len(set))]
		}
	}
	return string(b)
}

func (f *Fakes) upper(n int) string  { return "Q7" + f.from(uppers+"234567", n-2) }
func (f *Fakes) hex(n int) string    { return "7a" + f.from("0123456789abcdef", n-2) }
func (f *Fakes) number(n int) string { return f.from("123456789", 1) + f.from(digits, n-1) }

// Password is short, with signs.
func (f *Fakes) Password() string {
	return f.from(uppers, 1) + f.from(lowers, 4) + f.from("!#$*+", 1) + f.from(digits, 3) + f.from(lowers, 2)
}

func (f *Fakes) base64(n int) string {
	b := make([]byte, n)
	f.r.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

// Passphrase is four words of the list.
func (f *Fakes) Passphrase(list string) string {
	w := strings.Fields(list)
	f.r.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	return strings.Join(w[:4], " ")
}

// Card passes Luhn.
func (f *Fakes) Card() string {
	d := "4" + f.number(14)
	sum := 0
	for i := range 15 {
		n := int(d[14-i] - '0')
		if i%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return d + string(rune('0'+(10-sum%10)%10))
}

// vendors are prefixes of tokens with the length of what follows. They are
// joined with random letters at run time.
var vendors = []struct {
	prefix string
	n      int
}{
	{"AK" + "IA", 16}, {"AS" + "IA", 16}, {"gh" + "p_", 36}, {"gl" + "pat-", 20}, {"xo" + "xb-", 40}, {"sk_" + "live_", 24}, {"wh" + "sec_", 32}, {"sk-" + "proj-", 40},
	{"AI" + "za", 35}, {"ya" + "29.", 40}, {"GOC" + "SPX-", 28}, {"np" + "m_", 36}, {"hf" + "_", 34}, {"dop_" + "v1_", 64}, {"hv" + "s.", 24}, {"lin_" + "api_", 40}, {"gs" + "k_", 48},
	{"sb" + "p_", 40}, {"xa" + "i-", 60}, {"dckr_" + "pat_", 27}, {"shp" + "at_", 32}, {"ATA" + "TT3x", 60}, {"gl" + "sa_", 32}, {"ntn" + "_", 44}, {"pyp" + "i-", 60}, {"SG" + ".", 40},
}

// Vendor returns a token of a vendor and the part of it that is random.
func (f *Fakes) Vendor(i int) (token, secret string) {
	v := vendors[i%len(vendors)]
	secret = f.Token(v.n)
	if strings.HasPrefix(v.prefix, "A") && v.n == 16 {
		secret = f.upper(v.n)
	}
	return v.prefix + secret, secret
}
