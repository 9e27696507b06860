package integration

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/limits/redistest"
)

// newKey makes a key with the command, as an operator does.
func newKey(t *testing.T, args ...string) (token, line string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"mcp-key", "new"}, args...)...)
	cmd.Env = append(os.Environ(), asCaddy+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mcp-key new %v: %v", args, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[1], "mcpk_") || !strings.HasPrefix(lines[4], args[0]+":") {
		t.Fatalf("mcp-key new printed %q", out)
	}
	return lines[1], lines[4]
}

func writeKeys(t *testing.T, file string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

func TestKeys(t *testing.T) {
	u := newUpstream(t)
	var sent http.Header
	u.answer(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Clone()
		answers(http.StatusOK, "application/json", lists)(w, r)
	})
	file := filepath.Join(t.TempDir(), "keys.txt")
	narrow, narrowLine := newKey(t, "acme-support", "--tenant", "acme", "--rpm", "3", "--tools", "plain|search_*")
	wide, wideLine := newKey(t, "globex-ops", "--tenant", "globex", "--rpm", "100")
	old, oldLine := newKey(t, "acme-old", "--expires", "2020-01-31")
	gone, goneLine := newKey(t, "acme-gone")
	stranger, _ := newKey(t, "nobody")
	writeKeys(t, file, "# keys", narrowLine, wideLine, oldLine, goneLine)

	g := startSite(t, fmt.Sprintf(`@globex vars {http.auth.user.tenant} globex
		log {
			output file %s.access
		}
		mcp_gateway {
			auth keys %s {
				realm orders
			}
			tools @globex {
				deny weather
			}
			limit key {
				key {http.auth.user.id}
				rpm {http.auth.user.rpm}
			}
		}
		%s`, file, file, proxyTo(t, u.URL)))

	// Whatever is wrong with a key, the answer is one.
	refused := g.post(t, call("1", "plain"))
	if refused.Status != http.StatusUnauthorized || refused.Header.Get("WWW-Authenticate") != `Bearer realm="orders"` {
		t.Errorf("without a key: %d %q", refused.Status, refused.Header.Get("WWW-Authenticate"))
	}
	if m := gjson.Parse(refused.Body); m.Get("error.code").Int() != 401 || m.Get("error.data.code").String() != "auth_failed" {
		t.Errorf("without a key: %s", refused.Body)
	}
	for name, header := range map[string][]string{
		"unknown": bearer(stranger), "expired": bearer(old), "malformed": bearer(strings.Repeat("x", 9)), "two words": bearer("a b"),
		"empty": {"Authorization", "Bearer"}, "basic": {"Authorization", "Basic eDp5"}, "its hash": bearer(strings.Split(wideLine, ":")[1]),
		"another case": bearer(strings.ToUpper(wide)), "a space more": bearer(wide + " x"),
	} {
		sameRefusal(t, name, g.post(t, call("1", "plain")), g.post(t, call("1", "plain"), header...), "_", "_")
	}
	if sent != nil {
		t.Error("a refused request reached the server")
	}
	if r := send(t, http.MethodGet, g.URL+"/health", ""); r.Status != http.StatusUnauthorized {
		t.Errorf("a path without MCP passed without a key: %d", r.Status)
	}
	sent = nil
	if r := send(t, http.MethodGet, g.URL+"/.well-known/oauth-protected-resource", "", "Content-Type", "", "Accept", "*/*"); r.Status != http.StatusOK || sent == nil {
		t.Errorf("a well-known document needs a key: %d", r.Status)
	}

	// A valid key passes, narrows, and stays at the gateway.
	list := func(key string) string {
		m := g.post(t, method("1", "tools/list"), bearer(key)...).response(t, "1")
		return gjson.Get(m, "result.tools.#.name").String()
	}
	if got := list(narrow); got != `["plain"]` {
		t.Errorf("the narrowed key sees %s", got)
	}
	if got := list(wide); got != `["plain"]` {
		t.Errorf("the matcher on the tenant did not match: %s", got)
	}
	if got := list(gone); got != `["plain","weather"]` {
		t.Errorf("the third key sees %s", got)
	}
	if len(sent["Authorization"]) > 0 {
		t.Error("the key went on to the server")
	}
	want{code: "forbidden"}.result(t, "1", g.post(t, call("1", "weather"), bearer(narrow)...).Body)
	u.answer(answers(http.StatusOK, "application/json", succeeding("1")))
	for range 3 {
		if m := g.post(t, call("1", "plain"), bearer(narrow)...).Body; m != succeeding("1") {
			t.Errorf("refused: %s", m)
		}
	}
	want{code: "rate_limited", class: "retryable", status: 429}.result(t, "1", g.post(t, call("1", "plain"), bearer(narrow)...).Body)
	if m := g.post(t, call("1", "plain"), bearer(wide)...).Body; m != succeeding("1") {
		t.Errorf("another key's limit: %s", m)
	}

	// Reload: a bad file keeps the old keys and says so once; a good one counts.
	said := func() int { return strings.Count(g.logged(), "the file of the keys cannot be used") }
	writeKeys(t, file, narrowLine, "acme-bad:nothex")
	redistest.Until(t, "the bad file is noticed", func() bool { return said() > 0 })
	if g.post(t, call("1", "plain"), bearer(gone)...).Status != http.StatusOK {
		t.Error("a bad file took the old keys away")
	}
	if !strings.Contains(g.logged(), "line 2") || strings.Contains(g.logged(), "nothex") {
		t.Error("the warning must name the line and not quote it")
	}
	writeKeys(t, file, narrowLine, wideLine)
	redistest.Until(t, "a revoked key is refused", func() bool { return g.post(t, call("1", "plain"), bearer(gone)...).Status == http.StatusUnauthorized })
	sameRefusal(t, "revoked", refused, g.post(t, call("1", "plain"), bearer(gone)...), "_", "_")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	redistest.Until(t, "the missing file is noticed", func() bool { return said() > 1 })
	if g.post(t, call("1", "plain"), bearer(wide)...).Status != http.StatusOK || said() != 2 {
		t.Errorf("a missing file: %d warnings, want 2 for two bad states", said())
	}
	access, err := os.ReadFile(file + ".access")
	if err != nil || !bytes.Contains(access, []byte(`"user_id":"globex-ops"`)) {
		t.Errorf("the access log does not name the key: %v", err)
	}
	for _, token := range []string{narrow, wide, gone, old, stranger} {
		if strings.Contains(g.logged(), token) || bytes.Contains(access, []byte(token)) {
			t.Error("a key stands in a log")
		}
	}
}

// Configs that must not start, and what they say.
func TestHostileConfig(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.txt")
	writeKeys(t, bad, "# one", "acme:123:rpm=many")
	u := newUpstream(t)
	g := start(t, "service before", u.URL)
	for block, says := range map[string]string{
		"auth keys " + filepath.Join(dir, "none.txt"): "no such file",
		"auth keys " + bad:                            "key file line 2: the hash has 3 characters",
		"auth keys " + dir:                            "is a directory",
		"auth keys {env.MCP_TEST_UNSET}":              "file: ",
		"auth bearer {\nauthorization_servers http://login.example.com\n}": "must begin with https://",
		"tool x {\ndisabled {env.MCP_TEST_LINK}\n}":                        "disabled: the text holds what must not reach a client",
		"tools @nobody {\nallow *\n}":                                      "@nobody",
		"tools {\nallow [a-\n}":                                            "invalid pattern",
		"breaker {\ncount everything\n}":                                   "unknown class",
		"ssrf_guard {\nallow 10.0.0.1/8\n}":                                "bits set outside its mask",
		"tool " + strings.Repeat("x", 300) + " {\ndisabled\n}":             "invalid pattern",
		"tool * {\ndisabled \"" + strings.Repeat("word ", 60) + "\"\n}":    "at most 200 are allowed",
	} {
		t.Setenv("MCP_TEST_LINK", "See https://status.example.com")
		config, err := adapt(fmt.Sprintf("{\nadmin off\npersist_config off\nauto_https off\n}\n:%d {\nbind 127.0.0.1\nmcp_gateway {\n%s\n}\n%s\n}\n", freePort(t), block, proxyTo(t, u.URL)))
		if err == nil {
			err = caddy.Load(config, true)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", block, err, says)
		}
	}
	u.answer(answers(http.StatusOK, "application/json", failing("1", "HTTP 503")))
	want{code: "service_unavailable", service: "before"}.result(t, "1", g.post(t, call("1", "x")).Body)
}

// The document about the endpoint is there without a token, and the challenge
// leads to it (RFC 9728).
func TestResourceMetadata(t *testing.T) {
	u := newUpstream(t)
	u.answer(answers(http.StatusTeapot, "text/plain", "the server"))
	g := startSite(t, "mcp_gateway /mcp* {\nauth bearer {\nauthorization_servers https://login.example.com\n}\n}\nmcp_gateway /other {\nauth bearer {\nauthorization_servers https://id.example.org\n}\n}\n"+proxyTo(t, u.URL))
	host := strings.TrimPrefix(g.URL, "http://")
	document := func(path string) gjson.Result {
		r := send(t, http.MethodGet, g.URL+"/.well-known/oauth-protected-resource"+path, "", "Content-Type", "", "Accept", "application/json", "Origin", "https://app.example.com")
		if r.Status != http.StatusOK || r.Header.Get("Access-Control-Allow-Origin") != "*" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %q", path, r.Status, r.Header, r.Body)
		}
		return gjson.Parse(r.Body)
	}
	for path, server := range map[string]string{"/mcp": "https://login.example.com", "/other": "https://id.example.org"} {
		d := document(path)
		if d.Get("resource").String() != g.URL+path || d.Get("authorization_servers").Raw != `["`+server+`"]` || d.Get("bearer_methods_supported.0").String() != "header" {
			t.Errorf("%s: %s", path, d.Raw)
		}
		r := send(t, http.MethodPost, g.URL+path, call("1", "x"), "MCP-Protocol-Version", "2025-11-25")
		want := fmt.Sprintf(`Bearer realm="mcp", resource_metadata="http://%s/.well-known/oauth-protected-resource%s"`, host, path)
		if r.Status != http.StatusUnauthorized || r.Header.Get("WWW-Authenticate") != want {
			t.Errorf("%s: %d %q, want %q", path, r.Status, r.Header.Get("WWW-Authenticate"), want)
		}
	}
	if r := document("").Get("resource").String(); r != g.URL {
		t.Errorf("resource of the root is %q", r)
	}
	if r := send(t, http.MethodGet, g.URL+"/.well-known/oauth-protected-resource/else", "", "Content-Type", ""); r.Status != http.StatusTeapot {
		t.Errorf("another endpoint's document: %d %q", r.Status, r.Body)
	}
}
