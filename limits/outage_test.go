package limits

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits/redistest"
)

// outages are those that the tests through Caddy have too, and more.
var outages = append(slices.Clip(redistest.Outages),
	redistest.Outage{Name: "slow from the start", Start: true, Begin: redistest.Outages[0].Begin, End: redistest.Outages[0].End},
	redistest.Outage{Name: noPassword, Start: true, Says: "NOAUTH",
		Begin: func(t *testing.T, _ *redistest.Proxy, admin *redis.Client) {
			requirePassword(t, admin, redistest.Password)
		},
		End: func(t *testing.T, _ *redistest.Proxy, admin *redis.Client) { requirePassword(t, admin, "") }},
	redistest.Outage{Name: "rights taken", Says: "NOPERM",
		Begin: func(t *testing.T, _ *redistest.Proxy, admin *redis.Client) { redistest.SetUser(t, admin, "nocommands") },
		End:   func(t *testing.T, _ *redistest.Proxy, admin *redis.Client) { redistest.LetIn(t, admin) }},
)

// noPassword is the outage in which the gateway has no login.
const noPassword = "no password where one is asked for"

// requirePassword asks new connections without a user for a password.
func requirePassword(t *testing.T, admin *redis.Client, password string) {
	t.Helper()
	if err := admin.ConfigSet(context.Background(), "requirepass", password).Err(); err != nil {
		t.Error(err)
	}
}

const (
	outageRPM   = 40
	outageConc  = 10
	outageShare = 2 // of the gateway, with this many
	outageCalls = 60
)

// answer is what became of a call.
type answer struct {
	d    Decision
	err  error
	took time.Duration
}

// atOnce makes so many calls, a few at a time, and returns all answers. Leases are the caller's.
func atOnce(l Limiter, n int, who string) []answer {
	out := make([]answer, n)
	var wg sync.WaitGroup
	const workers = 6
	for i := range workers {
		wg.Go(func() {
			for j := i; j < n; j += workers {
				begin := time.Now()
				d, err := l.Acquire(context.Background(), Call{Tiers: []Tier{one(l, who, outageRPM, 0)}})
				out[j] = answer{d, err, time.Since(begin)}
				d.Lease.Release()
			}
		})
	}
	wg.Wait()
	return out
}

// tellings keeps what the operator would be told of a Redis that is away.
type tellings struct {
	mu  sync.Mutex
	all []string
}

func (l *tellings) observer() *Observer {
	return &Observer{Fallback: func(_ string, away bool, _ time.Duration, err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if away {
			l.all = append(l.all, fmt.Sprint(err))
		} else {
			l.all = append(l.all, "back")
		}
	}}
}

func (l *tellings) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// TestOutages has a Redis that runs, and is too slow or lets nobody in, for each policy: every call gets the one answer
// that the policy promises, none waits longer than its time-outs, Redis decides again by itself when the fault is over,
// and then nothing that was admitted is forgotten and no slot is left.
func TestOutages(t *testing.T) {
	for _, o := range outages {
		for _, policy := range []OnFailure{Local, Allow, Deny} {
			t.Run(o.Name+"/"+policy.String(), func(t *testing.T) {
				t.Parallel()
				runOutage(t, &o, policy)
			})
		}
	}
}

func runOutage(t *testing.T, o *redistest.Outage, policy OnFailure) {
	server := redistest.Start(t)
	admin := server.Client()
	defer admin.Close()
	redistest.LetIn(t, admin)
	p := redistest.NewProxy(t, server.Addr)
	if o.Start {
		o.Begin(t, p, admin)
	}
	var said tellings
	login := ClientOptions{Addresses: []string{p.Addr}, Username: redistest.User, Password: redistest.Password}
	if o.Name == noPassword {
		login.Username, login.Password = "", ""
	}
	l := newGateway(t, login, RedisOptions{Secret: []byte("for tests"), OnFailure: policy, Replicas: outageShare, Observer: said.observer()})

	// With Redis, a few units of the caller and two slots are taken, one of which outlives the fault.
	const holder = "holder"
	var held []Decision
	admitted := 0
	if !o.Start {
		for range 3 {
			redistest.Until(t, "redis decides", func() bool {
				d := acquire(t, l, one(l, "caller", outageRPM, 0))
				d.Lease.Release()
				if d.Allowed {
					admitted++
				}
				return d.Allowed && !d.Fallback
			})
		}
		for range 2 {
			if d := acquire(t, l, one(l, holder, 0, outageConc)); d.Allowed {
				held = append(held, d)
			}
		}
		o.Begin(t, p, admin)
	}

	// Without it: what the policy says, for every call once.
	without, before := 0, admitted
	for _, a := range atOnce(l, outageCalls, "caller") {
		d := a.d
		switch {
		case a.err != nil:
			t.Fatalf("a call was lost: %v", a.err)
		case a.took > 50*DefaultTimeout: // far more than any wait, far less than a client's
			t.Errorf("a decision took %s", a.took)
		}
		if d.Allowed {
			admitted++
		}
		if !d.Fallback { // an operation that was under way when the fault came
			continue
		}
		without++
		switch {
		case policy == Allow && !d.Allowed, policy == Local && !d.Allowed && d.Bound != RPM, policy == Deny && d.Allowed,
			policy == Deny && (d.Bound != Unavailable || d.RetryAfter != unavailableWait || d.Tier != "key"):
			t.Errorf("%s: %+v", policy, d)
		}
	}
	if without < outageCalls/2 {
		t.Fatalf("%d of %d calls were decided without Redis: the fault did not happen", without, outageCalls)
	}
	if without == outageCalls {
		want := map[OnFailure]int{Local: outageRPM / outageShare, Allow: before + outageCalls, Deny: before}[policy]
		if admitted != want {
			t.Errorf("%d were admitted with those before, want %d", admitted, want)
		}
	}
	for range outageConc {
		if d := acquire(t, l, one(l, holder, 0, outageConc)); d.Allowed {
			held = append(held, d)
		} else if d.Fallback && d.Bound != map[OnFailure]Bound{Local: Concurrency, Deny: Unavailable}[policy] {
			t.Errorf("%s: %+v", policy, d)
		}
	}
	if policy == Local && len(held) > outageConc {
		t.Errorf("%d slots are held, the limit is %d", len(held), outageConc)
	}
	for _, d := range held[:len(held)/2] { // given back while nobody listens
		d.Lease.Release()
	}
	if told := said.list(); len(told) == 0 || !strings.Contains(told[0], o.Says) {
		t.Errorf("the operator was told %q, want %q", told, o.Says)
	}

	// And back, by itself.
	o.End(t, p, admin)
	redistest.Until(t, "redis decides again", func() bool {
		d := acquire(t, l, one(l, "another", 1000, 0))
		d.Lease.Release()
		return d.Allowed && !d.Fallback
	})
	if told := said.list(); told[len(told)-1] != "back" {
		t.Errorf("the operator was told %q, and not that redis is back", told)
	}
	// What was admitted is counted: another gateway sees it, and finds the limit kept.
	other := newGateway(t, ClientOptions{Addresses: []string{server.Addr}, Timeout: patience}, RedisOptions{Secret: []byte("for tests"), Timeout: patience})
	redistest.Until(t, "all gateways know what was admitted", func() bool {
		d := acquire(t, other, Tier{Name: "key", Subject: one(other, "caller", 0, 0).Subject, RPM: 1 << 20})
		return !d.Fallback && d.Current.RPM >= admitted
	})
	for range outageRPM + 5 {
		if d := acquire(t, other, one(other, "caller", outageRPM, 0)); d.Allowed {
			admitted++
		}
	}
	if limit := outageRPM; policy != Allow && admitted > limit || policy == Allow && admitted > before+outageCalls {
		t.Errorf("%d were admitted in a minute, the limit is %d", admitted, limit)
	}
	for _, d := range held {
		d.Lease.Release()
		d.Lease.Release() // a second time changes nothing
	}
	redistest.Until(t, "all slots are free", func() bool {
		d := acquire(t, other, Tier{Name: "key", Subject: one(other, holder, 0, 0).Subject, Slots: 1, Concurrency: 1 << 20})
		d.Lease.Release()
		return !d.Fallback && d.Current.Concurrency == 1 && l.Stats().Held == 0
	})
}

// TestClosedWhileAway: a node that is away is so no longer for a limiter that is closed, which is told once.
func TestClosedWhileAway(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	a, _ := fakeRedis(t, s, func(o *RedisOptions) { o.Observer = r.observer() })
	s.Kill()
	for range nodeFailures {
		mustAllow(t, a, one(a, "k", 0, 0)).Lease.Release()
	}
	if r.away.Load() != 1 || r.back.Load() != 0 {
		t.Fatalf("%d times away, %d times back", r.away.Load(), r.back.Load())
	}
	for range 2 {
		_ = a.Close()
	}
	if r.away.Load() != 1 || r.back.Load() != 1 {
		t.Fatalf("closed: %d times away, %d times back", r.away.Load(), r.back.Load())
	}
}
