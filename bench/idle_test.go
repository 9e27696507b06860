//go:build bench

package bench

import (
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// wantStreams is how many idle streams are opened, if the limit of open files
// allows: a proxy needs two for each.
const wantStreams = 10000

// idleResult is the memory of one proxy with idle streams open.
type idleResult struct {
	name    string
	method  string
	streams int
	before  int64 // bytes, without streams
	open    int64 // bytes, with them
}

// idleStreams opens streams on which nothing happens and reads the memory of
// plain Caddy and of the gateway with nothing configured and with everything.
func idleStreams(t *testing.T, bin string, all []config) (out []idleResult) {
	t.Helper()
	u := newUpstream(t)
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil {
		t.Fatal(err)
	}
	n := min(wantStreams, int(lim.Max-1000)/2)
	keys, _ := callers(t, 16)
	u.answer(idle)
	post := func(i int) []byte { return request(callBody, keys[i%len(keys)]) }
	get := func(i int) []byte {
		return fmt.Appendf(nil, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"+
			"MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %032d\r\nAuthorization: Bearer %s\r\n\r\n", i, keys[i%len(keys)])
	}
	for _, c := range []config{all[0], all[2], all[len(all)-1]} {
		for _, m := range []struct {
			name    string
			request func(int) []byte
		}{{"GET", get}, {"POST", post}} {
			t.Run(c.name+" "+m.name, func(t *testing.T) {
				p := startCaddy(t, bin, c, u.addr)
				call, err := dial(p.addr, request(listBody, keys[0]))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := call.do(discard{}); err != nil {
					t.Fatal(err)
				}
				call.c.Close()
				p.collect(t)
				r := idleResult{name: c.name, method: m.name, streams: n, before: p.rss(t)}
				conns := make([]*conn, n)
				errs := make([]error, 32)
				var wg sync.WaitGroup
				for k := range errs {
					wg.Go(func() {
						for i := k; i < n && errs[k] == nil; i += len(errs) {
							conns[i], errs[k] = open(p.addr, m.request(i))
						}
					})
				}
				wg.Wait()
				defer func() {
					for _, c := range conns {
						if c != nil {
							c.c.Close()
						}
					}
				}()
				for _, err := range errs {
					if err != nil {
						t.Fatal(err)
					}
				}
				p.collect(t)
				r.open = p.rss(t)
				fmt.Printf("%s, %d idle %s streams: %d MB, %d MB before\n", r.name, n, m.name, r.open>>20, r.before>>20)
				out = append(out, r)
			})
		}
	}
	return out
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// open sends a request and waits for the first event. A small buffer does.
func open(addr string, request []byte) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write(request); err != nil {
		c.Close()
		return nil, err
	}
	var b [4096]byte
	n := 0
	for {
		k, err := c.Read(b[n:])
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("after %q: %w", b[:n], err)
		}
		if n += k; n > 200 && string(b[n-4:n]) == "\n\n\r\n" {
			c.SetDeadline(time.Time{})
			return &conn{c: c}, nil
		}
	}
}
