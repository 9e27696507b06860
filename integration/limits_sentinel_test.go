package integration

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// remaining is what the RateLimit header says is left of a limit by rpm, -1
// without one.
func (r reply) remaining(limit string) int {
	_, after, _ := strings.Cut(r.Header.Get("RateLimit"), strconv.Quote(limit)+";r=")
	digits := strings.TrimRight(after, " ")
	if i := strings.IndexAny(digits, ",;"); i >= 0 {
		digits = digits[:i]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// shared tells whether three calls of one caller, by one gateway, the other and
// the first again, are counted as one after the other: by Redis. Without it
// each gateway counts its own.
func shared(t *testing.T, a, b *replica, tool, limit string, header ...string) bool {
	t.Helper()
	left := a.passes(t, call("1", tool), header...).remaining(limit)
	for i, g := range []*replica{b, a} {
		if got := g.passes(t, call("1", tool), header...).remaining(limit); left < 0 || got != left-1-i {
			return false
		}
	}
	return true
}

// held is how many slots a replica holds.
func (r *replica) held(t *testing.T) int64 {
	t.Helper()
	held := gjson.Get(send(t, http.MethodGet, r.admin+"limits", "").Body, "stores.0.held")
	if !held.Exists() {
		t.Fatal("the admin endpoint tells no slots")
	}
	return held.Int()
}

// allFree fails unless a caller can take exactly so many slots, by either
// gateway in turn.
func allFree(t *testing.T, s *toolServer, slots int, who []string, gateways ...*replica) {
	t.Helper()
	for _, g := range gateways {
		redistest.Until(t, "no slot is held", func() bool { return g.held(t) == 0 })
	}
	var answers []<-chan reply
	for i := range slots {
		g := gateways[i%len(gateways)]
		g.frees(t, who...) // a slot that was given back is seen as free a moment later
		answer, _ := s.later(t, g.URL, "hold", who...)
		answers = append(answers, answer)
	}
	for _, g := range gateways {
		e := g.post(t, call("1", "x"), who...).refused(t, "1", atCapacity, nil)
		if got := numbersOf(e); got.concurrency != int64(slots)+1 {
			t.Errorf("%d slots are taken: %+v", slots, got)
		}
	}
	for range answers {
		s.answer <- struct{}{}
	}
	for _, a := range answers {
		if r := receive(t, a, "no answer"); !r.passed() {
			t.Errorf("a call failed: %d %s", r.Status, r.Body)
		}
	}
}

// Two gateways hold to one limit through Sentinels, which ask for a login of
// their own. The master is killed with slots held: calls go on, Redis decides
// again by itself, and no slot is lost.
func TestLimitSentinel(t *testing.T) {
	password := strings.Repeat("sentinel", 2)
	sentinels := redistest.StartSentinelsWith(t, password)
	rights := strings.Fields("ACL SETUSER watcher on >" + password + " resetchannels &+switch-master &+replica-reconf-done nocommands " +
		"+hello +ping +client|setname +sentinel|get-master-addr-by-name +sentinel|sentinels +subscribe")
	var rule []any
	for _, word := range rights {
		rule = append(rule, word)
	}
	for _, p := range sentinels.Servers {
		c := p.Client()
		err := c.Do(context.Background(), rule...).Err()
		c.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SENTINEL_PASSWORD_OF_TEST", password)
	s := newToolServer(t)
	const slots = 4
	block := fmt.Sprintf(`limits redis %s {
	master_name %s
	sentinel_username watcher
	sentinel_password {env.SENTINEL_PASSWORD_OF_TEST}
	replicas 2
	lease 3s
	timeout 3s
	headers on
}
limit {
	tools x hold
	concurrency %d
}
limit minute {
	tools counted shared
	rpm 20
}`, strings.Join(sentinels.Addresses, " "), sentinels.MasterName, slots)
	a, b := startReplica(t, block, s.URL), startReplica(t, block, s.URL)

	passed := 0
	for i := range 30 {
		g := []*replica{a, b}[i%2]
		r := g.post(t, call("1", "counted"))
		if r.passed() {
			passed++
		} else if got := numbersOf(r.refused(t, "1", rateLimited, nil)); got.rpm != 20 {
			t.Errorf("numbers are %+v", got)
		}
	}
	if passed != 20 {
		t.Errorf("%d calls passed, want 20", passed)
	}
	if !shared(t, a, b, "shared", "minute", bearer("before")...) {
		t.Error("the gateways do not count together")
	}

	var held []<-chan reply
	for i := range slots {
		answer, _ := s.later(t, []*replica{a, b}[i%2].URL, "hold")
		held = append(held, answer)
	}
	sentinels.KillMaster()
	for i := range 6 { // somebody else's calls
		for _, g := range []*replica{a, b} {
			g.passes(t, call("1", "shared"), bearer(fmt.Sprint("meanwhile", i))...)
		}
	}
	for range slots / 2 { // given back while nobody listens
		s.answer <- struct{}{}
	}
	n := 0
	redistest.Until(t, "redis decides again", func() bool {
		n++
		time.Sleep(50 * time.Millisecond)
		return shared(t, a, b, "shared", "minute", bearer(fmt.Sprint("again", n))...)
	})
	for _, g := range []*replica{a, b} { // what Redis knew before is not forgotten
		g.post(t, call("1", "counted")).refused(t, "1", rateLimited, nil)
	}
	for range slots - slots/2 {
		s.answer <- struct{}{}
	}
	for _, c := range held {
		if r := receive(t, c, "no answer"); !r.passed() {
			t.Errorf("a call that was under way failed: %d %s", r.Status, r.Body)
		}
	}
	allFree(t, s, slots, nil, a, b)
	for _, g := range []*replica{a, b} {
		metrics := strings.TrimSuffix(g.admin, "/mcp-gateway/")
		if failed := metric(t, metrics, "caddy_mcp_gateway_limit_redis_failures_total"); failed == 0 {
			t.Error("no round trip failed: the master was not missed")
		}
		if away := metric(t, metrics, "caddy_mcp_gateway_limit_redis_away"); away != 0 {
			t.Errorf("%v nodes are away", away)
		}
	}
}

// The login for the Sentinels is used, and the password shows nowhere.
func TestLimitSentinelPassword(t *testing.T) {
	password := strings.Repeat("watch", 4)
	sentinels := redistest.StartSentinelsWith(t, password)
	t.Setenv("SENTINEL_PASSWORD_OF_TEST", password)
	t.Setenv("OTHER_PASSWORD_OF_TEST", password+"x")
	s := newToolServer(t)
	const right = "sentinel_password {env.SENTINEL_PASSWORD_OF_TEST}"
	for _, login := range []string{"", "sentinel_password {env.OTHER_PASSWORD_OF_TEST}", "sentinel_username nobody\n" + right, right} {
		g, admin := siteWithAdmin(t, fmt.Sprintf("mcp_gateway {\nlimits redis %s {\nmaster_name %s\n%s\non_failure deny\ntimeout 3s\n}\nlimit {\nrpm 2\n}\n}\nlog\n%s",
			strings.Join(sentinels.Addresses, " "), sentinels.MasterName, login, proxyTo(t, s.URL)))
		r := g.post(t, call("1", "x"))
		if r.passed() != (login == right) {
			t.Errorf("%q: %d %s", login, r.Status, r.Body)
		}
		said := []string{r.Body, fmt.Sprint(r.Header), g.logged()}
		for _, path := range []string{"/metrics", "/mcp-gateway/limits", "/mcp-gateway/state", "/config/"} {
			said = append(said, send(t, http.MethodGet, admin+path, "").Body)
		}
		for _, text := range said {
			if strings.Contains(text, password) {
				t.Errorf("%q: the password shows: %s", login, tail(text, 500))
			}
		}
	}
}

// What is only for Sentinels is refused without them.
func TestLimitSentinelConfigRefused(t *testing.T) {
	t.Setenv("EMPTY_OF_TEST", "")
	for block, says := range map[string]string{
		"sentinel_password x":                                  "sentinel_password is for Sentinels, which need master_name",
		"sentinel_username x":                                  "sentinel_username is for Sentinels, which need master_name",
		"master_name m\nsentinel_username x":                   "sentinel_username needs sentinel_password",
		"master_name m\nsentinel_password {env.EMPTY_OF_TEST}": "sentinel_password: a placeholder is unknown or empty",
		"master_name {env.EMPTY_OF_TEST}":                      "master_name: a placeholder is unknown or empty",
	} {
		config, err := adapt(fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\n}\n:%d {\nbind 127.0.0.1\nmcp_gateway {\nlimits redis 127.0.0.1 {\n%s\n}\n}\n}\n", freePort(t), block))
		if err != nil {
			t.Fatal(err)
		}
		err = caddy.Load(config, true)
		t.Cleanup(func() { caddy.Stop() })
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", block, err, says)
		}
	}
}
