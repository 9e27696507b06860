package integration

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// briefly is proxyTo with connections that are not kept for long, so that what
// is left of calls can be told from what is kept for the next.
func briefly(t *testing.T, upstream string) string {
	t.Helper()
	proxy := strings.TrimSuffix(proxyTo(t, upstream), "}")
	return proxy + "transport http {\nkeepalive 300ms\n}\n}"
}

// observed is a Caddy in a process of its own, whose memory and goroutines the
// test can see through the admin endpoint.
type observed struct {
	URL string

	admin, port, dir string
}

func observe(t *testing.T, site string) *observed {
	t.Helper()
	o := &observed{admin: net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t))), dir: t.TempDir()}
	o.URL = caddyProcess(t, func(addr string) []string {
		host, err := url.Parse("http://" + addr)
		if err != nil {
			t.Fatal(err)
		}
		o.port = host.Port()
		file := filepath.Join(o.dir, "Caddyfile")
		if err := os.WriteFile(file, []byte(o.text(site)), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "--config", file}
	})
	return o
}

// text is the Caddyfile of a site.
func (o *observed) text(site string) string {
	return fmt.Sprintf("{\nadmin %s\npersist_config off\nauto_https off\ngrace_period 5s\nstorage file_system %q\nlog {\nlevel FATAL\n}\n}\n:%s {\nbind 127.0.0.1\n%s\n}\n",
		o.admin, o.dir, o.port, site)
}

// reload replaces the config, as "caddy reload" does.
func (o *observed) reload(t *testing.T, site string) {
	t.Helper()
	resp, err := client.Post("http://"+o.admin+"/load", "text/caddyfile", strings.NewReader(o.text(site)))
	if err != nil {
		t.Fatal(err)
	}
	if r := readAll(resp); r.Status != http.StatusOK {
		t.Fatalf("reload: %d %s", r.Status, r.Body)
	}
}

func (o *observed) get(t *testing.T, path string) string {
	t.Helper()
	resp, err := client.Get("http://" + o.admin + path)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(resp).Body
}

// heap is what lives on the heap after a collection, in bytes and objects: the
// least of a few looks, because Caddy's own work comes and goes.
func (o *observed) heap(t *testing.T) (bytes, objects float64) {
	t.Helper()
	bytes, objects = math.MaxFloat64, math.MaxFloat64
	for range 4 {
		// The second collection frees what pools had kept over the first.
		o.get(t, "/debug/pprof/heap?gc=1")
		o.get(t, "/debug/pprof/heap?gc=1")
		m := o.metrics(t, "go_memstats_")
		bytes, objects = min(bytes, m["go_memstats_heap_alloc_bytes"]), min(objects, m["go_memstats_heap_objects"])
	}
	return bytes, objects
}

// peak is the most that the heap has ever been, in bytes.
func (o *observed) peak(t *testing.T) float64 { return o.metric(t, "go_memstats_heap_sys_bytes") }

func (o *observed) goroutines(t *testing.T) float64 { return o.metric(t, "go_goroutines") }

// within is how many goroutines are in a function of the gateway's handler.
func (o *observed) within(t *testing.T, function string) (n int) {
	t.Helper()
	for group := range strings.SplitSeq(o.get(t, "/debug/pprof/goroutine?debug=1"), "\n\n") {
		if !strings.Contains(group, module+"/caddymodule."+function) {
			continue
		}
		for line := range strings.Lines(group) {
			if count, _, ok := strings.Cut(line, " @ "); ok {
				k, err := strconv.Atoi(count)
				if err != nil {
					t.Fatal(err)
				}
				n += k
			}
		}
	}
	return n
}

// held is how many slots of the limits are taken.
func (o *observed) held(t *testing.T) int {
	return int(gjson.Get(o.get(t, "/mcp-gateway/limits"), "stores.0.held").Int())
}

// settled waits until nothing of the gateway runs any more: no goroutine in its
// code for a request, no slot, and goroutines in all at most as many as given.
func (o *observed) settled(t *testing.T, goroutines float64) {
	t.Helper()
	serving, now := "", 0.0
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if now = o.goroutines(t); now > goroutines {
			continue
		}
		serving = ""
		for g := range strings.SplitSeq(o.get(t, "/debug/pprof/goroutine?debug=2"), "\n\n") {
			for _, of := range []string{"(*Handler).ServeHTTP", "(*exchange)", "(*decoder)", "newDecoder"} {
				if strings.Contains(g, module+"/caddymodule."+of) {
					serving = g
				}
			}
		}
		if serving == "" && o.held(t) == 0 && o.metric(t, "caddy_mcp_gateway_limit_leases_held") == 0 {
			return
		}
	}
	t.Errorf("%d slots stay, %.0f goroutines in all (%.0f would be right), of the gateway: %s", o.held(t), now, goroutines, serving)
	if now > goroutines {
		t.Log(head(o.get(t, "/debug/pprof/goroutine?debug=1"), 6000))
	}
}

// metric is the sum of all series of a name.
func (o *observed) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	for _, v := range o.metrics(t, name) {
		sum += v
	}
	return sum
}

// metrics are the series whose names begin so.
func (o *observed) metrics(t *testing.T, name string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(o.get(t, "/metrics")) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || !strings.HasPrefix(line, name) {
			continue
		}
		series := line[:at]
		if rest := series[len(name):]; !strings.HasSuffix(name, "_") && rest != "" && rest[0] != '{' {
			continue // another name that begins with this one
		}
		v, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all[series] = v
	}
	return all
}

// series counts the series that the gateway has made.
func (o *observed) series(t *testing.T) int { return len(o.metrics(t, "caddy_mcp_gateway_")) }

// head is the beginning of a text; in a profile of goroutines, those of which there are most.
func head(s string, n int) string { return s[:min(n, len(s))] }
