package integration

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// siteWithAdmin is startSite with an admin endpoint, whose address it returns.
func siteWithAdmin(t *testing.T, site string) (*gateway, string) {
	t.Helper()
	addr := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	return startAt(t, addr, site), "http://" + addr
}

// metric returns the value of a line of /metrics, 0 without one.
func metric(t *testing.T, admin, line string) float64 {
	t.Helper()
	for _, l := range strings.Split(send(t, http.MethodGet, admin+"/metrics", "").Body, "\n") {
		if v, ok := strings.CutPrefix(l, line+" "); ok {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

// The admin endpoint shows counts by limit and hashed key.
func TestLimitAdmin(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g, admin := siteWithAdmin(t, "mcp_gateway {\nservice shown\n"+limits+"\nlimit {\nrpm 3\nconcurrency 2\n}\n}\n"+proxyTo(t, s.URL))
		held, _ := s.later(t, g.URL, "hold", "Authorization", "Bearer one")
		for range 3 {
			g.passes(t, call("1", "x"), "Authorization", "Bearer two")
		}
		g.passes(t, call("1", "x"), "Authorization", "Bearer three")

		r := send(t, http.MethodGet, admin+"/mcp-gateway/limits", "")
		store := gjson.Get(r.Body, "stores.0")
		if r.Status != http.StatusOK || store.Get("counts.#").Int() != 3 || store.Get("held").Int() < 1 || store.Get("keys").Int() != 3 {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
		busiest := store.Get("counts.0")
		if len(busiest.Get("key").String()) < 22 || busiest.Get("limit").String() != "default" ||
			busiest.Get("limits").Raw != `{"maxConcurrency":2,"maxRpm":3}` {
			t.Errorf("first: %s", busiest.Raw)
		}
		most := 0
		for _, c := range store.Get("counts").Array() {
			most = max(most, int(c.Get("current.rpm").Int()))
		}
		if most != 3 {
			t.Errorf("no caller has 3 requests: %s", r.Body)
		}
		r = send(t, http.MethodGet, admin+"/mcp-gateway/limits?max=1", "")
		if gjson.Get(r.Body, "stores.0.counts.#").Int() != 1 {
			t.Errorf("max=1: %s", r.Body)
		}
		for _, bad := range []string{"0", "1001", "many"} {
			if r := send(t, http.MethodGet, admin+"/mcp-gateway/limits?max="+bad, ""); r.Status != http.StatusBadRequest {
				t.Errorf("max=%s: %d %s", bad, r.Status, r.Body)
			}
		}
		if r := send(t, http.MethodPost, admin+"/mcp-gateway/limits", ""); r.Status != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d %s", r.Status, r.Body)
		}
		r = send(t, http.MethodGet, admin+"/mcp-gateway/state", "")
		name := strings.Fields(limits)[1]
		if gjson.Get(r.Body, "handlers.0.service").String() != "shown" || gjson.Get(r.Body, "handlers.0.limits").String() != name ||
			gjson.Get(r.Body, "stores.0.limits").String() != name {
			t.Errorf("state: %d %s", r.Status, r.Body)
		}
		s.answer <- struct{}{}
		receive(t, held, "no answer")
	})
}

// Metrics of limits, placeholders and fields of the access log.
func TestLimitMetrics(t *testing.T) {
	s := newToolServer(t)
	server := redistest.Start(t)
	g, admin := siteWithAdmin(t, "log\nheader +X-Seen {http.mcp_gateway.key_hash}|{http.mcp_gateway.limit} {\ndefer\n}\nmcp_gateway {\nservice metered\nlimits redis "+server.Addr+
		" {\ntimeout 900ms\n}\nlimit minute {\nrpm 2\n}\nlimit trial {\nconcurrency 1\nrpm 1\nshadow\n}\n}\n"+proxyTo(t, s.URL))
	decision := func(limit, result string) float64 {
		return metric(t, admin, fmt.Sprintf(`caddy_mcp_gateway_limit_decisions_total{limit=%q,result=%q,service="metered"}`, limit, result))
	}
	limited := rateLimited
	limited.service = "metered"
	// Counters live as long as the process.
	type counter struct{ limit, result string }
	want := map[counter]float64{
		{"minute", "allowed"}: 2, {"minute", "rpm"}: 1, {"minute", "concurrency"}: 0, {"minute", "unavailable"}: 0,
		{"trial", "allowed"}: 2, {"trial", "rpm"}: 0,
	}
	for c := range want {
		want[c] += decision(c.limit, c.result)
	}
	shadow, refusals := decision("trial", "shadow"), metric(t, admin, `caddy_mcp_gateway_refusals_total{reason="rate_limited"}`)
	held, _ := s.later(t, g.URL, "hold")
	if v := metric(t, admin, `caddy_mcp_gateway_limit_leases_held{limits="redis"}`); v != 2 {
		t.Errorf("%v slots are held, want one of each limit", v)
	}
	s.answer <- struct{}{}
	receive(t, held, "no answer")
	g.passes(t, call("1", "x"))
	r := g.post(t, call("1", "x"))
	r.refused(t, "1", limited, nil)
	if seen := r.Header.Get("X-Seen"); len(seen) != 22+len("|minute") || !strings.HasSuffix(seen, "|minute") {
		t.Errorf("placeholders: %q", seen)
	}
	for c, w := range want {
		if v := decision(c.limit, c.result); v != w {
			t.Errorf("%s %s: %v, want %v", c.limit, c.result, v, w)
		}
	}
	if v := decision("trial", "shadow"); v <= shadow {
		t.Errorf("shadow: %v, was %v", v, shadow)
	}
	for _, m := range []string{"limit_redis_duration_seconds_count", "limit_redis_scripts_total", "limit_redis_decisions_total"} {
		if v := metric(t, admin, "caddy_mcp_gateway_"+m); v == 0 {
			t.Errorf("%s is %v", m, v)
		}
	}
	if v := metric(t, admin, `caddy_mcp_gateway_refusals_total{reason="rate_limited"}`); v != refusals+1 {
		t.Errorf("refusals: %v, was %v", v, refusals)
	}
	if log := g.logged(); !strings.Contains(log, `"mcp_key_hash":"`) || !strings.Contains(log, `"mcp_limit":"minute"`) {
		t.Errorf("the access log lacks its fields")
	}
	before := metric(t, admin, "caddy_mcp_gateway_limit_redis_away")
	server.Kill()
	redistest.Until(t, "the gauge tells that redis is away", func() bool {
		g.post(t, call("1", "x"), "Authorization", "Bearer other")
		return metric(t, admin, "caddy_mcp_gateway_limit_redis_away") != before
	})
	server.Run()
	redistest.Until(t, "the gauge tells that redis is back", func() bool {
		g.post(t, call("1", "x"), "Authorization", "Bearer other")
		return metric(t, admin, "caddy_mcp_gateway_limit_redis_away") == before
	})
}
