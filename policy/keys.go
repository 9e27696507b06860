package policy

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// MaxKeyFile bounds a key file, in bytes.
	MaxKeyFile = 8 << 20

	// KeyPrefix begins every key that NewKey makes, so that scanners and
	// people can tell what it is.
	KeyPrefix = "mcpk_"

	keyBytes    = 32
	maxKeyName  = 64
	maxKeyLine  = 4096
	maxKeyTools = 64
)

// Key is one line of a key file: who presents the key and what it may do. It
// does not hold the key.
type Key struct {
	// Name becomes the user id. Several keys may share one, for rotation.
	Name string

	// Tenant groups keys. Empty: none.
	Tenant string

	// RPM and Concurrency are the key's own limits. 0: not set.
	RPM, Concurrency int

	// Tools narrows what the key's owner sees. Empty: not narrowed.
	Tools []Pattern

	// Expires is when the key stops being valid. Zero: never.
	Expires time.Time

	hash [sha256.Size]byte
}

// KeyAttributes are the names that Attribute knows.
var KeyAttributes = []string{"name", "tenant", "rpm", "concurrency", "tools", "expires"}

// Attribute returns an attribute as text, for placeholders; "" when it is not
// set. ok is false when there is no such attribute.
func (k Key) Attribute(name string) (value string, ok bool) {
	switch name {
	case "name":
		return k.Name, true
	case "tenant":
		return k.Tenant, true
	case "rpm":
		return positive(k.RPM), true
	case "concurrency":
		return positive(k.Concurrency), true
	case "tools":
		texts := make([]string, len(k.Tools))
		for i, p := range k.Tools {
			texts[i] = p.String()
		}
		return strings.Join(texts, "|"), true
	case "expires":
		if k.Expires.IsZero() {
			return "", true
		}
		return k.Expires.UTC().Format(time.RFC3339), true
	}
	return "", false
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// KeyFile holds the keys of a file; safe for concurrent use. The zero KeyFile
// has no key. A line of the file is
//
//	name:sha256-hex[:attribute=value[,attribute=value…]]
//
// with the attributes rpm and concurrency (positive whole numbers), tools
// (patterns separated by "|"), tenant, and expires (RFC 3339, or a date: valid
// until that day ends in UTC). Empty lines and lines that begin with "#" are
// comments. The hash is that of the key as the client presents it.
type KeyFile struct {
	keys atomic.Pointer[map[[sha256.Size]byte]Key]
}

// Reload replaces all keys by those of data. On an error the old ones stay; the
// error names the line and never quotes what could be a key.
func (f *KeyFile) Reload(data []byte) error {
	keys, err := parseKeys(data)
	if err != nil {
		return err
	}
	f.keys.Store(&keys)
	return nil
}

// Len returns the number of keys.
func (f *KeyFile) Len() int {
	if m := f.keys.Load(); m != nil {
		return len(*m)
	}
	return 0
}

// Lookup returns the key that the token is, if it is known and valid at now.
// Unknown, revoked, expired and malformed tokens are one answer, and take the
// same steps: one SHA-256 of the token, one look-up by it, one comparison in
// constant time, one comparison of times.
func (f *KeyFile) Lookup(token string, now time.Time) (Key, bool) {
	sum := sha256.Sum256([]byte(token))
	var key Key
	known := 0
	if m := f.keys.Load(); m != nil {
		if k, ok := (*m)[sum]; ok {
			key, known = k, 1
		}
	}
	expires := int64(math.MaxInt64)
	if !key.Expires.IsZero() {
		expires = key.Expires.UnixMilli()
	}
	same := subtle.ConstantTimeCompare(sum[:], key.hash[:])
	valid := 0
	if now.UnixMilli() < expires {
		valid = 1
	}
	if known&same&valid != 1 {
		return Key{}, false
	}
	return key, true
}

func parseKeys(data []byte) (map[[sha256.Size]byte]Key, error) {
	if len(data) > MaxKeyFile {
		return nil, fmt.Errorf("key file is %d bytes long, at most %d are allowed", len(data), MaxKeyFile)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	keys := map[[sha256.Size]byte]Key{}
	lines := map[[sha256.Size]byte]int{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		k, err := parseKey(text)
		if err != nil {
			return nil, fmt.Errorf("key file line %d: %w", n, err)
		}
		if first, twice := lines[k.hash]; twice {
			return nil, fmt.Errorf("key file line %d: the same hash as in line %d", n, first)
		}
		keys[k.hash], lines[k.hash] = k, n
	}
	return keys, nil
}

func parseKey(line string) (k Key, err error) {
	if len(line) > maxKeyLine {
		return k, fmt.Errorf("longer than %d bytes", maxKeyLine)
	}
	name, rest, found := strings.Cut(line, ":")
	if !found {
		return k, errors.New("want name:sha256-hex[:attributes]")
	}
	if k.Name, err = keyName("name", strings.TrimSpace(name)); err != nil {
		return k, err
	}
	digest, attributes, _ := strings.Cut(rest, ":")
	digest = strings.TrimSpace(digest)
	if hex.DecodedLen(len(digest)) != sha256.Size {
		return k, fmt.Errorf("the hash has %d characters, a SHA-256 in hex has %d", len(digest), hex.EncodedLen(sha256.Size))
	}
	if _, err := hex.Decode(k.hash[:], []byte(digest)); err != nil {
		return k, errors.New("the hash is not hexadecimal")
	}
	if k.hash == sha256.Sum256(nil) {
		return k, errors.New("the hash is that of the empty key")
	}
	seen := map[string]bool{}
	for a := range strings.SplitSeq(attributes, ",") {
		if a = strings.TrimSpace(a); a == "" {
			continue
		}
		name, value, found := strings.Cut(a, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || value == "" {
			return k, errors.New("an attribute is written name=value")
		}
		if seen[name] {
			return k, fmt.Errorf("attribute %s is given twice", name)
		}
		if err := k.set(name, value); err != nil {
			return k, err
		}
		seen[name] = true
	}
	return k, nil
}

func (k *Key) set(name, value string) (err error) {
	switch name {
	case "rpm":
		k.RPM, err = keyNumber(name, value)
	case "concurrency":
		k.Concurrency, err = keyNumber(name, value)
	case "tenant":
		k.Tenant, err = keyName(name, value)
	case "tools":
		texts := strings.Split(value, "|")
		if len(texts) > maxKeyTools {
			return fmt.Errorf("tools has %d patterns, at most %d are allowed", len(texts), maxKeyTools)
		}
		k.Tools, err = ParsePatterns(texts...)
	case "expires":
		k.Expires, err = keyTime(value)
	default:
		return errors.New("unknown attribute; one of rpm, concurrency, tools, tenant, expires")
	}
	return err
}

func keyNumber(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 1_000_000_000 {
		return 0, fmt.Errorf("%s must be a whole number from 1 to 1000000000", name)
	}
	return n, nil
}

func keyTime(value string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, errors.New("expires must be a date (2027-01-31) or a time (2027-01-31T12:00:00Z)")
	}
	return at, nil
}

func keyName(what, s string) (string, error) {
	if s == "" || len(s) > maxKeyName {
		return "", fmt.Errorf("the %s must have 1 to %d characters", what, maxKeyName)
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._@-", c) < 0 {
			return "", fmt.Errorf("the %s may only have letters, digits and . _ @ -", what)
		}
	}
	return s, nil
}

// NewKey makes a key from 32 bytes of rand: the token, to be shown once, and
// the line for the key file.
func NewKey(name string, rand io.Reader) (token, line string, err error) {
	if _, err := keyName("name", name); err != nil {
		return "", "", err
	}
	var b [keyBytes]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", "", fmt.Errorf("reading random bytes: %w", err)
	}
	token = KeyPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	sum := sha256.Sum256([]byte(token))
	return token, name + ":" + hex.EncodeToString(sum[:]), nil
}
