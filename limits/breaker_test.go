package limits

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// storeUnderTest runs the same rules on every store. pass lets time go by for
// Allow and Record, and on the clock that the store keeps.
type storeUnderTest struct {
	store BreakerStore
	now   func() time.Time
	pass  func(d time.Duration)
}

func forEachStore(t *testing.T, f func(t *testing.T, s storeUnderTest)) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		now := time.Unix(1_000_000, 0)
		f(t, storeUnderTest{NewBreakerMemory(0, nil), func() time.Time { return now }, func(d time.Duration) { now = now.Add(d) }})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel() // it waits for the clock of the server
		srv := startBreakerRedis(t)
		f(t, storeUnderTest{srv.store(t, BreakerRedisOptions{}), time.Now, time.Sleep})
	})
	t.Run("redis away", func(t *testing.T) {
		srv := startBreakerRedis(t)
		s := srv.store(t, BreakerRedisOptions{})
		srv.Kill()
		now := time.Unix(1_000_000, 0)
		f(t, storeUnderTest{s, func() time.Time { return now }, func(d time.Duration) { now = now.Add(d) }})
	})
}

var testKey = BreakerKey{Service: "files", Tool: "read"}

const testCooldown = time.Second

// call makes one call that ends in o when it is allowed.
func (s storeUnderTest) call(b Breaker, k BreakerKey, o BreakerOutcome) BreakerDecision {
	d := b.Allow(context.Background(), k, s.now())
	if !d.Open {
		b.Record(context.Background(), k, d.Ticket, o, s.now())
	}
	return d
}

func (s storeUnderTest) open(t *testing.T, b Breaker, k BreakerKey, n int) {
	t.Helper()
	for i := range n {
		if d := s.call(b, k, BreakerFailure); d.Open {
			t.Fatalf("refused at failure %d", i+1)
		}
	}
}

func TestBreakerOpensAndProbes(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 3, Cooldown: testCooldown})
		s.open(t, b, testKey, 3)
		d := s.call(b, testKey, BreakerSuccess)
		if !d.Open || d.Manual || d.Failures != 3 || d.RetryAfter <= 0 || d.RetryAfter > testCooldown {
			t.Fatalf("after 3 failures: %+v", d)
		}
		if d := s.call(b, BreakerKey{Service: "files", Tool: "write"}, BreakerSuccess); d.Open {
			t.Error("another tool is refused")
		}
		if d := s.call(b, BreakerKey{Service: "files", Tool: "read", Scope: "k1"}, BreakerSuccess); d.Open {
			t.Error("another scope is refused")
		}

		s.pass(testCooldown + 20*time.Millisecond)
		probe := b.Allow(context.Background(), testKey, s.now())
		if probe.Open || probe.Ticket == 0 {
			t.Fatalf("no probe after the cool-down: %+v", probe)
		}
		if d := b.Allow(context.Background(), testKey, s.now()); !d.Open || d.RetryAfter != time.Second {
			t.Fatalf("second call while a probe runs: %+v", d)
		}
		b.Record(context.Background(), testKey, probe.Ticket, BreakerFailure, s.now())
		if d := s.call(b, testKey, BreakerSuccess); !d.Open || d.Failures != 4 {
			t.Fatalf("a failed probe: %+v", d)
		}

		s.pass(testCooldown + 20*time.Millisecond)
		if d := s.call(b, testKey, BreakerSuccess); d.Open || d.Ticket == 0 {
			t.Fatalf("second probe: %+v", d)
		}
		s.open(t, b, testKey, 2) // the count began again
		if d := b.Allow(context.Background(), testKey, s.now()); d.Open || d.Ticket != 0 {
			t.Fatalf("after a success and 2 failures: %+v", d)
		}
	})
}

func TestBreakerManual(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 3, Any: true})
		s.open(t, b, testKey, 3)
		s.pass(50 * time.Millisecond)
		d := s.call(b, testKey, BreakerSuccess)
		if !d.Open || !d.Manual || d.RetryAfter != 0 || d.Failures != 3 {
			t.Fatalf("%+v", d)
		}
		st := s.store.State(10)
		if len(st) != 1 || st[0].Key != testKey || st[0].Phase != BreakerOpen || !st[0].Manual || !st[0].Until.IsZero() {
			t.Fatalf("state %+v", st)
		}
		if n, _ := s.store.Reset(context.Background(), BreakerFilter{Service: "files", Tool: "read"}, s.now()); n != 1 {
			t.Fatalf("reset %d", n)
		}
		if d := s.call(b, testKey, BreakerSuccess); d.Open {
			t.Fatalf("after the reset: %+v", d)
		}
		if st := s.store.State(10); len(st) != 0 {
			t.Fatalf("state after the reset %+v", st)
		}
	})
}

func TestBreakerSuccessResets(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 3, Cooldown: time.Minute})
		for range 4 {
			s.open(t, b, testKey, 2)
			s.call(b, testKey, BreakerSuccess)
		}
		if d := s.call(b, testKey, BreakerSuccess); d.Open {
			t.Fatal("failures that are not in a row opened it")
		}
		// Neutral outcomes neither count nor reset.
		s.open(t, b, testKey, 2)
		for range 5 {
			s.call(b, testKey, BreakerNeutral)
		}
		s.open(t, b, testKey, 1)
		if d := s.call(b, testKey, BreakerSuccess); !d.Open {
			t.Fatal("a neutral outcome reset the count")
		}
		// A call from before the opening that succeeds closes it.
		b.Record(context.Background(), testKey, 0, BreakerSuccess, s.now())
		if d := s.call(b, testKey, BreakerSuccess); d.Open {
			t.Fatal("a success did not close it")
		}
	})
}

func TestBreakerProbeIsGivenBack(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 1, Cooldown: testCooldown})
		s.open(t, b, testKey, 1)
		s.pass(testCooldown + 20*time.Millisecond)
		if d := s.call(b, testKey, BreakerNeutral); d.Ticket == 0 {
			t.Fatalf("no probe: %+v", d)
		}
		d := b.Allow(context.Background(), testKey, s.now())
		if d.Open || d.Ticket == 0 {
			t.Fatalf("a probe that was not made blocks the next: %+v", d)
		}
		// A late failure of an ordinary call is not the probe's.
		b.Record(context.Background(), testKey, 0, BreakerFailure, s.now())
		b.Record(context.Background(), testKey, d.Ticket, BreakerSuccess, s.now())
		if d := s.call(b, testKey, BreakerSuccess); d.Open {
			t.Fatalf("%+v", d)
		}
	})
}

func TestBreakerProbeLease(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 1, Cooldown: testCooldown, ProbeLease: testCooldown})
		s.open(t, b, testKey, 1)
		s.pass(testCooldown + 20*time.Millisecond)
		lost := b.Allow(context.Background(), testKey, s.now())
		if lost.Ticket == 0 {
			t.Fatalf("no probe: %+v", lost)
		}
		if d := b.Allow(context.Background(), testKey, s.now()); !d.Open {
			t.Fatal("two probes at once")
		}
		s.pass(testCooldown + 20*time.Millisecond)
		next := b.Allow(context.Background(), testKey, s.now())
		if next.Open || next.Ticket == 0 || next.Ticket == lost.Ticket {
			t.Fatalf("a lost probe wedges the breaker: %+v", next)
		}
		// The lost one comes back late: it does not restart the cool-down.
		b.Record(context.Background(), testKey, lost.Ticket, BreakerFailure, s.now())
		b.Record(context.Background(), testKey, next.Ticket, BreakerSuccess, s.now())
		if d := s.call(b, testKey, BreakerSuccess); d.Open {
			t.Fatalf("%+v", d)
		}
	})
}

func TestBreakerReset(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 1})
		keys := []BreakerKey{{"a", "x", ""}, {"a", "y", ""}, {"b", "x", "k1"}, {"b", "x", "k2"}}
		for _, c := range []struct {
			f    BreakerFilter
			want int
		}{
			{BreakerFilter{}, 4}, {BreakerFilter{Service: "a"}, 2}, {BreakerFilter{Tool: "x"}, 3},
			{BreakerFilter{Service: "b", Tool: "x", Scope: "k2"}, 1}, {BreakerFilter{Service: "c"}, 0},
		} {
			for _, k := range keys {
				s.call(b, k, BreakerFailure)
			}
			if n := len(s.store.State(10)); n != 4 {
				t.Fatalf("%d open before the reset", n)
			}
			if n, _ := s.store.Reset(context.Background(), c.f, s.now()); n != c.want {
				t.Errorf("reset %+v: %d, want %d", c.f, n, c.want)
			}
			if n := len(s.store.State(10)); n != 4-c.want {
				t.Errorf("%+v: %d open after the reset", c.f, n)
			}
		}
		if n := len(s.store.State(2)); n != 2 {
			t.Errorf("State(2) has %d entries", n)
		}
	})
}

func TestBreakerRules(t *testing.T) {
	for _, c := range []struct {
		r     BreakerRules
		class string
		own   bool
		want  BreakerOutcome
	}{
		{BreakerRules{}, "", false, BreakerSuccess},
		{BreakerRules{}, "", true, BreakerNeutral},
		{BreakerRules{}, "dependency", false, BreakerFailure},
		{BreakerRules{}, "retryable", false, BreakerFailure},
		{BreakerRules{}, "retryable", true, BreakerNeutral},
		{BreakerRules{}, "validation", false, BreakerNeutral},
		{BreakerRules{}, "permission", false, BreakerNeutral},
		{BreakerRules{}, "terminal", false, BreakerNeutral},
		{BreakerRules{Any: true}, "validation", false, BreakerFailure},
		{BreakerRules{Any: true}, "validation", true, BreakerNeutral},
		{BreakerRules{Classes: []string{"terminal"}}, "terminal", false, BreakerFailure},
		{BreakerRules{Classes: []string{"terminal"}}, "dependency", false, BreakerNeutral},
	} {
		if got := c.r.Outcome(c.class, c.own); got != c.want {
			t.Errorf("%+v class %q own %v: %d, want %d", c.r, c.class, c.own, got, c.want)
		}
	}
	for _, c := range []struct {
		r    BreakerRules
		want string
	}{
		{BreakerRules{Failures: 3, Cooldown: 30 * time.Second}, ""},
		{BreakerRules{Failures: 3}, ""},
		{BreakerRules{Failures: -1}, "negative"},
		{BreakerRules{Failures: 2_000_000}, "at most"},
		{BreakerRules{Cooldown: -1}, "negative"},
		{BreakerRules{Cooldown: time.Millisecond}, "at least 10ms"},
		{BreakerRules{Cooldown: 25 * time.Hour}, "manual"},
		{BreakerRules{Forget: -1}, "negative"},
		{BreakerRules{Classes: []string{"dependancy"}}, `unknown class "dependancy"; one of validation`},
	} {
		err := c.r.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}

func TestBreakerOff(t *testing.T) {
	s := NewBreakerMemory(0, nil)
	b := s.Breaker(BreakerRules{})
	for range 10 {
		b.Record(context.Background(), testKey, 0, BreakerFailure, time.Unix(1, 0))
	}
	if d := b.Allow(context.Background(), testKey, time.Unix(1, 0)); d.Open || len(s.State(10)) != 0 {
		t.Fatalf("%+v", d)
	}
}

func TestBreakerForget(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	b := NewBreakerMemory(0, nil).Breaker(BreakerRules{Failures: 2, Cooldown: time.Second, Forget: time.Minute})
	b.Record(context.Background(), testKey, 0, BreakerFailure, now)
	now = now.Add(2 * time.Minute)
	b.Record(context.Background(), testKey, 0, BreakerFailure, now)
	if d := b.Allow(context.Background(), testKey, now); d.Open {
		t.Fatal("a count of long ago was added to")
	}
	b.Record(context.Background(), testKey, 0, BreakerFailure, now)
	if d := b.Allow(context.Background(), testKey, now); !d.Open {
		t.Fatal("two failures in a minute do not open it")
	}
}

func TestBreakerIsBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	s := NewBreakerMemory(100, nil)
	b := s.Breaker(BreakerRules{Failures: 2, Cooldown: time.Hour})
	ctx := context.Background()
	for range 2 {
		b.Record(ctx, testKey, 0, BreakerFailure, now)
	}
	for i := range 5000 {
		b.Record(ctx, BreakerKey{"s", "t" + strings.Repeat("x", i%50) + string(rune('a'+i%26)), string(rune(0x4e00 + i))}, 0, BreakerFailure, now)
	}
	if n := len(s.State(1 << 20)); n != 100 {
		t.Errorf("%d entries, bound 100", n)
	}
	if d := b.Allow(ctx, testKey, now); !d.Open {
		t.Error("counts of others pushed an open breaker out")
	}
	long := BreakerKey{"s", strings.Repeat("x", maxBreakerKey), ""}
	bad := BreakerKey{"s", "\xff", ""}
	for range 3 {
		b.Record(ctx, long, 0, BreakerFailure, now)
		b.Record(ctx, bad, 0, BreakerFailure, now)
	}
	if b.Allow(ctx, long, now).Open || b.Allow(ctx, bad, now).Open {
		t.Error("a key that is not tracked was refused")
	}
}

func TestBreakerEvents(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	var got []string
	s := NewBreakerMemory(0, func(e BreakerEvent) { got = append(got, string(e.From)+">"+string(e.To)) })
	b := s.Breaker(BreakerRules{Failures: 2, Cooldown: time.Second})
	ctx := context.Background()
	rec := func(ticket uint64, o BreakerOutcome) { b.Record(ctx, testKey, ticket, o, now) }
	rec(0, BreakerFailure)
	rec(0, BreakerFailure)
	now = now.Add(2 * time.Second)
	rec(b.Allow(ctx, testKey, now).Ticket, BreakerFailure)
	now = now.Add(2 * time.Second)
	rec(b.Allow(ctx, testKey, now).Ticket, BreakerSuccess)
	rec(0, BreakerFailure)
	rec(0, BreakerFailure)
	if _, err := s.Reset(ctx, BreakerFilter{}, now); err != nil {
		t.Fatal(err)
	}
	want := "closed>open open>probing probing>open open>probing probing>closed closed>open open>closed"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
}

func TestBreakerHealthyPathDoesNotAllocate(t *testing.T) {
	b := NewBreakerMemory(0, nil).Breaker(BreakerRules{Failures: 3, Cooldown: time.Second})
	ctx, now := context.Background(), time.Unix(1, 0)
	path := func() {
		d := b.Allow(ctx, testKey, now)
		b.Record(ctx, testKey, d.Ticket, BreakerSuccess, now)
	}
	if n := testing.AllocsPerRun(100, path); n != 0 {
		t.Errorf("%v allocations with nothing failing", n)
	}
	b.Record(ctx, BreakerKey{"s", "other", ""}, 0, BreakerFailure, now)
	if n := testing.AllocsPerRun(100, path); n != 0 {
		t.Errorf("%v allocations with another tool failing", n)
	}
}

// Of many calls that arrive at the end of a cool-down, exactly one probes.
func TestBreakerOneProbeAmongMany(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 1, Cooldown: testCooldown, ProbeLease: time.Minute})
		s.open(t, b, testKey, 1)
		s.pass(testCooldown + 20*time.Millisecond)
		now := s.now()
		var probes, passed atomic.Int64
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				for range 50 {
					if d := b.Allow(context.Background(), testKey, now); !d.Open {
						passed.Add(1)
						if d.Ticket != 0 {
							probes.Add(1)
						}
					}
				}
			})
		}
		wg.Wait()
		if probes.Load() != 1 || passed.Load() != 1 {
			t.Errorf("%d probes, %d calls passed, want 1 and 1", probes.Load(), passed.Load())
		}
	})
}

// Everything at once, for the race detector; at the end a reset must leave
// nothing behind.
func TestBreakerRaces(t *testing.T) {
	forEachStore(t, func(t *testing.T, s storeUnderTest) {
		b := s.store.Breaker(BreakerRules{Failures: 2, Cooldown: 20 * time.Millisecond})
		now := s.now()
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 100 {
					k := BreakerKey{"s", string(rune('a' + (g+i)%5)), ""}
					d := b.Allow(context.Background(), k, now.Add(time.Duration(i)*time.Millisecond))
					if !d.Open {
						b.Record(context.Background(), k, d.Ticket, BreakerOutcome(i%3), now.Add(time.Duration(i)*time.Millisecond))
					}
					if i%25 == 0 {
						s.store.State(10)
						_, _ = s.store.Reset(context.Background(), BreakerFilter{Tool: k.Tool}, now)
					}
				}
			})
		}
		wg.Wait()
		_, _ = s.store.Reset(context.Background(), BreakerFilter{}, now)
		if st := s.store.State(10); len(st) != 0 {
			t.Errorf("left behind: %+v", st)
		}
	})
}

func BenchmarkBreakerHealthy(b *testing.B) {
	br := NewBreakerMemory(0, nil).Breaker(BreakerRules{Failures: 3, Cooldown: time.Second})
	ctx, now := context.Background(), time.Unix(1, 0)
	br.Record(ctx, BreakerKey{"s", "other", ""}, 0, BreakerFailure, now)
	b.ReportAllocs()
	for b.Loop() {
		d := br.Allow(ctx, testKey, now)
		br.Record(ctx, testKey, d.Ticket, BreakerSuccess, now)
	}
}
