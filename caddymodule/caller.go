package caddymodule

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/limits"
)

// callerKey is a text with placeholders that names who sent a request.
type callerKey struct {
	text string
	// name is the placeholder when the text is nothing else.
	name     string
	constant bool
	perTool  bool // differs between the calls of a batch
}

const (
	userID        = "http.auth.user.id"
	authorization = "http.request.header.Authorization"
	toolName      = "{http.mcp_gateway.tool}"
)

// defaultCaller is who is counted when the configuration does not say: the
// authenticated user, else the bearer token. The client's address follows when
// there is neither.
var defaultCaller = []callerKey{{text: "{" + userID + "}", name: userID}, {text: "{" + authorization + "}", name: authorization}}

// parseKeys reads the texts that name a caller. What {env.NAME} and the like
// stand for is known now.
func parseKeys(repl *caddy.Replacer, texts []string) ([]callerKey, error) {
	var keys []callerKey
	for _, s := range texts {
		text := repl.ReplaceKnown(s, "")
		if text == "" {
			return nil, errors.New("a text is empty")
		}
		k := callerKey{text: text, perTool: strings.Contains(text, toolName)}
		open, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
		switch {
		case open < 0 || end < open:
			k.constant = true
		case open == 0 && end == len(text)-1 && strings.Count(text, "{") == 1 && strings.Count(text, "}") == 1:
			k.name = text[1:end]
		}
		if strings.EqualFold(k.name, authorization) {
			k.name = authorization
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// value is what the text stands for in a request; empty when a placeholder has
// no value.
func (k *callerKey) value(x *exchange) string {
	switch {
	case k.constant:
		return k.text
	case k.name == authorization:
		return credential(x.r)
	case k.name == "http.vars.client_ip" || k.name == "http.request.remote.host":
		v, _ := x.repl.GetString(k.name)
		return network(v)
	case k.name != "":
		v, _ := x.repl.GetString(k.name)
		return v
	}
	v, err := x.repl.ReplaceOrErr(k.text, true, true)
	if err != nil {
		return ""
	}
	return v
}

// identity names who a request is counted for: the first key that has a value,
// else the client's address. It holds credentials: it is hashed, never shown.
// Keys of different kinds never give the same identity.
func (x *exchange) identity(keys []callerKey) string {
	for i := range keys {
		if v := keys[i].value(x); v != "" {
			return keys[i].text + "\x00" + v
		}
	}
	return "ip\x00" + x.clientNetwork()
}

// caller is the identity of the request's caller.
func (x *exchange) caller() string {
	if x.who == "" {
		x.who = x.identity(x.h.callerKeys)
	}
	return x.who
}

// callerSubject is the keyed hash of the caller, which is also the placeholder {http.mcp_gateway.key_hash}.
func (x *exchange) callerSubject() limits.Subject {
	if !x.known() {
		x.whoHash = x.h.backend().limiter.Hasher().Subject(callerScope, x.caller())
	}
	return x.whoHash
}

// known reports whether the caller has been hashed.
func (x *exchange) known() bool { return x.whoHash != (limits.Subject{}) }

// callerScope keeps the hash of a caller apart from those of limits.
const callerScope = "caller"

// credential is the value of Authorization, of a bearer token without the name
// of the scheme, whose case is free (RFC 9110, section 11.1).
func credential(r *http.Request) string {
	v := strings.TrimSpace(r.Header.Get("Authorization"))
	if scheme, token, ok := strings.Cut(v, " "); ok && strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token)
	}
	return v
}

// clientNetwork is the client's address, of IPv6 the /64: whoever has one has
// all of it.
func (x *exchange) clientNetwork() string {
	if v, ok := caddyhttp.GetVar(x.r.Context(), caddyhttp.ClientIPVarKey).(string); ok && v != "" {
		return network(v)
	}
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		host = x.r.RemoteAddr
	}
	return network(host)
}

// network returns an IPv4 address as it is and the /64 of an IPv6 address.
// What is no address stays as it is.
func network(s string) string {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return s
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, _ := a.Prefix(64) // 64 is valid for IPv6
	return p.String()
}
