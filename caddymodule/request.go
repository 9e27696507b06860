package caddymodule

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/gateway/transport"
)

// headOf takes from the request what the rules of the transport need.
func (h *Handler) headOf(r *http.Request) transport.Head {
	head := transport.Head{
		Method: r.Method, Path: r.URL.Path, RawQuery: r.URL.RawQuery, Host: r.Host, Header: r.Header,
		ContentLength: r.ContentLength, TLS: overTLS(r), LocalLoopback: onLoopback(r),
	}
	if v := h.upstreamVersions.Load(); v != nil {
		head.Upstream = *v
	}
	return head
}

// overTLS reports whether the client speaks https to its first hop, as far as
// trusted proxies tell.
func overTLS(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	return trusted && r.Header.Get("X-Forwarded-Proto") == "https"
}

// onLoopback reports whether the connection arrived on a loopback address.
func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	ap, err := netip.ParseAddrPort(addr.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// firstRead is how much room a body gets that has not begun, in bytes. A longer
// one gets all that it says when so much has come: what is announced need not.
const firstRead = 16 << 10

// readBody reads the whole body before the proxy gets it: a proxy that streams
// the request loses answers that come before its end (golang/go#40747).
func (h *Handler) readBody(r *http.Request) ([]byte, *transport.Refusal, error) {
	limit := h.MaxRequestBody
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil, nil
	}
	var b bytes.Buffer
	if n := r.ContentLength; n > 0 && n <= min(limit, defaultMaxRequestBody) {
		first := min(n, firstRead)
		body := make([]byte, first+1)
		_, err := io.ReadFull(r.Body, body[:first])
		if err == nil && first < n {
			body = append(make([]byte, 0, n+1), body[:first]...)[:n+1]
			_, err = io.ReadFull(r.Body, body[first:n])
		}
		if err != nil {
			return h.badBody(err)
		}
		// Another handler may have put a longer body in its place.
		k, err := r.Body.Read(body[n:])
		if k == 0 && err == io.EOF {
			return body[:n:n], nil, nil
		}
		b.Write(body[:n+int64(k)])
	}
	_, err := b.ReadFrom(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return h.badBody(err)
	}
	if int64(b.Len()) > limit {
		return nil, transport.TooLarge(limit), nil
	}
	return b.Bytes(), nil, nil
}

// badBody is what a body that cannot be read is answered with.
func (h *Handler) badBody(err error) ([]byte, *transport.Refusal, error) {
	// request_body of Caddy and others refuse with a status of their own.
	var he caddyhttp.HandlerError
	if errors.As(err, &he) && he.StatusCode == http.StatusRequestEntityTooLarge {
		return nil, transport.TooLarge(h.MaxRequestBody), nil
	}
	var mb *http.MaxBytesError
	if errors.As(err, &mb) {
		return nil, transport.TooLarge(mb.Limit), nil
	}
	return nil, nil, caddyhttp.Error(http.StatusBadRequest, err)
}

// outgoing sets the headers of a request to the server. A key of the gateway is
// not for the server.
func (x *exchange) outgoing(r *http.Request) {
	if x.key != nil {
		r.Header.Del("Authorization")
	}
	if x.kind == transport.NotMCP {
		return
	}
	r.Header.Set("Accept-Encoding", "identity")
	if x.kind == transport.Post {
		r.Header.Set("Accept", transport.CanonicalAccept)
	}
}

// setBody gives the next handler the body that was checked. The buffer is not
// pooled: a transport may read it after the request has ended.
func setBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.TransferEncoding = nil
}

// privateScope names the caller for tool lists that must not be shared between
// authorization contexts (cacheScope private, MCP 2026-07-28, caching).
func privateScope(r *http.Request) string {
	sum := sha256.Sum256([]byte(r.Header.Get("Authorization") + "\x00" + r.Header.Get("Mcp-Session-Id")))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
