package limits

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// TestFaultsSentinel kills the master behind three Sentinels: the gateways follow the replica that takes over.
func TestFaultsSentinel(t *testing.T) {
	s := redistest.StartSentinels(t)
	for _, c := range []struct {
		name string
		rpm  int
		fail OnFailure
	}{{"F4a rpm, deny", 600, Deny}, {"F4b concurrency, local", 0, Local}} {
		t.Run(c.name, func(t *testing.T) {
			r := &faultRun{t: t, spec: defaultSpec()}
			r.spec.MasterName, r.spec.Prefix, r.spec.RPM, r.spec.OnFailure = s.MasterName, fmt.Sprintf("s%d:", c.rpm), c.rpm, c.fail
			var away time.Duration
			r.launch(func(int) []string { return s.Addresses }, func(r *faultRun) {
				r.at(0.8)
				dead := s.KillMaster()
				killed := time.Now()
				l := newGateway(t, ClientOptions{Addresses: s.Addresses, MasterName: s.MasterName},
					RedisOptions{Secret: []byte("x"), Prefix: "probe:"})
				redistest.Until(t, "a call is decided by Redis again", func() bool {
					d := acquire(t, l, one(l, "k", 0, 0))
					d.Lease.Release()
					return !d.Fallback
				})
				away = time.Since(killed)
				dead.Run() // the Sentinels make it a replica
				r.at(3)
			})
			t.Logf("Redis was back for a client after %s", away.Round(time.Millisecond))
			conc := 0
			if c.fail == Local {
				conc = -1 // the shares of four processes and what the old master had granted
			}
			r.verify(c.rpm, conc)
			r.nothingLeft(ClientOptions{Addresses: s.Addresses, MasterName: s.MasterName})
		})
	}
}

// TestFaultsCluster moves slots and kills a master of a cluster of six: keys elsewhere must not notice.
func TestFaultsCluster(t *testing.T) {
	c := redistest.StartCluster(t)
	const keys = 60
	load := func(t *testing.T, prefix string, timeout time.Duration, during func(*faultRun)) *faultRun {
		r := &faultRun{t: t, spec: defaultSpec()}
		r.spec.Prefix, r.spec.RPM, r.spec.Conc, r.spec.Keys, r.spec.Goroutines = prefix, 0, 4, keys, 32
		r.spec.Slow, r.spec.Lease = 50*time.Millisecond, 3*time.Second
		r.spec.Timeout = timeout
		r.launch(func(int) []string { return c.Addresses }, during)
		return r
	}
	t.Run("F12a slots move", func(t *testing.T) {
		r := load(t, "c1:", patience, func(r *faultRun) {
			r.at(0.3)
			ids := masters(t, c)
			c.CLI("--cluster", "reshard", c.Addresses[0], "--cluster-from", ids[0], "--cluster-to", ids[1],
				"--cluster-slots", "500", "--cluster-yes")
			r.at(2)
		})
		r.verify(-1, 0)
		noFallback(t, r)
		r.nothingLeft(ClientOptions{Addresses: c.Addresses})
	})
	t.Run("F12b a master is killed", func(t *testing.T) {
		// The patience is for a busy machine; the dead node refuses connections at once.
		l := newGateway(t, ClientOptions{Addresses: c.Addresses, Timeout: patience},
			RedisOptions{Secret: []byte("x"), Prefix: "c3:", OnFailure: Deny, Timeout: patience})
		dead := map[string]bool{} // subjects on the master that dies
		for i := range keys {
			n := l.nodes.of(0, l.Hasher().Subject("key", fmt.Sprint(i)).redisKey("c3:"), time.Second)
			dead[fmt.Sprint(i)] = n.addr == c.Servers[0].Addr
		}
		var elsewhere atomic.Int64
		var back time.Duration
		r := load(t, "c2:", 0, func(r *faultRun) {
			r.at(0.3)
			c.Servers[0].Kill()
			killed := time.Now()
			redistest.Until(t, "all keys are decided by Redis again", func() bool {
				ok := true
				for who, gone := range dead {
					d := acquire(t, l, one(l, who, 0, 4))
					d.Lease.Release()
					if d.Fallback && !gone {
						elsewhere.Add(1)
					}
					ok = ok && !d.Fallback
				}
				time.Sleep(20 * time.Millisecond)
				return ok
			})
			back = time.Since(killed)
			time.Sleep(r.spec.Lease)
		})
		t.Logf("the slots of the dead master were back after %s", back.Round(10*time.Millisecond))
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d calls of other masters were decided without Redis", n)
		}
		r.verify(-1, -1)
		r.nothingLeft(ClientOptions{Addresses: c.Addresses})
	})
}

// masters returns the ids of the masters, the first server's first.
func masters(t *testing.T, c *redistest.Cluster) []string {
	t.Helper()
	cl := c.Servers[0].Client()
	defer cl.Close()
	out, err := cl.ClusterNodes(context.Background()).Result()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, line := range strings.Split(out, "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) < 3 || !strings.Contains(f[2], "master"):
		case strings.Contains(f[2], "myself"):
			ids = append([]string{f[0]}, ids...)
		default:
			ids = append(ids, f[0])
		}
	}
	return ids
}
