package limits

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// Calls of different callers that come while every connection is busy travel together, and a value that cannot be read is the
// trouble of its own caller only.
func TestTogether(t *testing.T) {
	s := redistest.Start(t)
	var scripts, decisions, failures atomic.Int64
	a, f := fakeRedis(t, s, func(o *RedisOptions) {
		o.Timeout, o.MaxInFlight = 20*time.Second, 1
		o.Observer = &Observer{Redis: func(_ string, _ time.Duration, n, d int, err error) {
			scripts.Add(int64(n))
			decisions.Add(int64(d))
			if err != nil {
				failures.Add(1)
			}
		}}
	})
	const callers = pipelineOps + 8
	const spoilt = 3
	var tiers []Tier
	for i := range callers {
		tiers = append(tiers, one(a, strconv.Itoa(i), 1, 5))
	}
	name := tiers[spoilt].Subject.redisKey(a.o.Prefix)
	if err := a.client.LPush(context.Background(), name, "x").Err(); err != nil {
		t.Fatal(err)
	}
	n := a.nodes.single
	s.Signal(syscall.SIGSTOP)
	var wg sync.WaitGroup
	wg.Go(func() { mustAllow(t, a, one(a, "first", 0, 9)).Lease.Release() })
	redistest.Until(t, "a call is under way", func() bool { return len(n.sem) == 1 })
	decided := make([]Decision, callers)
	for i := range tiers {
		wg.Go(func() {
			d, err := a.Acquire(context.Background(), Call{Tiers: tiers[i : i+1]})
			if err != nil {
				t.Error(err)
			}
			decided[i] = d
		})
		redistest.Until(t, "calls wait for a connection", func() bool {
			n.box.mu.Lock()
			defer n.box.mu.Unlock()
			return len(n.box.ops) == i+1
		})
	}
	s.Signal(syscall.SIGCONT)
	wg.Wait()
	for i, d := range decided {
		if !d.Allowed || d.Fallback != (i == spoilt) || d.Current.RPM != 1 || d.Current.Concurrency != 1 {
			t.Errorf("caller %d: %+v", i, d)
		}
	}
	// One for the first, two for the others, one more to ask for the spoilt one alone.
	if scripts.Load() != 4 || decisions.Load() != callers+1 || failures.Load() != 1 {
		t.Errorf("%d scripts for %d decisions, %d failures", scripts.Load(), decisions.Load(), failures.Load())
	}

	// So do releases.
	for i, d := range decided {
		if i != spoilt {
			d.Lease.Release()
		}
	}
	scripts.Store(0)
	f.advance(time.Second)
	a.flush.drain()
	if scripts.Load() != 2 {
		t.Errorf("%d scripts for %d releases", scripts.Load(), callers)
	}
	for i := range tiers {
		if i != spoilt {
			mustRefuse(t, a, RPM, tiers[i])
		}
	}
	if st := a.Stats(); st.Held != 1 {
		t.Errorf("%+v", st)
	}
}

// A call that finds no free connection in time is decided without Redis, and those behind it are not lost.
func TestTogetherWithoutConnection(t *testing.T) {
	s := redistest.Start(t)
	var overload atomic.Int64
	a, _ := fakeRedis(t, s, func(o *RedisOptions) {
		o.Timeout, o.MaxInFlight, o.Clock = time.Second, 1, Monotonic()
		o.Observer = &Observer{Overload: func(string) { overload.Add(1) }}
	})
	n := a.nodes.single
	n.sem <- struct{}{} // nobody gives it back
	const callers = 20
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			if d := mustAllow(t, a, one(a, strconv.Itoa(i), 0, 5)); !d.Fallback {
				t.Errorf("%+v", d)
			}
		})
	}
	wg.Wait()
	if overload.Load() != callers {
		t.Errorf("%d of %d calls found no connection", overload.Load(), callers)
	}
	if n.box.collecting || len(n.box.ops) > 0 {
		t.Errorf("%d operations left", len(n.box.ops))
	}
	n.leave()
	if d := mustAllow(t, a, one(a, "another", 0, 5)); d.Fallback {
		t.Errorf("%+v", d)
	}
}

// A server that lets no script have keys of several slots, a cluster behind one address, is asked in pipelines.
func TestTogetherNotAllowed(t *testing.T) {
	s := redistest.Start(t, "--cluster-enabled", "yes")
	ctx := context.Background()
	admin := s.Client()
	defer admin.Close()
	if err := admin.ClusterAddSlotsRange(ctx, 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Until(t, "the cluster is ready", func() bool {
		return strings.Contains(admin.ClusterInfo(ctx).Val(), "cluster_state:ok")
	})
	var r recorder
	l := newGateway(t, ClientOptions{Addresses: []string{s.Addr}, Timeout: 5 * time.Second}, RedisOptions{Secret: []byte("x"),
		Timeout: 5 * time.Second, Observer: r.observer(), manual: true})
	var leases []Lease
	for i := range pipelineOps {
		leases = append(leases, mustAllow(t, l, one(l, strconv.Itoa(i), 0, 9)).Lease)
	}
	for _, lease := range leases {
		lease.Release()
	}
	l.flush.drain()
	if l.together.Load() || r.failures.Load() != 0 {
		t.Errorf("together %v, %d failures", l.together.Load(), r.failures.Load())
	}
	for i := range pipelineOps {
		if d := mustAllow(t, l, one(l, strconv.Itoa(i), 0, 9)); d.Fallback || d.Current.Concurrency != 1 {
			t.Errorf("%+v", d)
		}
	}
}
