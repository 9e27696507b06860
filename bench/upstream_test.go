//go:build bench

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// workload is one kind of answer of the server.
type workload struct {
	name   string
	short  string // in the picture
	sse    bool
	fails  bool
	answer http.HandlerFunc
	bodies map[string]bool // what may come through a proxy that changes nothing
}

// The call that every workload answers, and the tool behind it.
const (
	callBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{"city":"Delft","days":3,"source":"https://93.184.216.34/forecast"}}}`
	listBody = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
)

// texts are failures of the kinds that servers send most, none of which is
// counted by a breaker: with everything on it must not open.
var texts = []string{
	"Error executing tool forecast: 1 validation error for forecastArguments\ndays\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='three', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.11/v/int_parsing",
	`MCP error -32602: Input validation error: Invalid arguments for tool forecast: [{"code":"invalid_type","expected":"string","received":"number","path":["city"],"message":"Expected string, received number"}]`,
	"Error: ENOENT: no such file or directory, open '/srv/app/data/delft.json'",
	"Traceback (most recent call last):\n  File \"/srv/app/server.py\", line 88, in call_tool\n    return await tool.run(arguments)\n  File \"/srv/app/tools.py\", line 31, in run\n    row = table[key]\nKeyError: 'delft'",
	"Error executing tool forecast: [Errno 13] Permission denied: '/srv/app/cache'",
	`{"error":{"code":404,"message":"City 'Delft' was not found","status":"NOT_FOUND"}}`,
	"TypeError: Cannot read properties of undefined (reading 'temperature')\n    at forecast (file:///srv/app/dist/tools.js:41:19)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
	"Request failed with status code 403",
}

func workloads() []workload {
	success := func(size int) string {
		const head, tail = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`, `"}]}}`
		const words = "In Delft it is dry today, and tomorrow there may be rain. "
		text := strings.Repeat(words, size/len(words)+1)
		return head + text[:size-len(head)-len(tail)] + tail
	}
	event := func(s string) string { return "event: message\ndata: " + s + "\n\n" }
	var progress strings.Builder
	for i := range 50 {
		progress.WriteString(event(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d,"total":50}}`, i+1)))
	}
	var failures []string
	for _, s := range texts {
		failures = append(failures, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%s}],"isError":true}}`, quoted(s)))
	}
	// More than the gateway remembers, so that each is judged anew.
	var fresh []string
	for i := range 512 {
		for _, s := range texts {
			fresh = append(fresh, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%s},{"type":"text","text":"attempt %d"}],"isError":true}}`, quoted(s), i))
		}
	}
	return []workload{
		jsonLoad("1 KB JSON", "1 KB", success(1<<10)),
		jsonLoad("64 KB JSON", "64 KB", success(64<<10)),
		jsonLoad("5 MB JSON", "5 MB", success(5<<20)),
		streamLoad("SSE, one event", "SSE 1", event(success(1<<10))),
		streamLoad("SSE, 50 progress events and the answer", "SSE 50", progress.String()+event(success(1<<10))),
		failLoad("failing results, eight in turns, each rewritten", "failures", failures),
		failLoad("failing results, never the same, each rewritten", "new failures", fresh),
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func jsonLoad(name, short, body string) workload {
	return workload{name: name, short: short, bodies: map[string]bool{body: true}, answer: writer(body)}
}

func writer(body string) http.HandlerFunc {
	length := strconv.Itoa(len(body))
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = []string{"application/json"}, []string{length}
		io.WriteString(w, body)
	}
}

// streamLoad sends each event in a write of its own, as SDKs do.
func streamLoad(name, short, body string) workload {
	events := strings.SplitAfter(strings.TrimSuffix(body, "\n\n"), "\n\n")
	events[len(events)-1] += "\n\n"
	return workload{name: name, short: short, sse: true, bodies: map[string]bool{body: true},
		answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{"text/event-stream"}
			c := http.NewResponseController(w)
			for _, e := range events {
				io.WriteString(w, e)
				c.Flush()
			}
		}}
}

// failLoad sends the failures in turns.
func failLoad(name, short string, bodies []string) workload {
	wl := workload{name: name, short: short, fails: true, bodies: map[string]bool{}}
	var each []http.HandlerFunc
	for _, b := range bodies {
		wl.bodies[b] = true
		each = append(each, writer(b))
	}
	var n atomic.Uint64
	wl.answer = func(w http.ResponseWriter, r *http.Request) { each[n.Add(1)%uint64(len(each))](w, r) }
	return wl
}

const toolList = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"forecast","description":"The weather of the next days","inputSchema":{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1,"maximum":14},"source":{"type":"string"}},"required":["city"],"additionalProperties":false}}]}}`

// upstream is the MCP server behind every proxy.
type upstream struct {
	addr    string
	current atomic.Pointer[http.HandlerFunc]
	list    atomic.Pointer[string]
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	list := toolList
	u.list.Store(&list)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	s := &http.Server{
		BaseContext: func(net.Listener) context.Context { return ctx },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 0 && r.ContentLength < 1000 && r.ContentLength == int64(len(listBody)) {
				io.Copy(io.Discard, r.Body)
				writer(*u.list.Load())(w, r)
				return
			}
			io.Copy(io.Discard, r.Body)
			(*u.current.Load())(w, r)
		}),
	}
	go s.Serve(l)
	t.Cleanup(func() {
		end()
		s.Close()
	})
	u.addr = l.Addr().String()
	return u
}

func (u *upstream) answer(h http.HandlerFunc) { u.current.Store(&h) }

// idle sends the beginning of a stream, and then nothing until the client leaves.
func idle(w http.ResponseWriter, r *http.Request) {
	w.Header()["Content-Type"] = []string{"text/event-stream"}
	io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n")
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// patience bounds every wait for a process or an answer; nothing is asserted about it.
const patience = 2 * time.Minute
