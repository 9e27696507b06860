package policy

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var keyDay = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func keyLine(name, token, attributes string) string {
	sum := sha256.Sum256([]byte(token))
	line := name + ":" + hex.EncodeToString(sum[:])
	if attributes != "" {
		line += ":" + attributes
	}
	return line + "\n"
}

func TestKeyFileLookup(t *testing.T) {
	var f KeyFile
	if _, ok := f.Lookup("", keyDay); ok {
		t.Fatal("an empty file knows the empty key")
	}
	data := "\xef\xbb\xbf# team keys\r\n\n" +
		keyLine("alice", "token-a", "rpm=60,concurrency=2,tools=search_*|get_?,tenant=acme,expires=2026-12-31") +
		strings.ToUpper(keyLine("BOB", "token-b", "")) +
		keyLine("carol", "token-c", "expires=2026-06-01T11:59:59Z") +
		keyLine("dave", "token-d", "expires=2026-06-01") +
		keyLine("erin", "token-e", "expires=2026-05-31") +
		keyLine("erin", "token-f", " tenant = b , rpm = 7 ")
	if err := f.Reload([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if f.Len() != 6 {
		t.Errorf("%d keys", f.Len())
	}
	for token, want := range map[string]string{
		"token-a": "alice", "token-b": "BOB", "token-c": "", "token-d": "dave", "token-e": "", "token-f": "erin",
		"": "", "token-x": "", "token-a ": "", "TOKEN-A": "", strings.Repeat("x", 1<<16): "",
	} {
		k, ok := f.Lookup(token, keyDay)
		if ok != (want != "") || k.Name != want {
			t.Errorf("token %.10q: %q, %v, want %q", token, k.Name, ok, want)
		}
	}
	// The digest itself is not the key.
	sum := sha256.Sum256([]byte("token-a"))
	for _, s := range []string{hex.EncodeToString(sum[:]), string(sum[:])} {
		if _, ok := f.Lookup(s, keyDay); ok {
			t.Error("the hash is taken for the key")
		}
	}
	k, _ := f.Lookup("token-a", keyDay)
	for name, want := range map[string]string{
		"name": "alice", "tenant": "acme", "rpm": "60", "concurrency": "2", "tools": "search_*|get_?", "expires": "2027-01-01T00:00:00Z",
	} {
		if got, ok := k.Attribute(name); !ok || got != want {
			t.Errorf("attribute %s = %q, %v, want %q", name, got, ok, want)
		}
		if !slices.Contains(KeyAttributes, name) {
			t.Errorf("KeyAttributes lacks %s", name)
		}
	}
	if _, ok := k.Attribute("hash"); ok {
		t.Error("the hash is an attribute")
	}
	if !(Tools{Only: k.Tools}).Visible("get_x") || (Tools{Only: k.Tools}).Visible("put") {
		t.Error("the key's tools do not narrow")
	}
	bob, _ := f.Lookup("token-b", keyDay)
	for _, name := range []string{"tenant", "rpm", "concurrency", "tools", "expires"} {
		if got, ok := bob.Attribute(name); got != "" || !ok {
			t.Errorf("attribute %s of a plain key is %q", name, got)
		}
	}
}

func TestKeyFileErrors(t *testing.T) {
	good := keyLine("alice", "token-a", "")
	hash := strings.TrimSpace(strings.TrimPrefix(good, "alice:"))
	for _, c := range []struct{ data, want string }{
		{"alice", "line 1: want name:sha256-hex"},
		{"# c\n\nalice:abc\n", "line 3: the hash has 3 characters"},
		{"alice:" + strings.Repeat("g", 64), "not hexadecimal"},
		{":" + hash, "name must have 1 to 64"},
		{strings.Repeat("n", 65) + ":" + hash, "name must have 1 to 64"},
		{"al ice:" + hash, "letters, digits"},
		{"alice:" + hash + ":rpm", "name=value"},
		{"alice:" + hash + ":rpm=", "name=value"},
		{"alice:" + hash + ":rpm=0", "rpm must be a whole number from 1"},
		{"alice:" + hash + ":rpm=1.5", "rpm must be"},
		{"alice:" + hash + ":rpm=99999999999", "rpm must be"},
		{"alice:" + hash + ":concurrency=-1", "concurrency must be"},
		{"alice:" + hash + ":rpm=1,rpm=2", "rpm is given twice"},
		{"alice:" + hash + ":color=red", "unknown attribute; one of rpm"},
		{"alice:" + hash + ":tools=a[b", "not closed"},
		{"alice:" + hash + ":tools=a||b", "empty tool pattern"},
		{"alice:" + hash + ":tools=" + strings.Repeat("a|", 64) + "a", "at most 64"},
		{"alice:" + hash + ":expires=tomorrow", "expires must be a date"},
		{"alice:" + hash + ":tenant=a/b", "tenant may only"},
		{good + good, "line 2: the same hash as in line 1"},
		{"alice:" + hash + ":tenant=" + strings.Repeat("x", maxKeyLine), "longer than"},
		{keyLine("alice", "", ""), "empty key"},
		{strings.Repeat("#", MaxKeyFile+1), "at most"},
	} {
		var f KeyFile
		if err := f.Reload([]byte(keyLine("old", "token-old", ""))); err != nil {
			t.Fatal(err)
		}
		err := f.Reload([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: error %v, want one with %q", c.data, err, c.want)
			continue
		}
		if strings.Contains(err.Error(), hash) || strings.Contains(err.Error(), "color") {
			t.Errorf("the error quotes the line: %v", err)
		}
		if _, ok := f.Lookup("token-old", keyDay); !ok {
			t.Errorf("%.60q: the old keys are gone", c.data)
		}
	}
}

func TestNewKey(t *testing.T) {
	token, line, err := NewKey("alice", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(token, KeyPrefix) || len(token) != len(KeyPrefix)+43 || strings.Contains(line, token) {
		t.Errorf("token of %d characters, line %q", len(token), line)
	}
	var f KeyFile
	if err := f.Reload([]byte(line + ":rpm=5\n")); err != nil {
		t.Fatal(err)
	}
	if k, ok := f.Lookup(token, keyDay); !ok || k.Name != "alice" || k.RPM != 5 {
		t.Errorf("%+v, %v", k, ok)
	}
	other, _, err := NewKey("alice", rand.Reader)
	if err != nil || other == token {
		t.Errorf("two keys are the same (%v)", err)
	}
	for _, bad := range []string{"", "a:b", "a b", "é"} {
		if _, _, err := NewKey(bad, rand.Reader); err == nil {
			t.Errorf("name %q is taken", bad)
		}
	}
	if _, _, err := NewKey("alice", bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("31 random bytes are enough")
	}
	broken := errors.New("no entropy")
	if _, _, err := NewKey("alice", failingReader{broken}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// A reload under load: every look-up sees the old file or the new one.
func TestKeyFileReloadRace(t *testing.T) {
	var f KeyFile
	file := func(i int) []byte {
		return []byte(keyLine(fmt.Sprintf("v%d", i), "token", "") + keyLine("always", "token-2", ""))
	}
	if err := f.Reload(file(0)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 200 {
			if err := f.Reload(file(i)); err != nil {
				t.Error(err)
			}
			if err := f.Reload([]byte("broken")); err == nil {
				t.Error("broken file accepted")
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 500 {
				if _, ok := f.Lookup("token", keyDay); !ok {
					t.Error("the key vanished")
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkKeyFileLookup(b *testing.B) {
	var f KeyFile
	var data strings.Builder
	for i := range 10_000 {
		data.WriteString(keyLine("k", fmt.Sprint("token-", i), ""))
	}
	if err := f.Reload([]byte(data.String())); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Lookup("token-77", keyDay)
	}
}
