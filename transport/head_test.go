package transport

import (
	"net/http"
	"strings"
	"testing"
)

const (
	jsonType = "Content-Type: application/json"
	accept   = "Accept: application/json, text/event-stream"
	sse      = "Accept: text/event-stream"
)

// at is a head that arrived at example.com.
func at(method, path string, lines ...string) *Head {
	return &Head{Method: method, Path: path, Host: "example.com", Header: headers(lines...)}
}

// local is a head that arrived on a loopback address.
func local(host string, lines ...string) *Head {
	h := at("POST", "/mcp", append(lines, jsonType, accept)...)
	h.Host, h.LocalLoopback = host, true
	return h
}

func query(h *Head, q string) *Head { h.RawQuery = q; return h }
func long(h *Head, n int64) *Head   { h.ContentLength = n; return h }

func TestCheckHeadRefuses(t *testing.T) {
	bearer := Rules{Bearer: &Bearer{Realm: `my "mcp"`, ResourceMetadata: "https://x.example/.well-known/oauth-protected-resource"}}
	challenge := `Bearer realm="my \"mcp\"", resource_metadata="https://x.example/.well-known/oauth-protected-resource"`
	stateless := Rules{Stateless: true}
	tests := []struct {
		name   string
		rules  Rules
		head   *Head
		status int
		code   int
		reason string
		text   string
		header string // "Name: value"
	}{
		{"host", Rules{}, local("evil.example.com"), 403, 403, ReasonHost, "Host evil.example.com is not in the allowlist", ""},
		{"host, no localhost", Rules{}, local("a.localhost"), 403, 403, ReasonHost, "Host a.localhost is not in the allowlist", ""},
		{"host, empty", Rules{}, local(""), 403, 403, ReasonHost, "Host  is not in the allowlist", ""},
		{"host, another loopback spelling", Rules{}, local("127.1:80"), 403, 403, ReasonHost, "Host 127.1:80 is not in the allowlist", ""},
		{"host, long and dirty", Rules{}, local("\x00é" + strings.Repeat("h", 99)), 403, 403, ReasonHost, "Host " + strings.Repeat("h", 64) + " is not in the allowlist", ""},
		{"host, not listed", Rules{AllowedHosts: []string{"a.example"}}, at("POST", "/mcp"), 403, 403, ReasonHost, "Host example.com is not in the allowlist", ""},
		{"host, other port", Rules{AllowedHosts: []string{"example.com:8443"}}, at("POST", "/mcp"), 403, 403, ReasonHost, "Host example.com is not in the allowlist", ""},
		{"host, health check", Rules{AllowedHosts: []string{"a.example"}}, at("GET", "/healthz"), 403, 403, ReasonHost, "Host example.com is not in the allowlist", ""},
		{"origin", Rules{}, at("POST", "/mcp", "Origin: http://evil.example"), 403, 403, ReasonOrigin, "Origin http://evil.example is not in the allowlist", ""},
		{"origin null", Rules{AllowedOrigins: []string{"*"}}, at("POST", "/mcp", "Origin: null"), 403, 403, ReasonOrigin, "Origin null is not in the allowlist", ""},
		{"origin empty", Rules{}, at("POST", "/mcp", "Origin: "), 403, 403, ReasonOrigin, "Origin  is not in the allowlist", ""},
		{"origin with a path", Rules{AllowedOrigins: []string{"*"}}, at("POST", "/mcp", "Origin: http://example.com/"), 403, 403, ReasonOrigin, "Origin http://example.com/ is not in the allowlist", ""},
		{"origin with a user", Rules{AllowedOrigins: []string{"*"}}, at("POST", "/mcp", "Origin: http://a@example.com"), 403, 403, ReasonOrigin, "Origin http://a@example.com is not in the allowlist", ""},
		{"origins in one line", Rules{}, at("POST", "/mcp", "Origin: http://example.com http://evil.example"), 403, 403, ReasonOrigin, "Origin http://example.com http://evil.example is not in the allowlist", ""},
		{"origins in two lines", Rules{}, at("POST", "/mcp", "Origin: http://example.com", "Origin: http://example.com"), 403, 403, ReasonOrigin, "Origin http://example.com, http://example.com is not in the allowlist", ""},
		{"origin of another scheme", Rules{}, at("POST", "/mcp", "Origin: https://example.com"), 403, 403, ReasonOrigin, "Origin https://example.com is not in the allowlist", ""},
		{"origin of another port", Rules{}, at("POST", "/mcp", "Origin: http://example.com:8080"), 403, 403, ReasonOrigin, "Origin http://example.com:8080 is not in the allowlist", ""},
		{"origin loopback, but not the listener", Rules{}, at("POST", "/mcp", "Origin: http://localhost:6274"), 403, 403, ReasonOrigin, "Origin http://localhost:6274 is not in the allowlist", ""},
		{"origin, parent of a pattern", Rules{AllowedOrigins: []string{"https://*.example.org"}}, at("POST", "/mcp", "Origin: https://example.org"), 403, 403, ReasonOrigin, "Origin https://example.org is not in the allowlist", ""},
		{"origin, suffix of a pattern", Rules{AllowedOrigins: []string{"https://*.example.org"}}, at("POST", "/mcp", "Origin: https://evilexample.org"), 403, 403, ReasonOrigin, "Origin https://evilexample.org is not in the allowlist", ""},
		{"origin, GET", Rules{}, at("GET", "/", "Origin: http://evil.example"), 403, 403, ReasonOrigin, "Origin http://evil.example is not in the allowlist", ""},
		{"origin, DELETE", Rules{}, at("DELETE", "/mcp", "Origin: http://evil.example"), 403, 403, ReasonOrigin, "Origin http://evil.example is not in the allowlist", ""},
		{"origin, OPTIONS", Rules{}, at("OPTIONS", "/mcp", "Origin: http://evil.example", "Access-Control-Request-Method: POST"), 403, 403, ReasonOrigin, "Origin http://evil.example is not in the allowlist", ""},

		{"PUT", Rules{}, at("PUT", "/mcp"), 405, 405, ReasonMethod, "Method not allowed. Use POST /mcp.", "Allow: POST, GET, DELETE"},
		{"PUT, stateless", stateless, at("PUT", "/mcp"), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /mcp.", "Allow: POST"},
		{"PATCH", Rules{}, at("PATCH", "/mcp"), 405, 405, ReasonMethod, "Method not allowed. Use POST /mcp.", "Allow: POST, GET, DELETE"},
		{"GET, stateless", stateless, at("GET", "/mcp"), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /mcp.", "Allow: POST"},
		{"DELETE, stateless", stateless, at("DELETE", "/a\tb/"+strings.Repeat("p", 99)), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /ab/" + strings.Repeat("p", 60) + ".", "Allow: POST"},
		{"GET, modern only", Rules{Versions: []string{"2026-07-28"}}, at("GET", "/mcp"), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /mcp.", "Allow: POST"},
		{"GET, modern header", Rules{}, at("GET", "/", sse, "MCP-Protocol-Version: 2026-07-28"), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /.", "Allow: POST"},
		{"OPTIONS", Rules{}, at("OPTIONS", "/mcp", "Access-Control-Request-Method: POST"), 405, 405, ReasonMethod, "Method not allowed. Use POST /mcp.", "Allow: POST, GET, DELETE"},
		{"OPTIONS, no origin", Rules{AllowedOrigins: []string{"*"}}, at("OPTIONS", "/mcp", "Access-Control-Request-Method: POST"), 405, 405, ReasonMethod, "Method not allowed. Use POST /mcp.", "Allow: POST, GET, DELETE"},
		{"OPTIONS, no preflight", Rules{AllowedOrigins: []string{"*"}}, at("OPTIONS", "/mcp", "Origin: http://a.example"), 405, 405, ReasonMethod, "Method not allowed. Use POST /mcp.", "Allow: POST, GET, DELETE"},

		{"no token", bearer, at("POST", "/mcp"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, GET", bearer, at("GET", "/mcp", sse), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, DELETE", bearer, at("DELETE", "/mcp"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, page", bearer, at("GET", "/page"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, POST to a document", bearer, at("POST", "/.well-known/x"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, stream from a document", bearer, at("GET", "/.well-known/x", sse), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"no token, beside the documents", bearer, at("GET", "/.well-known/../mcp"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"other scheme", bearer, at("POST", "/mcp", "Authorization: Basic eDp5"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"scheme alone", bearer, at("POST", "/mcp", "Authorization: Bearer"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge + `, error="invalid_request"`},
		{"two tokens", bearer, at("POST", "/mcp", "Authorization: Bearer a b"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge + `, error="invalid_request"`},
		{"two lines", bearer, at("POST", "/mcp", "Authorization: Bearer a", "Authorization: Bearer a"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge + `, error="invalid_request"`},
		{"quoted token", bearer, at("POST", "/mcp", `Authorization: Bearer "a"`), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge + `, error="invalid_request"`},
		{"bare challenge", Rules{Bearer: &Bearer{}}, at("POST", "/mcp"), 401, 401, ReasonAuth, authText, "Www-Authenticate: Bearer"},
		{"token in the query", bearer, query(at("POST", "/mcp", "Authorization: Bearer a"), "a=b&access%5Ftoken=x"), 400, -32600, ReasonAuth, "An access token must not stand in the query. Send Authorization: Bearer <token>.", "Www-Authenticate: " + challenge + `, error="invalid_request"`},

		{"no type", Rules{}, at("POST", "/mcp", accept), 415, 415, ReasonMediaType, "Content-Type must be application/json.", ""},
		{"text", Rules{}, at("POST", "/mcp", "Content-Type: text/plain", accept), 415, 415, ReasonMediaType, "Content-Type must be application/json.", ""},
		{"json-rpc", Rules{}, at("POST", "/mcp", "Content-Type: application/json-rpc", accept), 415, 415, ReasonMediaType, "Content-Type must be application/json.", ""},
		{"type twice", Rules{}, at("POST", "/mcp", jsonType, jsonType, accept), 415, 415, ReasonMediaType, "Content-Type must be application/json.", ""},
		{"charset", Rules{}, at("POST", "/mcp", jsonType+"; charset=utf-7", accept), 415, 415, ReasonMediaType, "Content-Type must be application/json in UTF-8.", ""},
		{"encoding", Rules{}, at("POST", "/mcp", jsonType, "Content-Encoding: gzip", accept), 415, 415, ReasonMediaType, "Content-Encoding is not supported on requests.", ""},

		{"no accept", Rules{}, at("POST", "/mcp", jsonType), 406, 406, ReasonAccept, "Accept must include application/json and text/event-stream.", ""},
		{"json only", Rules{}, at("POST", "/mcp", jsonType, "Accept: application/json"), 406, 406, ReasonAccept, "Accept must include application/json and text/event-stream.", ""},
		{"stream only", Rules{}, at("POST", "/mcp", jsonType, sse), 406, 406, ReasonAccept, "Accept must include application/json and text/event-stream.", ""},
		{"weight 0", Rules{}, at("POST", "/mcp", jsonType, "Accept: */*, application/json;q=0.0"), 406, 406, ReasonAccept, "Accept must include application/json and text/event-stream.", ""},
		{"GET without accept", Rules{}, at("GET", "/mcp"), 406, 406, ReasonAccept, "Accept must include text/event-stream.", ""},
		{"GET json", Rules{}, at("GET", "/x", "Mcp-Session-Id: a", "Accept: application/json"), 406, 406, ReasonAccept, "Accept must include text/event-stream.", ""},

		{"declared size", Rules{}, long(at("POST", "/mcp", jsonType, accept), DefaultMaxBody+1), 413, 413, ReasonTooLarge, "Request body is larger than 262144 bytes.", ""},
		{"declared size in the header", Rules{MaxBody: 9}, at("POST", "/mcp", jsonType, accept, "Content-Length: 10"), 413, 413, ReasonTooLarge, "Request body is larger than 9 bytes.", ""},

		{"GET version", Rules{}, at("GET", "/mcp", sse, "MCP-Protocol-Version: 2025-01-01"), 400, -32022, ReasonVersion, unsupportedText("2025-01-01"), ""},
		{"DELETE version", Rules{}, at("DELETE", "/mcp", "MCP-Protocol-Version: 1"), 400, -32022, ReasonVersion, unsupportedText("1"), ""},
		{"GET session", Rules{}, at("GET", "/mcp", sse, "Mcp-Session-Id: é"), 400, -32600, ReasonSession, "Mcp-Session-Id must be one value of visible ASCII characters.", ""},
		{"DELETE session", Rules{}, at("DELETE", "/mcp", "Mcp-Session-Id: "), 400, -32600, ReasonSession, "Mcp-Session-Id must be one value of visible ASCII characters.", ""},

		// Two rungs broken: the earlier one answers.
		{"host before origin", Rules{}, local("evil.example", "Origin: http://evil.example"), 403, 403, ReasonHost, "Host evil.example is not in the allowlist", ""},
		{"origin before method", Rules{}, at("PUT", "/mcp", "Origin: null"), 403, 403, ReasonOrigin, "Origin null is not in the allowlist", ""},
		{"method before token", Rules{Stateless: true, Bearer: &Bearer{}}, at("GET", "/mcp"), 405, 405, ReasonMethod, "Method not allowed in stateless mode. Use POST /mcp.", "Allow: POST"},
		{"token before type", bearer, at("POST", "/mcp", "Content-Type: text/plain"), 401, 401, ReasonAuth, authText, "Www-Authenticate: " + challenge},
		{"type before accept", Rules{}, at("POST", "/mcp", "Content-Type: text/plain"), 415, 415, ReasonMediaType, "Content-Type must be application/json.", ""},
		{"accept before size", Rules{}, long(at("POST", "/mcp", jsonType), DefaultMaxBody+1), 406, 406, ReasonAccept, "Accept must include application/json and text/event-stream.", ""},
		{"accept before version", Rules{}, at("GET", "/mcp", "MCP-Protocol-Version: 1"), 406, 406, ReasonAccept, "Accept must include text/event-stream.", ""},
		{"version before session", Rules{}, at("DELETE", "/mcp", "MCP-Protocol-Version: 1", "Mcp-Session-Id: "), 400, -32022, ReasonVersion, unsupportedText("1"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kind, f := tt.rules.CheckHead(tt.head)
			if f == nil {
				t.Fatalf("passed as %s", kind)
			}
			if f.Status != tt.status || f.Code != tt.code || f.Reason != tt.reason || f.Text != tt.text || f.ID != nil {
				t.Errorf("got %d %d %s %q, want %d %d %s %q", f.Status, f.Code, f.Reason, f.Text, tt.status, tt.code, tt.reason, tt.text)
			}
			want := http.Header(nil)
			if name, value, ok := strings.Cut(tt.header, ": "); ok {
				want = http.Header{name: {value}}
			}
			for name := range want {
				if f.Header.Get(name) != want.Get(name) {
					t.Errorf("%s: %q, want %q", name, f.Header.Get(name), want.Get(name))
				}
			}
			if len(f.Header) != len(want) {
				t.Errorf("headers %v, want %v", f.Header, want)
			}
		})
	}
}

func TestCheckHeadPasses(t *testing.T) {
	auth := Rules{Bearer: &Bearer{Realm: "x"}}
	post := func(lines ...string) *Head { return at("POST", "/mcp", append(lines, jsonType, accept)...) }
	tls := func(h *Head) *Head { h.TLS = true; return h }
	tests := []struct {
		name  string
		rules Rules
		head  *Head
		want  Kind
	}{
		{"post", Rules{}, post(), Post},
		{"post anywhere", Rules{}, at("POST", "/", jsonType, accept), Post},
		{"post, stateless", Rules{Stateless: true}, post(), Post},
		{"type with charset", Rules{}, at("POST", "/", `Content-Type: Application/JSON; charset="UTF-8"`, accept), Post},
		{"identity", Rules{}, post("Content-Encoding: identity"), Post},
		{"accept anything", Rules{}, at("POST", "/", jsonType, "Accept: */*"), Post},
		{"accept by kinds", Rules{}, at("POST", "/", jsonType, "Accept: application/*;q=0.5", "Accept: text/*"), Post},
		{"accept turned round", Rules{}, at("POST", "/", jsonType, "Accept: Text/Event-Stream;q=0.1 , application/json"), Post},
		{"size at the limit", Rules{}, long(post(), DefaultMaxBody), Post},
		{"session id waits for the body", Rules{}, post("Mcp-Session-Id: a b"), Post},

		{"stream", Rules{}, at("GET", "/", sse), Listen},
		{"stream by path", Rules{}, at("GET", "/a/mcp/", "Accept: */*"), Listen},
		{"stream by sse path", Rules{}, at("GET", "/sse", "Accept: text/*"), Listen},
		{"stream by session", Rules{}, at("GET", "/", "Mcp-Session-Id: a", "Accept: */*"), Listen},
		{"stream by version", Rules{}, at("GET", "/", "MCP-Protocol-Version: 2025-06-18", sse), Listen},
		{"stream by event", Rules{}, at("GET", "/", "Last-Event-ID: 5", "Accept: */*"), Listen},
		{"end", Rules{}, at("DELETE", "/mcp", "Mcp-Session-Id: a"), End},

		{"page", Rules{}, at("GET", "/", "Accept: text/html, */*"), NotMCP},
		{"health check", Rules{Stateless: true}, at("GET", "/healthz"), NotMCP},
		{"head", Rules{}, at("HEAD", "/mcp"), NotMCP},
		{"page with a token", auth, at("GET", "/page", "Authorization: Bearer x"), NotMCP},
		{"document", auth, query(at("GET", "/.well-known/oauth-protected-resource/mcp", "Origin: http://evil.example", "MCP-Protocol-Version: 2025-06-18"), "access_token=x"), NotMCP},
		{"document, appended", auth, at("GET", "/tenant/.well-known/openid-configuration", "MCP-Protocol-Version: 2025-06-18"), NotMCP},
		{"document, preflight", auth, at("OPTIONS", "/.well-known/x", "Origin: http://evil.example"), NotMCP},
		{"document, other host", Rules{AllowedHosts: []string{"a"}}, at("GET", "/.well-known/x"), NotMCP},

		{"preflight", Rules{AllowedOrigins: []string{"https://app.example"}, Bearer: &Bearer{}}, at("OPTIONS", "/mcp", "Origin: https://app.example", "Access-Control-Request-Method: POST"), Preflight},

		{"token", auth, post("Authorization: Bearer abc.DEF-1_2~+/=="), Post},
		{"token, scheme in lower case", auth, post("Authorization: bearer  12|abc"), Post},
		{"query of another name", auth, query(post("Authorization: Bearer x"), "my_access_token=1&x=access_token"), Post},

		{"own origin", Rules{}, post("Origin: http://example.com"), Post},
		{"own origin with port", Rules{}, post("Origin: HTTP://Example.COM:80"), Post},
		{"own origin, tls", Rules{}, tls(post("Origin: https://example.com")), Post},
		{"listed origin", Rules{AllowedOrigins: []string{"https://APP.example:443"}}, post("Origin: https://app.example"), Post},
		{"origin of any port", Rules{AllowedOrigins: []string{"http://dev.example:*"}}, post("Origin: http://dev.example:5173"), Post},
		{"origin by pattern", Rules{AllowedOrigins: []string{"https://*.example.org"}}, post("Origin: https://a.b.example.org"), Post},
		{"any origin", Rules{AllowedOrigins: []string{"*"}}, post("Origin: https://whoever.example"), Post},
		{"origin of an extension", Rules{AllowedOrigins: []string{"vscode-webview://abc"}}, post("Origin: vscode-webview://abc"), Post},
		{"loopback origin on loopback", Rules{}, local("127.0.0.1:8080", "Origin: http://localhost:6274"), Post},
		{"own origin on loopback", Rules{}, local("[::1]:8080", "Origin: http://[::1]:8080"), Post},

		{"localhost", Rules{}, local("LOCALHOST.:8080"), Post},
		{"127/8", Rules{}, local("127.9.9.9"), Post},
		{"::1", Rules{}, local("[::1]"), Post},
		{"listed host on loopback", Rules{AllowedHosts: []string{"mcp.example"}}, local("mcp.example:8080"), Post},
		{"loopback name beside a list", Rules{AllowedHosts: []string{"mcp.example"}}, local("localhost:8080"), Post},
		{"listed host", Rules{AllowedHosts: []string{"Example.com"}}, post(), Post},
		{"listed host and port", Rules{AllowedHosts: []string{"example.com:80"}}, post(), Post},
		{"host by pattern", Rules{AllowedHosts: []string{"*.com"}}, post(), Post},
		{"any host", Rules{AllowedHosts: []string{"*"}}, local("evil.example"), Post},
		{"IPv6 host", Rules{AllowedHosts: []string{"2001:db8::1"}}, func() *Head { h := post(); h.Host = "[2001:db8::1]:443"; return h }(), Post},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kind, f := tt.rules.CheckHead(tt.head)
			if f != nil || kind != tt.want {
				t.Errorf("got %s, %+v; want %s", kind, f, tt.want)
			}
		})
	}
}

func TestHostPorts(t *testing.T) {
	for _, host := range []string{"localhost:", "localhost:0", "localhost:99999", "localhost:+1", "localhost:080", "[::1", "[::1]8080", "[::1%25lo]", "[127.0.0.1]", "local host", "localhost/..", "a@localhost"} {
		if _, f := new(Rules).CheckHead(local(host)); f == nil {
			t.Errorf("%q passed", host)
		}
	}
}

func TestValidate(t *testing.T) {
	good := Rules{Versions: []string{"2025-06-18"}, AllowedOrigins: []string{"*", "https://a.example", "https://*.b.example:8443/", "http://[::1]:*", "vscode-webview://x"},
		AllowedHosts: []string{"*", "a", "*.b.example", "[::1]:8080", "2001:db8::1", "10.0.0.1:80"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Rules{
		{Versions: []string{"latest"}}, {Versions: []string{"2025-6-18"}},
		{AllowedOrigins: []string{"a.example"}}, {AllowedOrigins: []string{"https://a.example/path"}}, {AllowedOrigins: []string{"https://a.example:x"}}, {AllowedOrigins: []string{"null"}}, {AllowedOrigins: []string{""}}, {AllowedOrigins: []string{"https://*"}},
		{AllowedHosts: []string{"https://a"}}, {AllowedHosts: []string{""}}, {AllowedHosts: []string{"a*b"}}, {AllowedHosts: []string{"a:0"}},
		{MaxBody: -1},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		NotMCP.String(): "not_mcp", Post.String(): "post", Listen.String(): "listen", End.String(): "end", Preflight.String(): "preflight",
		Legacy.String(): "legacy", Modern.String(): "modern", Call.String(): "call", Notification.String(): "notification", Response.String(): "response",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func BenchmarkCheckHead(b *testing.B) {
	r := Rules{Bearer: &Bearer{Realm: "mcp"}}
	r.Defaults()
	h := at("POST", "/mcp", jsonType, accept, "Authorization: Bearer abc", "MCP-Protocol-Version: 2026-07-28", "Origin: http://example.com")
	b.ReportAllocs()
	for b.Loop() {
		if _, f := r.CheckHead(h); f != nil {
			b.Fatal(f.Text)
		}
	}
}
