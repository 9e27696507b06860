// Package transport holds the wire rules of MCP over Streamable HTTP: which requests may pass, what a JSON-RPC
// message says, and where one server-sent event ends and the next begins. It knows no HTTP server.
//
// A request goes through one ladder of checks, the first broken rung answers. CheckHead has the rungs that need
// no body, CheckBody the rest:
//
//	Host 403 → Origin 403 → method 405 → Authorization 401 → Content-Type 415 → Accept 406 → size 413
//	→ UTF-8 and JSON 400 → shape, batch, duplicate keys 400 → era, by the body
//	modern: envelope -32602 → headers repeated or different -32020 → version -32022 → Mcp-Method, Mcp-Name -32020
//	legacy: version -32022 → session id
package transport

import (
	"net/http"
	"strconv"
	"strings"
)

// Defaults of Rules.
const (
	DefaultMaxBody  = 256 << 10 // bytes
	DefaultMaxDepth = 64        // levels of objects and arrays
)

// CanonicalAccept is the Accept header that every server of the protocol understands. A request whose Accept
// passed by wildcards should go on with this one, because some servers refuse wildcards.
const CanonicalAccept = "application/json, text/event-stream"

// Rules are the transport rules. The zero value holds the defaults. Rules may be used by many requests at once
// as long as nobody changes them.
type Rules struct {
	// Versions accepted, in the order in which refusals name them. Default: DefaultVersions.
	Versions []string
	// Stateless refuses GET streams and DELETE. It is implied when no legacy version is accepted.
	Stateless bool
	// AllowedOrigins lists origins besides the request's own: "scheme://host[:port]", compared without regard to
	// case; a host "*.example.com" stands for one or more labels before it, a port "*" for any port, and "*"
	// alone for every origin but the opaque "null".
	AllowedOrigins []string
	// AllowedHosts lists host names, each with an optional port; without one, any port goes. "*.example.com"
	// stands for one or more labels before it, "*" alone for every host. Empty: every Host, but on a loopback
	// address only loopback names.
	AllowedHosts []string
	// MaxBody is the size limit of a request body in bytes. Default: DefaultMaxBody.
	MaxBody int64
	// Bearer, when set, asks for a token in the Authorization header.
	Bearer *Bearer
	// MaxDepth is how deep a request's JSON may nest. Default: DefaultMaxDepth.
	MaxDepth int
}

// Defaults fills every field that is zero and has a default.
func (r *Rules) Defaults() {
	if len(r.Versions) == 0 {
		r.Versions = DefaultVersions()
	}
	r.MaxBody, r.MaxDepth = r.maxBody(), r.maxDepth()
}

func (r *Rules) maxBody() int64 {
	if r.MaxBody <= 0 {
		return DefaultMaxBody
	}
	return r.MaxBody
}

func (r *Rules) maxDepth() int {
	if r.MaxDepth <= 0 {
		return DefaultMaxDepth
	}
	return r.MaxDepth
}

// Head is a request before its body. Header must have canonical keys, as net/http makes them.
type Head struct {
	Method, Path, RawQuery, Host string
	Header                       http.Header
	// ContentLength is the declared length of the body in bytes; 0 or less when unknown.
	ContentLength int64
	// TLS is true when the client speaks https to its first hop, as far as trusted proxies tell.
	TLS bool
	// LocalLoopback is true when the connection arrived on a loopback address.
	LocalLoopback bool
	// Upstream lists the versions that the server behind the gateway is known to speak; nil when unknown. It
	// narrows what refusals call supported, never what is accepted.
	Upstream []string
}

// Kind is what a request is to the gateway.
type Kind int

const (
	// NotMCP passes untouched: a health check, a browser, a document under /.well-known/.
	NotMCP Kind = iota
	// Post is a POST with JSON-RPC messages; CheckBody comes next.
	Post
	// Listen is a GET for the server's stream.
	Listen
	// End is the DELETE of a session.
	End
	// Preflight is a CORS preflight of an allowed origin.
	Preflight
)

// String is the kind's name, fit for a label.
func (k Kind) String() string {
	switch k {
	case Post:
		return "post"
	case Listen:
		return "listen"
	case End:
		return "end"
	case Preflight:
		return "preflight"
	}
	return "not_mcp"
}

// CheckHead decides what the request is and checks every rule that needs no body.
//
// A document under /.well-known/ is public and fetched across origins, so nothing is asked of reading it.
// Everything else has its Host and Origin checked, whatever the method, because the specification says "all
// incoming connections" (2026-07-28 basic/transports/streamable-http, Security), and its token, because a path
// that needs none belongs outside the gateway's matcher.
func (r *Rules) CheckHead(h *Head) (Kind, *Refusal) {
	if isDocument(h) {
		return NotMCP, nil
	}
	if f := r.checkHost(h); f != nil {
		return NotMCP, f
	}
	if f := r.checkOrigin(h); f != nil {
		return NotMCP, f
	}
	kind, f := r.kind(h)
	if f != nil || kind == Preflight {
		return kind, f
	}
	if f := r.checkBearer(h); f != nil {
		return kind, f
	}
	switch kind {
	case Post:
		return kind, r.checkPost(h)
	case Listen, End:
		return kind, r.checkStream(h, kind)
	}
	return kind, nil
}

// Document reports whether the request reads a well-known document, of which no credential is asked.
func (h *Head) Document() bool { return isDocument(h) }

// isDocument recognises the reading of a well-known document. A server that answers on every path would take a
// call or a stream there as well, so those are no documents.
func isDocument(h *Head) bool {
	switch h.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		return false
	}
	return strings.Contains(h.Path, "/.well-known/") && !strings.Contains(h.Path, "/..") &&
		len(h.Header[headerSession]) == 0 && !names(h.Header["Accept"], "text/event-stream")
}

// kind applies the method rung.
func (r *Rules) kind(h *Head) (Kind, *Refusal) {
	switch h.Method {
	case http.MethodPost:
		return Post, nil
	case http.MethodHead:
		return NotMCP, nil
	case http.MethodGet:
		if !isListen(h) {
			return NotMCP, nil
		}
		if r.stateless(h) {
			return Listen, methodRefusal(h, true)
		}
		return Listen, nil
	case http.MethodDelete:
		if r.stateless(h) {
			return End, methodRefusal(h, true)
		}
		return End, nil
	case http.MethodOptions:
		if len(r.AllowedOrigins) > 0 && len(h.Header["Origin"]) == 1 && len(h.Header["Access-Control-Request-Method"]) > 0 {
			return Preflight, nil
		}
	}
	return NotMCP, methodRefusal(h, r.stateless(h))
}

// stateless reports whether GET and DELETE mean nothing here: by configuration, because only modern versions are
// accepted, or because the request says that it is modern.
func (r *Rules) stateless(h *Head) bool {
	if r.Stateless || modernHeader(h.Header) {
		return true
	}
	for _, v := range r.versions() {
		if !IsModern(v) {
			return false
		}
	}
	return true
}

// isListen tells a client's GET stream from a browser or a health check.
func isListen(h *Head) bool {
	for _, name := range [...]string{headerSession, headerVersion, headerLast} {
		if len(h.Header[name]) > 0 {
			return true
		}
	}
	path := strings.TrimRight(h.Path, "/")
	switch strings.ToLower(path[strings.LastIndexByte(path, '/')+1:]) {
	case "mcp", "sse":
		return true
	}
	return names(h.Header["Accept"], "text/event-stream")
}

func methodRefusal(h *Head, stateless bool) *Refusal {
	text, allow := "Method not allowed. Use POST ", "POST, GET, DELETE"
	if stateless {
		text, allow = "Method not allowed in stateless mode. Use POST ", "POST"
	}
	f := refuse(http.StatusMethodNotAllowed, http.StatusMethodNotAllowed, ReasonMethod, text+echo(h.Path)+".")
	f.Header = http.Header{"Allow": {allow}}
	return f
}

func (r *Rules) checkPost(h *Head) *Refusal {
	if text := contentFault(h.Header); text != "" {
		return refuse(http.StatusUnsupportedMediaType, http.StatusUnsupportedMediaType, ReasonMediaType, text)
	}
	accept := h.Header["Accept"]
	if !isCanonical(accept) && !(admits(accept, "application", "json") && admits(accept, "text", "event-stream")) {
		return refuse(http.StatusNotAcceptable, http.StatusNotAcceptable, ReasonAccept,
			"Accept must include application/json and text/event-stream.")
	}
	length := h.ContentLength
	if declared := h.Header["Content-Length"]; length <= 0 && len(declared) == 1 {
		length, _ = strconv.ParseInt(declared[0], 10, 64) // a broken one is the HTTP server's to refuse
	}
	return r.checkSize(length)
}

func (r *Rules) checkSize(n int64) *Refusal {
	if n <= r.maxBody() {
		return nil
	}
	return refuse(http.StatusRequestEntityTooLarge, http.StatusRequestEntityTooLarge, ReasonTooLarge,
		"Request body is larger than "+strconv.FormatInt(r.maxBody(), 10)+" bytes.")
}

// checkStream has the rungs of GET and DELETE after the token. They are legacy by now.
func (r *Rules) checkStream(h *Head, kind Kind) *Refusal {
	if kind == Listen && !admits(h.Header["Accept"], "text", "event-stream") {
		return refuse(http.StatusNotAcceptable, http.StatusNotAcceptable, ReasonAccept, "Accept must include text/event-stream.")
	}
	if _, f := r.legacyVersion(h, nil); f != nil {
		return f
	}
	return checkSession(h, nil)
}

// checkSession refuses a session id that is not one line of visible ASCII (2025-11-25 basic/transports, "Session
// Management"). 404 would tell the client that its session is gone, so the answer is 400.
func checkSession(h *Head, id []byte) *Refusal {
	lines := h.Header[headerSession]
	if len(lines) == 0 {
		return nil
	}
	if len(lines) == 1 && isVisible(lines[0]) {
		return nil
	}
	return badRequest(CodeInvalidRequest, ReasonSession, "Mcp-Session-Id must be one value of visible ASCII characters.", id)
}

func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}
