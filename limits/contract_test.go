package limits

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// TestContract holds both stores to the same behaviour, in injected time.
func TestContract(t *testing.T) {
	server := redistest.Start(t)
	backends := []struct {
		name string
		make func(t *testing.T) (Limiter, *fakeTime)
	}{
		{"memory", func(t *testing.T) (Limiter, *fakeTime) {
			f := &fakeTime{now: time.Hour}
			return NewMemory(MemoryOptions{Clock: f.clock, Rand: half}), f
		}},
		{"redis", func(t *testing.T) (Limiter, *fakeTime) { return fakeRedis(t, server, nil) }},
		{"redis rebasing", func(t *testing.T) (Limiter, *fakeTime) {
			return fakeRedis(t, server, func(o *RedisOptions) {
				patch := o.source
				o.source = func(src string) string {
					return mustReplace(patch(src), "REBASE = 2147483648", "REBASE = 200000")
				}
			})
		}},
	}
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			for _, c := range contract {
				t.Run(c.name, func(t *testing.T) {
					l, f := b.make(t)
					c.run(t, l, f)
				})
			}
		})
	}
}

var contract = []struct {
	name string
	run  func(t *testing.T, l Limiter, f *fakeTime)
}{
	{"rpm is exact to the millisecond", func(t *testing.T, l Limiter, f *fakeTime) {
		for i := range 5 {
			d := mustAllow(t, l, one(l, "a", 5, 0))
			if want := (Count{i + 1, i + 1}); d.Current != want || d.Limits != (Count{5, 0}) || d.Tier != "key" {
				t.Fatalf("call %d: %+v", i, d)
			}
			f.advance(time.Second)
		}
		d := mustRefuse(t, l, RPM, one(l, "a", 5, 0))
		if d.Current != (Count{5, 6}) || d.RetryAfter != 55*time.Second+time.Millisecond {
			t.Fatalf("%+v", d)
		}
		f.advance(d.RetryAfter - time.Millisecond)
		if d = mustRefuse(t, l, RPM, one(l, "a", 5, 0)); d.RetryAfter != time.Millisecond {
			t.Fatalf("%+v", d)
		}
		f.advance(time.Millisecond)
		mustAllow(t, l, one(l, "a", 5, 0))
		mustRefuse(t, l, RPM, one(l, "a", 5, 0))
	}},
	{"no window holds more than the limit", func(t *testing.T, l Limiter, f *fakeTime) {
		for _, limit := range []int{1, 7, 128, 129, 600} {
			r := rand.New(rand.NewPCG(1, uint64(limit)))
			who := fmt.Sprint(limit)
			var granted []time.Duration
			end := f.clock() + 4*Window
			for f.clock() < end && len(granted) < 3000 {
				d := acquire(t, l, one(l, who, limit, 0))
				switch {
				case d.Allowed:
					granted = append(granted, f.clock())
					d.Lease.Release()
					f.advance(time.Duration(r.IntN(40*60/limit+2)) * time.Millisecond)
				case d.RetryAfter <= 0 || d.RetryAfter > Window+time.Second:
					t.Fatalf("%+v", d)
				default:
					if r.IntN(2) == 0 && d.RetryAfter > time.Millisecond {
						f.advance(d.RetryAfter - time.Millisecond)
						mustRefuse(t, l, RPM, one(l, who, limit, 0))
						f.advance(time.Millisecond)
					} else {
						f.advance(d.RetryAfter)
					}
					d := mustAllow(t, l, one(l, who, limit, 0))
					granted = append(granted, f.clock())
					d.Lease.Release()
				}
			}
			checkWindows(t, granted, Window, limit)
			if len(granted) < 3*limit {
				t.Fatalf("only %d granted in four windows of %d", len(granted), limit)
			}
		}
	}},
	{"concurrency", func(t *testing.T, l Limiter, f *fakeTime) {
		var held []Decision
		for range 3 {
			held = append(held, mustAllow(t, l, one(l, "a", 0, 3)))
			f.advance(time.Second)
		}
		d := mustRefuse(t, l, Concurrency, one(l, "a", 0, 3))
		if d.Current != (Count{3, 4}) || d.Limits != (Count{0, 3}) {
			t.Fatalf("%+v", d)
		}
		if d.RetryAfter < minCapacityWait || d.RetryAfter > maxCapacityWait*3/2 {
			t.Fatalf("estimate %s", d.RetryAfter)
		}
		held[0].Lease.Release()
		held[0].Lease.Release()
		copied := held[0].Lease
		copied.Release()
		mustAllow(t, l, one(l, "a", 0, 3))
		mustRefuse(t, l, Concurrency, one(l, "a", 0, 3))
	}},
	{"a lease is not released through the handle of a later one", func(t *testing.T, l Limiter, _ *fakeTime) {
		first := mustAllow(t, l, one(l, "a", 0, 1))
		first.Lease.Release()
		mustAllow(t, l, one(l, "a", 0, 1))
		first.Lease.Release()
		mustRefuse(t, l, Concurrency, one(l, "a", 0, 1))
	}},
	{"refused calls are not counted", func(t *testing.T, l Limiter, _ *fakeTime) {
		mustAllow(t, l, one(l, "a", 100, 1))
		for range 10 {
			mustRefuse(t, l, Concurrency, one(l, "a", 100, 1))
		}
		if d := mustRefuse(t, l, Concurrency, one(l, "a", 100, 1)); d.Current.RPM != 1 {
			t.Fatalf("%+v", d)
		}
	}},
	{"rpm goes before concurrency", func(t *testing.T, l Limiter, _ *fakeTime) {
		mustAllow(t, l, one(l, "a", 1, 1))
		mustRefuse(t, l, RPM, one(l, "a", 1, 1))
	}},
	{"a cost waits for as many units as it needs", func(t *testing.T, l Limiter, f *fakeTime) {
		tier := one(l, "a", 10, 0)
		tier.Cost = 3
		for range 3 {
			mustAllow(t, l, tier)
			f.advance(time.Second)
		}
		tier.Cost = 5 // 9 are counted: two groups of 3 have to leave
		d := mustRefuse(t, l, RPM, tier)
		if d.RetryAfter != 58*time.Second+time.Millisecond {
			t.Fatalf("%+v", d)
		}
		tier.Cost = 1
		mustAllow(t, l, tier) // the refusal of the dear call says nothing about the cheap one
		tier.Cost = 5         // one more unit is in the way, but two groups are still enough
		f.advance(d.RetryAfter - time.Millisecond)
		mustRefuse(t, l, RPM, tier)
		f.advance(time.Millisecond)
		mustAllow(t, l, tier)
	}},
	{"a cost above the limit never fits", func(t *testing.T, l Limiter, _ *fakeTime) {
		tier := one(l, "a", 10, 0)
		tier.Cost = 11
		if d := mustRefuse(t, l, RPM, tier); d.RetryAfter != Window {
			t.Fatalf("%+v", d)
		}
	}},
	{"tiers of one tag: all or nothing", func(t *testing.T, l Limiter, _ *fakeTime) {
		key := one(l, "a", 10, 0)
		tool := Tier{Name: "tool", Subject: l.Hasher().Under(key.Subject, "tool", "a/search"), RPM: 2, Cost: 1}
		mustAllow(t, l, key, tool)
		mustAllow(t, l, key, tool)
		d := mustRefuse(t, l, RPM, key, tool)
		if d.Tier != "tool" || d.Current.RPM != 2 || d.Limits.RPM != 2 {
			t.Fatalf("%+v", d)
		}
		if d := mustAllow(t, l, key); d.Current != (Count{3, 3}) {
			t.Fatalf("the refused call was counted: %+v", d)
		}
	}},
	{"tiers of several tags: a later refusal is refunded", func(t *testing.T, l Limiter, f *fakeTime) {
		key, all := one(l, "a", 2, 5), one(l, "everybody", 0, 1)
		all.Name = "all"
		first := mustAllow(t, l, key, all)
		for range 5 {
			if d := mustRefuse(t, l, Concurrency, key, all); d.Tier != "all" {
				t.Fatalf("%+v", d)
			}
		}
		first.Lease.Release()
		f.advance(time.Second)
		if d := mustAllow(t, l, key, all); d.Current.RPM != 2 && d.Tier == "key" {
			t.Fatalf("%+v", d)
		}
		if d := mustRefuse(t, l, RPM, key, all); d.Tier != "key" || d.Current != (Count{2, 2}) {
			t.Fatalf("%+v", d)
		}
	}},
	{"the tier that has to be waited for longest is named", func(t *testing.T, l Limiter, f *fakeTime) {
		a := one(l, "a", 1, 0)
		b := Tier{Name: "b", Subject: l.Hasher().Under(a.Subject, "b", "a"), RPM: 1, Cost: 1}
		mustAllow(t, l, a)
		f.advance(time.Second)
		mustAllow(t, l, b)
		d := mustRefuse(t, l, RPM, a, b)
		if d.Tier != "b" || d.RetryAfter != Window+time.Millisecond {
			t.Fatalf("%+v", d)
		}
		f.advance(d.RetryAfter)
		mustAllow(t, l, a, b)
	}},
	{"a batch is all or nothing", func(t *testing.T, l Limiter, _ *fakeTime) {
		tier := one(l, "a", 10, 4)
		tier.Cost, tier.Slots = 6, 3
		d := mustAllow(t, l, tier)
		if d.Current != (Count{6, 3}) {
			t.Fatalf("%+v", d)
		}
		if d := mustRefuse(t, l, RPM, tier); d.Current != (Count{6, 6}) {
			t.Fatalf("%+v", d)
		}
		tier.Cost = 2
		mustRefuse(t, l, Concurrency, tier)
		d.Lease.Release()
		mustAllow(t, l, tier)
	}},
	{"shadow counts and reports", func(t *testing.T, l Limiter, _ *fakeTime) {
		tier := one(l, "a", 2, 1)
		tier.Shadow = true
		if d := mustAllow(t, l, tier); d.Shadow != nil || d.Tier != "" {
			t.Fatalf("%+v", d)
		}
		for range 3 {
			if d := mustAllow(t, l, tier); !slices.Equal(d.Shadow, []string{"key"}) {
				t.Fatalf("%+v", d)
			}
		}
		real := one(l, "b", 1, 0)
		real.Name = "real"
		mustAllow(t, l, real)
		if d := mustRefuse(t, l, RPM, real, tier); d.Tier != "real" {
			t.Fatalf("%+v", d)
		}
		if d := mustAllow(t, l, one(l, "a", 0, 0)); d.Tier != "" {
			t.Fatalf("%+v", d)
		}
		if d := mustAllow(t, l, one(l, "a", 100, 0)); d.Current.RPM != 6 {
			t.Fatalf("a shadow tier did not count: %+v", d)
		}
	}},
	{"no limits count only", func(t *testing.T, l Limiter, _ *fakeTime) {
		for range 50 {
			mustAllow(t, l, one(l, "a", 0, 0))
		}
		d := mustRefuse(t, l, RPM, one(l, "a", 10, 10))
		if d.Current != (Count{50, 51}) {
			t.Fatalf("%+v", d)
		}
	}},
	{"a stream takes a slot and no units", func(t *testing.T, l Limiter, _ *fakeTime) {
		tier := one(l, "a", 1, 2)
		tier.Cost = 0
		mustAllow(t, l, tier)
		mustAllow(t, l, tier)
		mustRefuse(t, l, Concurrency, tier)
	}},
	{"subjects are apart", func(t *testing.T, l Limiter, _ *fakeTime) {
		mustAllow(t, l, one(l, "a", 1, 0))
		mustAllow(t, l, one(l, "b", 1, 0))
		other := one(l, "a", 1, 0)
		other.Subject = l.Hasher().Subject("another limit", "a")
		mustAllow(t, l, other)
	}},
	{"a changed limit holds from the next call on", func(t *testing.T, l Limiter, f *fakeTime) {
		var granted []time.Duration
		for range 600 {
			mustAllow(t, l, one(l, "a", 600, 0)).Lease.Release()
			granted = append(granted, f.clock())
			f.advance(50 * time.Millisecond)
		}
		mustRefuse(t, l, RPM, one(l, "a", 100, 0))
		mustRefuse(t, l, RPM, one(l, "a", 600, 0))
		mustAllow(t, l, one(l, "a", 700, 0))
		granted = append(granted, f.clock())
		f.advance(59*time.Second - 600*50*time.Millisecond)
		for range 2000 {
			if d := acquire(t, l, one(l, "a", 100, 0)); d.Allowed {
				d.Lease.Release()
				granted = append(granted, f.clock())
			}
			f.advance(70 * time.Millisecond)
		}
		checkWindows(t, granted, Window, 601)
		checkWindows(t, granted[601:], Window, 100)
	}},
	{"state", func(t *testing.T, l Limiter, f *fakeTime) {
		for range 3 {
			mustAllow(t, l, one(l, "busy", 10, 5))
		}
		mustAllow(t, l, one(l, "calm", 10, 5))
		f.advance(time.Second)
		st := l.State(1)
		if len(st) != 1 || st[0].Current != (Count{3, 3}) || st[0].Held != 3 || st[0].Tier != "key" ||
			st[0].Key != l.Hasher().Subject("key", "busy").String() || st[0].Age != time.Second || st[0].Limits != (Count{10, 5}) {
			t.Fatalf("%+v", st)
		}
		if got := len(l.State(10)); got != 2 {
			t.Fatalf("%d subjects", got)
		}
		if got := l.State(0); len(got) != 0 {
			t.Fatalf("%+v", got)
		}
		if got := l.Stats(); got != (Stats{Keys: 2, Held: 4}) {
			t.Fatalf("%+v", got)
		}
	}},
	{"bad calls", func(t *testing.T, l Limiter, _ *fakeTime) {
		good := one(l, "a", 1, 1)
		negative, huge, nobody := good, good, good
		negative.Cost, huge.RPM, nobody.Subject = -1, maxUnits+1, Subject{}
		for _, tiers := range [][]Tier{{negative}, {huge}, {nobody}, {good, good}, make([]Tier, MaxTiers+1)} {
			if d, err := l.Acquire(context.Background(), Call{Tiers: tiers}); err == nil || d.Allowed {
				t.Errorf("%+v was accepted", tiers)
			}
		}
		if d, err := l.Acquire(context.Background(), Call{}); err != nil || !d.Allowed {
			t.Errorf("a call without tiers: %+v, %v", d, err)
		}
	}},
	{"a client that has left", func(t *testing.T, l Limiter, _ *fakeTime) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if d, err := l.Acquire(ctx, Call{Tiers: []Tier{one(l, "a", 1, 1)}}); !errors.Is(err, context.Canceled) || d.Allowed {
			t.Fatal(d, err)
		}
		mustAllow(t, l, one(l, "a", 1, 1))
	}},
	{"close", func(t *testing.T, l Limiter, _ *fakeTime) {
		d := mustAllow(t, l, one(l, "a", 1, 1))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		d.Lease.Release()
		if _, err := l.Acquire(context.Background(), Call{Tiers: []Tier{one(l, "a", 1, 1)}}); !errors.Is(err, ErrClosed) {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}},
	{"a lease that cannot be lost", func(t *testing.T, l Limiter, _ *fakeTime) {
		var none Lease
		none.Release()
		if none.Lost() != nil {
			t.Fatal("the zero lease can be lost")
		}
		d := mustAllow(t, l, one(l, "a", 1, 1))
		d.Lease.Release()
		if d.Lease.Lost() != nil {
			t.Fatal("a released lease can be lost")
		}
	}},
}
