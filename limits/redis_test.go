package limits

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// background does what the goroutines of a limiter would do now.
func background(l *Redis) {
	l.sweep(l.o.Clock(), false)
	l.flush.drain()
}

func pair(t *testing.T, s *redistest.Server, edit func(*RedisOptions)) (a, b *Redis, f *fakeTime) {
	t.Helper()
	a, f = fakeRedis(t, s, edit)
	return a, fakeGateway(t, s, f, a.o.Prefix, edit), f
}

func flushAll(t *testing.T, l *Redis) {
	t.Helper()
	ctx := context.Background()
	keys, err := l.client.Keys(ctx, l.o.Prefix+"*").Result()
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) > 0 && l.client.Del(ctx, keys...).Err() != nil {
		t.Fatal("del failed")
	}
}

func TestLeases(t *testing.T) {
	s := redistest.Start(t)
	t.Run("a process that only gets refusals keeps its slots", func(t *testing.T) {
		a, b, f := pair(t, s, nil)
		for range 3 {
			mustAllow(t, a, one(a, "k", 0, 3))
		}
		for range 90 {
			f.advance(time.Second)
			mustRefuse(t, a, Concurrency, one(a, "k", 0, 3))
			mustRefuse(t, b, Concurrency, one(b, "k", 0, 3))
		}
	})
	t.Run("a dead process loses them after one lease", func(t *testing.T) {
		a, b, f := pair(t, s, nil)
		mustAllow(t, a, one(a, "k", 0, 1))
		f.advance(DefaultLease - time.Millisecond)
		mustRefuse(t, b, Concurrency, one(b, "k", 0, 1))
		f.advance(time.Millisecond)
		mustAllow(t, b, one(b, "k", 0, 1))
	})
	t.Run("renewed without calls", func(t *testing.T) {
		a, b, f := pair(t, s, nil)
		d := mustAllow(t, a, one(a, "k", 0, 1))
		for range 60 {
			f.advance(time.Second)
			background(a)
			mustRefuse(t, b, Concurrency, one(b, "k", 0, 1))
		}
		d.Lease.Release()
		mustRefuse(t, b, Concurrency, one(b, "k", 0, 1)) // nobody has told Redis yet
		background(a)
		mustAllow(t, b, one(b, "k", 0, 1))
	})
	t.Run("lost", func(t *testing.T) {
		var lost atomic.Int64
		a, f := fakeRedis(t, s, func(o *RedisOptions) { o.Observer = &Observer{LeaseLost: func(n int) { lost.Add(int64(n)) }} })
		d := mustAllow(t, a, one(a, "k", 0, 2))
		gone := mustAllow(t, a, one(a, "k", 0, 2))
		ch := d.Lease.Lost()
		if ch == nil || d.Lease.Lost() != ch || gone.Lease.Lost() == nil {
			t.Fatal("no channel")
		}
		gone.Lease.Release()
		a.sweep(f.clock(), false)
		f.advance(DefaultLease - a.fenceMargin() - time.Millisecond)
		a.sweep(f.clock(), false)
		select {
		case <-ch:
			t.Fatal("lost too early")
		default:
		}
		f.advance(time.Millisecond)
		a.sweep(f.clock(), false)
		select {
		case <-ch:
		default:
			t.Fatal("not told of the loss")
		}
		if lost.Load() != 1 {
			t.Fatalf("%d slots lost", lost.Load())
		}
		d.Lease.Release()
	})
}

func TestRoundTrips(t *testing.T) {
	s := redistest.Start(t)
	var trips, scripts, decisions atomic.Int64
	a, f := fakeRedis(t, s, func(o *RedisOptions) {
		o.Observer = &Observer{Redis: func(_ string, _ time.Duration, n, d int, _ error) {
			trips.Add(1)
			scripts.Add(int64(n))
			decisions.Add(int64(d))
		}}
	})
	count := func(want int64, what string, do func()) {
		t.Helper()
		before := trips.Load()
		do()
		if got := trips.Load() - before; got != want {
			t.Errorf("%s: %d round trips, want %d", what, got, want)
		}
	}
	key := one(a, "k", 3, 10)
	tool := Tier{Name: "tool", Subject: a.Hasher().Under(key.Subject, "tool", "k"), RPM: 100, Cost: 1}
	count(1, "a call", func() { mustAllow(t, a, key) })
	count(1, "two tiers of one tag", func() { mustAllow(t, a, key, tool) })
	count(2, "two tags", func() { mustAllow(t, a, key, one(a, "all", 0, 9)) })
	count(1, "the first refusal", func() { mustRefuse(t, a, RPM, key) })
	count(0, "the next refusals", func() {
		for range 100 {
			d := mustRefuse(t, a, RPM, key, tool)
			if d.RetryAfter != Window+time.Millisecond || d.Current.RPM != 3 {
				t.Fatalf("%+v", d)
			}
		}
	})
	count(0, "a refusal known here comes before other tags", func() { mustRefuse(t, a, RPM, one(a, "all", 0, 9), key) })
	f.advance(Window + time.Millisecond)
	count(1, "after that", func() { mustAllow(t, a, key) })
	if trips.Load() != scripts.Load() || decisions.Load() != 6 {
		t.Errorf("%d trips, %d scripts, %d decisions", trips.Load(), scripts.Load(), decisions.Load())
	}
}

// queued waits until n calls wait for the group of a subject.
func queued(t *testing.T, l *Redis, s Subject, n int) {
	t.Helper()
	redistest.Until(t, "calls are queued", func() bool {
		sh := &l.shards[s.Tag[0]%redisShards]
		sh.mu.Lock()
		g := sh.groups[s.Tag]
		sh.mu.Unlock()
		if g == nil {
			return false
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.inflight && len(g.queue) == n
	})
}

func TestCombining(t *testing.T) {
	s := redistest.Start(t)
	var scripts atomic.Int64
	a, f := fakeRedis(t, s, func(o *RedisOptions) {
		o.Timeout = 20 * time.Second
		o.Observer = &Observer{Redis: func(_ string, _ time.Duration, n, _ int, _ error) { scripts.Add(int64(n)) }}
	})
	tier := one(a, "k", 0, 150)
	mustAllow(t, a, tier).Lease.Release()
	scripts.Store(0)
	s.Signal(syscall.SIGSTOP)
	leader, leave := context.WithCancel(context.Background())
	client, abandon := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var allowed, refused atomic.Int64
	call := func(ctx context.Context, want error) {
		d, err := a.Acquire(ctx, Call{Tiers: []Tier{tier}})
		switch {
		case want != nil && !errors.Is(err, want), want == nil && err != nil:
			t.Error(err)
		case err != nil:
		case d.Allowed:
			allowed.Add(1)
		default:
			refused.Add(1)
		}
	}
	wg.Go(func() { call(leader, nil) })
	queued(t, a, tier.Subject, 0)
	for range 10 {
		wg.Go(func() { call(client, context.Canceled) })
	}
	queued(t, a, tier.Subject, 10)
	for range 190 {
		wg.Go(func() { call(context.Background(), nil) })
	}
	queued(t, a, tier.Subject, 200)
	leave()   // the leader's client leaves: the others must not notice
	abandon() // ten of the others leave as well
	redistest.Until(t, "the clients have left", func() bool {
		sh := &a.shards[tier.Subject.Tag[0]%redisShards]
		g := sh.groups[tier.Subject.Tag]
		g.mu.Lock()
		defer g.mu.Unlock()
		n := 0
		for _, w := range g.queue {
			if w.gone {
				n++
			}
		}
		return n == 10
	})
	s.Signal(syscall.SIGCONT)
	wg.Wait()
	if allowed.Load() != 150 || refused.Load() != 41 {
		t.Errorf("%d allowed, %d refused", allowed.Load(), refused.Load())
	}
	if n := scripts.Load(); n != 2 {
		t.Errorf("%d scripts for 191 decisions", n)
	}
	f.advance(time.Second)
	if d := mustRefuse(t, a, Concurrency, tier); d.Current.Concurrency != 151 {
		t.Errorf("%+v", d)
	}
}

func TestAbandonedGrantIsReturned(t *testing.T) {
	s := redistest.Start(t)
	a, b, _ := pair(t, s, func(o *RedisOptions) { o.Timeout = 20 * time.Second })
	tier := one(a, "k", 0, 2)
	// A follower of an operation that is already sent: the first in flight, the second in its queue, taken by the next.
	mustAllow(t, a, tier).Lease.Release()
	ctx, cancel := context.WithCancel(context.Background())
	w := newWaiter([]Tier{tier}, a.o.Clock())
	g := a.lockGroup([]Tier{tier}, w, a.o.Clock())
	g.inflight = true
	g.queue = append(g.queue, w)
	op := g.next(a.o.Clock(), g.where(0))
	w.gone = true // left while it was in flight
	g.mu.Unlock()
	cancel()
	a.post(op)
	if got := a.Stats().Held; got != 0 {
		t.Fatalf("%d slots held by nobody", got)
	}
	background(a)
	_ = ctx
	if d := mustAllow(t, b, tier); d.Current.Concurrency != 1 {
		t.Fatalf("%+v", d)
	}
}

func TestStateLost(t *testing.T) {
	s := redistest.Start(t)
	t.Run("brought back once by all who saw it", func(t *testing.T) {
		var lost atomic.Int64
		a, b, f := pair(t, s, func(o *RedisOptions) { o.Observer = &Observer{StateLost: func(string) { lost.Add(1) }} })
		for range 200 {
			mustAllow(t, a, one(a, "k", 600, 0)).Lease.Release()
			mustAllow(t, b, one(b, "k", 600, 0)).Lease.Release()
			f.advance(10 * time.Millisecond)
		}
		flushAll(t, a)
		if d := mustAllow(t, a, one(a, "k", 600, 0)); d.Current.RPM != 400 { // it had not seen the last one of b
			t.Fatalf("%+v", d)
		}
		if d := mustAllow(t, b, one(b, "k", 600, 0)); d.Current.RPM != 402 {
			t.Fatalf("%+v", d)
		}
		if lost.Load() != 2 {
			t.Errorf("told %d times", lost.Load())
		}
		if d := mustAllow(t, a, one(a, "k", 600, 0)); d.Current.RPM != 403 {
			t.Fatalf("%+v", d)
		}
	})
	t.Run("a process that admitted nothing knows as well", func(t *testing.T) {
		a, b, f := pair(t, s, nil)
		mustAllow(t, a, one(a, "k", 3, 0))
		mustAllow(t, a, one(a, "k", 3, 0))
		mustAllow(t, a, one(a, "k", 3, 0))
		mustRefuse(t, b, RPM, one(b, "k", 3, 0))
		f.advance(time.Millisecond)
		flushAll(t, a)
		tier := one(b, "k", 4, 0) // another limit, so that the cache does not answer
		if d := mustAllow(t, b, tier); d.Current.RPM != 4 {
			t.Fatalf("%+v", d)
		}
		mustRefuse(t, a, RPM, tier)
	})
	t.Run("slots are asserted again", func(t *testing.T) {
		a, b, _ := pair(t, s, nil)
		mustAllow(t, a, one(a, "k", 0, 2))
		mustAllow(t, b, one(b, "k", 0, 2))
		flushAll(t, a)
		a.reassert(a.nodes.single.addr)
		background(a)
		mustRefuse(t, b, Concurrency, one(b, "k", 0, 2))
	})
	t.Run("an expired value was not lost", func(t *testing.T) {
		a, b, f := pair(t, s, nil)
		mustAllow(t, a, one(a, "k", 5, 0)).Lease.Release()
		background(a)
		for range 3 {
			f.advance(29 * time.Second)
			background(a)
			mustRefuse(t, b, RPM, Tier{Name: "x", Subject: one(a, "k", 0, 0).Subject, RPM: 5, Cost: 6})
		}
		flushAll(t, a) // what its expiry does
		if d := mustAllow(t, b, one(b, "k", 5, 0)); d.Current.RPM != 1 {
			t.Fatalf("%+v", d)
		}
	})
	t.Run("a damaged value is a lost one", func(t *testing.T) {
		a, f := fakeRedis(t, s, nil)
		tier := one(a, "k", 5, 0)
		mustAllow(t, a, tier)
		ctx := context.Background()
		name := tier.Subject.redisKey(a.o.Prefix)
		for _, bad := range []string{"", "x", strings.Repeat("y", 31), strings.Repeat("\xff", 61)} {
			if err := a.client.Set(ctx, name, bad, 0).Err(); err != nil {
				t.Fatal(err)
			}
			f.advance(time.Millisecond)
			mustAllow(t, a, tier)
		}
		mustRefuse(t, a, RPM, tier)
	})
}

func TestClockSteps(t *testing.T) {
	s := redistest.Start(t)
	for _, step := range []time.Duration{-600 * time.Second, -30 * time.Second, -time.Second, -100 * time.Millisecond,
		time.Second, 30 * time.Second, 59 * time.Second, 600 * time.Second} {
		t.Run(step.String(), func(t *testing.T) {
			var steps atomic.Int64
			a, b, f := pair(t, s, func(o *RedisOptions) {
				o.Observer = &Observer{ClockStep: func(string, time.Duration) { steps.Add(1) }}
			})
			var granted []time.Duration
			greedy := func(d time.Duration) {
				for end := f.clock() + d; f.clock() < end; f.advance(20 * time.Millisecond) {
					for _, l := range []*Redis{a, b} {
						if d := acquire(t, l, one(l, "k", 300, 20)); d.Allowed {
							granted = append(granted, f.clock())
							d.Lease.Release()
						}
						background(l)
					}
				}
			}
			greedy(40 * time.Second)
			f.step(step)
			greedy(100 * time.Second)
			checkWindows(t, granted, Window, 300)
			last := granted[len(granted)-1]
			if f.clock()-last > Window {
				t.Errorf("nothing was admitted in the last %s", f.clock()-last)
			}
			if step.Abs() > clockTolerance && steps.Load() != 2 {
				t.Errorf("%d steps seen by two processes", steps.Load())
			}
		})
	}
}

func TestIDLength(t *testing.T) {
	s := redistest.Start(t)
	a, f := fakeRedis(t, s, nil)
	for _, id := range []string{"short", "ninebytes"} {
		if _, err := NewRedis(a.client, RedisOptions{id: id, Secret: []byte("x"), Clock: f.clock}); err == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
}

func TestSequenceWraps(t *testing.T) {
	s := redistest.Start(t)
	a, b, f := pair(t, s, nil)
	a.seq.Store(math.MaxUint32 - 5)
	for i := range 20 {
		d := mustAllow(t, a, one(a, "k", 0, 3))
		if d.Fallback {
			t.Fatalf("operation %d was taken for a stale one", i)
		}
		d.Lease.Release()
		f.advance(time.Millisecond)
	}
	background(a)
	mustAllow(t, b, one(b, "k", 0, 1))
}

func TestScriptFlush(t *testing.T) {
	s := redistest.Start(t)
	a, _ := fakeRedis(t, s, nil)
	ctx := context.Background()
	for range 20 {
		if err := a.client.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		d := mustAllow(t, a, one(a, "k", 0, 1))
		if d.Fallback {
			t.Fatal("decided without Redis")
		}
		d.Lease.Release()
		if err := a.client.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		background(a)
	}
	if got := a.Stats(); got.Held != 0 {
		t.Fatalf("%+v", got)
	}
}

// TestACL runs everything as a user who may do no more than docs/limits.md says.
func TestACL(t *testing.T) {
	s := redistest.Start(t)
	admin := s.Client()
	defer admin.Close()
	password := strings.Repeat("x", 12)
	rules := strings.Fields("ACL SETUSER limits reset on >" + password + " resetkeys ~mg:* resetchannels nocommands " +
		"+hello +ping +client|setname +evalsha +eval +get +set +setnx +time")
	args := make([]any, len(rules))
	for i := range rules {
		args[i] = rules[i]
	}
	if err := admin.Do(context.Background(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	l := newGateway(t, ClientOptions{Addresses: []string{s.Addr}, Username: "limits", Password: password}, RedisOptions{})
	if !l.agreed.Load() {
		t.Fatal("no secret was agreed on")
	}
	d := mustAllow(t, l, one(l, "k", 1, 1))
	d.Lease.Release()
	if d.Fallback {
		t.Fatal("decided without Redis")
	}
	mustRefuse(t, l, RPM, one(l, "k", 1, 1))
	entries, err := admin.Do(context.Background(), "ACL", "LOG").Slice()
	if err != nil || len(entries) != 0 {
		t.Fatalf("refused commands: %v %v", entries, err)
	}
}
