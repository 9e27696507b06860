package integration

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// The headers that tell the server of these tests what to do, so that it need
// not read the body: the id of the call and the name of a fault.
const (
	faultID   = "X-Fault-Id"
	faultKind = "X-Fault"
)

// What becomes of a call of a kind of fault.
const (
	succeeds = iota
	fails
	leaves // the client does, and gets nothing
)

// fault is one way for a server to answer.
type fault struct {
	kind   string
	ends   int
	costly bool // takes the time-out of the tool "hang", or moves very much
	answer func(w http.ResponseWriter, r *http.Request, id string)
}

// huge is how much a server sends that sends too much, in bytes.
const huge = 100 << 20

// faults are the kinds, without those that the network makes.
var faults = []fault{
	{"json", succeeds, false, func(w http.ResponseWriter, r *http.Request, id string) {
		answers(http.StatusOK, "application/json", answerOf(id))(w, r)
	}},
	{"sse", succeeds, false, func(w http.ResponseWriter, r *http.Request, id string) {
		streams(stream+"data: "+answerOf(id)+"\n\n", 50)(w, r)
	}},
	{"failing", fails, false, func(w http.ResponseWriter, r *http.Request, id string) {
		answers(http.StatusOK, "application/json", failureOf(id))(w, r)
	}},
	{"failing event", fails, false, func(w http.ResponseWriter, r *http.Request, id string) {
		streams(stream+"data: "+failureOf(id)+"\n\n", 50)(w, r)
	}},
	{"HTML", fails, false, func(w http.ResponseWriter, r *http.Request, _ string) {
		answers(http.StatusBadGateway, "text/html", "<html>"+secret)(w, r)
	}},
	{"empty", fails, false, func(w http.ResponseWriter, r *http.Request, _ string) {
		answers(http.StatusOK, "application/json", "")(w, r)
	}},

	{"closed", fails, false, onWire(false)},
	{"reset", fails, false, onWire(true)},
	{"reset in the header", fails, false, onWire(true, "HTTP/1.1 200 OK\r\nContent-Ty")},
	{"reset in the body", fails, false, onWire(true, jsonHead+"Content-Length: 5000\r\n\r\n", "$FAILURE")},
	{"reset in a chunk", fails, false, onWire(true, jsonHead+"Transfer-Encoding: chunked\r\n\r\n", "2000\r\n$FAILURE")},
	{"reset in an event", fails, false, onWire(true, eventHead+"\r\n", ": hello\n\n", "data: $FAILURE")},
	{"closed in an event", fails, false, onWire(false, eventHead+"\r\n", "data: $FAI")},

	{"hangs", fails, true, func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() }},
	{"hangs in the body", fails, true, hangs("application/json", `{"jsonrpc":"2.0",`)},
	{"hangs in an event", fails, true, hangs("text/event-stream", ": hello\n\ndata: {")},

	{"garbage", fails, false, onWire(false, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")},
	{"garbage in the body", fails, false, onWire(false, jsonHead+"Content-Length: 8\r\n\r\n\x00\xff{]\x80\r\n\x01")},
	{"garbage in a chunk", fails, false, onWire(false, jsonHead+"Transfer-Encoding: chunked\r\n\r\nzz\r\n$FAILURE\r\n0\r\n\r\n")},
	{"garbage in an event", fails, false, onWire(false, eventHead+"\r\ndata: \x00\xff{]\n\n\x01: \x80\n\n")},
	{"answer to another call", fails, false, func(w http.ResponseWriter, r *http.Request, id string) {
		answers(http.StatusOK, "application/json", failureOf("9"+id))(w, r)
	}},

	{"length too large", fails, false, onWire(false, jsonHead+"Content-Length: 5000\r\n\r\n$ANSWER")},
	{"length too small", fails, false, onWire(false, jsonHead+"Content-Length: 20\r\n\r\n$ANSWER")},
	{"length negative", fails, false, onWire(false, jsonHead+"Content-Length: -5\r\n\r\n$ANSWER")},
	{"two lengths", fails, false, onWire(false, jsonHead+"Content-Length: 20\r\nContent-Length: 30\r\n\r\n$ANSWER")},
	{"length of an event stream too small", fails, false, onWire(false, eventHead+"Content-Length: 20\r\n\r\ndata: $ANSWER\n\n")},
	{"length far too large", fails, false, onWire(false, jsonHead+"Content-Length: 9000000000000000000\r\n\r\n$ANSWER")},

	{"100 MB", fails, true, pours("application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`)},
	{"100 MB of HTML", fails, true, pours("text/html", "<html>"+secret)},
	{"100 MB in an event", fails, true, pours("text/event-stream", `data: {"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`)},
	{"100 MB of garbage in an event", fails, true, pours("text/event-stream", "data: x")},
	{"endless header", fails, true, endlessHeader("X-%d: " + strings.Repeat("y", 1000) + "\r\n")},
	{"endless header line", fails, true, endlessHeader("%d" + strings.Repeat("y", 1000))},
	{"endless early hints", fails, true, endlessHeader("X: y\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-%d: " + strings.Repeat("y", 1000) + "\r\n")},
	{"gzip bomb", fails, true, bombs("application/json")},
	{"gzip bomb in an event", fails, true, bombs("text/event-stream")},

	{"answers late", leaves, false, func(w http.ResponseWriter, r *http.Request, id string) {
		<-r.Context().Done() // the client has left
		answers(http.StatusOK, "application/json", answerOf(id))(w, r)
	}},
	{"answers late in a stream", leaves, false, func(w http.ResponseWriter, r *http.Request, id string) {
		streams(": hello\n\n", 50)(w, r)
		<-r.Context().Done()
		io.WriteString(w, "data: "+answerOf(id)+"\n\n")
	}},
}

// faulty is the server of the faults.
func faulty(w http.ResponseWriter, r *http.Request) {
	for i := range faults {
		if f := &faults[i]; f.kind == r.Header.Get(faultKind) {
			f.answer(w, r, r.Header.Get(faultID))
			return
		}
	}
	panic("no fault " + r.Header.Get(faultKind))
}

// check fails unless the answer is what a call of the kind gets: one, with its
// id, and nothing of the server's text.
func (f *fault) check(t *testing.T, id string, r reply) {
	t.Helper()
	m := r.response(t, id)
	if f.ends == succeeds {
		if m != answerOf(id) {
			t.Errorf("%s, call %s got %q", f.kind, id, tail(m, 300))
		}
		return
	}
	if m == "" || gjson.Get(m, "result.isError").Raw != "true" {
		t.Errorf("%s, call %s got %d, %q", f.kind, id, r.Status, tail(m, 300))
	}
	want{}.result(t, id, m)
	if r.Cut != nil {
		t.Errorf("%s, call %s: the answer was cut: %v", f.kind, id, r.Cut)
	}
	r.leakless(t)
}

func answerOf(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"answer %s"}]}}`, id, id)
}

func failureOf(id string) string { return failing(id, "HTTP 503 "+secret) }

const (
	jsonHead  = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n"
	eventHead = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n"
)

// filled puts the call in.
func filled(s, id string) string {
	return strings.NewReplacer("$ANSWER", answerOf(id), "$FAILURE", failureOf(id), "$ID", id).Replace(s)
}

// onWire is raw with the call filled in.
func onWire(reset bool, pieces ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		var full []string
		for _, p := range pieces {
			full = append(full, filled(p, id))
		}
		raw(reset, full...)(w, r)
	}
}

func hangs(media, begin string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", media)
		io.WriteString(w, begin)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

var filler = bytes.Repeat([]byte("x"), 64<<10)

// pours sends much and never the end of it.
func pours(media, begin string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", media)
		io.WriteString(w, filled(begin, id))
		for sent := 0; sent < huge; sent += len(filler) {
			if _, err := w.Write(filler); err != nil {
				return
			}
		}
	}
}

// endlessHeader sends lines until the connection is closed.
func endlessHeader(line string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		conn.(*net.TCPConn).SetDeadline(time.Now().Add(patience))
		io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n")
		for i := 0; err == nil; {
			var b bytes.Buffer
			for b.Len() < 64<<10 {
				i++
				fmt.Fprintf(&b, line, i)
			}
			_, err = conn.Write(b.Bytes())
		}
	}
}

// bomb is a message of 100 MB in few bytes.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	io.WriteString(z, `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)
	for n := 0; n < huge; n += len(filler) {
		z.Write(filler)
	}
	io.WriteString(z, `"}]}}`+"\n\n")
	z.Close()
	return b.Bytes()
})

func bombs(media string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		answers(http.StatusOK, media, string(bomb()), "Content-Encoding", "gzip")(w, r)
	}
}
