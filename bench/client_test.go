//go:build bench

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// conn is a client that costs little: it keeps one connection, sends the same
// bytes again and again, and reads answers without keeping them. What the
// client does not use of the machine, the proxy has.
type conn struct {
	c       net.Conn
	r       *bufio.Reader
	request []byte
	next    func(request []byte) // changes it in place before each call; may be nil
}

// request is a POST of a legacy message with the key of a caller.
func request(body, key string) []byte {
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body)
}

func dial(addr string, request []byte) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &conn{c: c, r: bufio.NewReaderSize(c, 32<<10), request: request}, nil
}

// do sends the request and reads the whole answer into sink. first is when the
// first byte of its body had come.
func (c *conn) do(sink io.Writer) (first time.Time, err error) {
	if c.next != nil {
		c.next(c.request)
	}
	c.c.SetDeadline(time.Now().Add(patience))
	if _, err = c.c.Write(c.request); err != nil {
		return first, err
	}
	length, err := c.head()
	if err != nil {
		return first, err
	}
	if length >= 0 {
		if _, err = c.r.Peek(min(1, length)); err != nil {
			return first, err
		}
		first = time.Now()
		_, err = io.CopyN(sink, c.r, int64(length))
		return first, err
	}
	for {
		n, err := c.chunk()
		if err != nil {
			return first, err
		}
		if n > 0 && first.IsZero() {
			if _, err := c.r.Peek(1); err != nil {
				return first, err
			}
			first = time.Now()
		}
		if _, err := io.CopyN(sink, c.r, int64(n)); err != nil {
			return first, err
		}
		if _, err := c.r.Discard(2); err != nil {
			return first, err
		}
		if n == 0 {
			return first, nil
		}
	}
}

// head reads status line and header. length is -1 for a chunked body.
func (c *conn) head() (length int, err error) {
	length = -1
	for i := 0; ; i++ {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case i == 0:
			if !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
				return 0, fmt.Errorf("status line %q", line)
			}
		case len(line) == 0:
			return length, nil
		case len(line) > 16 && bytes.EqualFold(line[:16], []byte("Content-Length: ")):
			if length, err = strconv.Atoi(string(line[16:])); err != nil {
				return 0, err
			}
		}
	}
}

func (c *conn) chunk() (int, error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
	return int(n), err
}

// sample is what came out of one round, or of several.
type sample struct {
	calls   int64
	elapsed time.Duration
	whole   []time.Duration // of each call
	first   []time.Duration // until the first byte of its body
	proxy   usage
}

func (s *sample) add(o sample) {
	s.calls += o.calls
	s.elapsed += o.elapsed
	s.whole = append(s.whole, o.whole...)
	s.first = append(s.first, o.first...)
	s.proxy = s.proxy.plus(o.proxy)
}

func (s *sample) rate() float64 { return float64(s.calls) / s.elapsed.Seconds() }

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)-1, int(q*float64(len(d))))]
}

// load calls a proxy from so many connections for a time.
func load(t *testing.T, p *proxy, keys []string, body string, concurrency int, length time.Duration) sample {
	t.Helper()
	conns := make([]*conn, concurrency)
	for i := range conns {
		c, err := dial(p.addr, request(body, keys[i%len(keys)]))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		defer c.c.Close()
		conns[i] = c
	}
	return drive(t, p, conns, length)
}

// drive calls a proxy over open connections for a time.
func drive(t *testing.T, p *proxy, conns []*conn, length time.Duration) sample {
	t.Helper()
	parts := make([]sample, len(conns))
	errs := make([]error, len(conns))
	var wg sync.WaitGroup
	reading := p.usage(t)
	before := p.usage(t)
	reading = before.minus(reading) // what asking costs
	begin := time.Now()
	for i, c := range conns {
		wg.Go(func() {
			s := &parts[i]
			for {
				start := time.Now()
				if start.Sub(begin) >= length {
					return
				}
				first, err := c.do(io.Discard)
				if err != nil {
					errs[i] = err
					return
				}
				s.calls++
				s.whole = append(s.whole, time.Since(start))
				s.first = append(s.first, first.Sub(start))
			}
		})
	}
	wg.Wait()
	out := sample{elapsed: time.Since(begin), proxy: p.usage(t).minus(before)}
	out.proxy.mallocs = max(0, out.proxy.mallocs-reading.mallocs)
	out.proxy.mem = max(0, out.proxy.mem-reading.mem)
	for i := range parts {
		if errs[i] != nil {
			t.Fatalf("%s: a call failed: %v", p.name, errs[i])
		}
		out.calls += parts[i].calls
		out.whole = append(out.whole, parts[i].whole...)
		out.first = append(out.first, parts[i].first...)
	}
	return out
}
