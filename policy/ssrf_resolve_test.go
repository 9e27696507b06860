package policy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsServer is a real DNS server on UDP. Names without a record do not exist;
// names in drop are not answered.
type dnsServer struct {
	conn    net.PacketConn
	records map[string][]string
	drop    string

	mu    sync.Mutex
	asked map[string]int
}

func startDNS(t *testing.T, records map[string][]string) *dnsServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &dnsServer{conn: conn, records: records, drop: "silent.", asked: map[string]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if out := s.answer(buf[:n]); out != nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return s
}

func (s *dnsServer) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	s.mu.Lock()
	s.asked[name]++
	s.mu.Unlock()
	if strings.HasPrefix(name, s.drop) {
		return nil
	}
	m.Response, m.Authoritative, m.RecursionAvailable = true, true, true
	m.Additionals = nil
	records, ok := s.records[name]
	if !ok {
		m.RCode = dnsmessage.RCodeNameError
	}
	owner := q.Name
	for _, r := range records {
		if alias, isAlias := strings.CutPrefix(r, "cname "); isAlias {
			to := dnsmessage.MustNewName(alias + ".")
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: owner, Type: dnsmessage.TypeCNAME, Class: dnsmessage.ClassINET, TTL: 1},
				Body:   &dnsmessage.CNAMEResource{CNAME: to},
			})
			owner = to
			continue
		}
		a := netip.MustParseAddr(r)
		h := dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET, TTL: 1}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			h.Type = dnsmessage.TypeA
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			h.Type = dnsmessage.TypeAAAA
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

func (s *dnsServer) times(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

// resolver is Go's own, pointed at the server.
func (s *dnsServer) resolver() func(context.Context, string) ([]netip.Addr, error) {
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
	return func(ctx context.Context, host string) ([]netip.Addr, error) { return r.LookupNetIP(ctx, "ip", host) }
}

func TestGuardResolves(t *testing.T) {
	srv := startDNS(t, map[string][]string{
		"public.example.net":    {"93.184.215.14", "2606:2800:220:1::1"},
		"loopback.example.net":  {"127.0.0.1"},
		"private.example.net":   {"10.1.2.3"},
		"mixed.example.net":     {"93.184.215.14", "192.168.1.1"},
		"six.example.net":       {"93.184.215.14", "fd00::1"},
		"mapped.example.net":    {"::ffff:10.0.0.1"},
		"nat64.example.net":     {"64:ff9b::a00:1"},
		"meta.example.net":      {"169.254.169.254"},
		"alias.example.net":     {"cname target.example.net", "172.16.0.9"},
		"many.example.net":      {"93.184.215.14", "93.184.215.15", "93.184.215.16", "100.64.0.1"},
		"xn--bcher-kva.example": {"10.0.0.1"},
		"inner.corp":            {"10.1.9.9"},
		"both.corp":             {"10.1.9.9", "10.2.0.1"},
		"empty.example.net":     {},
		"redis":                 {"172.18.0.3"},
	})
	guard := func(allow ...string) *Guard {
		g := &Guard{Resolver: srv.resolver(), Timeout: 5 * time.Second}
		for _, a := range allow {
			g.Allow = append(g.Allow, netip.MustParsePrefix(a))
		}
		return g
	}
	for _, c := range []struct {
		arg, value string
		g          *Guard
		want       Reason
	}{
		{"url", "https://public.example.net/x", guard(), ""},
		{"url", "https://loopback.example.net/x", guard(), ReasonLoopback},
		{"url", "https://private.example.net/x", guard(), ReasonPrivate},
		{"url", "https://PRIVATE.Example.NET./x", guard(), ReasonPrivate},
		{"url", "https://mixed.example.net/x", guard(), ReasonPrivate},
		{"url", "https://six.example.net/x", guard(), ReasonPrivate},
		{"url", "https://mapped.example.net/x", guard(), ReasonPrivate},
		{"url", "https://nat64.example.net/x", guard(), ReasonPrivate},
		{"url", "https://meta.example.net/x", guard(), ReasonMetadata},
		{"url", "https://alias.example.net/x", guard(), ReasonPrivate},
		{"url", "https://many.example.net/x", guard(), ReasonPrivate},
		{"url", "https://bücher.example/", guard(), ReasonPrivate},
		{"url", "https://good@private.example.net/", guard(), ReasonPrivate},
		{"url", `https://public.example.net\@private.example.net/`, guard(), ReasonPrivate},
		{"url", "http://redis:6379/", guard(), ReasonPrivate},
		{"host", "private.example.net", guard(), ReasonPrivate},
		{"host", "private.example.net:5432", guard(), ReasonPrivate},
		{"host", "redis", guard(), ReasonPrivate},
		{"server", "private.example.net", guard(), ReasonPrivate},
		{"server", "redis", guard(), ""},
		{"text", "private.example.net", guard(), ""},
		{"text", "https://private.example.net/", guard(), ReasonPrivate},
		{"hosts", "public.example.net, private.example.net", guard(), ReasonPrivate},
		// What does not resolve is no failure of the call.
		{"url", "https://unknown.example.net/", guard(), ""},
		{"url", "https://empty.example.net/", guard(), ""},
		// Allow.
		{"url", "https://private.example.net/x", guard("10.1.0.0/16"), ""},
		{"url", "https://mixed.example.net/x", guard("192.168.0.0/16"), ""},
		{"url", "https://meta.example.net/x", guard("10.0.0.0/8"), ReasonMetadata},
		{"url", "https://inner.corp/", guard(), ReasonLocalName},
		{"url", "https://inner.corp/", guard("10.1.0.0/16"), ""},
		{"url", "https://both.corp/", guard("10.1.0.0/16"), ReasonLocalName},
		{"url", "https://unknown.corp/", guard("10.1.0.0/16"), ReasonLocalName},
		// A scheme whose host is no name on the network is not looked up.
		{"url", "s3://private.example.net/key", guard(), ""},
	} {
		f, found := check(t, c.g, map[string]any{c.arg: c.value})
		if found != (c.want != "") || f.Reason != c.want {
			t.Errorf("%s %q allow %v: %v %+v, want %q", c.arg, c.value, c.g.Allow, found, f, c.want)
		}
	}
	// With resolution off only the form counts.
	if f, found := check(t, &Guard{}, map[string]any{"url": "https://private.example.net/"}); found {
		t.Errorf("resolved although it is off: %+v", f)
	}
}

// A server that never answers holds the call for the time limit and no longer,
// and what was answered meanwhile still counts.
func TestGuardResolveTimeLimit(t *testing.T) {
	srv := startDNS(t, map[string][]string{"private.example.net": {"10.0.0.1"}, "public.example.net": {"93.184.215.14"}})
	g := &Guard{Resolver: srv.resolver(), Timeout: 2 * time.Second}
	if f, found := check(t, g, map[string]any{"url": []string{"https://silent.example.net/", "https://public.example.net/"}}); found {
		t.Errorf("refused: %+v", f)
	}
	if srv.times("silent.example.net") == 0 {
		t.Error("the silent name was not asked for")
	}
	ctx, cancel := context.WithCancel(context.Background())
	never := make(chan struct{})
	defer close(never)
	g = &Guard{Timeout: 10 * time.Second, Resolver: func(context.Context, string) ([]netip.Addr, error) {
		cancel() // the caller leaves; this resolver does not care
		<-never
		return nil, nil
	}}
	if f, found := g.Check(ctx, []byte(`{"url":"https://x.example.net/"}`)); found {
		t.Errorf("refused: %+v", f)
	}
}

func TestGuardManyNames(t *testing.T) {
	srv := startDNS(t, map[string][]string{"bad.example.net": {"10.0.0.1"}, "n0.example.net": {"93.184.215.14"}})
	g := &Guard{Resolver: srv.resolver(), Timeout: 5 * time.Second}
	urls := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("https://n%d.example.net/", i))
		}
		return out
	}
	if f, found := check(t, g, map[string]any{"url": urls(DefaultMaxNames)}); found {
		t.Errorf("refused: %+v", f)
	}
	if f, found := check(t, g, map[string]any{"url": urls(DefaultMaxNames + 1)}); !found || f.Reason != ReasonTooMany {
		t.Errorf("one name too many: %v %+v", found, f)
	}
	if f, found := check(t, g, map[string]any{"url": append(urls(20), "https://bad.example.net/")}); !found || f.Path != "url[20]" {
		t.Errorf("%v %+v", found, f)
	}
	// The same name is asked for once.
	before := srv.times("n0.example.net")
	var same []string
	for i := range 100 {
		same = append(same, fmt.Sprintf("https://n0.example.net/%d", i))
	}
	if f, found := check(t, g, map[string]any{"url": same}); found {
		t.Errorf("refused: %+v", f)
	}
	if n := srv.times("n0.example.net") - before; n > 2 { // A and AAAA
		t.Errorf("asked %d times", n)
	}
}
