package redistest

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
	delay  atomic.Int64
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

// Delay makes every reply come later by d, in order and for open connections too; requests are handed on at once, so Redis
// carries them out in time. A connection holds back at most heldReplies pieces of readSize bytes: beyond that it is not
// read from. What is held back when d becomes shorter still comes at its own time. 0, as at first, is no delay.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

const (
	readSize    = 16 << 10
	heldReplies = 64
)

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
		p.wg.Go(func() { p.requests(s, c) })
		p.wg.Go(func() { p.replies(c, s) })
	}
}

// drop ends a connection.
func (p *Proxy) drop(to, from net.Conn) {
	_ = to.Close()
	_ = from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, to)
	delete(p.conns, from)
}

func (p *Proxy) requests(to, from net.Conn) {
	defer p.drop(to, from)
	buf := make([]byte, readSize)
	for {
		n, err := from.Read(buf)
		if n > 0 && Mode(p.mode.Load()) != Blackhole {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// piece is a part of the replies that is handed on when it is due.
type piece struct {
	b   []byte
	due time.Time
}

func (p *Proxy) replies(to, from net.Conn) {
	held := make(chan piece, heldReplies)
	p.wg.Go(func() { p.deliver(to, from, held) })
	defer close(held)
	buf := make([]byte, readSize)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			held <- piece{append([]byte(nil), buf[:n]...), time.Now().Add(time.Duration(p.delay.Load()))}
		}
		if err != nil {
			return
		}
	}
}

// deliver takes all pieces, also those that nobody wants any more: the reader must not wait for ever.
func (p *Proxy) deliver(to, from net.Conn, held <-chan piece) {
	defer p.drop(to, from)
	closed := false
	for c := range held {
		if closed {
			continue
		}
		time.Sleep(time.Until(c.due))
		if m := Mode(p.mode.Load()); m == Blackhole || m == DropReplies {
			continue
		}
		if _, err := to.Write(c.b); err != nil {
			closed = true
			_ = from.Close()
		}
	}
}
