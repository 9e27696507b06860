package limits

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// young is how long a strict gateway waits for the others; YOUNG of the script.
const young = 2 * time.Second

// tells has a gateway do for a while what its goroutines do, without any call.
func tells(f *fakeTime, l *Redis) {
	f.advance(l.sweepEvery())
	background(l)
	background(l)
}

// TestLossDeny: with Deny, a gateway that has not heard of what others admitted gives nothing away before they have told,
// whoever asks first after Redis lost its memory.
func TestLossDeny(t *testing.T) {
	s := redistest.Start(t)
	strict := func(o *RedisOptions) { o.OnFailure = Deny }
	t.Run("units", func(t *testing.T) {
		a, b, f := pair(t, s, strict)
		mustAllow(t, a, one(a, "k", 10, 0)).Lease.Release()
		for range 9 {
			mustAllow(t, b, one(b, "k", 10, 0)).Lease.Release()
		}
		background(b)
		flushAll(t, a)
		f.advance(time.Millisecond)
		for range 3 {
			mustRefuse(t, a, Unavailable, one(a, "k", 10, 0))
		}
		unlimited := Tier{Name: "key", Subject: one(a, "k", 0, 0).Subject, RPM: 1, Cost: 1, Shadow: true}
		mustAllow(t, a, unlimited)
		tells(f, b) // nobody calls b
		f.advance(young)
		if d := mustRefuse(t, a, RPM, one(a, "k", 10, 0)); d.Current.RPM != 11 { // the one in shadow counts
			t.Fatalf("%+v", d)
		}
	})
	t.Run("slots", func(t *testing.T) {
		a, b, f := pair(t, s, strict)
		mustAllow(t, a, one(a, "k", 0, 3))
		d := mustAllow(t, b, one(b, "k", 0, 3))
		mustAllow(t, b, one(b, "k", 0, 3))
		flushAll(t, a)
		f.advance(time.Millisecond)
		mustRefuse(t, a, Unavailable, one(a, "k", 0, 3))
		tells(f, b)
		f.advance(young)
		mustRefuse(t, a, Concurrency, one(a, "k", 0, 3))
		d.Lease.Release()
		background(b)
		mustAllow(t, a, one(a, "k", 0, 3))
	})
	t.Run("several subjects of one tag", func(t *testing.T) {
		a, b, f := pair(t, s, strict)
		key := one(a, "k", 0, 0)
		tool := Tier{Name: "tool", Subject: a.Hasher().Under(key.Subject, "tool", "k"), RPM: 2, Cost: 1}
		mustAllow(t, a, key, tool)
		mustAllow(t, b, key, tool)
		flushAll(t, a)
		f.advance(time.Millisecond)
		mustRefuse(t, a, Unavailable, key, tool)
		mustAllow(t, a, key) // no limit, nothing to wait for
		tells(f, b)
		f.advance(young)
		mustRefuse(t, a, RPM, key, tool)
	})
	t.Run("it ends", func(t *testing.T) {
		a, _, f := pair(t, s, strict)
		mustAllow(t, a, one(a, "k", 10, 1)).Lease.Release()
		flushAll(t, a)
		f.advance(time.Millisecond)
		mustRefuse(t, a, Unavailable, one(a, "k", 10, 1))
		f.advance(young - time.Millisecond)
		mustRefuse(t, a, Unavailable, one(a, "k", 10, 1))
		f.advance(time.Millisecond)
		if d := mustAllow(t, a, one(a, "k", 10, 1)); d.Current.RPM != 2 {
			t.Fatalf("%+v", d)
		}
	})
	t.Run("who has never asked, after an outage", func(t *testing.T) {
		server := redistest.Start(t)
		a, b, f := pair(t, server, strict)
		for range 3 {
			mustAllow(t, b, one(b, "k", 3, 0)).Lease.Release()
		}
		server.Kill()
		mustRefuse(t, a, Unavailable, one(a, "other", 3, 0))
		server.Run()
		f.advance(time.Millisecond)
		mustRefuse(t, a, Unavailable, one(a, "k", 3, 0))
		tells(f, b)
		mustRefuse(t, a, RPM, one(a, "k", 3, 0)) // full is full
		f.advance(young)
		mustAllow(t, a, one(a, "other", 3, 0))
	})
}

// TestLossIsToldOfAll: whoever notices that one subject is lost tells of all that it knows.
func TestLossIsToldOfAll(t *testing.T) {
	s := redistest.Start(t)
	a, b, f := pair(t, s, nil)
	for range 3 {
		mustAllow(t, a, one(a, "x", 9, 0)).Lease.Release()
		mustAllow(t, a, one(a, "y", 3, 0)).Lease.Release()
	}
	background(a)
	flushAll(t, a)
	f.advance(time.Millisecond)
	mustAllow(t, a, one(a, "x", 9, 0))
	background(a)
	mustRefuse(t, b, RPM, one(b, "y", 3, 0))
}

// TestQuietNodeIsAsked: a gateway that knows something asks for it now and then, and one that knows nothing does not.
func TestQuietNodeIsAsked(t *testing.T) {
	s := redistest.Start(t)
	trips := 0
	a, f := fakeRedis(t, s, func(o *RedisOptions) {
		o.Observer = &Observer{Redis: func(string, time.Duration, int, int, error) { trips++ }}
	})
	asked := func(during time.Duration) int {
		before := trips
		for end := f.clock() + during; f.clock() < end; f.advance(100 * time.Millisecond) {
			background(a)
		}
		return trips - before
	}
	for _, who := range []string{"x", "y", "z"} {
		mustAllow(t, a, one(a, who, 9, 0)).Lease.Release()
	}
	background(a)
	if n := asked(10 * time.Second); n != 24 {
		t.Errorf("asked %d times in 10 s, want one subject every 400 ms", n)
	}
	f.advance(2 * Window)
	if n := asked(10 * time.Second); n != 0 {
		t.Errorf("asked %d times for what nobody knows", n)
	}
}

// TestLossesAtRandom has four gateways with Deny call, hold and idle at random, while Redis loses its memory again and
// again. The limits hold in every window and at every time.
func TestLossesAtRandom(t *testing.T) {
	const rpm, conc = 40, 6
	s := redistest.Start(t)
	r := rand.New(rand.NewPCG(4, 601))
	strict := func(o *RedisOptions) { o.OnFailure = Deny }
	first, f := fakeRedis(t, s, strict)
	gateways := []*Redis{first}
	for range 3 {
		gateways = append(gateways, fakeGateway(t, s, f, first.o.Prefix, strict))
	}
	var granted []time.Duration
	var leases []Lease
	losses, refused := 0, 0
	call := func(l *Redis) {
		d := acquire(t, l, one(l, "k", rpm, conc))
		switch {
		case d.Allowed:
			granted, leases = append(granted, f.clock()), append(leases, d.Lease)
		case d.Bound == Unavailable:
			refused++
		}
		if len(leases) > conc {
			t.Fatalf("%d calls at a time after %d losses, the limit is %d", len(leases), losses, conc)
		}
	}
	for _, l := range gateways { // all have heard of the caller
		call(l)
	}
	swept, idle := f.clock(), 0 // idle is who is not called
	for range 30_000 {
		f.advance(time.Duration(1+r.IntN(80)) * time.Millisecond)
		if f.clock()-swept >= first.sweepEvery() {
			swept = f.clock()
			for _, l := range gateways {
				background(l)
				background(l)
			}
		}
		if r.IntN(900) == 0 {
			idle = r.IntN(len(gateways))
		}
		if i := r.IntN(len(gateways)); i != idle && r.IntN(20) == 0 {
			call(gateways[i])
		}
		if n := len(leases); n > 0 && r.IntN(60) == 0 {
			i := r.IntN(n)
			leases[i].Release()
			leases = append(leases[:i], leases[i+1:]...)
		}
		if r.IntN(2500) == 0 {
			losses++
			if err := first.client.Del(context.Background(), one(first, "k", 0, 0).Subject.redisKey(first.o.Prefix)).Err(); err != nil {
				t.Fatal(err)
			}
			for range rpm { // somebody comes at once, and wants all
				call(gateways[idle])
			}
		}
	}
	t.Logf("%d losses, %d admitted, %d refused for them", losses, len(granted), refused)
	checkWindows(t, granted, Window, rpm)
	if losses == 0 || refused == 0 || len(granted) < 3*rpm {
		t.Error("this proves nothing")
	}
}
