package integration

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/limits/redistest"
)

// usedMemory is what Redis says it uses, in bytes.
func usedMemory(t *testing.T, c *redis.Client) float64 {
	t.Helper()
	info, err := c.Info(context.Background(), "memory").Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("redis does not tell its memory")
	return 0
}

// A million callers, a new one for each call, that are counted in Redis, which forgets none of them for ten minutes. Redis
// decides every call; the gateway keeps as many as it may and makes no series of them; a caller costs Redis what it may,
// and honest callers have their limit, no more and no less, all the time.
func TestMillionCallersRedis(t *testing.T) {
	const rpm = 3
	n := scaled(1_000_000, 500)
	server := redistest.Start(t)
	db := server.Client()
	defer db.Close()
	u := newUpstream(t)
	u.answer(faulty)
	o := observe(t, fmt.Sprintf(`mcp_gateway {
		limits redis %s {
			on_failure deny
			timeout 5s
			lease 10m
		}
		limit {
			key {http.request.header.X-Caller}
			rpm %d
			concurrency 5
		}
	}
	`, server.Addr, rpm)+briefly(t, u.URL))
	hc, leave := newPool()
	defer leave()
	ask := func(id, who string) reply {
		resp, err := hc.Do(newRequest(t, http.MethodPost, o.URL+"/mcp", call(id, "x"), "MCP-Protocol-Version", "2025-11-25",
			"X-Caller", who, faultID, id, faultKind, "json"))
		if err != nil {
			t.Errorf("call %s: %v", id, err)
			return reply{}
		}
		return readAll(resp)
	}
	honest := 0
	served := func() {
		t.Helper()
		honest++
		who := fmt.Sprint("honest-", honest)
		for i := range rpm + 1 {
			id := fmt.Sprint(i)
			r := ask(id, who)
			if i < rpm && r.Body != answerOf(id) {
				t.Errorf("others are not served: %d %q", r.Status, tail(r.Body, 300))
			} else if i == rpm {
				if e := r.refused(t, id, rateLimited, nil); e.Get("current.rpm").Int() != rpm {
					t.Errorf("counted wrongly: %s", e.Raw)
				}
			}
		}
	}
	var begun []time.Time // each tenth of half of the calls
	made := func(from, to int) {
		const chunks = 10
		size := (to - from) / chunks
		for c := range chunks {
			begun = append(begun, time.Now())
			each(size, func(i int) {
				id := fmt.Sprint(from + c*size + i)
				if r := ask(id, "caller-"+id); r.Body != answerOf(id) {
					t.Errorf("call %s: %d %q", id, r.Status, tail(r.Body, 300))
				}
			})
			if t.Failed() {
				t.FailNow()
			}
			served()
		}
	}
	served()
	idle, empty := o.goroutines(t), usedMemory(t, db)

	begin := time.Now()
	made(0, n/2)
	heap, _ := o.heap(t)
	series := len(o.metrics(t, "caddy_mcp_gateway_"))
	made(n/2, n)
	took := time.Since(begin)
	used := usedMemory(t, db)
	callers, err := db.DBSize(context.Background()).Result()
	if err != nil {
		t.Fatal(err)
	}
	kept := 0 // of what Redis still has to have
	for _, at := range begun {
		if time.Since(at) < 9*time.Minute {
			kept += n / len(begun)
		}
	}
	served()
	o.settled(t, idle+24) // and connections to Redis
	after, _ := o.heap(t)
	keys, evicted := o.metric(t, "caddy_mcp_gateway_limit_keys"), o.metric(t, "caddy_mcp_gateway_limit_evictions_total")
	one := (used - empty) / float64(callers)
	t.Logf("%d callers in %s; heap %.1f MB after half of them, %.1f MB after all, at most %.0f MB from the system; %.0f kept, %.0f evicted; %d series; Redis has %d keys in %.1f MB, %.0f bytes each",
		n, took.Round(time.Second), heap/1e6, after/1e6, o.peak(t)/1e6, keys, evicted, series, callers, used/1e6, one)
	most := 10e6
	if n/2 < limits.DefaultMaxKeys {
		most += 2500 * float64(n/2) // the table still fills
	}
	if after > heap+most || after > 250e6 || keys > limits.DefaultMaxKeys {
		t.Errorf("the heap grew from %.0f to %.0f bytes, %.0f callers are kept", heap, after, keys)
	}
	if now := len(o.metrics(t, "caddy_mcp_gateway_")); now > series {
		t.Errorf("series of metrics grew from %d to %d", series, now)
	}
	if int(callers) < kept {
		t.Errorf("Redis has %d callers, want %d", callers, kept)
	}
	if used-empty > 400*float64(callers)+10e6 { // and the buffers of its clients
		t.Errorf("Redis uses %.0f bytes for each caller", one)
	}
	if failed := o.metric(t, "caddy_mcp_gateway_limit_redis_failures_total"); failed != 0 {
		t.Errorf("%.0f round trips failed", failed)
	}
}
