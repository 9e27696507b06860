package redistest

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// TestProxyDelay: replies come late, all of them and in order; requests do not.
func TestProxyDelay(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	arrived := make(chan time.Time, 2)
	go func() { // sends back what it got, and then as much again as a connection holds back
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		b := make([]byte, 5)
		for range 2 {
			if _, err := io.ReadFull(c, b); err != nil {
				return
			}
			arrived <- time.Now()
			_, _ = c.Write(b)
		}
		_, _ = c.Write(bytes.Repeat([]byte("x"), 2*heldReplies*readSize))
	}()
	p := NewProxy(t, l.Addr().String())
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const late = 200 * time.Millisecond
	p.Delay(late)
	read := func(n int) []byte {
		t.Helper()
		b := make([]byte, n)
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, word := range []string{"first", "later"} {
		if _, err := io.WriteString(c, word); err != nil {
			t.Fatal(err)
		}
		got, at := read(len(word)), time.Now()
		if string(got) != word {
			t.Errorf("%q came for %q", got, word)
		}
		if d := at.Sub(<-arrived); d < late {
			t.Errorf("the reply came %s after the request, the delay is %s", d, late)
		}
	}
	p.Delay(0)
	if rest := read(2 * heldReplies * readSize); bytes.Count(rest, []byte("x")) != len(rest) {
		t.Error("the rest is not as it was sent")
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes too many, %v", n, err)
	}
}

// TestStartTakesAnotherPort: a port that somebody else has is no reason to give up.
func TestStartTakesAnotherPort(t *testing.T) {
	first := Start(t)
	s := &Server{t: t, binary: first.binary, Port: first.Port, Addr: first.Addr, args: first.args, dir: t.TempDir()}
	if s.run() {
		t.Fatal("two servers have one port")
	}
	first.Kill()
	s.Run()
	s.Kill()
}
