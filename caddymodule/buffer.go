package caddymodule

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
)

// buffers are for answers of usual size, large ones for answers that say that they are larger than maxUsual: a large
// buffer must not be tied up by a small answer. The garbage collector empties both when they are not used.
var (
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	large   = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

const maxUsual = 1 << 20

// bufferFor takes one that has room for the declared size, rather than one that doubles and is copied each time.
func bufferFor(h http.Header, most int64) *bytes.Buffer {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n <= 0 || n > most {
		return buffers.Get().(*bytes.Buffer)
	}
	pool := &buffers
	if n > maxUsual {
		pool = &large
	}
	b := pool.Get().(*bytes.Buffer)
	b.Grow(int(n))
	return b
}

// enlarge returns a buffer with what b holds that has room for n bytes more. One that grows beyond maxUsual goes on in a
// large one, which most of the time is large enough already.
func enlarge(b *bytes.Buffer, n int) *bytes.Buffer {
	if b.Cap() > maxUsual || b.Len()+n <= maxUsual {
		return b
	}
	l := large.Get().(*bytes.Buffer)
	l.Grow(b.Len() + n)
	l.Write(b.Bytes())
	giveBack(b)
	return l
}

// giveBack returns a buffer to where it came from.
func giveBack(b *bytes.Buffer) {
	b.Reset()
	if b.Cap() <= maxUsual {
		buffers.Put(b)
	} else {
		large.Put(b)
	}
}
