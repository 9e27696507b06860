package policy

import (
	"context"
	"net/netip"
)

// answer is what a look-up brought. A look-up that failed or came too late has
// no addresses.
type answer struct {
	index int
	addrs []netip.Addr
}

// resolve looks the names up, a few at a time, and reports the first of them
// that has an address that is neither public nor allowed.
func (g *Guard) resolve(ctx context.Context, names []query) (Finding, bool) {
	timeout := g.Timeout
	if timeout <= 0 {
		timeout = DefaultResolveTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	answers := make(chan answer, len(names))
	slots := make(chan struct{}, resolveAtOnce)
	go func() {
		for i, q := range names {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			go func() {
				defer func() { <-slots }()
				answers <- answer{i, g.look(ctx, q.host)}
			}()
		}
	}()

	got := make([][]netip.Addr, len(names))
	// A resolver that ignores its context is not waited for.
wait:
	for range names {
		select {
		case a := <-answers:
			got[a.index] = a.addrs
			if _, bad := g.bad(names[a.index], a.addrs); bad {
				break wait
			}
		case <-ctx.Done():
			break wait
		}
	}
	for i, q := range names {
		if f, bad := g.bad(q, got[i]); bad {
			return f, true
		}
	}
	for i, q := range names {
		// A local name is only let through when its addresses are allowed.
		if q.local != "" && len(got[i]) == 0 {
			return Finding{Path: q.path, Reason: q.local}, true
		}
	}
	return Finding{}, false
}

func (g *Guard) look(ctx context.Context, host string) []netip.Addr {
	addrs, err := g.Resolver(ctx, host)
	if err != nil {
		return nil
	}
	return addrs
}

func (g *Guard) bad(q query, addrs []netip.Addr) (Finding, bool) {
	for _, a := range addrs {
		if g.allowed(a) {
			continue
		}
		if q.local != "" {
			return Finding{Path: q.path, Reason: q.local}, true
		}
		if r := reservedAddr(a); r != "" {
			return Finding{Path: q.path, Reason: r}, true
		}
	}
	return Finding{}, false
}
