//go:build bench

package bench

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/limits/redistest"
)

var replicaCounts = []int{1, 2, 4, 8}

// growthOfReplicas measures processes that share one Redis: Caddy, and the
// limiter alone, which asks Redis far more often.
func growthOfReplicas(t *testing.T, bin string) *subject {
	const connections, turns = 8, 2
	s := &subject{title: "CPU per call and the number of replicas on one Redis", x: "processes", y: "CPU per call, µs", format: count,
		says: fmt.Sprintf("Redis limits, %d connections to each process of Caddy, calls of one caller or of a random one of 1,000. \"limiter\" are processes of package limits alone, "+
			"%d goroutines in each, 10,000 callers: they show what Redis bears. All share two cores, so calls per second do not grow with the processes; what a call costs Redis "+
			"is what bounds them elsewhere.", connections, deciders)}
	length := duration(t, "BENCH_ROUND", 600*time.Millisecond)
	u := newUpstream(t)
	u.answer(workloads()[0].answer)
	server, other := redistest.Start(t), redistest.Start(t)
	var replicas []*proxy
	for i := range replicaCounts[len(replicaCounts)-1] {
		replicas = append(replicas, startCaddy(t, bin, config{name: fmt.Sprintf("replica %d", i),
			site: "mcp_gateway {\nlimits redis " + server.Addr + longTimeout + limit + "}"}, u.addr))
	}
	for _, n := range replicaCounts {
		for _, k := range []struct {
			name    string
			callers int
			colours [2]string
		}{{"one caller", 1, [2]string{orange, ""}}, {"1,000 callers", 1000, [2]string{teal, blue}}} {
			var calls, seconds, inRedis, inCaddy float64
			for range turns {
				redisBefore, caddyBefore := redisCPU(t, server), cpuOfAll(t, replicas[:n])
				got := callReplicas(t, replicas[:n], k.callers, connections, length)
				inRedis += redisCPU(t, server) - redisBefore
				inCaddy += float64((cpuOfAll(t, replicas[:n]) - caddyBefore).Microseconds())
				calls, seconds = calls+float64(got.calls), seconds+got.elapsed.Seconds()
			}
			x := float64(n)
			s.line(k.name+", Redis", "µs", k.colours[0], true).add(x, inRedis/calls)
			s.line(k.name+", Caddy", "µs", k.colours[1], true).add(x, inCaddy/calls)
			s.line(k.name+", all", "calls/s", "", false).add(x, calls/seconds)
		}
		var calls, seconds, inRedis float64
		for range turns {
			decided, took, cost := runLimiters(t, n, other, length)
			calls, seconds, inRedis = calls+decided, seconds+took.Seconds(), inRedis+cost
		}
		s.line("limiter, Redis", "µs", violet, true).add(float64(n), inRedis/calls)
		s.line("limiter, all", "decisions/s", "", false).add(float64(n), calls/seconds)
	}
	return s
}

// callReplicas calls all replicas at a time.
func callReplicas(t *testing.T, replicas []*proxy, callers, connections int, length time.Duration) sample {
	t.Helper()
	var conns []*conn
	for i := range connections * len(replicas) {
		p := replicas[i%len(replicas)]
		c, err := dial(p.addr, requestTo("/mcp", callBody, callerKey))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		defer c.c.Close()
		r, next := rand.New(rand.NewPCG(uint64(i), 7)), anyOf(callerMark, callers)
		c.next = func(request []byte) { next(r, request) }
		conns = append(conns, c)
	}
	return drive(t, &proxy{name: "replicas"}, conns, length)
}

func cpuOfAll(t *testing.T, replicas []*proxy) (sum time.Duration) {
	t.Helper()
	for _, p := range replicas {
		sum += cpuTime(t, p.pid)
	}
	return sum
}

// redisCPU is the CPU that Redis has used, in µs.
func redisCPU(t *testing.T, s *redistest.Server) float64 {
	t.Helper()
	return 1e6 * redisInfo(t, s, "cpu", "used_cpu_sys:", "used_cpu_user:")
}

// limiterEnv makes a process of this test a limiter: the address of its Redis,
// and how long it decides.
const limiterEnv = "GROWTH_LIMITER"

const deciders = 16

// beLimiter says that it is ready, waits for a line, decides calls for a time
// and says how many.
func beLimiter(t *testing.T, what string) {
	addr, forText, _ := strings.Cut(what, " ")
	length, err := time.ParseDuration(forText)
	if err != nil {
		t.Fatal(err)
	}
	l := newLimiter(t, addr)
	defer l.Close()
	callers := make([]limits.Subject, 10_000)
	for i := range callers {
		callers[i] = l.Hasher().Subject("k", strconv.Itoa(i))
	}
	decideFor(t, l, callers, 20*time.Millisecond) // connects
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fmt.Println(decideFor(t, l, callers, length))
}

func newLimiter(t *testing.T, addr string) *limits.Redis {
	t.Helper()
	client, err := limits.NewClient(limits.ClientOptions{Addresses: []string{addr}, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	l, err := limits.NewRedis(client, limits.RedisOptions{Secret: []byte(strings.Repeat("growth", 4)), Timeout: 5 * time.Second, OnFailure: limits.Deny})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// admit decides one call and gives its slot back.
func admit(l limits.Limiter, caller limits.Subject) error {
	tiers := [...]limits.Tier{{Name: "k", Subject: caller, RPM: 1 << 28, Concurrency: 10_000, Cost: 1, Slots: 1}}
	d, err := l.Acquire(context.Background(), limits.Call{Tiers: tiers[:]})
	if err != nil {
		return err
	}
	defer d.Lease.Release()
	if !d.Allowed || d.Fallback {
		return fmt.Errorf("a call was not admitted by the store: bound %s", d.Bound)
	}
	return nil
}

// decideFor decides calls of random callers for a time and returns their number.
func decideFor(t *testing.T, l limits.Limiter, callers []limits.Subject, length time.Duration) int64 {
	t.Helper()
	var n atomic.Int64
	errs := make([]error, deciders)
	var wg sync.WaitGroup
	end := time.Now().Add(length)
	for i := range deciders {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))
			for time.Now().Before(end) && errs[i] == nil {
				errs[i] = admit(l, callers[r.IntN(len(callers))])
				n.Add(1)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return n.Load()
}

// runLimiters runs so many limiter processes at a time, and returns how many
// calls they decided and what that cost Redis, in µs.
func runLimiters(t *testing.T, n int, server *redistest.Server, length time.Duration) (calls float64, took time.Duration, cost float64) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel() // ends them
	type process struct {
		cmd *exec.Cmd
		out *bufio.Reader
		say func() error
	}
	var all []process
	for range n {
		cmd := exec.CommandContext(ctx, self, "-test.run=^TestGrowth$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", limiterEnv, server.Addr, length))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, process{cmd, bufio.NewReader(out), func() error {
			_, err := in.Write([]byte("go\n"))
			return err
		}})
	}
	for _, p := range all {
		if line, err := p.out.ReadString('\n'); line != "ready\n" {
			t.Fatalf("a limiter said %q: %v", line, err)
		}
	}
	before, begin := redisCPU(t, server), time.Now()
	for _, p := range all {
		if err := p.say(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range all {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			t.Fatal(err)
		}
		calls += v
	}
	took, cost = time.Since(begin), redisCPU(t, server)-before
	for _, p := range all {
		if err := p.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	return calls, took, cost
}
