package integration

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// A reload keeps counts, and slots that are held.
func TestLimitReload(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		block := limits + "\nlimit {\nconcurrency 1\nrpm 3\n}"
		g := start(t, block, s.URL)
		g.passes(t, call("1", "x"))
		held, _ := s.later(t, g.URL, "hold")
		for range 2 {
			g.load("mcp_gateway {\n" + block + "\ntimeout 10m\n}\n" + proxyTo(t, s.URL))
			g.post(t, call("1", "x")).refused(t, "1", atCapacity, &numbers{2, 2, 1, 3})
		}
		s.answer <- struct{}{}
		if r := receive(t, held, "no answer"); !r.passed() {
			t.Errorf("the call of the old config failed: %+v", r)
		}
		g.frees(t)
		g.post(t, call("1", "x")).refused(t, "1", rateLimited, &numbers{1, 3, 1, 3})
	})
}

// A store that no config uses any more stays open for the calls that still
// hold slots in it, and gets them back.
func TestLimitReloadToOtherStore(t *testing.T) {
	s := newToolServer(t)
	g := start(t, "", s.URL)
	const limit = "\nlimit {\nconcurrency 1\n}"
	first := "mcp_gateway {\nlimits redis " + redistest.Start(t).Addr + " {\nlease 10m\ntimeout 5s\n}" + limit + "\n}\n" + proxyTo(t, s.URL)
	g.load(first)
	held, _ := s.later(t, g.URL, "hold")
	g.load("mcp_gateway {\nlimits memory" + limit + "\n}\n" + proxyTo(t, s.URL))
	g.passes(t, call("1", "x"))
	s.answer <- struct{}{}
	if r := receive(t, held, "no answer"); !r.passed() {
		t.Errorf("the call of the old config failed: %+v", r)
	}
	g.load(first)
	g.frees(t)
}

// kill ends the process of a replica with SIGKILL.
func (r *replica) kill(t *testing.T) {
	t.Helper()
	pid := 0
	redistest.Until(t, "the process has written its id", func() bool {
		b, _ := os.ReadFile(r.pidFile)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return pid != 0
	})
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// Replicas share the limits, and the slots of one that is killed are free after
// one lease.
func TestLimitReplicas(t *testing.T) {
	s := newToolServer(t)
	block := "limits redis " + redistest.Start(t).Addr + " {\nlease 3s\ntimeout 900ms\n}\nlimit {\nconcurrency 3\ntools hold stream x\n}\nlimit minute {\nrpm 7\ntools counted\n}"
	a, b := startReplica(t, block, s.URL), startReplica(t, block, s.URL)

	passed := 0
	for i := range 20 {
		g := []*replica{a, b}[i%2]
		r := g.post(t, call("1", "counted"))
		if r.passed() {
			passed++
			continue
		}
		// Slots below the limit are given back with some delay, so concurrency may read high.
		if got := numbersOf(r.refused(t, "1", rateLimited, nil)); got.rpm != 7 || got.maxRPM != 7 || got.concurrency < 1 {
			t.Errorf("numbers are %+v", got)
		}
	}
	if passed != 7 {
		t.Errorf("%d calls passed, want 7", passed)
	}

	s.later(t, a.URL, "hold")
	s.later(t, a.URL, "stream")
	held, _ := s.later(t, b.URL, "hold")
	for _, g := range []*replica{a, b} {
		e := g.post(t, call("1", "x")).refused(t, "1", atCapacity, nil)
		if got := numbersOf(e); got.concurrency != 4 || got.maxConcurrency != 3 {
			t.Errorf("numbers are %+v", got)
		}
	}
	a.kill(t)
	b.frees(t)
	again, _ := s.later(t, b.URL, "hold")
	b.frees(t)
	for range 4 { // two of them wait in vain for clients that are gone
		s.answer <- struct{}{}
	}
	for _, c := range []<-chan reply{held, again} {
		if r := receive(t, c, "no answer"); !r.passed() {
			t.Errorf("a call of the replica that lives failed: %+v", r)
		}
	}
}

// What happens while Redis is away, and the way back.
func TestLimitRedisAway(t *testing.T) {
	s := newToolServer(t)
	for _, policy := range []string{"local", "allow", "deny"} {
		t.Run(policy, func(t *testing.T) {
			r := redistest.Start(t)
			g := start(t, "limits redis "+r.Addr+" {\non_failure "+policy+"\nreplicas 2\ntimeout 900ms\n}\nlimit {\nrpm 4\n}", s.URL)
			g.passes(t, call("1", "x"))
			r.Kill()
			switch policy {
			case "local": // half of 4, one of which was used already
				g.passes(t, call("1", "x"))
				g.post(t, call("1", "x")).refused(t, "1", rateLimited, nil)
			case "allow":
				for range 10 {
					g.passes(t, call("1", "x"))
				}
			case "deny":
				for range 3 {
					e := g.post(t, call("1", "x")).refused(t, "1", want{code: "service_unavailable", class: "retryable", status: 503, wait: 1}, nil)
					if e.Get("current").Exists() {
						t.Errorf("nobody knows current: %s", e.Raw)
					}
				}
			}
			for _, m := range []string{method("3", "initialize"), method("4", "ping"), method("5", "tools/list")} {
				g.passes(t, m)
			}
			redistest.Until(t, "the log tells that redis is away", func() bool {
				g.post(t, call("1", "x"), "Authorization", "Bearer other")
				return strings.Contains(g.logged(), "redis is away")
			})
			r.Run()
			// What was admitted meanwhile counts: the refusals are of Redis again.
			redistest.Until(t, "redis decides again", func() bool {
				e := gjson.Get(g.post(t, call("1", "x")).Body, "result.structuredContent")
				return e.Get("code").String() == "rate_limited" && e.Get("limits.maxRpm").Int() == 4 && e.Get("current.rpm").Int() >= 4
			})
			redistest.Until(t, "the log tells that redis is back", func() bool { return strings.Contains(g.logged(), "redis is back") })
		})
	}
}

// A call whose slot is lost goes on, or is cut if the operator wants it so.
func TestLimitLeaseLost(t *testing.T) {
	s := newToolServer(t)
	server := redistest.Start(t)
	for _, what := range []string{"cut", "keep"} {
		for _, tool := range []string{"hold", "stream"} {
			t.Run(what+" "+tool, func(t *testing.T) {
				p := redistest.NewProxy(t, server.Addr)
				g := start(t, fmt.Sprintf("service %s_%s\nlimits redis %s {\nlease 2s\ntimeout 600ms\non_lease_lost %s\n}\nlimit {\nconcurrency 1\n}", what, tool, p.Addr, what), s.URL)
				answer, _ := s.later(t, g.URL, tool)
				p.Set(redistest.Blackhole)
				if what == "cut" {
					r := receive(t, answer, "the call was not cut")
					w := want{code: "service_unavailable", class: "retryable", status: 503, wait: 1, service: what + "_" + tool, text: "limits of this service"}
					w.result(t, "9", r.response(t, "9"))
					receive(t, s.left, "the server was not told")
					return
				}
				// Others may have the slot now.
				redistest.Until(t, "the slot is lost", func() bool { return strings.Contains(g.logged(), "could not be renewed") })
				s.answer <- struct{}{}
				if tool == "stream" {
					s.end <- struct{}{}
				}
				if r := receive(t, answer, "no answer"); !r.passed() || r.Cut != nil {
					t.Errorf("the call did not go on: %+v", r)
				}
			})
		}
	}
}

// No credential reaches Redis, the logs, the metrics or the admin endpoint.
func TestLimitCredentialsStay(t *testing.T) {
	s := newToolServer(t)
	password := strings.Repeat("pw", 8) + "-of-redis"
	t.Setenv("REDIS_PASSWORD_OF_TEST", password)
	server := redistest.Start(t)
	c := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	t.Cleanup(func() { c.Close() })
	ctx := context.Background()
	if err := c.ConfigSet(ctx, "requirepass", password).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(ctx, "AUTH", password).Err(); err != nil {
		t.Fatal(err)
	}
	g, admin := siteWithAdmin(t, "mcp_gateway {\nlimits redis "+server.Addr+" {\npassword {env.REDIS_PASSWORD_OF_TEST}\nheaders on\ntimeout 5s\n}\ncaller {header.X-Api-Key} {header.Authorization}\nlimit {\nrpm 2\nconcurrency 5\n}\nbreaker {\nscope key\nfailures 1\n}\n}\nlog\n"+proxyTo(t, s.URL))
	token, key := strings.Repeat("tok", 5)+"-bearer", strings.Repeat("key", 5)+"-header"
	var said []string
	for _, h := range [][]string{{"Authorization", "Bearer " + token}, {"X-Api-Key", key}} {
		for range 3 {
			r := g.post(t, call("1", "x"), h...)
			said = append(said, r.Body, fmt.Sprint(r.Header))
		}
	}
	said = append(said, g.logged())
	for _, path := range []string{"/metrics", "/mcp-gateway/limits", "/mcp-gateway/state", "/config/"} {
		said = append(said, send(t, http.MethodGet, admin+path, "").Body)
	}
	keys, err := c.Keys(ctx, "*").Result()
	if err != nil || len(keys) < 2 {
		t.Fatalf("keys %v: %v", keys, err)
	}
	for _, k := range keys {
		v, err := c.Dump(ctx, k).Result()
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, k, v)
	}
	for _, s := range said {
		for name, credential := range map[string]string{"token": token, "header": key, "password": password} {
			if strings.Contains(s, credential) || strings.Contains(s, base64.StdEncoding.EncodeToString([]byte(credential))) {
				// The access log shows headers that it does not know to be secret.
				if name == "header" && strings.Contains(s, `"X-Api-Key":["`+credential) {
					continue
				}
				t.Errorf("the %s shows: %s", name, tail(s, 500))
			}
		}
	}
}

// Reloads under load, from one store to another and back, lose no slot and no
// answer.
func TestLimitReloadStorm(t *testing.T) {
	s := newToolServer(t)
	server := redistest.Start(t)
	site := func(limits string) string {
		return "mcp_gateway {\n" + limits + "\nlimit {\nconcurrency 8\n}\n}\n" + proxyTo(t, s.URL)
	}
	stores := []string{"limits memory", "limits redis " + server.Addr + " {\nlease 10m\ntimeout 5s\n}"}
	g, admin := siteWithAdmin(t, site(stores[0]))
	// Half as many clients as slots: a slot that was given back may be seen as taken for a moment.
	stop, ended := make(chan struct{}), make(chan int, 4)
	for range cap(ended) {
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					ended <- n
					return
				default:
				}
				// A connection that a closing listener took with it has no answer.
				resp, err := client.Do(newRequest(t, http.MethodPost, g.URL+"/mcp", call("1", "x"), "MCP-Protocol-Version", "2025-11-25"))
				if err != nil {
					continue
				}
				if r := readAll(resp); r.Cut != nil || !r.passed() {
					t.Errorf("%d %s %v", r.Status, r.Body, r.Cut)
				}
				n++
			}
		}()
	}
	for i := range 20 {
		g.load(site(stores[(i+1)%2]))
	}
	close(stop)
	total := 0
	for range cap(ended) {
		total += receive(t, ended, "a client hangs")
	}
	if total == 0 {
		t.Error("no call was made")
	}
	for _, store := range stores {
		g.load(site(store))
		if held := gjson.Get(send(t, http.MethodGet, admin+"/mcp-gateway/limits", "").Body, "stores.0.held"); held.Raw != "0" {
			t.Errorf("%s: %s slots are held", store, held.Raw)
		}
		var all []func()
		for range 8 { // all slots are there
			answer, _ := s.later(t, g.URL, "hold")
			all = append(all, func() { receive(t, answer, "no answer") })
		}
		for range all {
			s.answer <- struct{}{}
		}
		for _, wait := range all {
			wait()
		}
	}
}
