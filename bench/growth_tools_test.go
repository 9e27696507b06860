//go:build bench

package bench

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var toolCounts = []int{1, 10, 100, 1000, 5000}

// toolPage is how many tools the server names in one page, where it sends pages.
const toolPage = 500

func toolName(i int) string { return fmt.Sprintf("tool_%06d", i) }

// toolsFrom is the answer to tools/list that names tools from one number to
// another. Each has a schema of its own; another version has other schemas.
func toolsFrom(from, to, version int) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%q,"description":"The weather of the next days, as station %d tells it","inputSchema":{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1,"maximum":%d}},"required":["city"],"additionalProperties":false}}`,
			toolName(i), i, 100+2*i+version)
	}
	b.WriteString(`]}}`)
	return b.String()
}

// Every request has a number of six digits at a known place, which is changed
// from call to call.
const (
	toolCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_000000","arguments":{"city":"Delft","days":3}}}`
	badCall  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_000000","arguments":{"city":"Delft","days":"three"}}}`
	pageCall = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"tool_000000"}}`
)

// toolServer answers like a server with n tools: whole lists, lists that change
// each time, pages, calls.
func toolServer(u *upstream, n int) {
	whole := toolsFrom(0, n, 0)
	u.list.Store(&whole)
	both := [2]http.HandlerFunc{writer(whole), writer(toolsFrom(0, n, 1))}
	called := writer(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"dry"}]}}`)
	var turn atomic.Uint64
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.RawQuery; {
		case q == "changing":
			both[turn.Add(1)%2](w, r)
		case strings.HasPrefix(q, "from="):
			from, _ := strconv.Atoi(q[len("from="):])
			writer(toolsFrom(from, min(from+toolPage, n), 0))(w, r)
		default:
			called(w, r)
		}
	})
}

// growthOfTools measures lists of tools and calls of one of many.
func growthOfTools(t *testing.T, bin string) *subject {
	const connections, turns = 4, 2
	s := &subject{title: "CPU per request and the number of tools", x: "tools of the server", y: "CPU of Caddy per request, µs", format: count,
		says: fmt.Sprintf("The gateway checks arguments and hides tools by five patterns (\"patterns\"), or by one name for each tool (\"names\"). Lists come in one answer "+
			"of about 260 bytes per tool; \"changing\" has other schemas each time, so that all are learned anew. Calls are of a random tool after its list came in pages of %d; the gateway knows "+
			"the schemas of 4,096 tools at most, and of 1,024 in one page. %d connections.", toolPage, connections)}
	length := duration(t, "BENCH_ROUND", 300*time.Millisecond)
	u := newUpstream(t)
	keys, _ := callers(t, connections)
	const patterns = "tools {\nallow tool_* search_[a-z]* *_report\ndeny *_secret admin_?*\n}\nvalidate arguments\n"
	const bounds = "max_response_body 32MiB\n"
	fixed := []*proxy{
		startCaddy(t, bin, config{name: plain}, u.addr),
		startCaddy(t, bin, config{name: "gateway", site: "mcp_gateway {\n" + bounds + "}"}, u.addr),
	}
	for _, n := range toolCounts {
		toolServer(u, n)
		var names strings.Builder
		for i := range n {
			names.WriteString(" " + toolName(i))
		}
		proxies := append(fixed[:2:2],
			startCaddy(t, bin, config{name: "patterns", site: "mcp_gateway {\n" + bounds + patterns + "}"}, u.addr),
			startCaddy(t, bin, config{name: "names", site: "mcp_gateway {\n" + bounds + "tools {\nallow" + names.String() + "\n}\nvalidate arguments\n}"}, u.addr))
		for _, p := range proxies[1:] {
			if got := ask(t, p, listBody, keys[0]); strings.Count(got, `"inputSchema"`) != n {
				t.Fatalf("%s: a list of %d tools has %d bytes: %.200q", p.name, n, len(got), got)
			}
		}
		kinds := []struct {
			name    string
			path    string
			body    string
			proxies []int
			colours []string
			next    func(*rand.Rand, []byte)
			before  func(*proxy)
		}{
			{"list", "/mcp", listBody, []int{0, 1, 2, 3}, []string{grey, "", blue, orange}, nil, nil},
			{"list, changing", "/mcp?changing", listBody + " ", []int{2}, []string{violet}, nil, nil},
			{"call", "/mcp", toolCall, []int{0, 2, 3}, []string{"", teal, red}, anyOf("tool_", n), func(p *proxy) { listPages(t, p, n, keys[0]) }},
		}
		for _, k := range kinds {
			sums := make([]sample, len(k.proxies))
			for turn := range turns {
				for i := range k.proxies {
					i = (i + turn) % len(k.proxies)
					p := proxies[k.proxies[i]]
					if k.before != nil {
						k.before(p)
					}
					sums[i].add(driveAt(t, p, k.path, k.body, keys, connections, k.next, length))
				}
			}
			for i, at := range k.proxies {
				s.line(k.name+", "+proxies[at].name, "µs", k.colours[i], at > 0).add(float64(n), cpuOf(&sums[i]))
			}
		}
	}
	return s
}

// listPages lets a proxy see all pages, and checks that a gateway has learned
// from them.
func listPages(t *testing.T, p *proxy, n int, key string) {
	t.Helper()
	c, err := dial(p.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.c.Close()
	for from := 0; from < n; from += toolPage {
		c.request = requestTo(fmt.Sprintf("/mcp?from=%d", from), pageCall, key)
		if _, err := c.do(io.Discard); err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
	}
	body := strings.Replace(badCall, toolName(0), toolName(n-1), 1)
	if refused := strings.Contains(ask(t, p, body, key), `"bad_request"`); refused != (p.name != plain) {
		t.Fatalf("%s: bad arguments of one of %d tools: refused is %v", p.name, n, refused)
	}
}

// anyOf puts a random number below n behind a mark in the request.
func anyOf(mark string, n int) func(*rand.Rand, []byte) {
	return func(r *rand.Rand, request []byte) {
		put(request, mark, r.IntN(n))
	}
}

// driveAt calls a path of a proxy with requests that next may change.
func driveAt(t *testing.T, p *proxy, path, body string, keys []string, connections int, next func(*rand.Rand, []byte), length time.Duration) sample {
	t.Helper()
	conns := make([]*conn, connections)
	for i := range conns {
		c, err := dial(p.addr, requestTo(path, body, keys[i%len(keys)]))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		defer c.c.Close()
		if next != nil {
			r := rand.New(rand.NewPCG(uint64(i), uint64(len(path))))
			c.next = func(request []byte) { next(r, request) }
		}
		conns[i] = c
	}
	return drive(t, p, conns, length)
}
