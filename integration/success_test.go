package integration

import (
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// What succeeds, and what is no answer to a call, leaves as it came.
func TestPassesByteForByte(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	odd := " {\n\t\"result\" : {\"content\":[ {\"type\":\"text\",\"text\":\"\\u00e9 \\/ <b> isError\\\":true\"} ],\"isError\":false,\"n\":12345678901234567890.10},\r\n \"id\":1, \"jsonrpc\":\"2.0\" }\n"
	for _, c := range []struct {
		name, request, mediaType, answer string
	}{
		{"odd JSON", call("1", "x"), "application/json", odd},
		{"charset", call("1", "x"), "application/json; charset=utf-8", odd},
		{"list", method("1", "resources/list"), "application/json", `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`},
		{"structured", call("1", "x"), "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"error":null,"code":"rate_limited"}}}`},
		{"task", call("1", "x"), "application/json", `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working","ttl":1}}}`},
		{"URL elicitation", call("1", "x"), "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"open this","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://example.com/x"}]}}}`},
		{"long", call("1", "x"), "application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 3<<20) + `"}]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(answers(http.StatusOK, c.mediaType, c.answer, "ETag", `"v1"`, "X-Other", "kept"))
			r := g.post(t, c.request)
			if r.Status != http.StatusOK || r.Body != c.answer || r.Cut != nil {
				t.Errorf("status %d, %d bytes instead of %d, cut %v: %q", r.Status, len(r.Body), len(c.answer), r.Cut, tail(r.Body, 300))
			}
			for k, v := range map[string]string{"Content-Type": c.mediaType, "Etag": `"v1"`, "X-Other": "kept"} {
				if got := r.Header.Get(k); got != v {
					t.Errorf("%s is %q, want %q", k, got, v)
				}
			}
			if cl := r.Header.Get("Content-Length"); cl != "" && cl != strconv.Itoa(len(c.answer)) {
				t.Errorf("Content-Length %s for %d bytes", cl, len(c.answer))
			}
		})
	}
}

// stream is an event stream with everything that the format allows.
const stream = ": hello\n\nid: 0\ndata: \n\nretry: 3000\n\nevent: message\nid: 1\ndata: " +
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}` +
	"\n\ndata:" + `{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}` +
	"\n\n: keep-alive\n\nevent: other\ndata: not JSON-RPC\n\n"

var newlines = []struct{ name, nl string }{{"LF", "\n"}, {"CRLF", "\r\n"}, {"CR", "\r"}}

func TestStreamPassesByteForByte(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	success := "id: 2\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{ \"content\":[]}}\n\n"
	for _, nl := range newlines {
		body := strings.ReplaceAll(stream+success, "\n", nl.nl)
		for _, n := range []int{1, 2, 3, 7, 64, 1 << 20} {
			t.Run(nl.name+"/"+strconv.Itoa(n), func(t *testing.T) {
				u.answer(streams(body, n))
				r := g.post(t, call("1", "x"))
				if r.Status != http.StatusOK || r.Body != body || r.Cut != nil {
					t.Errorf("status %d, cut %v, got\n%q, want\n%q", r.Status, r.Cut, r.Body, body)
				}
			})
		}
	}
}

func TestPassesStatusWithoutBody(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"202 to a notification", http.MethodPost, "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted},
		{"202 to a response", http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`, http.StatusAccepted},
		{"204 to DELETE", http.MethodDelete, "/mcp", "", http.StatusNoContent},
		{"304", http.MethodGet, "/health", "", http.StatusNotModified},
	} {
		t.Run(c.name, func(t *testing.T) {
			u.answer(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"v1"`)
				w.WriteHeader(c.status)
			})
			r := send(t, c.method, g.URL+c.path, c.body, "MCP-Protocol-Version", "2025-11-25", "Mcp-Session-Id", "abc", "If-None-Match", `"v1"`)
			if r.Status != c.status || r.Body != "" || r.Header.Get("ETag") != `"v1"` {
				t.Errorf("got %d %q %v", r.Status, r.Body, r.Header)
			}
		})
	}
}

// What is no MCP traffic passes untouched, even when it looks like a failure.
func TestPassesOtherTraffic(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	const body = `{"status":"down","error":"` + secret + `"}`
	u.answer(answers(http.StatusServiceUnavailable, "application/json", body))
	if r := send(t, http.MethodGet, g.URL+"/health", "", "Accept", "*/*", "Content-Type", ""); r.Status != http.StatusServiceUnavailable || r.Body != body {
		t.Errorf("health check: %d %q", r.Status, r.Body)
	}

	u.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "7")
		if r.Method != http.MethodHead {
			t.Errorf("%s arrived", r.Method)
		}
	})
	if r := send(t, http.MethodHead, g.URL+"/health", "", "Accept", "*/*", "Content-Type", ""); r.Status != http.StatusOK || r.Header.Get("Content-Length") != "7" {
		t.Errorf("HEAD: %d %v", r.Status, r.Header)
	}
}

// A server that compresses although it was asked not to is read all the same.
func TestCompressedAnswers(t *testing.T) {
	u := newUpstream(t)
	g := start(t, "", u.URL)
	compressed := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if v := r.Header.Get("Accept-Encoding"); v != "identity" {
				t.Errorf("Accept-Encoding %q was sent to the server", v)
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, body)
			z.Close()
		}
	}
	read := func(t *testing.T) reply {
		r := g.post(t, call("1", "x"), "Accept-Encoding", "gzip")
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(strings.NewReader(r.Body))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			r.Body = string(b)
		}
		return r
	}

	const ok = `{"jsonrpc":"2.0","id":1,"result":{ "content":[]}}`
	u.answer(compressed(ok))
	if r := read(t); r.Status != http.StatusOK || r.Body != ok {
		t.Errorf("success: %d %q", r.Status, r.Body)
	}
	u.answer(compressed(failing("1", "ValueError: bad, see "+secret)))
	r := read(t)
	want{}.result(t, "1", r.response(t, "1"))
	r.leakless(t)
}
