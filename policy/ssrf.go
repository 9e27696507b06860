package policy

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Defaults and bounds of the guard.
const (
	DefaultResolveTimeout = time.Second
	DefaultMaxNames       = 32
	resolveAtOnce         = 8
	maxGuardDepth         = 64
	maxNestedJSON         = 3
)

// Guard refuses arguments that point into a private or reserved network, so
// that a server behind the gateway is not made to fetch from inside (SSRF).
// Safe for concurrent use once it is set up.
//
// Every string that begins with a scheme ("http://…") is read as a URL. A
// string without one ("10.0.0.1", "db.corp:5432") counts where the name of the
// argument says that it holds a target (url, host, ip, endpoint, webhook, …;
// address, server, target, domain and the like count for addresses and names
// with a dot only), or where Arguments names it. Prose, file names and version
// numbers in other arguments are left alone.
//
// The server resolves names again, and may get another answer than the guard
// did (DNS rebinding): the guard narrows the way, a network policy around the
// server closes it.
type Guard struct {
	// Arguments are the only arguments looked at. Empty: all.
	Arguments []ArgumentPattern

	// Allow are networks that may be reached although they are not public.
	// A name passes when each of its addresses is public or in Allow.
	Allow []netip.Prefix

	// Resolver looks up a name. nil: names are not resolved, only local names
	// are refused. An error is no refusal: the server will not get far either.
	Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

	// Timeout of all look-ups of one call. 0: DefaultResolveTimeout. When it
	// is over, what has not been answered passes.
	Timeout time.Duration

	// MaxNames is how many different names one call may have resolved.
	// More are refused. 0: DefaultMaxNames.
	MaxNames int
}

// Finding is what the guard refused. It carries no value.
type Finding struct {
	// Path of the argument: "a.b[0]". The names in it are the caller's.
	Path   string
	Reason Reason
}

// Check looks at the arguments of a call, a JSON object, and reports the first
// finding, in the order of the arguments; what is refused by sight comes before
// what had to be resolved. Absent arguments have none.
func (g *Guard) Check(ctx context.Context, args []byte) (Finding, bool) {
	if g == nil || len(args) == 0 {
		return Finding{}, false
	}
	if !gjson.ValidBytes(args) {
		return Finding{Reason: ReasonUnread}, true
	}
	w := walk{g: g}
	w.value(gjson.ParseBytes(args), notNamed, 0, 0)
	if w.found {
		return w.finding, true
	}
	if len(w.names) == 0 {
		return Finding{}, false
	}
	return g.resolve(ctx, w.names)
}

// query is a name to resolve. local says that it is refused unless every
// address is in Allow.
type query struct {
	host  string
	path  string
	local Reason
}

type walk struct {
	g       *Guard
	path    []string // names, and indexes as "[0]"
	names   []query
	finding Finding
	found   bool
}

func (w *walk) at() string {
	var b strings.Builder
	for i, p := range w.path {
		if i > 0 && !strings.HasPrefix(p, "[") {
			b.WriteByte('.')
		}
		b.WriteString(p)
		if b.Len() > 256 {
			return b.String()[:256]
		}
	}
	return b.String()
}

func (w *walk) refuse(r Reason) {
	if !w.found {
		w.finding, w.found = Finding{Path: w.at(), Reason: r}, true
	}
}

// value looks at v and everything in it until something is found. named is
// what the name of the argument says; nested counts JSON inside strings.
func (w *walk) value(v gjson.Result, named certainty, depth, nested int) {
	switch {
	case depth > maxGuardDepth:
		w.refuse(ReasonTooDeep)
	case v.IsObject():
		v.ForEach(func(k, child gjson.Result) bool {
			name := k.String()
			w.path = append(w.path, name)
			if len(w.g.Arguments) == 0 || named == surelyHost {
				w.text(name, notNamed)
			}
			w.value(child, w.certainty(named, name), depth+1, nested)
			w.path = w.path[:len(w.path)-1]
			return !w.found
		})
	case v.IsArray():
		i := 0
		v.ForEach(func(_, child gjson.Result) bool {
			w.path = append(w.path, "["+strconv.Itoa(i)+"]")
			w.value(child, max(named, w.certainty(named, "")), depth+1, nested)
			w.path = w.path[:len(w.path)-1]
			i++
			return !w.found
		})
	case v.Type == gjson.Number:
		// {"ip": 2130706433}, but not {"callback": 0} or {"endpoint": 10.5}.
		if named != notNamed && v.Num >= 1<<24 && !strings.ContainsAny(v.Raw, ".eE") {
			w.text(v.Raw, named)
		}
	case v.Type == gjson.String:
		s := v.String()
		if t := strings.TrimLeft(s, " \t\r\n"); nested < maxNestedJSON && t != "" && (t[0] == '{' || t[0] == '[') && gjson.Valid(t) {
			w.value(gjson.Parse(t), named, depth+1, nested+1)
			return
		}
		if len(w.g.Arguments) == 0 || named != notNamed {
			w.text(s, named)
		}
	}
}

// certainty of a child. With Arguments, a match covers all below it; without,
// each name speaks for itself and for the arrays under it.
func (w *walk) certainty(parent certainty, name string) certainty {
	if len(w.g.Arguments) > 0 {
		if parent == surelyHost || slices.ContainsFunc(w.g.Arguments, func(a ArgumentPattern) bool { return a.match(w.path) }) {
			return surelyHost
		}
		return notNamed
	}
	if name == "" {
		return parent
	}
	return suggests(name)
}

func (w *walk) text(s string, named certainty) {
	targets(s, named, func(t target) bool {
		w.judge(t)
		return !w.found
	})
}

// judge decides what can be decided by sight and notes names to resolve.
func (w *walk) judge(t target) {
	if t.refuse != "" {
		w.refuse(t.refuse)
		return
	}
	if a, ok := parseLiteral(t.host); ok {
		w.addr(a)
		return
	}
	host := normalHost(t.host)
	if strings.Contains(host, "%") { // "％" became one
		if h, err := url.PathUnescape(host); err == nil {
			host = normalHost(h)
		}
	}
	if a, ok := parseLiteral(host); ok {
		w.addr(a)
		return
	}
	if n, ok := parseNumber(host); ok {
		if t.numbers && (t.sure == surelyHost && (n.parts > 1 || n.value == 0 || n.value >= 1<<24 || !n.plain) || n.parts == 4) {
			for _, a := range n.addrs {
				w.addr(a)
			}
		}
		return
	}
	if t.sure != surelyHost && !strings.Contains(host, ".") && host != "localhost" {
		return
	}
	if local := localName(host); local != "" {
		w.local(host, local)
		return
	}
	if t.sure == notNamed || w.g.Resolver == nil || !resolvable(host) {
		return
	}
	w.ask(query{host: host, path: w.at()})
}

func (w *walk) addr(a netip.Addr) {
	if r := reservedAddr(a); r != "" && !w.g.allowed(a) {
		w.refuse(r)
	}
}

// local refuses a local name, unless Allow could cover its addresses.
func (w *walk) local(host string, r Reason) {
	switch {
	case len(w.g.Allow) == 0:
		w.refuse(r)
	case host == "localhost":
		if !w.g.allowed(netip.AddrFrom4([4]byte{127, 0, 0, 1})) {
			w.refuse(r)
		}
	case w.g.Resolver == nil:
		w.refuse(r)
	default:
		w.ask(query{host: host, path: w.at(), local: r})
	}
}

func (w *walk) ask(q query) {
	if slices.ContainsFunc(w.names, func(n query) bool { return n.host == q.host }) {
		return
	}
	limit := w.g.MaxNames
	if limit <= 0 {
		limit = DefaultMaxNames
	}
	if len(w.names) >= limit {
		w.refuse(ReasonTooMany)
		return
	}
	w.names = append(w.names, q)
}

// allowed reports whether a, or the IPv4 address in it, is in Allow.
func (g *Guard) allowed(a netip.Addr) bool {
	if len(g.Allow) == 0 {
		return false
	}
	in := func(a netip.Addr) bool {
		a = a.WithZone("").Unmap()
		return slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	if in(a) {
		return true
	}
	if a = a.WithZone("").Unmap(); a.Is4() {
		return false
	}
	v4 := embedded(a)
	return len(v4) > 0 && !slices.ContainsFunc(v4, func(a netip.Addr) bool { return !in(a) })
}
