package limits

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const workerEnv = "LIMITS_TEST_WORKER"

// workerSpec is what one gateway process of the fault tests does.
type workerSpec struct {
	Addresses  []string
	MasterName string
	Username   string
	Password   string
	Prefix     string
	Window     time.Duration
	Lease      time.Duration
	Replicas   int
	OnFailure  OnFailure
	RPM        int
	Conc       int
	Keys       int
	Goroutines int
	Pool       int
	Timeout    time.Duration // of an operation, the default when 0
	// Slow is the pause between calls in the first SlowFor of every window; then the process is greedy.
	Slow, SlowFor time.Duration
	Hold          time.Duration // at most
	Cancel        float64       // share of the calls whose client leaves within 400 µs
	Fence         bool          // streams end when their lease is lost
}

// workerEnd is the last line of a worker.
type workerEnd struct {
	Held                               int
	Allowed, Refused, Errors, Fallback int64
	Slowest                            time.Duration // decision
}

// work runs until its standard input ends. It writes "g <key> <ms>" for every admission, on the Redis clock or, without
// Redis, its own (one machine, one clock), and "h <key> <from us> <to us>" for the time that the call ran.
func work(raw string) int {
	var s workerSpec
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(os.Stdout, format+"\n", args...)
	}
	client, err := NewClient(ClientOptions{Addresses: s.Addresses, MasterName: s.MasterName, Username: s.Username, Password: s.Password, PoolSize: s.Pool, Timeout: s.Timeout})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	l, err := NewRedis(client, RedisOptions{Prefix: s.Prefix, Secret: []byte("fault tests"), Lease: s.Lease, Replicas: s.Replicas, Timeout: s.Timeout,
		OnFailure: s.OnFailure, MaxInFlight: s.Pool, window: s.Window, granted: func(ms int64) { say("g %d", ms) }})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, bufio.NewReader(os.Stdin))
		stop()
	}()
	var end workerEnd
	var slowest atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range s.Goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), 1))
			for ctx.Err() == nil {
				key := r.IntN(max(s.Keys, 1))
				s.call(ctx, l, r, key, &end, &slowest, say)
				if time.Since(start)%s.Window < s.SlowFor {
					time.Sleep(time.Duration(float64(s.Slow) * (0.5 + r.Float64())))
				}
			}
		})
	}
	wg.Wait()
	end.Held, end.Slowest = l.Stats().Held, time.Duration(slowest.Load())
	_ = l.Close()
	out, _ := json.Marshal(end)
	say("e %s", out)
	return 0
}

func (s *workerSpec) call(ctx context.Context, l *Redis, r *rand.Rand, key int, end *workerEnd, slowest *atomic.Int64, say func(string, ...any)) {
	callCtx := ctx
	if r.Float64() < s.Cancel {
		c, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(400))*time.Microsecond)
		defer cancel()
		callCtx = c
	}
	tier := Tier{Name: "key", Subject: l.Hasher().Subject("key", fmt.Sprint(key)), RPM: s.RPM, Concurrency: s.Conc, Cost: 1, Slots: 1}
	from := time.Now()
	d, err := l.Acquire(callCtx, Call{Tiers: []Tier{tier}})
	took := time.Since(from)
	for {
		was := slowest.Load()
		if int64(took) <= was || slowest.CompareAndSwap(was, int64(took)) {
			break
		}
	}
	switch {
	case err != nil:
		atomic.AddInt64(&end.Errors, 1)
		return
	case !d.Allowed:
		atomic.AddInt64(&end.Refused, 1)
		time.Sleep(min(d.RetryAfter, 2*time.Millisecond))
		return
	}
	defer d.Lease.Release()
	atomic.AddInt64(&end.Allowed, 1)
	if d.Fallback {
		atomic.AddInt64(&end.Fallback, 1)
		say("g %d", from.UnixMilli())
	}
	begin := time.Now()
	hold := time.NewTimer(time.Duration(r.Int64N(int64(s.Hold) + 1)))
	defer hold.Stop()
	lost := d.Lease.Lost()
	if !s.Fence {
		lost = nil
	}
	select {
	case <-hold.C:
	case <-lost:
	}
	say("h %d %d %d", key, begin.UnixMicro(), time.Now().UnixMicro())
}
