package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// patient keeps a busy machine from looking like a Redis that is away.
const patient = " {\ntimeout 5s\n}"

// backends runs a test with both stores.
func backends(t *testing.T, run func(t *testing.T, limits string)) {
	t.Run("memory", func(t *testing.T) { run(t, "limits memory") })
	t.Run("redis", func(t *testing.T) { run(t, "limits redis "+redistest.Start(t).Addr+patient) })
}

var (
	rateLimited = want{code: "rate_limited", class: "retryable", status: 429, text: "rate limit"}
	atCapacity  = want{code: "at_capacity", class: "retryable", status: 503}
)

// As many calls as rpm says pass, and no more.
func TestLimitRPM(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nservice search\nlimit {\nrpm 5\n}", s.URL)
		for i := range 5 {
			g.passes(t, call(fmt.Sprint(i), "x"))
		}
		for i := range 3 { // refused calls do not count
			w := rateLimited
			w.service = "search"
			g.post(t, call(fmt.Sprint(i), "x")).refused(t, fmt.Sprint(i), w, &numbers{1, 5, 0, 5})
		}
		// Another caller has a count of its own.
		g.passes(t, call("1", "x"), "Authorization", "Bearer other")
	})
}

// The calls under way are as many as concurrency says, and the refused one is
// counted in current.concurrency.
func TestLimitConcurrency(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nlimit {\nconcurrency 2\n}", s.URL)
		first, _ := s.later(t, g.URL, "hold")
		second, _ := s.later(t, g.URL, "stream")
		e := g.post(t, call("1", "x")).refused(t, "1", atCapacity, &numbers{3, 2, 2, 0})
		if e.Get("current.concurrency").Int() <= e.Get("limits.maxConcurrency").Int() {
			t.Errorf("current.concurrency must be above limits.maxConcurrency: %s", e.Raw)
		}
		s.answer <- struct{}{}
		s.answer <- struct{}{}
		s.end <- struct{}{}
		for _, c := range []<-chan reply{first, second} {
			if r := receive(t, c, "no answer"); !r.passed() || r.Cut != nil {
				t.Errorf("the call that held a slot failed: %+v", r)
			}
		}
		g.frees(t)
	})
}

// frees waits until a call passes.
func (g *gateway) frees(t *testing.T, header ...string) {
	t.Helper()
	redistest.Until(t, "a slot is free", func() bool { return g.post(t, call("7", "x"), header...).passed() })
}

// A slot is held until the answer was passed on, not until the stream ends.
func TestLimitSlotEndsWithAnswer(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nlimit {\nconcurrency 1\n}", s.URL)
		answer, _ := s.later(t, g.URL, "stream")
		g.post(t, call("1", "x")).refused(t, "1", atCapacity, nil)
		s.answer <- struct{}{}
		g.frees(t) // the stream is open all the time
		s.end <- struct{}{}
		if r := receive(t, answer, "the stream did not end"); !r.passed() {
			t.Errorf("the stream failed: %+v", r)
		}
	})
}

// A client that leaves gives its slot back.
func TestLimitClientLeaves(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nlimit {\nconcurrency 1\n}", s.URL)
		for _, tool := range []string{"hold", "stream"} {
			_, leave := s.later(t, g.URL, tool)
			g.post(t, call("1", "x")).refused(t, "1", atCapacity, nil)
			leave()
			receive(t, s.left, "the server was not told")
			g.frees(t)
		}
	})
}

// A server that hangs gives the slot back when its time is over.
func TestLimitServerHangs(t *testing.T) {
	s := newToolServer(t)
	g := start(t, "timeout 300ms\nlimit {\nconcurrency 1\n}", s.URL)
	for _, tool := range []string{"hold", "stream"} {
		answer, _ := s.later(t, g.URL, tool)
		want{code: "service_unavailable", class: "retryable|dependency"}.result(t, "9", receive(t, answer, "no answer").response(t, "9"))
		g.frees(t)
	}
}

// What clients cannot do without is never refused.
func TestLimitExempt(t *testing.T) {
	s := newToolServer(t)
	for _, count := range []string{"tools/call", "all"} {
		t.Run(count, func(t *testing.T) {
			g := start(t, "count "+count+"\nlimit {\nrpm 1\nconcurrency 1\n}", s.URL)
			g.passes(t, call("1", "x"))
			g.post(t, call("2", "x")).refused(t, "2", rateLimited, nil)
			for _, m := range []string{
				method("3", "initialize"), method("4", "ping"),
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
				`{"jsonrpc":"2.0","id":5,"result":{}}`,
			} {
				g.passes(t, m)
			}
			if r := g.modern(t, "6", "server/discover", "", ""); !r.passed() {
				t.Errorf("server/discover was refused: %d %s", r.Status, r.Body)
			}
			r := send(t, http.MethodDelete, g.URL+"/mcp", "", "Content-Type", "", "Mcp-Session-Id", "a", "MCP-Protocol-Version", "2025-11-25")
			if r.Status >= 300 {
				t.Errorf("DELETE was refused: %d %s", r.Status, r.Body)
			}
			_, leave := s.later(t, g.URL, "GET", "Content-Type", "")
			leave()
			r = g.post(t, method("8", "tools/list"))
			if count == "tools/call" != r.passed() {
				t.Errorf("tools/list: %d %s", r.Status, r.Body)
			}
		})
	}
}

// Streams that only listen have a limit of their own.
func TestLimitStreams(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nmax_streams 1\nlimit {\nconcurrency 1\n}", s.URL)
		_, leave := s.later(t, g.URL, "GET", "Content-Type", "")
		g.passes(t, call("1", "x"))
		get := func(header ...string) reply {
			return send(t, http.MethodGet, g.URL+"/mcp", "", append([]string{"Accept", "text/event-stream", "Content-Type", "", "MCP-Protocol-Version", "2025-11-25"}, header...)...)
		}
		r := get()
		if r.Status != http.StatusServiceUnavailable {
			t.Fatalf("status %d, want 503: %s", r.Status, r.Body)
		}
		atCapacity.failure(t, "", 0, r.Body)
		checkWait(t, r, gjson.Get(r.Body, "error.data"))
		if got := numbersOf(gjson.Get(r.Body, "error.data")); got != (numbers{2, 0, 1, 0}) {
			t.Errorf("numbers are %+v", got)
		}
		_, leaveToo := s.later(t, g.URL, "GET", "Content-Type", "", "Authorization", "Bearer other")
		leaveToo()
		receive(t, s.left, "the server was not told")
		leave()
		receive(t, s.left, "the server was not told")
		redistest.Until(t, "a stream may be opened", func() bool {
			a, leave := s.try(t, g.URL)
			defer leave()
			return a
		})
	})
}

// The three shapes of a refusal.
func TestLimitRejections(t *testing.T) {
	s := newToolServer(t)
	for style, status := range map[string]int{"result": 200, "jsonrpc": 200, "http": 429} {
		t.Run(style, func(t *testing.T) {
			g := start(t, "errors {\nrejections "+style+"\n}\nlimit {\nrpm 1\n}", s.URL)
			g.passes(t, call("1", "x"))
			r := g.post(t, call(`"b"`, "x"))
			if r.Status != status {
				t.Errorf("status %d, want %d", r.Status, status)
			}
			m := r.response(t, `"b"`)
			if style == "result" {
				rateLimited.result(t, `"b"`, m)
				return
			}
			rateLimited.failure(t, `"b"`, 429, m)
			checkWait(t, r, gjson.Get(m, "error.data"))
		})
	}
}

// A batch takes as many as it has calls, all or none.
func TestLimitBatch(t *testing.T) {
	s := newToolServer(t)
	batch := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	version := []string{"MCP-Protocol-Version", "2025-03-26"}
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nlimit {\nrpm 5\nconcurrency 4\ncost dear 3\n}", s.URL)
		g.passes(t, batch(call("1", "x"), method("2", "tools/list"), call("3", "x"), call("4", "x")), version...)
		r := g.post(t, batch(call("1", "x"), method("2", "ping"), call("3", "x"), call("4", "x")), version...)
		answers := gjson.Parse(r.Body)
		if answers.Get("#").Int() != 4 {
			t.Fatalf("want an answer to each of 4: %s", r.Body)
		}
		for _, i := range []string{"0", "2", "3"} {
			one := answers.Get(i)
			rateLimited.result(t, one.Get("id").Raw, one.Raw)
			if got := numbersOf(one.Get("result.structuredContent")); got != (numbers{3, 3, 4, 5}) {
				t.Errorf("numbers are %+v: %s", got, one.Raw)
			}
		}
		// The refused batch took nothing: two are left.
		g.passes(t, batch(call("1", "x"), call("2", "x")), version...)

		// What no wait would help is no rate limit.
		r = g.post(t, batch(call("1", "dear"), call("2", "dear")), version...)
		want{code: "bad_request", class: "validation", text: "counts as 6 requests, and at most 5"}.result(t, "1", gjson.Get(r.Body, "0").Raw)
	})
}

// Costs are by tool.
func TestLimitCost(t *testing.T) {
	s := newToolServer(t)
	g := start(t, "limit {\nrpm 6\ncost big_* 4\ncost free 0\n}", s.URL)
	g.passes(t, call("1", "big_one"))
	for range 20 {
		g.passes(t, call("1", "free"))
	}
	g.post(t, call("1", "big_two")).refused(t, "1", rateLimited, &numbers{1, 4, 0, 6})
	g.passes(t, call("1", "small"))
	g.passes(t, call("1", "small"))
	g.post(t, call("1", "small")).refused(t, "1", rateLimited, &numbers{1, 6, 0, 6})
	g.passes(t, call("1", "free"))
}

// Who the caller is.
func TestLimitCaller(t *testing.T) {
	s := newToolServer(t)
	t.Run("default", func(t *testing.T) {
		g := start(t, "limit {\nrpm 1\n}", s.URL)
		for _, h := range [][]string{nil, {"Authorization", "Bearer one"}, {"Authorization", "Bearer two"}, {"Authorization", "Bearer 127.0.0.1"}} {
			g.passes(t, call("1", "x"), h...)
			g.post(t, call("2", "x"), h...).refused(t, "2", rateLimited, nil)
		}
		// The case of the scheme is free and no way around.
		g.post(t, call("2", "x"), "Authorization", "bearer one").refused(t, "2", rateLimited, nil)
	})
	t.Run("header", func(t *testing.T) {
		g := start(t, "caller {header.X-Team} {header.X-Org}\nlimit {\nrpm 1\n}", s.URL)
		for _, h := range [][]string{nil, {"X-Team", "a"}, {"X-Org", "a"}, {"X-Team", "b", "X-Org", "a"}} {
			g.passes(t, call("1", "x"), h...)
			g.post(t, call("2", "x"), h...).refused(t, "2", rateLimited, nil)
		}
		// Without both, the address counts and not the token.
		g.post(t, call("2", "x"), "Authorization", "Bearer one").refused(t, "2", rateLimited, nil)
	})
	t.Run("user", func(t *testing.T) {
		const hash = "$2a$04$9eQDqxq9jUY3dDDr2eZpGuxQL0xkZ2CSBrN/Kdebm7QRRKx886IIu" // of "pw", with the least cost
		g := startSite(t, "basic_auth {\nalice "+hash+"\nbob "+hash+"\n}\n"+`mcp_gateway {
	limit {
		rpm 1
	}
}
`+proxyTo(t, s.URL))
		for _, user := range []string{"alice", "bob"} {
			r := newRequest(t, http.MethodPost, g.URL, "")
			r.SetBasicAuth(user, "pw")
			h := []string{"Authorization", r.Header.Get("Authorization")}
			g.passes(t, call("1", "x"), h...)
			g.post(t, call("2", "x"), h...).refused(t, "2", rateLimited, nil)
		}
	})
	t.Run("IPv6 by network", func(t *testing.T) {
		g := startWith(t, "off", "servers {\ntrusted_proxies static 127.0.0.0/8\n}", "mcp_gateway {\nlimit {\nrpm 1\n}\n}\n"+proxyTo(t, s.URL))
		from := func(ip string) []string { return []string{"X-Forwarded-For", ip} }
		g.passes(t, call("1", "x"), from("2001:db8::1")...)
		g.post(t, call("2", "x"), from("2001:db8::2")...).refused(t, "2", rateLimited, nil)
		g.passes(t, call("1", "x"), from("2001:db8:0:1::1")...)
		g.passes(t, call("1", "x"), from("192.0.2.1")...)
		g.passes(t, call("1", "x"), from("192.0.2.2")...)
		g.post(t, call("2", "x"), from("::ffff:192.0.2.1")...).refused(t, "2", rateLimited, nil)
	})
}

// All limits of a call must admit it, and the one that does not takes nothing
// from the others.
func TestLimitTiers(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+`
limit everybody {
	key everybody
	rpm 5
}
limit {
	rpm 2
}
limit search {
	tools search*
	concurrency 1
}
limit per_tool {
	key "{http.mcp_gateway.key_hash} {http.mcp_gateway.tool}"
	tools once_*
	rpm 1
}`, s.URL)
		one, two, three := []string{"Authorization", "Bearer one"}, []string{"Authorization", "Bearer two"}, []string{"Authorization", "Bearer three"}
		g.passes(t, call("1", "x"), one...)
		g.passes(t, call("1", "x"), one...)
		for range 5 {
			g.post(t, call("2", "x"), one...).refused(t, "2", rateLimited, &numbers{1, 2, 0, 2})
		}
		held, leave := s.later(t, g.URL, "hold", two...)
		g.passes(t, call("1", "x"), two...)
		g.post(t, call("2", "x"), two...).refused(t, "2", rateLimited, &numbers{2, 2, 0, 2})
		g.passes(t, call("1", "x"), three...)
		g.post(t, call("2", "x"), three...).refused(t, "2", rateLimited, &numbers{2, 5, 0, 5})
		s.answer <- struct{}{}
		receive(t, held, "no answer")
		leave()
	})
}

// A limit in shadow refuses nothing, and says what it would have refused.
func TestLimitShadow(t *testing.T) {
	s := newToolServer(t)
	backends(t, func(t *testing.T, limits string) {
		g := start(t, limits+"\nlimit trial {\nrpm 1\nshadow\n}", s.URL)
		for range 3 {
			g.passes(t, call("1", "x"))
		}
		if n := strings.Count(g.logged(), "a limit in shadow would have refused"); n != 2 {
			t.Errorf("%d lines, want 2", n)
		}
	})
}

// A number may come from a placeholder; none means no limit, and one warning.
func TestLimitPlaceholder(t *testing.T) {
	s := newToolServer(t)
	t.Setenv("LIMIT_OF_TEST", "1")
	g := start(t, "limit plan {\nkey {header.X-Org}\nrpm {header.X-Plan}\n}\nlimit fixed {\nrpm {env.LIMIT_OF_TEST}\ntools fixed\n}", s.URL)
	plan := func(org, n string) []string { return []string{"X-Org", org, "X-Plan", n} }
	g.passes(t, call("1", "x"), plan("a", "2")...)
	g.passes(t, call("1", "x"), plan("a", "2")...)
	g.post(t, call("2", "x"), plan("a", "2")...).refused(t, "2", rateLimited, &numbers{1, 2, 0, 2})
	g.passes(t, call("1", "x"), plan("a", "3")...) // a larger plan holds at once
	for _, n := range []string{"none", "", "-1", "0"} {
		g.passes(t, call("1", "x"), plan("a", n)...)
	}
	if n := strings.Count(g.logged(), "gives no number"); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
	g.passes(t, call("1", "fixed"))
	g.post(t, call("2", "fixed")).refused(t, "2", rateLimited, &numbers{1, 1, 0, 1})
}

// RateLimit headers, of draft-ietf-httpapi-ratelimit-headers-11.
func TestLimitHeaders(t *testing.T) {
	s := newToolServer(t)
	g := start(t, "limits memory {\nheaders on\n}\nlimit {\nrpm 2\nconcurrency 3\n}", s.URL)
	const policy = `"default";q=2;w=60, "default.concurrency";q=3;qu="concurrent-requests"`
	r := g.passes(t, call("1", "x"))
	if r.Header.Get("RateLimit-Policy") != policy || r.Header.Get("RateLimit") != `"default";r=1, "default.concurrency";r=2` {
		t.Errorf("RateLimit-Policy %q, RateLimit %q", r.Header.Get("RateLimit-Policy"), r.Header.Get("RateLimit"))
	}
	g.passes(t, call("1", "x"))
	r = g.post(t, call("1", "x"))
	limit := fmt.Sprintf(`"default";r=0;t=%s, "default.concurrency";r=2`, r.Header.Get("Retry-After"))
	if r.Header.Get("RateLimit-Policy") != policy || r.Header.Get("RateLimit") != limit {
		t.Errorf("RateLimit-Policy %q, RateLimit %q, want %q", r.Header.Get("RateLimit-Policy"), r.Header.Get("RateLimit"), limit)
	}
	if r := g.passes(t, method("1", "ping")); r.Header.Get("RateLimit") != "" {
		t.Error("what does not count has no RateLimit")
	}
	g = start(t, "service other\nlimit {\nrpm 2\n}", s.URL)
	if r := g.passes(t, call("1", "x")); r.Header.Get("RateLimit") != "" || r.Header.Get("RateLimit-Policy") != "" {
		t.Error("headers are off by default")
	}
}
