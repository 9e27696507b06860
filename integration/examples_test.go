package integration

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// The samples run as they stand; only their ports are free ones and the admin
// endpoint is off, so that the test disturbs nobody.
func TestExamples(t *testing.T) {
	demo := demoServer(t)
	u, err := url.Parse(demo)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../examples/*/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		service := map[string]string{"quickstart": "mcp", "upstream": "mcp", "sidecar": "warehouse"}[name]
		if service == "" {
			continue // needs more than one server; has a test of its own
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			g := startExample(t, file, map[string]string{"localhost:3001": u.Host})
			r := g.post(t, call("1", "rate_limited"))
			want{code: "rate_limited", class: "retryable", status: 429, wait: 12, service: service}.result(t, "1", r.response(t, "1"))
			r = g.post(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}`)
			if !strings.Contains(r.Body, `"structuredContent":{"sum":5}`) {
				t.Errorf("add: %q", r.Body)
			}
		})
	}
	for _, name := range []string{"quickstart", "sidecar", "upstream"} {
		if !seen[name] {
			t.Errorf("examples/%s is missing", name)
		}
	}
}

// startExample runs the Caddyfile of an example on a free port, with further replacements of its text.
func startExample(t *testing.T, file string, replace map[string]string) *gateway {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{port: freePort(t), t: t}
	g.URL = "http://127.0.0.1:" + strconv.Itoa(g.port)
	all := map[string]string{
		":8080 {":          ":" + strconv.Itoa(g.port) + " {\nbind 127.0.0.1",
		"grace_period 10s": "grace_period 1s\nadmin off\npersist_config off",
	}
	maps.Copy(all, replace)
	text := string(b)
	for old, replacement := range all {
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q", file, old)
		}
		text = strings.ReplaceAll(text, old, replacement)
	}
	config, err := adapt(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(config, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { caddy.Stop() })
	return g
}
