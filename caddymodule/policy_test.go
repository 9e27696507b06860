package caddymodule

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/limits"
	"github.com/caddymcp/gateway/policy"
)

// Many calls at once ask for the list once; the others wait for it.
func TestFetchedOnce(t *testing.T) {
	var f fetched
	var asked atomic.Int64
	now := time.Unix(1_000_000, 0)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if f.begin(t.Context(), "a", now) {
				asked.Add(1)
				f.end("a", time.Time{})
			}
		})
	}
	wg.Wait()
	if asked.Load() != 1 {
		t.Errorf("asked %d times, want once", asked.Load())
	}
	if !f.begin(t.Context(), "b", now) {
		t.Fatal("another caller's list was taken for this one's")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if f.begin(gone, "b", now) {
		t.Error("two ask at once")
	}
	f.end("b", now.Add(fetchAgain))
	if f.begin(t.Context(), "b", now.Add(fetchAgain-1)) {
		t.Error("asked again at once after a failure")
	}
	if !f.begin(t.Context(), "b", now.Add(fetchAgain)) {
		t.Error("not asked again later")
	}
	f.end("b", time.Time{})
	for i := range 3 * fetchScopes {
		f.listed(strings.Repeat("x", i%7) + time.Duration(i).String())
	}
	if len(f.done) > fetchScopes {
		t.Errorf("%d callers are remembered, at most %d are allowed", len(f.done), fetchScopes)
	}
}

// What a server may answer to the gateway's own request.
func TestRecorder(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":"mcp-gateway-list-0","result":{"tools":[{"name":"a"}]}}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		ok     bool
	}{
		"JSON":   {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(list)) }, true},
		"stream": {sse(": hi\n\nid: 1\ndata: \n\ndata: " + list + "\n\n"), true},
		"stream that never ends": {func(w http.ResponseWriter, r *http.Request) {
			sse("data: "+list+"\n\n")(w, r)
			<-r.Context().Done()
		}, true},
		"early hints": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.Write([]byte(list))
		}, true},
		"error": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`))
		}, false},
		"status": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			w.Write([]byte(list))
		}, false},
		"page":     {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, false},
		"nothing":  {func(http.ResponseWriter, *http.Request) {}, false},
		"no tools": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)) }, false},
		"cut":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		"endless":  {func(w http.ResponseWriter, _ *http.Request) { endless(w) }, false},
		"endless stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			rec := &recorder{header: make(http.Header), done: cancel}
			_ = rec.run(caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
				c.answer(w, r)
				return nil
			}), httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", nil))
			result, err := rec.end()
			if c.ok != (err == nil) || c.ok && string(result) != `{"tools":[{"name":"a"}]}` {
				t.Errorf("%s, %v", result, err)
			}
			if rec.body.Len() > fetchMaxBytes {
				t.Errorf("%d bytes are held", rec.body.Len())
			}
		})
	}
}

func sse(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(text))
	}
}

// endless writes until it is told to stop, or far beyond the bound.
func endless(w http.ResponseWriter) {
	chunk := []byte(strings.Repeat("data: x", 1<<13))
	for range 2 * fetchMaxBytes / len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestIssuer(t *testing.T) {
	for _, s := range []string{"https://login.example.com", "https://id.example.org/tenant", "http://127.0.0.1:8081", "http://localhost"} {
		if err := issuer(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"", "login.example.com", "http://login.example.com", "https://", "https://u:p@id.example.org", "https://id.example.org?x=1", "https://id.example.org#x", "ftp://id.example.org"} {
		if issuer(s) == nil {
			t.Errorf("%q is taken for an issuer", s)
		}
	}
}

func TestPrintKey(t *testing.T) {
	var out strings.Builder
	if err := printKey(&out, keyOptions{name: "acme-ops", tenant: "acme", rpm: 5, concurrency: 2, tools: "a|b_*", expires: "2999-01-31"}, rand.Reader); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	var f policy.KeyFile
	if err := f.Reload([]byte(lines[4])); err != nil {
		t.Fatalf("%v: %q", err, lines)
	}
	key, ok := f.Lookup(lines[1], time.Now())
	if !ok || key.Tenant != "acme" || key.RPM != 5 || key.Concurrency != 2 || len(key.Tools) != 2 {
		t.Errorf("%+v, %v", key, ok)
	}
	for _, o := range []keyOptions{{name: ""}, {name: "a b"}, {name: "a", tenant: "x,rpm=1000"}, {name: "a", rpm: -1}, {name: "a", expires: "soon"}, {name: "a", tools: "[x"}} {
		var out strings.Builder
		if err := printKey(&out, o, rand.Reader); err == nil || out.Len() > 0 {
			t.Errorf("%+v: %v, %q", o, err, out.String())
		}
	}
}

func TestBreakerConfig(t *testing.T) {
	b := new(Breaker)
	if err := b.provision(); err != nil || b.rules.Failures != 3 || b.rules.Cooldown != 30*time.Second || b.Scope != "tool" {
		t.Errorf("defaults: %+v, %v", b, err)
	}
	manual := &Breaker{Manual: true, Count: []string{"any"}}
	if err := manual.provision(); err != nil || manual.rules.Cooldown != 0 || !manual.rules.Any || manual.rules.Outcome("validation", false) != limits.BreakerFailure {
		t.Errorf("manual: %+v, %v", manual, err)
	}
	for _, b := range []*Breaker{{Failures: -1}, {Cooldown: -1}, {Cooldown: 1}, {Manual: true, Cooldown: 1}, {Scope: "tenant"}, {Count: []string{"nope"}}, {Count: []string{"any", "terminal"}}} {
		if b.provision() == nil {
			t.Errorf("%+v is accepted", b)
		}
	}
}
