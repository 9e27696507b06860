package integration

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// counting is a server of tools that knows how often each call has reached it.
type counting struct {
	*toolServer
	mu    sync.Mutex
	calls map[string]int
	next  int
}

func newCounting(t *testing.T) *counting {
	c := &counting{toolServer: newToolServer(t), calls: map[string]int{}}
	u := newUpstream(t)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		c.calls[gjson.GetBytes(body, "id").Raw]++
		c.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.ServeHTTP(w, r)
	})
	c.URL = u.URL
	return c
}

// burst makes calls of a caller, a few at a time, each with an id of its own. Every call gets one answer, long before its
// client gives up, and has reached the server once if it passed and never if it did not. The answers that refuse are
// returned.
func (c *counting) burst(t *testing.T, g *gateway, n int, who []string) (passed int, refused map[string]reply) {
	t.Helper()
	c.mu.Lock()
	first := 1000 + c.next
	c.next += n
	c.mu.Unlock()
	refused = map[string]reply{}
	var mu sync.Mutex
	each(n, func(i int) {
		id := fmt.Sprint(first + i)
		begin := time.Now()
		resp, err := client.Do(newRequest(t, http.MethodPost, g.URL+"/mcp", call(id, "counted"), append([]string{"MCP-Protocol-Version", "2025-11-25"}, who...)...))
		if err != nil {
			t.Errorf("call %s: %v", id, err)
			return
		}
		r := readAll(resp)
		if took := time.Since(begin); took > patience/6 {
			t.Errorf("call %s took %s", id, took)
		}
		r.response(t, id)
		c.mu.Lock()
		reached := c.calls[id]
		c.mu.Unlock()
		mu.Lock()
		defer mu.Unlock()
		want := 0
		if r.passed() {
			want = 1
			passed++
		} else {
			refused[id] = r
		}
		if reached != want {
			t.Errorf("call %s reached the server %d times, want %d: %s", id, reached, want, tail(r.Body, 300))
		}
	})
	return passed, refused
}

// noSlotHeld waits until nothing of the limits is held, as the admin endpoint tells.
func noSlotHeld(t *testing.T, admin string) {
	t.Helper()
	redistest.Until(t, "no slot is held", func() bool {
		return gjson.Get(send(t, http.MethodGet, admin+"/mcp-gateway/limits", "").Body, "stores.0.held").Raw == "0"
	})
}

// A Redis that runs, and answers too late or lets nobody in: every call gets the one answer that the policy promises, and
// Redis decides again by itself. What was admitted meanwhile counts, and no slot is left.
func TestLimitRedisUseless(t *testing.T) {
	t.Setenv("REDIS_PASSWORD_OF_TEST", redistest.Password)
	const rpm, slots, burst = 20, 4, 40
	for _, f := range redistest.Outages {
		for _, policy := range []string{"local", "allow", "deny"} {
			t.Run(f.Name+"/"+policy, func(t *testing.T) {
				s := newCounting(t)
				server := redistest.Start(t)
				admin := server.Client()
				defer admin.Close()
				redistest.LetIn(t, admin)
				p := redistest.NewProxy(t, server.Addr)
				if f.Start {
					f.Begin(t, p, admin)
				}
				g, at := siteWithAdmin(t, fmt.Sprintf(`mcp_gateway {
	limits redis %s {
		username %s
		password {env.REDIS_PASSWORD_OF_TEST}
		on_failure %s
		replicas 2
		lease 30s
	}
	limit minute {
		tools counted
		rpm %d
	}
	limit slots {
		tools hold x
		concurrency %d
	}
}
`, p.Addr, redistest.User, policy, rpm, slots)+proxyTo(t, s.URL))
				callers := 0
				fresh := func() []string {
					callers++
					return bearer(fmt.Sprint("caller", callers))
				}
				// Without Redis, half of the limit is ours, all of it, or nothing.
				decides := func() bool {
					passed, refused := s.burst(t, g, rpm+5, fresh())
					for _, r := range refused {
						if r.Header.Get("Retry-After") == "" {
							t.Errorf("no wait: %s", r.Body)
						}
					}
					return passed == rpm
				}
				var held []<-chan reply
				if !f.Start {
					redistest.Until(t, "redis decides", decides)
					for range 2 {
						g.frees(t)
						answer, _ := s.later(t, g.URL, "hold")
						held = append(held, answer)
					}
					f.Begin(t, p, admin)
				}
				redistest.Until(t, "the log tells that redis is away", func() bool {
					g.post(t, call("1", "counted"), fresh()...)
					return strings.Contains(g.logged(), "redis is away")
				})

				returns := func() int { return strings.Count(g.logged(), "redis is back") }
				var who []string
				var passed int
				for attempt := 0; ; attempt++ {
					before := returns()
					var refused map[string]reply
					who = fresh()
					passed, refused = s.burst(t, g, burst, who)
					if returns() != before && attempt < 5 { // on a busy machine, the client may be later still than the answer
						continue
					}
					if want := map[string]int{"local": rpm / 2, "allow": burst, "deny": 0}[policy]; passed != want {
						t.Errorf("%d calls passed, want %d", passed, want)
					}
					for id, r := range refused {
						if policy == "deny" {
							r.refused(t, id, want{code: "service_unavailable", class: "retryable", status: 503, wait: 1}, nil)
						} else {
							r.refused(t, id, rateLimited, nil)
						}
					}
					break
				}
				for _, m := range []string{method("3", "initialize"), method("4", "ping"), method("5", "tools/list")} {
					g.passes(t, m)
				}
				if len(held) > 0 { // given back while nobody listens
					s.answer <- struct{}{}
				}
				if log := g.logged(); !strings.Contains(log, f.Says) || strings.Contains(log, redistest.Password) {
					t.Errorf("the log does not tell %q, or tells the password", f.Says)
				}

				f.End(t, p, admin)
				redistest.Until(t, "redis decides again", decides)
				// On a busy machine a round trip may still come too late: those calls were not decided by Redis.
				failures := func() float64 { return metric(t, at, "caddy_mcp_gateway_limit_redis_failures_total") }
				more := 0
				for attempt := 0; ; attempt++ {
					before := failures()
					n, _ := s.burst(t, g, rpm+5, who)
					failed := failures() != before && attempt < 5
					if !failed || policy != "allow" {
						more += n
					}
					if !failed {
						break
					}
				}
				if most := max(rpm-passed, 0); more > most || policy == "deny" && more < rpm {
					t.Errorf("%d calls more passed, after %d without Redis; the limit is %d", more, passed, rpm)
				}
				if len(held) > 0 {
					s.answer <- struct{}{}
				}
				for _, c := range held {
					if r := receive(t, c, "no answer"); !r.passed() {
						t.Errorf("a call that was under way failed: %d %s", r.Status, r.Body)
					}
				}
				noSlotHeld(t, at)
				held = nil
				for range slots {
					g.frees(t)
					answer, _ := s.later(t, g.URL, "hold")
					held = append(held, answer)
				}
				redistest.Until(t, "all slots, and no more, are taken", func() bool {
					e := gjson.Get(g.post(t, call("1", "x")).Body, "result.structuredContent")
					return e.Get("code").String() == "at_capacity" && e.Get("current.concurrency").Int() == slots+1
				})
				for range held {
					s.answer <- struct{}{}
				}
				for _, c := range held {
					receive(t, c, "no answer")
				}
			})
		}
	}
}

// A Redis that answers late, but in time, decides: as many calls pass as the limit says, and none is lost.
func TestLimitRedisSlow(t *testing.T) {
	for _, policy := range []string{"local", "allow", "deny"} {
		t.Run(policy, func(t *testing.T) {
			s := newCounting(t)
			p := redistest.NewProxy(t, redistest.Start(t).Addr)
			p.Delay(redistest.Slowness)
			g, at := siteWithAdmin(t, "mcp_gateway {\nlimits redis "+p.Addr+" {\non_failure "+policy+
				"\nreplicas 2\ntimeout 5s\n}\nlimit {\nrpm 20\nconcurrency 100\n}\n}\n"+proxyTo(t, s.URL))
			failures := func() float64 { return metric(t, at, "caddy_mcp_gateway_limit_redis_failures_total") }
			before := failures()
			passed, refused := s.burst(t, g, 50, bearer("one"))
			if passed != 20 {
				t.Errorf("%d calls passed, want 20", passed)
			}
			for id, r := range refused {
				if e := r.refused(t, id, rateLimited, nil); e.Get("current.rpm").Int() != 20 {
					t.Errorf("current is wrong: %s", e.Raw)
				}
			}
			if n := failures(); n != before {
				t.Errorf("%v round trips failed", n-before)
			}
			noSlotHeld(t, at)
		})
	}
}

// A password that is wrong is put right by a reload, and nothing is away any more.
func TestLimitPasswordReload(t *testing.T) {
	t.Setenv("REDIS_PASSWORD_OF_TEST", redistest.Password)
	t.Setenv("OTHER_PASSWORD_OF_TEST", redistest.Password+"x")
	s := newToolServer(t)
	server := redistest.Start(t)
	admin := server.Client()
	defer admin.Close()
	redistest.LetIn(t, admin)
	site := func(password string) string {
		return "mcp_gateway {\nlimits redis " + server.Addr + " {\nusername " + redistest.User + "\npassword {env." + password +
			"}\non_failure deny\ntimeout 900ms\n}\nlimit {\nrpm 100\n}\n}\n" + proxyTo(t, s.URL)
	}
	g, at := siteWithAdmin(t, "respond x")
	const gauge = "caddy_mcp_gateway_limit_redis_away"
	before := metric(t, at, gauge)
	g.load(site("OTHER_PASSWORD_OF_TEST"))
	redistest.Until(t, "the gauge tells that redis is away", func() bool {
		g.post(t, call("1", "x")).refused(t, "1", want{code: "service_unavailable", class: "retryable", status: 503, wait: 1}, nil)
		return metric(t, at, gauge) == before+1
	})
	g.load(site("REDIS_PASSWORD_OF_TEST"))
	g.passes(t, call("1", "x"))
	redistest.Until(t, "the gauge tells that nothing is away", func() bool { return metric(t, at, gauge) == before })
}
