package limits

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits/redistest"
)

// fakeTime drives the clock of a limiter and, through a key that the patched script reads, the one of Redis.
type fakeTime struct {
	mu     sync.Mutex
	now    time.Duration
	redis  *redis.Client // nil for memory
	key    string
	offset int64 // Redis us minus ours
}

const redisOrigin = 1_760_000_000_000_000 // us

func (f *fakeTime) clock() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fakeTime) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now += d
	f.publish()
}

// step moves the clock of Redis alone.
func (f *fakeTime) step(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offset += d.Microseconds()
	f.publish()
}

func (f *fakeTime) publish() {
	if f.redis == nil {
		return
	}
	us := redisOrigin + f.offset + f.now.Microseconds()
	// A server that is down cannot be told; it is when it is back and the clock moves.
	_ = f.redis.Set(context.Background(), f.key, fmt.Sprintf("%d %d", us/1e6, us%1e6), 0).Err()
}

// patch makes the script read the fake clock.
func (f *fakeTime) patch(src string) string {
	return mustReplace(src, "redis.call('TIME')", "{string.match(redis.call('GET', '"+f.key+"'), '(%d+) (%d+)')}")
}

func mustReplace(src, old, repl string) string {
	if strings.Count(src, old) != 1 {
		panic("the script has not exactly one " + old)
	}
	return strings.Replace(src, old, repl, 1)
}

var prefixes atomic.Int64

func half() float64 { return 0.5 }

// fakeRedis is a limiter on a real Redis with a fake clock and without background work: tests call sweep and flush.
func fakeRedis(t testing.TB, s *redistest.Server, edit func(*RedisOptions)) (*Redis, *fakeTime) {
	t.Helper()
	admin := s.Client()
	t.Cleanup(func() { _ = admin.Close() })
	n := prefixes.Add(1)
	f := &fakeTime{now: time.Hour, redis: admin, key: fmt.Sprintf("clock:%d", n)}
	f.advance(0)
	return fakeGateway(t, s, f, fmt.Sprintf("t%d:", n), edit), f
}

// fakeGateway is one more process on the same clock and prefix.
func fakeGateway(t testing.TB, s *redistest.Server, f *fakeTime, prefix string, edit func(*RedisOptions)) *Redis {
	t.Helper()
	o := RedisOptions{Prefix: prefix, Secret: []byte("for tests"), Clock: f.clock, Rand: half, manual: true, source: f.patch,
		Timeout: 2 * time.Second}
	if edit != nil {
		edit(&o)
	}
	return newGateway(t, ClientOptions{Addresses: []string{s.Addr}, Timeout: o.Timeout}, o)
}

func newGateway(t testing.TB, c ClientOptions, o RedisOptions) *Redis {
	t.Helper()
	client, err := NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewRedis(client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		_ = client.Close()
	})
	return l
}

func acquire(t testing.TB, l Limiter, tiers ...Tier) Decision {
	t.Helper()
	d, err := l.Acquire(context.Background(), Call{Tiers: tiers})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustAllow(t testing.TB, l Limiter, tiers ...Tier) Decision {
	t.Helper()
	d := acquire(t, l, tiers...)
	if !d.Allowed {
		t.Fatalf("refused: %+v", d)
	}
	return d
}

func mustRefuse(t testing.TB, l Limiter, bound Bound, tiers ...Tier) Decision {
	t.Helper()
	d := acquire(t, l, tiers...)
	if d.Allowed || d.Bound != bound {
		t.Fatalf("not refused by %s: %+v", bound, d)
	}
	return d
}

// one is a tier of a single call.
func one(l Limiter, who string, rpm, concurrency int) Tier {
	return Tier{Name: "key", Subject: l.Hasher().Subject("key", who), RPM: rpm, Concurrency: concurrency, Cost: 1, Slots: 1}
}

// checkWindows fails when more than limit units lie in any window. Grants are in order of time.
func checkWindows(t testing.TB, times []time.Duration, window time.Duration, limit int) {
	t.Helper()
	if got := maxInWindow(times, window); got > limit {
		t.Fatalf("%d units in one window, the limit is %d", got, limit)
	}
}

func maxInWindow(times []time.Duration, window time.Duration) int {
	most, from := 0, 0
	for i := range times {
		for times[i]-times[from] >= window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
