//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const red = "#b3413a"

// bodySizes go up by four, from 1 KB to 16 MB.
var bodySizes = []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}

// The parts of a body of records, and of the list that names its tool.
const (
	record     = `{"day":12,"place":"Delft","rain":0.25,"note":"dry today, and tomorrow there may be rain"},`
	recordType = `{"type":"array","items":{"type":"object","properties":{"day":{"type":"integer"},"place":{"type":"string"},"rain":{"type":"number"},"note":{"type":"string"}},"required":["day","place"]}}`
	recordList = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"forecast","inputSchema":{"type":"object","properties":{"records":` + recordType + `},"required":["records"]},"outputSchema":{"type":"object","properties":{"records":` + recordType + `},"required":["records"]}}]}}`
)

// records fills head and tail up to a size with records, so that the body is
// made of many small values, as real ones are.
func records(size int, head, tail string) string {
	const last = `{"day":0,"place":"`
	var b strings.Builder
	b.WriteString(head)
	for b.Len()+len(record)+len(last)+len(`"}`)+len(tail) <= size {
		b.WriteString(record)
	}
	b.WriteString(last)
	b.WriteString(strings.Repeat("x", max(0, size-b.Len()-len(`"}`)-len(tail))))
	b.WriteString(`"}` + tail)
	return b.String()
}

// bodyKind is a body that grows: of the request, or of the answer.
type bodyKind struct {
	name    string
	proxies []string // that are measured with it
	colours map[string]string
	fails   bool
	make    func(size int) (request string, answer http.HandlerFunc, want string)
}

func bodyKinds() []bodyKind {
	const callHead = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{"records":[`
	const small = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"noted"}]}}`
	ask := callHead + `]}}}`
	answer := func(size int) string {
		return records(size, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"see the records"}],"structuredContent":{"records":[`, `]}}}`)
	}
	event := func(s string) string { return "event: message\ndata: " + s + "\n\n" }
	return []bodyKind{
		{"request", []string{plain, "gateway", "everything"}, map[string]string{"gateway": orange}, false, func(size int) (string, http.HandlerFunc, string) {
			return records(size, callHead, `]}}}`), writer(small), small
		}},
		{"JSON answer", []string{plain, "gateway", "everything"}, map[string]string{plain: grey, "gateway": blue, "everything": violet}, false, func(size int) (string, http.HandlerFunc, string) {
			body := answer(size)
			return ask, writer(body), body
		}},
		{"SSE answer", []string{"gateway"}, map[string]string{"gateway": teal}, false, func(size int) (string, http.HandlerFunc, string) {
			body := event(answer(size))
			return ask, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{"text/event-stream"}
				io.WriteString(w, body)
			}, body
		}},
		{"failing answer", []string{"gateway"}, map[string]string{"gateway": red}, true, func(size int) (string, http.HandlerFunc, string) {
			const head, tail = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"KeyError: 'delft', attempt `, `"}],"isError":true}}`
			const words = `\n  File \"/srv/app/tools.py\", line 31, in run`
			text := strings.Repeat(words, max(0, size-len(head)-9-len(tail))/len(words))
			length := fmt.Sprint(len(head) + 9 + len(text) + len(tail))
			var n atomic.Int64
			return ask, func(w http.ResponseWriter, _ *http.Request) {
				h := w.Header()
				h["Content-Type"], h["Content-Length"] = []string{"application/json"}, []string{length}
				fmt.Fprintf(w, "%s%09d", head, n.Add(1)) // never the same, so each is judged anew
				io.WriteString(w, text)
				io.WriteString(w, tail)
			}, ""
		}},
	}
}

// growthOfBodies compares plain Caddy, the gateway and the gateway with checks
// of arguments and results, on bodies of growing size.
func growthOfBodies(t *testing.T, bin string) *subject {
	const connections, turns = 4, 2
	s := &subject{title: "CPU per call and the size of bodies", x: "size of the body", y: "CPU of Caddy per call, µs", format: size,
		says: fmt.Sprintf("Requests and answers of records, many small values, with the bounds on bodies raised to 32 MiB; %d connections. \"everything\" checks arguments "+
			"and results against the schemas, has memory limits, policy, breaker and SSRF guard. Failing answers have one long text, never twice the same.", connections)}
	length := duration(t, "BENCH_ROUND", 250*time.Millisecond)
	u := newUpstream(t)
	list := recordList
	u.list.Store(&list)
	keys, file := callers(t, connections)
	const bounds = "max_request_body 32MiB\nmax_response_body 32MiB\n"
	proxies := map[string]*proxy{}
	for _, c := range []config{
		{plain, false, "", ""},
		{"gateway", true, "", "mcp_gateway {\n" + bounds + "}"},
		{"everything", true, "", "mcp_gateway {\n" + bounds + "auth keys " + file + "\nlimits memory\n" + limit +
			"tools {\nallow forecast search_*\n}\nbreaker {\nfailures 3\n}\nssrf_guard\nvalidate arguments results\n}"},
	} {
		p := startCaddy(t, bin, c, u.addr)
		ask(t, p, listBody, keys[0])
		proxies[c.name] = p
	}
	for _, k := range bodyKinds() {
		for _, n := range bodySizes {
			body, answer, want := k.make(n)
			u.answer(answer)
			sums := make([]sample, len(k.proxies))
			for turn := range turns {
				for i := range k.proxies {
					i = (i + turn) % len(k.proxies)
					p := proxies[k.proxies[i]]
					if got := ask(t, p, body, keys[0]); !k.fails && got != want || k.fails && !strings.Contains(got, `"error_class":`) {
						t.Fatalf("%s, %s of %s: the answer has %d bytes: %.300q", p.name, k.name, size(float64(n)), len(got), got)
					}
					sums[i].add(load(t, p, keys, body, connections, length))
				}
			}
			for i, name := range k.proxies {
				s.line(k.name+", "+name, "µs", k.colours[name], name != plain).add(float64(n), cpuOf(&sums[i]))
			}
		}
	}
	return s
}

// cpuOf is the CPU of the proxy per call, in µs. CPU is told in ticks of 10 ms:
// none at all counts as half of one.
func cpuOf(s *sample) float64 {
	return max(float64(s.proxy.cpu.Microseconds()), 5000) / float64(max(s.calls, 1))
}

// ask makes one call and returns the body of its answer.
func ask(t *testing.T, p *proxy, body, key string) string {
	t.Helper()
	c, err := dial(p.addr, request(body, key))
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	defer c.c.Close()
	var got bytes.Buffer
	if _, err := c.do(&got); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return got.String()
}
