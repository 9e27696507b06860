//go:build bench

package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/limits/redistest"
)

// callerKey is the token of a caller; the number behind the mark is changed in
// place.
const (
	callerMark = "Bearer caller-"
	callerKey  = "caller-0000000"
)

// requestTo is request for another path.
func requestTo(path, body, key string) []byte {
	return []byte(strings.Replace(string(request(body, key)), "POST /mcp ", "POST "+path+" ", 1))
}

// put writes a number over the digits behind a mark.
func put(request []byte, mark string, n int) {
	at := strings.Index(string(request), mark) + len(mark)
	for end := at; ; end++ {
		if c := request[end]; c < '0' || c > '9' {
			for end--; end >= at; end-- {
				request[end] = byte('0' + n%10)
				n /= 10
			}
			return
		}
	}
}

// growthOfCallers measures what a call costs when so many callers have called.
func growthOfCallers(t *testing.T, bin string) *subject {
	s := &subject{title: "CPU per call and the number of callers", x: "callers in the last minute", y: "CPU per call, µs", format: count,
		says: fmt.Sprintf("Each caller has a bearer token of its own, and a call is of a random one of those that have called before. \"package\" is package limits alone, admission "+
			"and release: in memory on one thread, keeping all callers; on Redis from %d goroutines, where Redis is the CPU of Redis. All but the package in memory keep %d callers and "+
			"forget others beyond that, so each new one then pays for an eviction. \"idle\" is the CPU of the gateway while nobody calls.", deciders, limits.DefaultMaxKeys)}
	throughTheGateway(t, bin, s)
	inThePackage(t, s)
	return s
}

// longTimeout is one that no busy machine reaches: what is measured is what
// calls cost, not what happens when Redis is late.
const longTimeout = " {\ntimeout 10s\n}\n"

// throughTheGateway stops at so many callers as show eviction: each of them
// has to make a call.
func throughTheGateway(t *testing.T, bin string, s *subject) {
	const connections, turns = 4, 2
	length := duration(t, "BENCH_ROUND", 500*time.Millisecond)
	u := newUpstream(t)
	u.answer(workloads()[0].answer)
	server := redistest.Start(t)
	// Callers come to be known by requests that Caddy itself answers.
	const respond = "\nheader /known Content-Type application/json\nrespond /known `{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}`"
	proxies := []*proxy{
		startCaddy(t, bin, config{name: plain}, u.addr),
		startCaddy(t, bin, config{name: "memory limits", site: "mcp_gateway {\nlimits memory\n" + limit + "}" + respond}, u.addr),
		startCaddy(t, bin, config{name: "Redis limits", site: "mcp_gateway {\nlimits redis " + server.Addr + longTimeout + limit + "}" + respond}, u.addr),
	}
	known := 0
	for _, n := range []int{1, 10, 100, 1000, 10_000, 100_000, 140_000} {
		for _, p := range proxies[1:] {
			introduce(t, p, known, n)
		}
		known = n
		sums := make([]sample, len(proxies))
		for turn := range turns {
			for i := range proxies {
				i = (i + turn) % len(proxies)
				sums[i].add(driveAt(t, proxies[i], "/mcp", callBody, []string{callerKey}, connections, anyOf(callerMark, n), length))
			}
		}
		for i, p := range proxies {
			s.line(p.name, "µs", []string{grey, blue, teal}[i], i > 0).add(float64(n), cpuOf(&sums[i]))
			if i > 0 {
				p.collect(t)
				s.line(p.name+", resident", "MB", "", false).add(float64(n), float64(p.rss(t))/(1<<20))
			}
		}
		if n < 10_000 {
			continue // the idle take less than a tick
		}
		before := []time.Duration{cpuTime(t, proxies[1].pid), cpuTime(t, proxies[2].pid)}
		time.Sleep(2 * time.Second)
		for i, p := range proxies[1:] {
			s.line(p.name+", idle", "ms/s", "", false).add(float64(n), float64((cpuTime(t, p.pid)-before[i]).Milliseconds())/2)
		}
	}
}

// inThePackage goes up to a million callers.
func inThePackage(t *testing.T, s *subject) {
	length := duration(t, "BENCH_ROUND", time.Second)
	server := redistest.Start(t)
	l := newLimiter(t, server.Addr)
	defer l.Close()
	var callers []limits.Subject
	for _, n := range []int{1, 10, 100, 1000, 10_000, 100_000, 1_000_000} {
		x := float64(n)
		cost, heap := inMemory(t, n)
		s.line("package in memory", "µs", violet, true).add(x, cost)
		s.line("package in memory, heap", "MB", "", false).add(x, heap/(1<<20))

		from := len(callers)
		for i := from; i < n; i++ {
			callers = append(callers, l.Hasher().Subject("k", strconv.Itoa(i)))
		}
		inParallel(t, from, n, func(i int) error { return admit(l, callers[i]) })
		redisBefore, ownBefore := redisCPU(t, server), processCPU(t)
		calls := float64(decideFor(t, l, callers, length))
		s.line("package on Redis, Redis", "µs", orange, true).add(x, (redisCPU(t, server)-redisBefore)/calls)
		s.line("package on Redis, own", "µs", red, true).add(x, (processCPU(t)-ownBefore)/calls)
		s.line("package on Redis, Redis holds", "MB", "", false).add(x, redisInfo(t, server, "memory", "used_memory:")/(1<<20))
	}
}

// introduce makes one call for each caller of a range.
func introduce(t *testing.T, p *proxy, from, to int) {
	t.Helper()
	free := make(chan *conn, deciders)
	for range deciders {
		c, err := dial(p.addr, requestTo("/known", callBody, callerKey))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		defer c.c.Close()
		free <- c
	}
	inParallel(t, from, to, func(i int) error {
		c := <-free
		defer func() { free <- c }()
		put(c.request, callerMark, i)
		_, err := c.do(io.Discard)
		return err
	})
}

// inParallel calls f with each number of a range.
func inParallel(t *testing.T, from, to int, f func(int) error) {
	t.Helper()
	errs := make([]error, deciders)
	var wg sync.WaitGroup
	for k := range errs {
		wg.Go(func() {
			for i := from + k; i < to && errs[k] == nil; i += len(errs) {
				errs[k] = f(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// redisInfo is the sum of fields of a section of INFO.
func redisInfo(t *testing.T, s *redistest.Server, section string, fields ...string) (sum float64) {
	t.Helper()
	c := s.Client()
	defer c.Close()
	info, err := c.Info(context.Background(), section).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		_, rest, _ := strings.Cut(info, f)
		value, _, _ := strings.Cut(rest, "\r")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// inMemory is the CPU of this thread for one call of a random caller, in µs,
// and the heap that all callers take, in bytes.
func inMemory(t *testing.T, n int) (cost, heap float64) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := heapNow()
	m := limits.NewMemory(limits.MemoryOptions{MaxKeys: 4_000_000})
	defer m.Close()
	caller := func(i int) (s limits.Subject) {
		// As spread as hashes are, for less than one costs.
		binary.LittleEndian.PutUint64(s.ID[:], (uint64(i)+1)*0x9e3779b97f4a7c15>>7)
		s.Tag = s.ID
		return s
	}
	for i := range n {
		if err := admit(m, caller(i)); err != nil {
			t.Fatal(err)
		}
	}
	heap = max(0, heapNow()-before)
	if kept := m.Stats().Keys; kept != n {
		t.Fatalf("%d of %d callers are kept", kept, n)
	}
	const calls = 500_000
	r := rand.New(rand.NewPCG(1, 2))
	start := rusage(t, 1) // RUSAGE_THREAD of Linux
	for range calls {
		if err := admit(m, caller(r.IntN(n))); err != nil {
			t.Fatal(err)
		}
	}
	return (rusage(t, 1) - start) / calls, heap
}

func heapNow() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func processCPU(t *testing.T) float64 { return rusage(t, syscall.RUSAGE_SELF) }

// rusage is the CPU of this thread or process, in µs.
func rusage(t *testing.T, who int) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
}
