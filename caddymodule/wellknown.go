package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/transport"
)

// MetadataPath is where the protected resource metadata stands: before the path
// of the resource (RFC 9728 section 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

// provision resolves what the refusals of credentials say, and reads the keys.
func (a *Auth) provision(ctx caddy.Context, repl *caddy.Replacer, service string) (*transport.Bearer, []string, error) {
	var realm, meta string
	var servers []string
	switch {
	case a.Bearer != nil && a.Keys != nil:
		return nil, nil, errors.New("auth: bearer and keys exclude each other")
	case a.Keys != nil:
		if err := a.Keys.provision(ctx, repl); err != nil {
			return nil, nil, fmt.Errorf("auth keys: %w", err)
		}
		realm, meta, servers = a.Keys.Realm, a.Keys.ResourceMetadata, a.Keys.AuthorizationServers
	case a.Bearer != nil:
		realm, meta, servers = a.Bearer.Realm, a.Bearer.ResourceMetadata, a.Bearer.AuthorizationServers
	default:
		return nil, nil, nil
	}
	b := new(transport.Bearer)
	var err error
	if b.Realm, err = replaced(repl, "realm", realm); err != nil {
		return nil, nil, err
	}
	if b.Realm == "" {
		b.Realm = service
	}
	if b.ResourceMetadata, err = replaced(repl, "resource_metadata", meta); err != nil {
		return nil, nil, err
	}
	if servers, err = replacedAll(repl, "authorization_servers", servers); err != nil {
		return nil, nil, err
	}
	for _, s := range servers {
		if err := issuer(s); err != nil {
			return nil, nil, fmt.Errorf("authorization_servers: %w", err)
		}
	}
	return b, servers, nil
}

// issuer checks the URL of an authorization server (RFC 8414 section 2).
func issuer(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return fmt.Errorf("%q is no URL of an issuer", s)
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q has a query or a fragment, which an issuer has not", s)
	case u.Scheme == "https":
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q must begin with https://", s)
}

// resourceURL is the URL of a path as the client sees it.
func resourceURL(r *http.Request, path string) string {
	u := url.URL{Scheme: "http", Host: r.Host, Path: path}
	if overTLS(r) {
		u.Scheme = "https"
	}
	return u.String()
}

// publicPath is the path that the client asked for, before anything rewrote it.
func publicPath(r *http.Request) string {
	if or, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok && or.URL != nil {
		return or.URL.Path
	}
	return r.URL.Path
}

// metadataURL is the URL of the document about the endpoint that was asked for.
func metadataURL(r *http.Request) string {
	path := publicPath(r)
	if path == "/" {
		path = ""
	}
	return resourceURL(r, MetadataPath+path)
}

// metadata answers a request for the protected resource metadata, when there
// are authorization servers to name. It needs no token and may be read by any
// origin.
func (h *Handler) metadata(w http.ResponseWriter, r *http.Request) bool {
	if len(h.authServers) == 0 {
		return false
	}
	path, ok := strings.CutPrefix(publicPath(r), MetadataPath)
	if !ok || path != "" && path[0] != '/' {
		return false
	}
	hd := w.Header()
	hd.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodOptions:
		hd.Set("Access-Control-Allow-Methods", "GET")
		hd.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
		w.WriteHeader(http.StatusNoContent)
		return true
	case http.MethodGet, http.MethodHead:
	default:
		return false
	}
	body := normalize.Marshal(struct {
		Resource string          `json:"resource"`
		Servers  []string        `json:"authorization_servers"`
		Methods  json.RawMessage `json:"bearer_methods_supported"`
		Name     string          `json:"resource_name"`
	}{resourceURL(r, path), h.authServers, json.RawMessage(`["header"]`), h.serviceName()})
	hd.Set("Content-Type", "application/json")
	hd.Set("Cache-Control", "public, max-age=300")
	hd.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // an error means that the client has left
	}
	return true
}
