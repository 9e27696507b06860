package redistest

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// Mode is what a Proxy does with traffic.
type Mode int32

const (
	// Pass hands everything on.
	Pass Mode = iota
	// Blackhole swallows both directions and leaves connections open: a partition.
	Blackhole
	// DropReplies hands requests on and swallows the answers.
	DropReplies
	// Reset closes every connection.
	Reset
)

// Proxy stands between a client and a server and breaks their connection on demand.
type Proxy struct {
	Addr string

	target string
	mode   atomic.Int32
	l      net.Listener
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	wg     sync.WaitGroup
}

// NewProxy starts a proxy in front of an address. It ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), target: target, l: l, conns: make(map[net.Conn]struct{})}
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		_ = l.Close()
		p.reset()
		p.wg.Wait()
	})
	return p
}

// Set changes the mode, for open connections too. Connections that lost bytes are closed when it changes back to Pass:
// their streams are out of step.
func (p *Proxy) Set(m Mode) {
	was := Mode(p.mode.Swap(int32(m)))
	if m == Reset || m == Pass && was != Pass {
		p.reset()
	}
}

func (p *Proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

func (p *Proxy) serve() {
	for {
		c, err := p.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if Mode(p.mode.Load()) == Reset {
			_ = c.Close()
			continue
		}
		s, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = c.Close()
			continue
		}
		p.mu.Lock()
		p.conns[c], p.conns[s] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.wg.Go(func() { p.pipe(s, c, false) })
		p.wg.Go(func() { p.pipe(c, s, true) })
	}
}

func (p *Proxy) pipe(to, from net.Conn, reply bool) {
	defer func() {
		_ = to.Close()
		_ = from.Close()
		p.mu.Lock()
		delete(p.conns, to)
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			switch m := Mode(p.mode.Load()); {
			case m == Blackhole, m == DropReplies && reply:
			default:
				if _, err := to.Write(buf[:n]); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}
