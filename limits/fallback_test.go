package limits

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// recorder counts what an Observer is told.
type recorder struct {
	trips, failures, away, back, overloads, evictions, secrets atomic.Int64
}

func (r *recorder) observer() *Observer {
	return &Observer{
		Redis: func(_ string, _ time.Duration, _, _ int, err error) {
			r.trips.Add(1)
			if err != nil {
				r.failures.Add(1)
			}
		},
		Fallback: func(_ string, away bool, _ time.Duration, _ error) {
			if away {
				r.away.Add(1)
			} else {
				r.back.Add(1)
			}
		},
		Overload:      func(string) { r.overloads.Add(1) },
		Evicted:       func() { r.evictions.Add(1) },
		SecretChanged: func() { r.secrets.Add(1) },
	}
}

func TestFallbackLocal(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	a, b, f := pair(t, s, func(o *RedisOptions) { o.Replicas, o.Observer = 4, r.observer() })
	tier := one(a, "k", 100, 20)
	for range 15 {
		mustAllow(t, a, tier).Lease.Release()
	}
	s.Kill()
	f.advance(time.Second)
	var held []Decision
	for range 5 {
		d := mustAllow(t, a, tier)
		if !d.Fallback || d.Lease.Lost() != nil {
			t.Fatalf("%+v", d)
		}
		held = append(held, d)
	}
	if d := mustRefuse(t, a, Concurrency, tier); !d.Fallback || d.Current.Concurrency != 6 || d.RetryAfter < minCapacityWait {
		t.Fatalf("%+v", d)
	}
	if n := r.failures.Load(); n < nodeFailures || n > nodeFailures+1 || r.away.Load() != 1 {
		t.Fatalf("%d failures, %d times away", n, r.away.Load())
	}
	held[0].Lease.Release()
	held[1].Lease.Release()
	for range 5 { // 15 were admitted before, of a share of 25
		mustAllow(t, a, tier).Lease.Release()
	}
	d := mustRefuse(t, a, RPM, tier)
	if !d.Fallback || d.RetryAfter <= 0 || d.RetryAfter > Window+5*time.Second || d.Current.RPM != 25 {
		t.Fatalf("%+v", d)
	}
	before := r.trips.Load()
	for range 1000 {
		mustRefuse(t, a, RPM, tier)
		background(a)
	}
	if got := r.trips.Load(); got != before {
		t.Fatalf("%d operations while Redis was known to be away", got-before)
	}
	s.Run()
	f.advance(nodePause)
	d = mustAllow(t, a, tier) // 10 in debt and this one: the 15 from before were brought back
	if d.Fallback || d.Current != (Count{26, 4}) {
		t.Fatalf("%+v", d)
	}
	if r.back.Load() != 1 {
		t.Fatal("nobody was told that Redis is back")
	}
	f.advance(time.Millisecond)
	if d := mustAllow(t, b, tier); d.Current != (Count{27, 5}) {
		t.Fatalf("%+v", d)
	}
}

func TestFallbackWindowSlides(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.Replicas = 2 })
	s.Kill()
	f.redis = nil // nobody to tell the time
	var granted []time.Duration
	for range 3000 {
		if d := acquire(t, a, one(a, "k", 100, 0)); d.Allowed {
			granted = append(granted, f.clock())
			d.Lease.Release()
		} else {
			f.advance(max(d.RetryAfter/3, time.Millisecond))
		}
	}
	checkWindows(t, granted, Window, 50)
	if len(granted) < 500 {
		t.Fatalf("%d granted", len(granted))
	}
}

func TestFallbackSmallShares(t *testing.T) {
	for _, c := range []struct{ limit, replicas, want int }{{0, 4, 0}, {1, 4, 1}, {2, 4, 1}, {20, 4, 5}, {21, 4, 6}, {600, 1, 600}} {
		if got := share(c.limit, c.replicas); got != c.want {
			t.Errorf("share(%d, %d) = %d, want %d", c.limit, c.replicas, got, c.want)
		}
	}
}

func TestFallbackAllow(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.OnFailure = Allow })
	s.Kill()
	for range 30 {
		if d := mustAllow(t, a, one(a, "k", 10, 5)); !d.Fallback {
			t.Fatalf("%+v", d)
		}
	}
	s.Run()
	f.advance(nodePause)
	if d := mustRefuse(t, a, RPM, one(a, "k", 10, 5)); d.Fallback || d.Current != (Count{30, 31}) {
		t.Fatalf("what was admitted without Redis is not counted: %+v", d)
	}
}

func TestFallbackDeny(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.OnFailure = Deny })
	s.Kill()
	for range 30 {
		d := mustRefuse(t, a, Unavailable, one(a, "k", 10, 5))
		if !d.Fallback || d.RetryAfter != time.Second || d.Tier != "key" {
			t.Fatalf("%+v", d)
		}
	}
	s.Run()
	f.advance(nodePause)
	mustRefuse(t, a, Unavailable, one(a, "k", 10, 5)) // others may know more
	f.advance(doubtTime)
	if d := mustAllow(t, a, one(a, "k", 10, 5)); d.Current != (Count{1, 1}) {
		t.Fatalf("%+v", d)
	}
}

// A limiter whose client is closed, or whose Redis refuses every write, must not spin on its releases.
func TestReleasesBackOff(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.Observer = r.observer() })
	for range 10 {
		mustAllow(t, a, one(a, "k", 0, 10)).Lease.Release()
	}
	_ = a.client.Close()
	r.trips.Store(0)
	for range 10_000 {
		f.advance(time.Millisecond)
		background(a)
	}
	if n := r.trips.Load(); n == 0 || n > 40 {
		t.Fatalf("%d attempts in 10 seconds", n)
	}
}

// An operation that timed out may be executed later. What it granted must not stay.
func TestPhantomGrants(t *testing.T) {
	s := redistest.Start(t)
	a, b, f := pair(t, s, func(o *RedisOptions) { o.Timeout, o.OnFailure = 500*time.Millisecond, Deny })
	tier := one(a, "k", 0, 3)
	mustAllow(t, b, tier).Lease.Release()
	background(b)
	mustAllow(t, a, tier).Lease.Release()
	background(a)
	s.Signal(syscall.SIGSTOP)
	for range 2 {
		mustRefuse(t, a, Unavailable, tier)
	}
	s.Signal(syscall.SIGCONT)
	f.advance(maxBackoff)
	redistest.Until(t, "the releases have arrived", func() bool {
		f.advance(maxBackoff)
		background(a)
		d := acquire(t, b, one(b, "k", 0, 1))
		d.Lease.Release()
		background(b)
		return d.Allowed && !d.Fallback
	})
	if d := mustAllow(t, a, tier); d.Current.Concurrency != 1 || d.Fallback {
		t.Fatalf("%+v", d)
	}
}

func TestOutOfMemory(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.Replicas = 2 })
	mustAllow(t, a, one(a, "k", 10, 10)).Lease.Release()
	ctx := context.Background()
	if err := a.client.ConfigSet(ctx, "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if d := mustAllow(t, a, one(a, "k", 10, 10)); !d.Fallback {
		t.Fatalf("%+v", d)
	}
	if err := a.client.ConfigSet(ctx, "maxmemory", "0").Err(); err != nil {
		t.Fatal(err)
	}
	f.advance(maxBackoff)
	if d := mustAllow(t, a, one(a, "k", 10, 10)); d.Fallback || d.Current.RPM != 3 {
		t.Fatalf("%+v", d)
	}
}

// Too many calls for the connections are this process's trouble: they wait, and say nothing about Redis.
func TestOverloadIsNotAnOutage(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	client := ClientOptions{Addresses: []string{s.Addr}, PoolSize: 1, Timeout: 5 * time.Second}
	l := newGateway(t, client, RedisOptions{Secret: []byte("x"), MaxInFlight: 1, Timeout: 5 * time.Second, Observer: r.observer()})
	var wg sync.WaitGroup
	for i := range 256 {
		wg.Go(func() {
			for range 10 {
				d, err := l.Acquire(context.Background(), Call{Tiers: []Tier{one(l, strings.Repeat("k", i+1), 0, 5)}})
				if err != nil || !d.Allowed || d.Fallback {
					t.Errorf("%+v %v", d, err)
				}
				d.Lease.Release()
			}
		})
	}
	wg.Wait()
	if r.away.Load() != 0 || r.failures.Load() != 0 {
		t.Errorf("%d times away, %d failures", r.away.Load(), r.failures.Load())
	}
}

func TestSecretIsAgreedOn(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	noSecret := func(o *RedisOptions) { o.Secret, o.Observer = nil, r.observer() }
	a, b, f := pair(t, s, noSecret)
	same := func(l *Redis) bool { return l.Hasher().Subject("key", "k") == a.Hasher().Subject("key", "k") }
	if !same(b) {
		t.Fatal("two processes have two secrets")
	}
	flushAll(t, a) // Redis loses it: the processes write it back
	a.agree()
	b.agree()
	c := fakeGateway(t, s, f, a.o.Prefix, noSecret)
	if !same(b) || !same(c) || r.secrets.Load() != 0 {
		t.Fatal("the secret was lost with Redis")
	}
	flushAll(t, a) // and one that comes first makes a new one, which all take
	d := fakeGateway(t, s, f, a.o.Prefix, noSecret)
	if same(d) {
		t.Fatal("a secret of nowhere")
	}
	for _, l := range []*Redis{a, b, c} {
		l.agree()
	}
	if !same(b) || !same(c) || !same(d) || r.secrets.Load() != 3 {
		t.Fatalf("not one secret after %d changes", r.secrets.Load())
	}
	if err := a.client.Set(context.Background(), a.o.Prefix+"secret", "short", 0).Err(); err != nil {
		t.Fatal(err)
	}
	failures := r.failures.Load()
	a.agree()
	if !same(d) || r.failures.Load() != failures+1 {
		t.Fatal("took a secret that is none")
	}
}

func TestSecretComesLater(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, nil)
	s.Kill()
	l := fakeGateway(t, s, f, "later:", func(o *RedisOptions) { o.Secret, o.Timeout = nil, 50*time.Millisecond })
	mustAllow(t, l, one(l, "k", 5, 0))
	if l.agreed.Load() {
		t.Fatal("agreed with nobody")
	}
	s.Run()
	f.advance(nodePause)
	l.agree()
	if !l.agreed.Load() {
		t.Fatal("no secret after Redis came back")
	}
	_ = a
}

func TestBounds(t *testing.T) {
	s := redistest.Start(t)
	var r recorder
	a, f := fakeRedis(t, s, func(o *RedisOptions) { o.MaxKeys, o.Observer = 100, r.observer() })
	m := NewMemory(MemoryOptions{MaxKeys: 2 * memoryShards, Clock: f.clock, Observer: r.observer()})
	for _, l := range []Limiter{a, m} {
		held := mustAllow(t, l, one(l, "held", 0, 1))
		refused := 0
		for i := range 1000 {
			who := strings.Repeat("x", i+1)
			switch d := acquire(t, l, one(l, who, 10, 0)); {
			case d.Allowed:
				d.Lease.Release()
			case d.Bound != Unavailable:
				t.Fatalf("%+v", d)
			default:
				refused++
			}
			if l == Limiter(a) {
				background(a)
			}
		}
		if got := l.Stats().Keys; got > 2*memoryShards {
			t.Errorf("%T keeps %d subjects", l, got)
		}
		if refused > 50 {
			t.Errorf("%T refused %d", l, refused)
		}
		mustRefuse(t, l, Concurrency, one(l, "held", 0, 1))
		held.Lease.Release()
	}
	if r.evictions.Load() == 0 {
		t.Error("nothing was evicted")
	}
	background(a)
	f.advance(3 * Window)
	a.sweep(f.clock(), true)
	if got := a.Stats().Keys; got != 0 {
		t.Errorf("%d idle subjects are kept", got)
	}
}

func TestParseOnFailure(t *testing.T) {
	for _, f := range []OnFailure{Local, Allow, Deny} {
		if got, err := ParseOnFailure(f.String()); err != nil || got != f {
			t.Errorf("%s: %s %v", f, got, err)
		}
	}
	if _, err := ParseOnFailure("closed"); err == nil {
		t.Error("closed was accepted")
	}
}
