package limits

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
	"github.com/redis/go-redis/v9"
)

// breakerServer is a real redis-server.
type breakerServer struct{ *redistest.Server }

func startBreakerRedis(t testing.TB) breakerServer {
	t.Helper()
	return breakerServer{redistest.Start(t)}
}

// store returns the store of a replica.
func (s breakerServer) store(t testing.TB, o BreakerRedisOptions) *BreakerRedis {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, ContextTimeoutEnabled: true, DialerRetries: 1, DialTimeout: time.Second})
	t.Cleanup(func() { _ = c.Close() })
	o.Client, o.Timeout = c, 5*time.Second
	return NewBreakerRedis(o)
}

func refresh(t testing.TB, stores ...*BreakerRedis) {
	t.Helper()
	for _, s := range stores {
		if err := s.Refresh(context.Background(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

func failTimes(b Breaker, k BreakerKey, n int) {
	for range n {
		b.Record(context.Background(), k, 0, BreakerFailure, time.Now())
	}
}

func allow(b Breaker, k BreakerKey) BreakerDecision {
	return b.Allow(context.Background(), k, time.Now())
}

func TestBreakerReplicasAgree(t *testing.T) {
	srv := startBreakerRedis(t)
	var events []string
	var mu sync.Mutex
	one := srv.store(t, BreakerRedisOptions{})
	two := srv.store(t, BreakerRedisOptions{OnChange: func(e BreakerEvent) {
		mu.Lock()
		defer mu.Unlock()
		if e.Remote {
			events = append(events, string(e.From)+">"+string(e.To))
		}
	}})
	rules := BreakerRules{Failures: 3, Cooldown: time.Hour}
	b1, b2 := one.Breaker(rules), two.Breaker(rules)
	refresh(t, one, two)

	failTimes(b1, testKey, 3)
	if !allow(b1, testKey).Open {
		t.Fatal("three failures do not open it")
	}
	refresh(t, two)
	if d := allow(b2, testKey); !d.Open || d.Failures != 3 || d.RetryAfter <= 0 || d.RetryAfter > time.Hour {
		t.Fatalf("the other replica: %+v", d)
	}
	if n, err := one.Reset(context.Background(), BreakerFilter{}, time.Now()); n != 1 || err != nil {
		t.Fatalf("reset: %d, %v", n, err)
	}
	refresh(t, two)
	if allow(b1, testKey).Open || allow(b2, testKey).Open {
		t.Fatal("a reset on one does not close both")
	}
	if got := strings.Join(events, " "); got != "closed>open open>closed" {
		t.Errorf("events of the other replica: %s", got)
	}

	// Failures of two replicas add up.
	failTimes(b1, testKey, 1)
	failTimes(b2, testKey, 2)
	if !allow(b2, testKey).Open {
		t.Error("1 + 2 failures do not open it where the last one was")
	}
	refresh(t, one)
	if !allow(b1, testKey).Open {
		t.Error("1 + 2 failures do not open it on the other replica")
	}
}

// Run is enough: nobody calls Refresh, and both follow.
func TestBreakerRun(t *testing.T) {
	srv := startBreakerRedis(t)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	rules := BreakerRules{Failures: 3, Cooldown: time.Hour}
	var bs []Breaker
	var stores []*BreakerRedis
	for range 2 {
		s := srv.store(t, BreakerRedisOptions{})
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		wg.Go(func() { s.Run(ctx, tick.C, time.Now) })
		stores, bs = append(stores, s), append(bs, s.Breaker(rules))
	}
	failTimes(bs[0], testKey, 3)
	redistest.Until(t, "open on both", func() bool { return allow(bs[0], testKey).Open && allow(bs[1], testKey).Open })
	if _, err := stores[1].Reset(ctx, BreakerFilter{Service: "files"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	redistest.Until(t, "closed on both", func() bool { return !allow(bs[0], testKey).Open && !allow(bs[1], testKey).Open })

	closed := make(chan time.Time)
	close(closed)
	stores[0].Run(ctx, closed, time.Now) // returns
}

// A replica takes the probe and is killed: the other probes after the lease.
func TestBreakerKilledProber(t *testing.T) {
	srv := startBreakerRedis(t)
	one, two := srv.store(t, BreakerRedisOptions{}), srv.store(t, BreakerRedisOptions{})
	rules := BreakerRules{Failures: 1, Cooldown: 50 * time.Millisecond, ProbeLease: 2 * time.Second}
	b1, b2 := one.Breaker(rules), two.Breaker(rules)
	failTimes(b1, testKey, 1)
	var d BreakerDecision
	redistest.Until(t, "a probe", func() bool { d = allow(b1, testKey); return d.Ticket != 0 })
	refresh(t, two)
	if d := allow(b2, testKey); !d.Open {
		t.Fatalf("both replicas probe: %+v", d)
	}
	redistest.Until(t, "a probe of the other replica", func() bool { d = allow(b2, testKey); return !d.Open })
	if d.Ticket == 0 {
		t.Fatal("it passed without being the probe")
	}
	b2.Record(context.Background(), testKey, d.Ticket, BreakerSuccess, time.Now())
	refresh(t, one)
	if allow(b1, testKey).Open || allow(b2, testKey).Open {
		t.Error("not closed on both")
	}
}

func TestBreakerOneProbeOfTwoReplicas(t *testing.T) {
	srv := startBreakerRedis(t)
	one, two := srv.store(t, BreakerRedisOptions{}), srv.store(t, BreakerRedisOptions{})
	rules := BreakerRules{Failures: 1, Cooldown: testCooldown, ProbeLease: time.Hour}
	failTimes(one.Breaker(rules), testKey, 1)
	refresh(t, two)
	time.Sleep(testCooldown + 30*time.Millisecond)
	var probes atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		b := []*BreakerRedis{one, two}[i%2].Breaker(rules)
		wg.Go(func() {
			for range 20 {
				if d := allow(b, testKey); !d.Open {
					probes.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if probes.Load() != 1 {
		t.Errorf("%d probes, want 1", probes.Load())
	}
}

// The promise of the healthy path, counted by the server itself.
func TestBreakerHealthyPathAsksNothing(t *testing.T) {
	srv := startBreakerRedis(t)
	s := srv.store(t, BreakerRedisOptions{})
	refresh(t, s)
	b := s.Breaker(BreakerRules{Failures: 3, Cooldown: time.Hour})
	failTimes(b, BreakerKey{"s", "bad", ""}, 3)
	c := srv.Client()
	defer func() { _ = c.Close() }()
	if err := c.ConfigResetStat(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		d := allow(b, testKey)
		b.Record(context.Background(), testKey, d.Ticket, BreakerSuccess, time.Now())
		if !allow(b, BreakerKey{"s", "bad", ""}).Open {
			t.Fatal("not open")
		}
	}
	info, err := c.Info(context.Background(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(info, "evalsha") || strings.Contains(info, "cmdstat_get:") {
		t.Errorf("redis was asked:\n%s", info)
	}
}

func TestBreakerRedisAwayAndBack(t *testing.T) {
	srv := startBreakerRedis(t)
	var told []bool
	one := srv.store(t, BreakerRedisOptions{OnRedis: func(err error) { told = append(told, err == nil) }})
	two := srv.store(t, BreakerRedisOptions{})
	rules := BreakerRules{Failures: 3, Cooldown: time.Hour}
	b1, b2 := one.Breaker(rules), two.Breaker(rules)
	other, third := BreakerKey{"s", "other", ""}, BreakerKey{"s", "third", ""}
	failTimes(b1, other, 3)
	failTimes(b1, third, 3)
	refresh(t, one, two)

	srv.Kill()
	failTimes(b1, testKey, 3)
	if !allow(b1, testKey).Open || !allow(b1, other).Open {
		t.Fatal("the breaker forgot while redis was away")
	}
	b1.Record(context.Background(), third, 0, BreakerSuccess, time.Now())
	if allow(b1, third).Open {
		t.Fatal("a success does not close it while redis is away")
	}
	if n, err := one.Reset(context.Background(), BreakerFilter{Tool: "nothing"}, time.Now()); n != 0 || !errors.Is(err, errBreakerAway) {
		t.Fatalf("reset while away: %d, %v", n, err)
	}
	if err := one.Refresh(context.Background(), time.Now()); err == nil {
		t.Fatal("a refresh without redis succeeds")
	}

	srv.Run() // empty: it lost everything
	refresh(t, one, two)
	refresh(t, two)
	if !allow(b1, testKey).Open || !allow(b2, testKey).Open {
		t.Error("what was counted without redis did not reach the other replica")
	}
	if !allow(b1, other).Open || !allow(b2, other).Open {
		t.Error("what redis lost was not brought back")
	}
	if len(told) != 2 || told[0] || !told[1] {
		t.Errorf("told %v, want away once and back once", told)
	}
	three := srv.store(t, BreakerRedisOptions{})
	refresh(t, three)
	if b := three.Breaker(rules); !allow(b, testKey).Open || !allow(b, other).Open {
		t.Error("a new replica does not learn it")
	}
}

// A reset while Redis is away reaches the replicas when it is back, with the
// state still there.
func TestBreakerResetWhileAway(t *testing.T) {
	srv := startBreakerRedis(t)
	one, two := srv.store(t, BreakerRedisOptions{}), srv.store(t, BreakerRedisOptions{})
	rules := BreakerRules{Failures: 1}
	b1, b2 := one.Breaker(rules), two.Breaker(rules)
	failTimes(b1, testKey, 1)
	refresh(t, one, two)
	one.note(errors.New("cut off"))
	if n, err := one.Reset(context.Background(), BreakerFilter{}, time.Now()); n != 1 || err == nil {
		t.Fatalf("%d, %v", n, err)
	}
	if allow(b1, testKey).Open || !allow(b2, testKey).Open {
		t.Fatal("while away: closed here, open there")
	}
	refresh(t, one, two)
	if allow(b1, testKey).Open || allow(b2, testKey).Open {
		t.Error("the reset was not told")
	}
}

// More keys than the bound: the oldest are trimmed, and replicas that had read
// them let them go too.
func TestBreakerRedisIsBounded(t *testing.T) {
	srv := startBreakerRedis(t)
	one := srv.store(t, BreakerRedisOptions{Entries: 20})
	two := srv.store(t, BreakerRedisOptions{Entries: 1000})
	rules := BreakerRules{Failures: 1, Cooldown: time.Hour}
	key := func(i int) BreakerKey { return BreakerKey{"s", "t", string(rune(0x4e00 + i))} }
	failTimes(one.Breaker(rules), key(0), 1)
	refresh(t, two)
	if !allow(two.Breaker(rules), key(0)).Open {
		t.Fatal("not learnt")
	}
	for i := range 100 {
		failTimes(one.Breaker(rules), key(i+1), 1)
	}
	c := srv.Client()
	defer func() { _ = c.Close() }()
	for _, k := range one.keys[:1] {
		if n := c.HLen(context.Background(), k).Val(); n != 20 {
			t.Errorf("%d entries in redis, bound 20", n)
		}
	}
	if n := c.ZCard(context.Background(), one.keys[1]).Val(); n != 20 {
		t.Errorf("%d in the index, bound 20", n)
	}
	refresh(t, two)
	if n := len(two.State(1000)); n != 20 {
		t.Errorf("%d entries in the other replica, want 20", n)
	}
	if allow(two.Breaker(rules), key(0)).Open {
		t.Error("a trimmed key is still open in the other replica")
	}
}

// More changes than one page.
func TestBreakerManyChanges(t *testing.T) {
	srv := startBreakerRedis(t)
	one, two := srv.store(t, BreakerRedisOptions{}), srv.store(t, BreakerRedisOptions{})
	b := one.Breaker(BreakerRules{Failures: 1, Cooldown: time.Hour})
	n := 2*pollPage + 7
	for i := range n {
		failTimes(b, BreakerKey{"s", "t", string(rune(0x4e00 + i))}, 1)
	}
	refresh(t, two)
	if got := len(two.State(1 << 20)); got != n {
		t.Errorf("%d learnt, want %d", got, n)
	}
	if _, err := one.Reset(context.Background(), BreakerFilter{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	refresh(t, two)
	if got := len(two.State(10)); got != 0 {
		t.Errorf("%d left after the reset", got)
	}
}

// Timed state expires by itself; a manual breaker stays.
func TestBreakerExpiry(t *testing.T) {
	srv := startBreakerRedis(t)
	s := srv.store(t, BreakerRedisOptions{})
	c := srv.Client()
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	failTimes(s.Breaker(BreakerRules{Failures: 1, Cooldown: time.Second}), testKey, 1)
	for _, k := range s.keys {
		if ttl := c.PTTL(ctx, k).Val(); ttl <= 0 || ttl > 25*time.Hour {
			t.Errorf("%s expires in %v", k, ttl)
		}
	}
	manual := BreakerKey{"s", "manual", ""}
	failTimes(s.Breaker(BreakerRules{Failures: 1}), manual, 1)
	failTimes(s.Breaker(BreakerRules{Failures: 1, Cooldown: time.Second}), testKey, 1)
	for _, k := range s.keys {
		if ttl := c.PTTL(ctx, k).Val(); ttl >= 0 {
			t.Errorf("%s expires in %v although a manual breaker is open", k, ttl)
		}
	}
	if _, err := s.Reset(ctx, BreakerFilter{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if ttl := c.PTTL(ctx, s.keys[2]).Val(); ttl <= 0 {
		t.Errorf("after the reset: %v", ttl)
	}
}

// Names are shown as they are, and nothing of them breaks the script.
func TestBreakerOddNames(t *testing.T) {
	srv := startBreakerRedis(t)
	one, two := srv.store(t, BreakerRedisOptions{}), srv.store(t, BreakerRedisOptions{})
	b := one.Breaker(BreakerRules{Failures: 1})
	keys := []BreakerKey{{"", "", ""}, {"a b", `"quote" \ back`, "|:{}"}, {"日本", "\x00\x01\n", "é"}, {"s", strings.Repeat("x", 400), ""}}
	for _, k := range keys {
		failTimes(b, k, 1)
	}
	refresh(t, two)
	found := 0
	for _, st := range two.State(10) {
		for _, k := range keys {
			if st.Key == k {
				found++
			}
		}
	}
	if found != len(keys) {
		t.Errorf("%d of %d keys learnt: %+v", found, len(keys), two.State(10))
	}
	for _, k := range keys[1:] {
		if n, err := one.Reset(context.Background(), BreakerFilter(k), time.Now()); n != 1 || err != nil {
			t.Errorf("reset %q: %d, %v", k, n, err)
		}
	}
}

// A server that is not ours to understand changes nothing and panics nothing.
func TestBreakerForeignState(t *testing.T) {
	srv := startBreakerRedis(t)
	c := srv.Client()
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	s := srv.store(t, BreakerRedisOptions{})
	c.Set(ctx, s.keys[2], "nonsense", 0)
	c.HSet(ctx, s.keys[0], "short", "{}", strings.Repeat("A", 22), "no json")
	c.ZAdd(ctx, s.keys[1], redis.Z{Score: 1, Member: "short"}, redis.Z{Score: 2, Member: strings.Repeat("A", 22)})
	refresh(t, s)
	if n := len(s.State(10)); n != 0 {
		t.Errorf("%d entries from nonsense", n)
	}
	failTimes(s.Breaker(BreakerRules{Failures: 1, Cooldown: time.Hour}), testKey, 1)
	if !allow(s.Breaker(BreakerRules{Failures: 1, Cooldown: time.Hour}), testKey).Open {
		t.Error("it does not work beside nonsense")
	}
	c.Del(ctx, s.keys...)
	c.Set(ctx, s.keys[0], "a string, no hash", 0)
	two := srv.store(t, BreakerRedisOptions{})
	b := two.Breaker(BreakerRules{Failures: 1, Cooldown: time.Hour})
	failTimes(b, testKey, 1)
	if !allow(b, testKey).Open {
		t.Error("an error of the script lost a failure")
	}
}

// The commands that docs/policy.md lists are enough, beside those of the limits.
func TestBreakerACL(t *testing.T) {
	srv := startBreakerRedis(t)
	admin := srv.Client()
	defer func() { _ = admin.Close() }()
	ctx := context.Background()
	rule := []any{"acl", "setuser", "gw", "on", "nopass", "resetkeys", "~mg:*", "resetchannels", "nocommands"}
	for _, c := range strings.Fields("hello ping client|setname client|setinfo evalsha eval get set del time " +
		"hget hset hdel hlen hgetall zadd zcard zrange zrangebyscore zrem persist pexpire") {
		if c == "client|setinfo" {
			continue // since Redis 7.2
		}
		rule = append(rule, "+"+c)
	}
	if err := admin.Do(ctx, rule...).Err(); err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(&redis.Options{Addr: srv.Addr, Username: "gw", Password: "any", MaxRetries: -1, DisableIdentity: true})
	defer func() { _ = c.Close() }()
	var trouble []error
	s := NewBreakerRedis(BreakerRedisOptions{Client: c, Entries: 2, Timeout: 5 * time.Second, OnRedis: func(err error) { trouble = append(trouble, err) }})
	refresh(t, s)
	b := s.Breaker(BreakerRules{Failures: 1, Cooldown: 10 * time.Millisecond})
	for _, tool := range []string{"a", "b", "c"} { // one more than the bound
		failTimes(b, BreakerKey{"s", tool, ""}, 1)
	}
	failTimes(s.Breaker(BreakerRules{Failures: 1}), BreakerKey{"s", "manual", ""}, 1)
	var d BreakerDecision
	redistest.Until(t, "a probe", func() bool { d = allow(b, BreakerKey{"s", "c", ""}); return !d.Open })
	b.Record(ctx, BreakerKey{"s", "c", ""}, d.Ticket, BreakerNeutral, time.Now())
	b.Record(ctx, BreakerKey{"s", "c", ""}, 0, BreakerSuccess, time.Now())
	if n, err := s.Reset(ctx, BreakerFilter{}, time.Now()); err != nil || n != 1 {
		t.Errorf("reset: %d, %v", n, err)
	}
	refresh(t, s)
	if len(trouble) != 0 {
		t.Errorf("redis refused: %v", trouble)
	}
}

// A Redis that hangs costs one time limit, then nothing until the next poll.
func TestBreakerRedisHangs(t *testing.T) {
	srv := startBreakerRedis(t)
	c := redis.NewClient(&redis.Options{Addr: srv.Addr, MaxRetries: -1, ContextTimeoutEnabled: true, DialerRetries: 1})
	defer func() { _ = c.Close() }()
	var errs atomic.Int64
	s := NewBreakerRedis(BreakerRedisOptions{Client: c, OnRedis: func(err error) {
		if err != nil {
			errs.Add(1)
		}
	}})
	refresh(t, s)
	srv.Signal(syscall.SIGSTOP)
	b := s.Breaker(BreakerRules{Failures: 3, Cooldown: time.Hour})
	failTimes(b, testKey, 3)
	if !allow(b, testKey).Open {
		t.Error("not open without an answer of redis")
	}
	if errs.Load() != 1 {
		t.Errorf("told %d times that redis is away", errs.Load())
	}
	srv.Signal(syscall.SIGCONT)
	redistest.Until(t, "redis is back", func() bool { return s.Refresh(context.Background(), time.Now()) == nil })
	two := srv.store(t, BreakerRedisOptions{})
	refresh(t, two)
	if d := allow(two.Breaker(BreakerRules{Failures: 3, Cooldown: time.Hour}), testKey); !d.Open {
		t.Errorf("the other replica was not told: %+v", d)
	}
}

func TestBreakerOnCluster(t *testing.T) {
	cluster := redistest.StartCluster(t)
	rules := BreakerRules{Failures: 2, Cooldown: time.Hour}
	var stores []*BreakerRedis
	for range 2 {
		c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addresses, MaxRetries: -1, ContextTimeoutEnabled: true})
		t.Cleanup(func() { _ = c.Close() })
		stores = append(stores, NewBreakerRedis(BreakerRedisOptions{Client: c, Timeout: 5 * time.Second}))
	}
	failTimes(stores[0].Breaker(rules), testKey, 2)
	refresh(t, stores...)
	if !allow(stores[1].Breaker(rules), testKey).Open {
		t.Error("not open on the other replica")
	}
}
