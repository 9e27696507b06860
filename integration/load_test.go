package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// scaled is n in the long form of the tests (GATEWAY_LONG=1), else a part of it.
func scaled(n, part int) int {
	if os.Getenv("GATEWAY_LONG") != "" {
		return n
	}
	return n / part
}

// loaded is a site under load: streams that stay open, and calls beside them.
type loaded struct {
	*observed
	u      *upstream
	finish chan struct{} // closed to let the streams end
	ends   chan error    // one for each stream

	sent, again atomic.Int64
}

func newLoaded(t *testing.T, site func(upstream string) string) *loaded {
	l := &loaded{u: newUpstream(t), finish: make(chan struct{}), ends: make(chan error)}
	l.u.answer(func(w http.ResponseWriter, r *http.Request) {
		ok := answerOf(r.Header.Get(faultID))
		if r.Header.Get("X-Stream") == "" {
			answers(http.StatusOK, "application/json", ok)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\n\n")
		http.NewResponseController(w).Flush()
		select {
		case <-l.finish:
		case <-r.Context().Done():
		}
		io.WriteString(w, "data: "+ok+"\n\n")
	})
	l.observed = observe(t, site(l.u.URL))
	return l
}

func (l *loaded) post(t *testing.T, id int, header ...string) (*http.Response, error) {
	return client.Do(newRequest(t, http.MethodPost, l.URL+"/mcp", call(strconv.Itoa(id), "x"), append(header,
		"MCP-Protocol-Version", "2025-11-25", faultID, strconv.Itoa(id), "X-Caller", "one")...))
}

// open opens so many streams and waits until each has begun.
func (l *loaded) open(t *testing.T, streams int) {
	t.Helper()
	for id := 1; id <= streams; id++ {
		resp, err := l.post(t, id, "X-Stream", "1")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
			t.Fatalf("stream %d began with %q, %v", id, line, err)
		}
		go func() {
			b, err := io.ReadAll(lines)
			if err == nil && !strings.Contains(string(b), answerOf(strconv.Itoa(id))) {
				err = fmt.Errorf("stream %d ended with %q", id, b)
			}
			l.ends <- err
		}()
	}
}

// call makes one call that must succeed.
func (l *loaded) call(t *testing.T, id int) {
	resp, err := l.post(t, id)
	// net/http closes connections unread that it accepts just when a server shuts down, so plain Caddy does on
	// a reload: such a request never began. That it did not is checked by the counts in the end.
	for tries := 0; err != nil && tries < 5; tries++ {
		l.again.Add(1)
		resp, err = l.post(t, id)
	}
	if err != nil {
		t.Errorf("a call failed during a reload: %v", err)
		return
	}
	if got := readAll(resp); got.Status != http.StatusOK || got.Body != answerOf(strconv.Itoa(id)) {
		t.Errorf("a call failed during a reload: %d %q", got.Status, tail(got.Body, 300))
	}
}

// Reloads under 500 calls per second with 200 streams open: no request that reached the gateway fails, no count is
// lost, metrics keep their values, the streams keep their slots and end under the config they began with, and
// nothing is held afterwards.
func TestReloadUnderLoad(t *testing.T) {
	const streams, workers, perSecond, rpm = 200, 16, 500, 100000
	seconds, reloads := scaled(40, 20), scaled(40, 10)
	version := 0
	site := func(upstream string) string {
		version++
		return fmt.Sprintf("mcp_gateway {\ntimeout %dm\nlimits memory\nlimit {\nkey {http.request.header.X-Caller}\nrpm %d\nconcurrency %d\n}\n}\n%s",
			5+version, rpm, streams+workers, briefly(t, upstream))
	}
	l := newLoaded(t, site)
	begin, idle := time.Now(), l.goroutines(t)
	l.open(t, streams)

	total := perSecond * seconds
	clock := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := int(l.sent.Add(1)); n <= total && !t.Failed(); n = int(l.sent.Add(1)) {
				time.Sleep(time.Until(clock.Add(time.Duration(n) * time.Second / perSecond)))
				l.call(t, 10000+n)
			}
		})
	}
	for i := 1; i <= reloads; i++ {
		for l.sent.Load() < int64(i*total/(reloads+1)) && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		before := l.metrics(t, "caddy_mcp_gateway_")
		l.reload(t, site(l.u.URL))
		after := l.metrics(t, "caddy_mcp_gateway_")
		for series, v := range before {
			if now, ok := after[series]; !strings.Contains(series, "_held") && (!ok || now < v) {
				t.Errorf("reload %d: %s was %v, then %v (%v)", i, series, v, now, ok)
			}
		}
		if held := l.held(t); held < streams {
			t.Errorf("reload %d: %d slots are held, %d streams are open", i, held, streams)
		}
	}
	wg.Wait()
	rate := float64(total) / time.Since(clock).Seconds()

	// All calls have ended, the streams have not.
	admitted := total + streams
	if held := l.held(t); held != streams {
		t.Errorf("%d slots are held by %d streams", held, streams)
	}
	if time.Since(begin) < 50*time.Second { // else the window has moved on
		count := gjson.Get(l.get(t, "/mcp-gateway/limits"), "stores.0.counts.0")
		if count.Get("current.rpm").Int() != int64(admitted) || count.Get("current.concurrency").Int() != streams {
			t.Errorf("%d calls were admitted and %d streams are open, the count is %s", admitted, streams, count.Raw)
		}
	}
	close(l.finish)
	for range streams {
		if err := receive(t, l.ends, "a stream did not end"); err != nil {
			t.Error(err)
		}
	}
	l.settled(t, idle+8)
	for series, want := range map[string]int{
		`caddy_mcp_gateway_requests_total{era="legacy",method="tools/call",outcome="ok"}`:         admitted,
		`caddy_mcp_gateway_request_duration_seconds_count{era="legacy",method="tools/call"}`:      admitted,
		`caddy_mcp_gateway_limit_decisions_total{limit="default",result="allowed",service="mcp"}`: admitted,
	} {
		if got := l.metrics(t, "caddy_mcp_gateway_")[series]; int(got) != want {
			t.Errorf("%s is %v after the reloads, %d requests were sent", series, got, want)
		}
	}
	t.Logf("%d calls at %.0f per second and %d streams over %d reloads; %d connections were closed unread", total, rate, streams, reloads, l.again.Load())
}
