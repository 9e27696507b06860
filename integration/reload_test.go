package integration

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A stream that was open at a reload goes on under the config it began with.
func TestReloadWithOpenStream(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "service before", u.URL)
	next := make(chan string)
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		c := http.NewResponseController(w)
		for s := range next {
			io.WriteString(w, s)
			c.Flush()
		}
	})
	note := "data: " + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"z"}}` + "\n\n"

	read := make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		resp, err := client.Do(newRequest(t, http.MethodPost, g.URL+"/mcp", call("1", "x")))
		if err != nil {
			ended <- err
			return
		}
		defer resp.Body.Close()
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				ended <- err
				return
			}
			if s, ok := strings.CutPrefix(line, "data: "); ok {
				read <- s
			}
		}
	}()

	next <- note
	receive(t, read, "the stream did not begin")
	g.load("mcp_gateway {\nservice after\n}\n" + proxyTo(t, u.URL))
	next <- note
	receive(t, read, "the stream stopped at the reload")

	// New requests see the new config while the stream is open.
	old := u.handler
	u.answer(answers(http.StatusOK, "application/json", failing("2", "HTTP 503 "+secret)))
	want{code: "service_unavailable", service: "after"}.result(t, "2", g.post(t, call("2", "x")).response(t, "2"))
	u.answer(old)

	next <- "data: " + failing("1", "HTTP 503 "+secret) + "\n\n"
	want{code: "service_unavailable", service: "before"}.result(t, "1", receive(t, read, "the failing response did not pass"))
	close(next)
	if err := receive(t, ended, "the stream did not end"); err != nil {
		t.Error(err)
	}
}
