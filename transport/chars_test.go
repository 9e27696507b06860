package transport

import (
	"math/rand/v2"
	"testing"
)

// plain must stop where reading byte by byte stops, whatever stands before, behind and around.
func TestPlain(t *testing.T) {
	slow := func(b []byte, i int) int {
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			i++
		}
		return i
	}
	check := func(b []byte, i int) {
		t.Helper()
		if got, want := plain(b, i), slow(b, i); got != want {
			t.Fatalf("plain(%q, %d) = %d, want %d", b, i, got, want)
		}
	}
	// Each byte at each place, among bytes that a borrow or a carry could mistake.
	for _, around := range []byte{' ', '!', '#', '[', ']', 'a', 0x7f, 0x80, 0xa2, 0xdc, 0xff} {
		b := make([]byte, 71)
		for at := range b {
			for c := range 256 {
				for i := range b {
					b[i] = around
				}
				b[at] = byte(c)
				check(b, 0)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	common := []byte{'"', '\\', 0, 0x1f, ' ', '!', '#', '[', ']', 0x80, 0xa2, 0xdc, 'a', 'b', 'c', 'd'}
	for range 50_000 {
		b := make([]byte, r.IntN(100))
		for i := range b {
			if b[i] = 'x'; r.IntN(12) == 0 {
				b[i] = common[r.IntN(len(common))]
			}
		}
		check(b, r.IntN(len(b)+1))
	}
}
