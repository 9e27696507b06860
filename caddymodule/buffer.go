package caddymodule

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// buffer holds one answer.
type buffer struct {
	bytes.Buffer
	large    bool
	declared int // the length of a large answer that says it
}

// buffers are for answers of usual size. Larger ones take from large: a large buffer must not be tied up by a small answer.
// The garbage collector empties both when they are not used.
var (
	buffers = sync.Pool{New: func() any { return new(buffer) }}
	large   = sync.Pool{New: func() any { return &buffer{large: true} }}
	// larges counts the large ones in use.
	larges atomic.Int32
)

const (
	maxUsual = 1 << 20
	// maxLarge bounds how many large buffers a rush of large answers leaves in the pool.
	maxLarge = 32
)

// bufferFor takes one that has room for the declared size, rather than one that doubles and is copied each time.
func bufferFor(h http.Header, most int64) *buffer {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil || n <= 0 || n > most {
		return buffers.Get().(*buffer)
	}
	if n > maxUsual {
		b := largeBuffer(maxUsual) // what is declared need not come
		b.declared = int(n)
		return b
	}
	b := buffers.Get().(*buffer)
	b.Grow(int(n))
	return b
}

func largeBuffer(n int) *buffer {
	larges.Add(1)
	b := large.Get().(*buffer)
	b.Grow(n)
	return b
}

// enlarge returns a buffer with what b holds that has room for n bytes more. One that grows beyond maxUsual goes on in a
// large one, which most of the time is large enough already.
func enlarge(b *buffer, n int) *buffer {
	if b.large && n > b.Available() {
		b.Grow(max(n, b.declared-b.Len()))
	}
	if b.large || b.Len()+n <= maxUsual {
		return b
	}
	l := largeBuffer(b.Len() + n)
	l.Write(b.Bytes())
	giveBack(b)
	return l
}

// giveBack returns a buffer to where it came from.
func giveBack(b *buffer) {
	b.Reset()
	b.declared = 0
	switch {
	case b.large:
		if larges.Add(-1) < maxLarge {
			large.Put(b)
		}
	case b.Cap() <= maxUsual: // it may have doubled beyond
		buffers.Put(b)
	}
}
