// Package bench compares the limiter with what Redis does at best (PING, INCR) and with redis_rate, in one run,
// interleaved, so that only ratios count and not the machine.
package bench

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/limits/redistest"
)

var (
	slice  = flag.Duration("slice", 400*time.Millisecond, "length of one measurement")
	rounds = flag.Int("rounds", 3, "interleaved rounds; the median counts")
)

const manyKeys = 10_000

type result struct {
	rate     float64
	p50, p99 time.Duration
	server   float64 // us of processor time of Redis per decision: other work on the machine does not change it
	own      float64 // the same of this process
}

// load runs f from g goroutines for one slice. hold is slept before the slot is given back.
func load(g, keys int, hold time.Duration, f func(key int) func()) result {
	var wg sync.WaitGroup
	var total atomic.Int64
	var mu sync.Mutex
	var all []time.Duration
	end := time.Now().Add(*slice)
	start := time.Now()
	for i := range g {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			var took []time.Duration
			n := int64(0)
			for {
				// Reading the clock for each would cost as much as a decision on a busy key.
				var from time.Time
				measured := hold > 0 || n%8 == 0
				if measured {
					if from = time.Now(); from.After(end) {
						break
					}
				}
				done := f(r.IntN(keys))
				if measured {
					took = append(took, time.Since(from))
				}
				n++
				if hold > 0 {
					time.Sleep(time.Duration(float64(hold) * (0.5 + r.Float64())))
				}
				done()
			}
			total.Add(n)
			mu.Lock()
			all = append(all, took...)
			mu.Unlock()
		})
	}
	wg.Wait()
	slices.Sort(all)
	return result{rate: float64(total.Load()) / time.Since(start).Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100]}
}

// serverCPU is the processor time that Redis has used, in us.
func serverCPU(t testing.TB, c redis.UniversalClient) float64 {
	info, err := c.Info(context.Background(), "cpu").Result()
	check(t, err)
	sum := 0.0
	for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
		_, rest, _ := strings.Cut(info, name)
		value, _, _ := strings.Cut(rest, "\r")
		v, err := strconv.ParseFloat(value, 64)
		check(t, err)
		sum += 1e6 * v
	}
	return sum
}

// ownCPU is the same of this process.
func ownCPU(t testing.TB) float64 {
	var u syscall.Rusage
	check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
}

func nothing() {}

func TestBench(t *testing.T) {
	server := redistest.Start(t)
	client, err := limits.NewClient(limits.ClientOptions{Addresses: []string{server.Addr}, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var scripts, decisions atomic.Int64
	l, err := limits.NewRedis(client, limits.RedisOptions{Secret: []byte("bench"), Timeout: 5 * time.Second,
		Observer: &limits.Observer{Redis: func(_ string, _ time.Duration, s, d int, _ error) {
			scripts.Add(int64(s))
			decisions.Add(int64(d))
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx := context.Background()
	calls := make([]limits.Call, manyKeys)
	names := make([]string, manyKeys)
	for i := range calls {
		names[i] = "bench:" + strconv.Itoa(i)
		calls[i] = limits.Call{Tiers: []limits.Tier{{Name: "key", Subject: l.Hasher().Subject("key", names[i]), RPM: 1 << 28,
			Concurrency: 1 << 20, Cost: 1, Slots: 1}}}
	}
	rate := redis_rate.NewLimiter(client)
	ops := []struct {
		name string
		run  func(key int) func()
	}{
		{"PING", func(int) func() { check(t, client.Ping(ctx).Err()); return nothing }},
		{"INCR", func(k int) func() { check(t, client.Incr(ctx, names[k]).Err()); return nothing }},
		{"redis_rate", func(k int) func() {
			_, err := rate.Allow(ctx, names[k], redis_rate.PerMinute(1<<28))
			check(t, err)
			return nothing
		}},
		{"limits", func(k int) func() {
			d, err := l.Acquire(ctx, calls[k])
			check(t, err)
			if !d.Allowed || d.Fallback {
				t.Errorf("%+v", d)
			}
			return d.Lease.Release
		}},
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s, %d processors, slices of %s, median of %d interleaved rounds\n", runtime.Version(), runtime.GOMAXPROCS(0), *slice, *rounds)
	type measured map[string]result
	table := func(title string, keys, g int, hold time.Duration) measured {
		all := map[string][]result{}
		ratios := map[string][]float64{}
		for range *rounds {
			var ping float64
			for _, o := range ops {
				server, own := serverCPU(t, client), ownCPU(t)
				r := load(g, keys, hold, o.run)
				n := r.rate * slice.Seconds()
				r.server, r.own = (serverCPU(t, client)-server)/n, (ownCPU(t)-own)/n
				all[o.name] = append(all[o.name], r)
				if o.name == "PING" {
					ping = r.rate
				}
				ratios[o.name] = append(ratios[o.name], r.rate/ping)
			}
		}
		m := measured{}
		for _, o := range ops {
			rs := all[o.name]
			slices.SortFunc(rs, func(a, b result) int { return int(a.p50 - b.p50) })
			slices.Sort(ratios[o.name])
			r := result{rate: ratios[o.name][*rounds/2], p50: rs[*rounds/2].p50, p99: rs[*rounds/2].p99}
			m[o.name] = r
			fmt.Fprintf(&out, "%-30s %-11s %7.0f/s  %6.2f x PING  p50 %8s  p99 %8s  processor us: redis %5.1f  client %5.1f\n", title, o.name,
				rs[*rounds/2].rate, r.rate, r.p50.Round(time.Microsecond), r.p99.Round(time.Microsecond), rs[*rounds/2].server, rs[*rounds/2].own)
		}
		return m
	}
	target := func(what string, got float64, op string, want float64) {
		ok := "met"
		if op == ">=" && got < want || op == "<=" && got > want {
			ok = "MISSED"
		}
		fmt.Fprintf(&out, "  target: %-58s %7.2f %s %.2f  %s\n", what, got, op, want, ok)
	}
	m := table("10k keys, 1 goroutine", manyKeys, 1, 0)
	target("p50 against redis_rate", ratio(m["limits"].p50, m["redis_rate"].p50), "<=", 1.1)
	m = table("10k keys, 64 goroutines", manyKeys, 64, 0)
	target("acquire+release, x PING", m["limits"].rate, ">=", 0.45)
	table("10k keys, 256 goroutines", manyKeys, 256, 0)
	table("one key, 1 goroutine", 1, 1, 0)
	m = table("one key, 64 goroutines", 1, 64, 0)
	target("acquire+release, x PING", m["limits"].rate, ">=", 4)
	m = table("one key, 256 goroutines", 1, 256, 0)
	target("acquire+release, x PING", m["limits"].rate, ">=", 10)
	m = table("10k keys, 256 held for 20 ms", manyKeys, 256, 20*time.Millisecond)
	target("p50 against redis_rate", ratio(m["limits"].p50, m["redis_rate"].p50), "<=", 1.5)
	target("p99 against redis_rate", ratio(m["limits"].p99, m["redis_rate"].p99), "<=", 1.3)

	// Server time per script, by Redis itself, and against a script that does nothing.
	noop := func() float64 {
		sha := client.ScriptLoad(ctx, "return 0").Val()
		return usec(t, client, func() {
			for range 3000 {
				check(t, client.EvalSha(ctx, sha, nil).Err())
			}
		})
	}
	fresh := func(name string, rpm, conc int) limits.Call {
		return limits.Call{Tiers: []limits.Tier{{Name: "key", Subject: l.Hasher().Subject("fresh", name), RPM: rpm, Concurrency: conc, Cost: 1, Slots: 1}}}
	}
	var base, full, deny []float64
	for i := range *rounds {
		base = append(base, noop())
		call := fresh(fmt.Sprint("full", i), 1<<28, 1<<20)
		full = append(full, usec(t, client, func() {
			for range 3000 {
				d, err := l.Acquire(ctx, call)
				check(t, err)
				d.Lease.Release()
			}
		}))
		call = fresh(fmt.Sprint("deny", i), 0, 1)
		d, err := l.Acquire(ctx, call)
		check(t, err)
		deny = append(deny, usec(t, client, func() {
			for range 3000 {
				_, err := l.Acquire(ctx, call)
				check(t, err)
			}
		}))
		d.Lease.Release()
	}
	fmt.Fprintf(&out, "server time per script: nothing %.2f us, admit+release %.2f us, refuse %.2f us\n", median(base), median(full), median(deny))
	target("admit+release, x a script that does nothing", median(full)/median(base), "<=", 10)
	target("admit+release, us", median(full), "<=", 6)
	target("refuse, us", median(deny), "<=", 4)

	// Twenty times the limit: how much of it Redis sees.
	scripts.Store(0)
	var asked atomic.Int64
	call := fresh("overload", 600, 0)
	load(16, 1, 0, func(int) func() {
		d, err := l.Acquire(ctx, call)
		check(t, err)
		if asked.Add(1) > 12_000 {
			time.Sleep(time.Millisecond)
		}
		return d.Lease.Release
	})
	target("scripts per call at 20 times the limit", float64(scripts.Load())/float64(asked.Load()), "<=", 0.06)

	mem := limits.NewMemory(limits.MemoryOptions{})
	best := time.Hour
	for range 5 * *rounds {
		start := time.Now()
		const n = 200_000
		for range n {
			d, err := mem.Acquire(ctx, calls[0])
			check(t, err)
			d.Lease.Release()
		}
		best = min(best, time.Since(start)/n)
	}
	allocs := testing.AllocsPerRun(1000, func() {
		d, _ := mem.Acquire(ctx, calls[0])
		d.Lease.Release()
	})
	target("memory, acquire+release, ns", float64(best), "<=", 120)
	target("memory, allocations", allocs, "<=", 0)
	fmt.Println(out.String())
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func median(f []float64) float64 {
	slices.Sort(f)
	return f[len(f)/2]
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Error(err)
	}
}

// usec is the time that the server spent per EVALSHA while f ran.
func usec(t testing.TB, c redis.UniversalClient, f func()) float64 {
	check(t, c.ConfigResetStat(context.Background()).Err())
	f()
	info, err := c.Info(context.Background(), "commandstats").Result()
	check(t, err)
	_, rest, _ := strings.Cut(info, "cmdstat_evalsha:")
	_, rest, _ = strings.Cut(rest, "usec_per_call=")
	value, _, _ := strings.Cut(rest, ",")
	v, err := strconv.ParseFloat(value, 64)
	check(t, err)
	return v
}
