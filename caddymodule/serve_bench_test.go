package caddymodule

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

const benchKey = "benchkey0000000000000000000000000000000001"

// What the gateway itself costs, without a network: the request of one tool call, and an answer that is there at once.
// "nothing" under "none" is what the frame of the benchmark costs.
func BenchmarkServe(b *testing.B) {
	keys := filepath.Join(b.TempDir(), "keys.txt")
	if err := os.WriteFile(keys, []byte(fmt.Sprintf("bench:%x\n", sha256.Sum256([]byte(benchKey)))), 0o600); err != nil {
		b.Fatal(err)
	}
	configs := []struct{ name, json string }{
		{"none", ""},
		{"nothing", `{}`},
		{"memory", `{"limits":{"backend":"memory"},"limit":[{"rpm":"1048576","concurrency":"1000"}]}`},
		{"everything", `{"auth":{"keys":{"file":` + strconv.Quote(keys) + `}},"limits":{"backend":"memory"},"limit":[{"rpm":"1048576","concurrency":"1000"}],
			"tool_views":[{"allow":["forecast","search_*"]}],"breaker":{},"ssrf_guard":{"arguments":["source"]},"validate":["arguments","results"]}`},
	}
	answers := []struct{ name, body string }{
		{"1KB", success(1 << 10)},
		{"64KB", success(64 << 10)},
		{"failure", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Request failed with status code 403"}],"isError":true}}`},
	}
	for _, c := range configs {
		for _, a := range answers {
			b.Run(c.name+"/"+a.name, func(b *testing.B) { benchServe(b, c.json, a.body) })
		}
	}
}

func success(n int) string {
	const words = "In Delft it is dry today, and tomorrow there may be rain. "
	return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(words, n/len(words)) + `"}]}}`
}

func benchServe(b *testing.B, config, answer string) {
	const (
		list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
		call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{"city":"Delft","days":3,"source":"https://93.184.216.34/forecast"}}}`
		sees = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"forecast","inputSchema":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"source":{"type":"string"}},"required":["city"]}}]}}`
	)
	answers := map[bool][]byte{true: []byte(sees), false: []byte(answer)}
	server := caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		out := answers[r.ContentLength == int64(len(list))]
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(out))}
		w.WriteHeader(http.StatusOK)
		_, err := w.Write(out)
		return err
	})
	serve := func(w http.ResponseWriter, r *http.Request) error { return server(w, r) }
	if config != "" {
		h := provisioned(b, config)
		serve = func(w http.ResponseWriter, r *http.Request) error { return h.ServeHTTP(w, r, server) }
	}
	srv := new(caddyhttp.Server)
	send := func(body string) {
		r, err := http.NewRequest(http.MethodPost, "http://example.com/mcp", bytes.NewReader([]byte(body)))
		if err != nil {
			b.Fatal(err)
		}
		r.RemoteAddr = "192.0.2.1:5000"
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Authorization": {"Bearer " + benchKey}, "Mcp-Protocol-Version": {"2025-11-25"}}
		w := httptest.NewRecorder()
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, srv)
		if err := serve(w, r); err != nil || w.Code != http.StatusOK {
			b.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
		}
	}
	send(list)
	b.ReportAllocs()
	for b.Loop() {
		send(call)
	}
}

func provisioned(b *testing.B, config string) *Handler {
	b.Helper()
	ctx, err := caddy.ProvisionContext(&caddy.Config{Logging: &caddy.Logging{Logs: map[string]*caddy.CustomLog{
		caddy.DefaultLoggerName: {BaseLog: caddy.BaseLog{Level: "ERROR"}},
	}}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := caddy.NewContext(ctx)
	b.Cleanup(cancel)
	h := new(Handler)
	if err := json.Unmarshal([]byte(config), h); err != nil {
		b.Fatal(err)
	}
	if err := h.Provision(ctx); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if c, ok := any(h).(caddy.CleanerUpper); ok {
			_ = c.Cleanup()
		}
	})
	return h
}
