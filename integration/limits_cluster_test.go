package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// Two gateways hold to one limit through a Cluster. A master is killed with
// slots held: its callers go on and are decided by Redis again, those of other
// masters notice nothing, and no slot is lost.
func TestLimitCluster(t *testing.T) {
	cluster := redistest.StartCluster(t)
	s := newToolServer(t)
	const slots = 4
	// The patience is for a busy machine: a dead node refuses connections at once.
	block := fmt.Sprintf(`limits redis %s {
	replicas 2
	lease 3s
	timeout 5s
	headers on
}
limit {
	tools x hold
	concurrency %d
}
limit minute {
	tools counted
	rpm 500
}`, strings.Join(cluster.Addresses[:3], " "), slots)
	a, b := startReplica(t, block, s.URL), startReplica(t, block, s.URL)
	gateways := []*replica{a, b}

	// Callers are where their keys went.
	dies := cluster.Servers[0].Client()
	defer dies.Close()
	keys := func() int64 {
		n, err := dies.DBSize(context.Background()).Result()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var doomed, safe [][]string
	for i := 0; len(doomed) < 3 || len(safe) < 3; i++ {
		who, before := bearer(fmt.Sprint("caller", i)), keys()
		a.passes(t, call("1", "counted"), who...)
		if keys() > before {
			doomed = append(doomed, who)
		} else {
			safe = append(safe, who)
		}
	}
	counted := func(who []string) bool { return shared(t, a, b, "counted", "minute", who...) }
	for _, who := range slices.Concat(doomed, safe) {
		if !counted(who) {
			t.Errorf("the gateways do not count %v together", who)
		}
	}

	var held []<-chan reply
	for _, who := range [][]string{doomed[0], safe[0]} {
		for i := range slots {
			answer, _ := s.later(t, gateways[i%2].URL, "hold", who...)
			held = append(held, answer)
		}
		for _, g := range gateways {
			g.post(t, call("1", "x"), who...).refused(t, "1", atCapacity, nil)
		}
	}
	cluster.Servers[0].Kill()
	for range slots { // half of them are given back while their node is gone
		s.answer <- struct{}{}
	}
	redistest.Until(t, "all callers are decided by Redis again", func() bool {
		for _, who := range safe {
			if !counted(who) {
				t.Errorf("%v has a key elsewhere, and was counted without Redis", who)
			}
		}
		time.Sleep(50 * time.Millisecond)
		return !slices.ContainsFunc(doomed, func(who []string) bool { return !counted(who) })
	})
	for range slots {
		s.answer <- struct{}{}
	}
	for _, c := range held {
		if r := receive(t, c, "no answer"); !r.passed() {
			t.Errorf("a call that was under way failed: %d %s", r.Status, r.Body)
		}
	}
	for _, who := range [][]string{doomed[0], safe[0]} {
		allFree(t, s, slots, who, a, b)
	}
}
