package limits

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/caddymcp/gateway/limits/redistest"
)

// long runs the fault tests with the real minute: GATEWAY_LONG=1. Otherwise the minute lasts 3 seconds.
var long = os.Getenv("GATEWAY_LONG") != ""

const faultWorkers = 4

// fault is one way to break things under four gateway processes.
type fault struct {
	name string
	spec func(*workerSpec)
	// during runs from the start of the load; at(0.5) waits until half a window has passed.
	during func(r *faultRun)
	// What must hold: units in any window, calls at a time. 0: the limit itself. -1: not bound.
	rpm, conc int
	// slots left by processes that were killed
	check func(t *testing.T, r *faultRun)
}

// faultRun is one fault in progress.
type faultRun struct {
	t       *testing.T
	server  *redistest.Server
	proxies []*redistest.Proxy
	procs   []*exec.Cmd
	spec    workerSpec
	start   time.Time

	mu     sync.Mutex
	grants []int64    // ms
	holds  [][3]int64 // key, from, to in us
	ends   []workerEnd
}

func (r *faultRun) at(windows float64) {
	time.Sleep(time.Until(r.start.Add(time.Duration(windows * float64(r.spec.Window)))))
}

func (r *faultRun) partition(n int, m redistest.Mode) {
	for _, p := range r.proxies[:n] {
		p.Set(m)
	}
}

func TestFaults(t *testing.T) {
	faults := []fault{
		{name: "T1 nothing, then a process is killed", spec: patient, during: func(r *faultRun) {
			r.at(1.2)
			_ = r.procs[0].Process.Kill()
			r.at(2.5)
		}},
		{name: "F2 scripts are flushed", spec: patient, during: func(r *faultRun) {
			c := r.server.Client()
			defer c.Close()
			for time.Since(r.start) < 2*r.spec.Window {
				_ = c.ScriptFlush(context.Background()).Err()
				time.Sleep(50 * time.Millisecond)
			}
		}, check: noFallback},
		{name: "F3 Redis is killed and comes back empty", spec: deny, during: func(r *faultRun) {
			r.at(0.35)
			r.server.Kill()
			r.at(0.45)
			r.server.Run()
			r.at(1.4)
			r.server.Kill()
			r.at(1.5)
			r.server.Run()
			r.at(2.7)
		}},
		{name: "F5a one of four is cut off, local share", during: cutOff(1, redistest.Blackhole), rpm: 600 * 5 / 4, conc: 25,
			check: someFallback},
		{name: "F5b all are cut off, local share", during: cutOff(4, redistest.Blackhole), rpm: 1200, conc: 40, check: someFallback},
		{name: "F5c one of four is cut off, deny", spec: deny, during: cutOff(1, redistest.Blackhole), check: decidesFast},
		{name: "F5d one of four is cut off, allow", spec: func(s *workerSpec) { s.OnFailure = Allow },
			during: cutOff(1, redistest.Blackhole), rpm: -1, conc: -1, check: someFallback},
		{name: "F5e answers are lost", spec: deny, during: cutOff(4, redistest.DropReplies)},
		{name: "F5f streams without their lease are cut", spec: func(s *workerSpec) {
			deny(s)
			s.RPM, s.Hold, s.Fence, s.Lease = 0, 3*s.Lease, true, 2*s.Lease
		}, during: func(r *faultRun) {
			r.at(0.5)
			r.partition(1, redistest.Blackhole)
			r.at(3)
		}},
		{name: "F6 connections are reset", spec: deny, during: cutOff(4, redistest.Reset)},
		{name: "F7 clients leave while they wait", spec: func(s *workerSpec) { s.Cancel, s.RPM = 0.5, 6000 }, rpm: 6000,
			during: func(r *faultRun) { r.at(2) }},
		{name: "F8 one connection for all", spec: func(s *workerSpec) {
			patient(s)
			s.Pool, s.Goroutines, s.Keys, s.RPM = 1, 64, 64, 0
		}, rpm: -1,
			during: func(r *faultRun) { r.at(1.5) }, check: noFallback},
		{name: "F9a out of memory", spec: deny, during: func(r *faultRun) {
			r.at(1.3)
			r.config("maxmemory", "1")
			r.at(1.6)
			r.config("maxmemory", "0")
			r.at(2.5)
		}},
		{name: "F9b values are evicted", spec: deny, during: func(r *faultRun) {
			r.config("maxmemory-policy", "allkeys-lru")
			r.at(1.3)
			r.config("maxmemory", "1")
			r.at(1.35)
			r.config("maxmemory", "0")
			r.at(2.5)
		}},
		{name: "F11 Redis stalls", spec: deny, during: func(r *faultRun) {
			for i := range 6 {
				r.at(0.3 + 0.3*float64(i))
				r.server.Signal(syscall.SIGSTOP)
				time.Sleep(400 * time.Millisecond)
				r.server.Signal(syscall.SIGCONT)
			}
			r.at(2.5)
		}},
		{name: "F15 all answers come late but in time", spec: patient, during: func(r *faultRun) {
			r.late(redistest.Slowness)
			r.at(2)
			r.late(0)
			r.at(2.4)
		}, check: noFallback},
	}
	for _, policy := range []OnFailure{Local, Allow, Deny} {
		faults = append(faults, uselessFor(policy)...)
	}
	slots := make(chan struct{}, 3)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			f.run(t)
		})
	}
}

// patient waits for a machine that is busy with other things, where the question is whether Redis is asked at all.
func patient(s *workerSpec) { s.Timeout = patience }

const patience = 5 * time.Second

func deny(s *workerSpec) { s.OnFailure = Deny }

// cutOff breaks the first n processes off from a slow phase into a greedy one.
func cutOff(n int, m redistest.Mode) func(*faultRun) {
	return func(r *faultRun) {
		r.at(1.2)
		r.partition(n, m)
		r.at(1.7)
		r.partition(n, redistest.Pass)
		r.at(2.6)
	}
}

func noFallback(t *testing.T, r *faultRun) {
	for _, e := range r.ends {
		if e.Fallback > 0 {
			t.Errorf("%d calls were decided without Redis", e.Fallback)
		}
	}
}

func someFallback(t *testing.T, r *faultRun) {
	for _, e := range r.ends {
		if e.Fallback > 0 {
			return
		}
	}
	t.Error("nothing was decided without Redis: the fault did not happen")
}

func decidesFast(t *testing.T, r *faultRun) {
	for _, e := range r.ends {
		if e.Slowest > 5*DefaultTimeout { // a loaded machine; the exact figure is measured by the benchmark
			t.Errorf("a decision took %s", e.Slowest)
		}
	}
}

func (r *faultRun) config(key, value string) {
	c := r.server.Client()
	defer c.Close()
	if err := c.ConfigSet(context.Background(), key, value).Err(); err != nil {
		r.t.Error(err)
	}
}

func defaultSpec() workerSpec {
	s := workerSpec{Prefix: "f:", Window: 3 * time.Second, Lease: time.Second, Replicas: faultWorkers, RPM: 600, Conc: 20,
		Keys: 1, Goroutines: 16, Slow: 400 * time.Millisecond, Hold: 20 * time.Millisecond}
	if long {
		s.Window, s.Lease, s.Slow = Window, 5*time.Second, 8*time.Second
	}
	s.SlowFor = s.Window * 4 / 10
	return s
}

func (f *fault) run(t *testing.T) {
	r := &faultRun{t: t, server: redistest.Start(t), spec: defaultSpec()}
	if f.spec != nil {
		f.spec(&r.spec)
	}
	if r.spec.Username != "" {
		admin := r.server.Client()
		redistest.LetIn(t, admin)
		_ = admin.Close()
	}
	for range faultWorkers {
		r.proxies = append(r.proxies, redistest.NewProxy(t, r.server.Addr))
	}
	r.launch(func(i int) []string { return []string{r.proxies[i].Addr} }, f.during)
	r.verify(f.rpm, f.conc)
	if f.check != nil {
		f.check(t, r)
	}
	r.nothingLeft(ClientOptions{Addresses: []string{r.server.Addr}})
}

// launch starts the processes, breaks things, ends the processes and reads what they say.
func (r *faultRun) launch(addresses func(i int) []string, during func(*faultRun)) {
	r.t.Helper()
	var readers sync.WaitGroup
	var stdins []func()
	for i := range faultWorkers {
		spec := r.spec
		spec.Addresses = addresses(i)
		raw, err := json.Marshal(spec)
		if err != nil {
			r.t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerEnv+"="+string(raw))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			r.t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			r.t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			r.t.Fatal(err)
		}
		r.procs = append(r.procs, cmd)
		stdins = append(stdins, func() { _ = in.Close() })
		r.t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		readers.Go(func() { r.read(bufio.NewScanner(out)) })
	}
	r.start = time.Now()
	during(r)
	for _, closeIn := range stdins {
		closeIn()
	}
	readers.Wait()
}

func (r *faultRun) read(s *bufio.Scanner) {
	for s.Scan() {
		line := s.Text()
		var a [3]int64
		r.mu.Lock()
		switch {
		case strings.HasPrefix(line, "g "):
			_, _ = fmt.Sscanf(line, "g %d", &a[0])
			r.grants = append(r.grants, a[0])
		case strings.HasPrefix(line, "h "):
			_, _ = fmt.Sscanf(line, "h %d %d %d", &a[0], &a[1], &a[2])
			r.holds = append(r.holds, a)
		case strings.HasPrefix(line, "e "):
			var e workerEnd
			if err := json.Unmarshal([]byte(line[2:]), &e); err != nil {
				r.t.Error(err)
			}
			r.ends = append(r.ends, e)
		}
		r.mu.Unlock()
	}
}

// verify checks the invariants over everything that was granted.
func (r *faultRun) verify(rpm, conc int) {
	t := r.t
	if rpm == 0 {
		rpm = r.spec.RPM
	}
	if conc == 0 {
		conc = r.spec.Conc
	}
	slices.Sort(r.grants)
	times := make([]time.Duration, len(r.grants))
	for i, ms := range r.grants {
		times[i] = time.Duration(ms) * time.Millisecond
	}
	units, calls := maxInWindow(times, r.spec.Window), r.overlap()
	var sum workerEnd
	for _, e := range r.ends {
		sum.Allowed += e.Allowed
		sum.Refused += e.Refused
		sum.Errors += e.Errors
		sum.Fallback += e.Fallback
		sum.Held += e.Held
		sum.Slowest = max(sum.Slowest, e.Slowest)
	}
	t.Logf("%d admitted, %d refused, %d clients left, %d without Redis; at most %d units in a window (limit %d), %d calls at a time (limit %d); slowest decision %s",
		len(r.grants), sum.Refused, sum.Errors, sum.Fallback, units, r.spec.RPM, calls, r.spec.Conc, sum.Slowest)
	if rpm > 0 && units > rpm {
		t.Errorf("%d units in one window, at most %d may be", units, rpm)
	}
	if conc > 0 && calls > conc {
		t.Errorf("%d calls at a time, at most %d may be", calls, conc)
	}
	if sum.Held != 0 {
		t.Errorf("%d slots are held by nobody", sum.Held)
	}
	if len(r.grants) < 100 {
		t.Errorf("only %d calls were admitted: this proves nothing", len(r.grants))
	}
}

// overlap is the largest number of calls of one key that ran at the same time.
func (r *faultRun) overlap() int {
	type event struct{ key, at, d int64 }
	var events []event
	for _, h := range r.holds {
		events = append(events, event{h[0], h[1], 1}, event{h[0], h[2], -1})
	}
	slices.SortFunc(events, func(a, b event) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return int(a.d - b.d)
	})
	now, most := map[int64]int64{}, int64(0)
	for _, e := range events {
		now[e.key] += e.d
		most = max(most, now[e.key])
	}
	return int(most)
}

// nothingLeft waits one lease and then finds every slot free.
func (r *faultRun) nothingLeft(c ClientOptions) {
	r.t.Helper()
	c.Timeout = patience // for a busy machine
	client, err := NewClient(c)
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	l, err := NewRedis(client, RedisOptions{Prefix: r.spec.Prefix, Secret: []byte("fault tests"), Timeout: patience, window: r.spec.Window})
	if err != nil {
		r.t.Fatal(err)
	}
	defer l.Close()
	time.Sleep(r.spec.Lease)
	for key := range max(r.spec.Keys, 1) {
		d := acquire(r.t, l, Tier{Name: "key", Subject: l.Hasher().Subject("key", fmt.Sprint(key)), Slots: 1, Concurrency: 1 << 20})
		if d.Fallback || d.Current.Concurrency != 1 {
			r.t.Errorf("key %d has %d slots left after one lease: %+v", key, d.Current.Concurrency-1, d)
		}
		d.Lease.Release()
	}
}
