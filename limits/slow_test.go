package limits

import (
	"sync"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// TestSlowRedisDecides: replies that come late, but in time, are waited for. Two gateways with as many calls at once as the
// limit has twice over admit exactly the limit, no call is lost, and none is decided without Redis. That holds for
// connections that are made while Redis is slow, too.
func TestSlowRedisDecides(t *testing.T) {
	for _, policy := range []OnFailure{Local, Allow, Deny} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			p := redistest.NewProxy(t, redistest.Start(t).Addr)
			p.Delay(redistest.Slowness)
			var gateways [2]*Redis
			for i := range gateways {
				gateways[i] = newGateway(t, ClientOptions{Addresses: []string{p.Addr}, Timeout: patience},
					RedisOptions{Secret: []byte("for tests"), OnFailure: policy, Replicas: outageShare, Timeout: patience})
			}
			var mu sync.Mutex
			admitted := 0
			var wg sync.WaitGroup
			for _, l := range gateways {
				wg.Go(func() {
					for _, a := range atOnce(l, outageRPM, "caller") {
						if a.err != nil || a.d.Fallback || !a.d.Allowed && a.d.Bound != RPM {
							t.Errorf("%+v, %v", a.d, a.err)
						}
						mu.Lock()
						if a.d.Allowed {
							admitted++
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if admitted != outageRPM {
				t.Errorf("%d were admitted, want %d", admitted, outageRPM)
			}
			for _, l := range gateways {
				redistest.Until(t, "all slots are free", func() bool {
					d := acquire(t, gateways[0], Tier{Name: "key", Subject: one(l, "caller", 0, 0).Subject, Slots: 1, Concurrency: 1 << 20})
					d.Lease.Release()
					return d.Current.Concurrency == 1 && l.Stats().Held == 0
				})
			}
		})
	}
}

// TestSlowRedisConnects: a Redis that answers within the time-out decides, though a new connection, which has to log in
// first, is not ready within it; and the gateways agree on their secret through it.
func TestSlowRedisConnects(t *testing.T) {
	t.Parallel()
	const timeout, late = 800 * time.Millisecond, 500 * time.Millisecond
	server := redistest.Start(t)
	admin := server.Client()
	defer admin.Close()
	redistest.LetIn(t, admin)
	p := redistest.NewProxy(t, server.Addr)
	p.Set(redistest.Reset)
	first := newGateway(t, ClientOptions{Addresses: []string{server.Addr}, Timeout: patience}, RedisOptions{Timeout: patience})
	l := newGateway(t, ClientOptions{Addresses: []string{p.Addr}, Username: redistest.User, Password: redistest.Password, Timeout: timeout},
		RedisOptions{Timeout: timeout, OnFailure: Deny})
	mustRefuse(t, l, Unavailable, one(l, "k", 9, 0))
	p.Delay(late)
	p.Set(redistest.Pass)
	redistest.Until(t, "redis decides", func() bool {
		d := acquire(t, l, one(l, "k", 1000, 0))
		d.Lease.Release()
		return d.Allowed && !d.Fallback
	})
	redistest.Until(t, "the gateways have one secret", func() bool {
		return first.Hasher().Subject("key", "k") == l.Hasher().Subject("key", "k")
	})
}
