//go:build bench

package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// usage is what a process has used, or the difference of two such readings.
type usage struct {
	cpu          time.Duration
	mallocs, mem float64 // objects and bytes; 0 where nobody tells
	peak         int64   // largest resident memory since the last reading, in bytes
}

func (u usage) minus(o usage) usage {
	return usage{u.cpu - o.cpu, u.mallocs - o.mallocs, u.mem - o.mem, u.peak}
}

func (u usage) plus(o usage) usage {
	return usage{u.cpu + o.cpu, u.mallocs + o.mallocs, u.mem + o.mem, max(u.peak, o.peak)}
}

// usage reads what the proxy has used. CPU comes in ticks of 10 ms.
func (p *proxy) usage(t *testing.T) usage {
	t.Helper()
	if p.pid == 0 {
		return usage{}
	}
	var u usage
	for _, pid := range p.pids(t) {
		u.cpu += cpuTime(t, pid)
		u.peak += memory(t, pid, "VmHWM:")
		// The peak begins anew (proc(5), clear_refs).
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
			t.Fatal(err)
		}
	}
	if p.admin != "" {
		m := p.metrics(t)
		u.mallocs, u.mem = m["go_memstats_mallocs_total"], m["go_memstats_alloc_bytes_total"]
	}
	return u
}

// pids are the process and its workers.
func (p *proxy) pids(t *testing.T) []int {
	t.Helper()
	pids := []int{p.pid}
	if !p.group {
		return pids
	}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(s); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// rss is the resident memory of the proxy now.
func (p *proxy) rss(t *testing.T) (n int64) {
	t.Helper()
	for _, pid := range p.pids(t) {
		n += memory(t, pid, "VmRSS:")
	}
	return n
}

func memory(t *testing.T, pid int, field string) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatalf("no %s in the status of a process", field)
	return 0
}

func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// The name in parentheses may hold anything; the fields after it are fixed.
	fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// metrics reads the plain counters of Caddy's admin endpoint.
func (p *proxy) metrics(t *testing.T) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(p.get(t, "/metrics")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			out[name] = v
		}
	}
	return out
}

// collect makes the garbage collector run, and gives what is free back.
func (p *proxy) collect(t *testing.T) {
	t.Helper()
	p.get(t, "/debug/pprof/heap?gc=1")
	p.get(t, "/debug/pprof/heap?gc=1")
}

func (p *proxy) get(t *testing.T, path string) string {
	t.Helper()
	c := http.Client{Timeout: patience}
	defer c.CloseIdleConnections()
	resp, err := c.Get("http://" + p.admin + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
