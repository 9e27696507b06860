package caddymodule

import (
	"bytes"
	"net/http"
	"strconv"
	"testing"
)

// A buffer that grows keeps what it holds, and every large one that was taken is counted back.
func TestBuffers(t *testing.T) {
	declared := func(n int) http.Header { return http.Header{"Content-Length": {strconv.Itoa(n)}} }
	const most = 8 << 20
	for _, c := range []struct {
		name   string
		header http.Header
		parts  []int
		large  int32
	}{
		{"small", declared(100), []int{100}, 0},
		{"undeclared", nil, []int{100, 1000}, 0},
		{"undeclared and large", nil, []int{maxUsual - 1, 1, 1, maxUsual}, 1},
		{"declared large", declared(2 << 20), []int{1 << 20, 1 << 20}, 1},
		{"more than declared", declared(100), []int{100, maxUsual}, 1},
		{"declared beyond the bound", declared(most + 1), []int{100}, 0},
	} {
		b := bufferFor(c.header, most)
		var want []byte
		for i, n := range c.parts {
			part := bytes.Repeat([]byte{byte('a' + i)}, n)
			want = append(want, part...)
			b = enlarge(b, n)
			b.Write(part)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: %d bytes, want %d, or others", c.name, b.Len(), len(want))
		}
		if n := larges.Load(); n != c.large || b.large != (c.large > 0) {
			t.Errorf("%s: %d large in use, large %v", c.name, n, b.large)
		}
		giveBack(b)
		if n := larges.Load(); n != 0 {
			t.Errorf("%s: %d large in use at the end", c.name, n)
		}
	}
}
