package transport

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// place is a host with its port; port is empty when none was written.
type place struct{ host, port string }

// parsePlace reads host[:port] in lower case, without the dot that may end a name. ok is false when it is none.
func parsePlace(s string) (p place, ok bool) {
	s = strings.ToLower(s)
	switch i := strings.IndexByte(s, ':'); {
	case strings.HasPrefix(s, "["):
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return place{}, false
		}
		addr, err := netip.ParseAddr(s[1:end])
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return place{}, false
		}
		p.host, s = s[:end+1], s[end+1:]
		if s != "" {
			if s[0] != ':' {
				return place{}, false
			}
			p.port = s[1:]
			return p, isPort(p.port)
		}
		return p, true
	case i >= 0:
		p.host, p.port = s[:i], s[i+1:]
		if !isPort(p.port) {
			return place{}, false
		}
	default:
		p.host = s
	}
	p.host = strings.TrimSuffix(p.host, ".")
	return p, isName(p.host)
}

func isPort(s string) bool {
	if s == "" || len(s) > 5 || len(s) > 1 && s[0] == '0' {
		return false
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 253 && s[0] != '.'
}

// isLoopback knows localhost, 127.0.0.0/8 and [::1].
func (p place) isLoopback() bool {
	if p.host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(p.host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

func (p place) withPort(scheme string) place {
	if p.port == "" {
		switch scheme {
		case "http":
			p.port = "80"
		case "https":
			p.port = "443"
		}
	}
	return p
}

// matchHost compares a host with a pattern: itself, "*.parent" for one or more labels before parent, or "*".
func matchHost(pattern, host string) bool {
	if pattern == "*" {
		return true
	}
	if parent, wild := strings.CutPrefix(pattern, "*"); wild {
		return len(host) > len(parent) && strings.HasSuffix(host, parent)
	}
	return pattern == host
}

// splitPattern parts the host of a pattern, in lower case, from its port.
func splitPattern(s string) (host, port string) {
	s = strings.ToLower(s)
	if strings.Count(s, ":") > 1 && !strings.HasPrefix(s, "[") {
		return "[" + s + "]", "" // an IPv6 address without brackets
	}
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		return strings.TrimSuffix(s[:i], "."), s[i+1:]
	}
	return strings.TrimSuffix(s, "."), ""
}

func scheme(tls bool) string {
	if tls {
		return "https"
	}
	return "http"
}

func (r *Rules) checkHost(h *Head) *Refusal {
	if len(r.AllowedHosts) == 0 && !h.LocalLoopback {
		return nil
	}
	if p, ok := parsePlace(h.Host); ok {
		if h.LocalLoopback && p.isLoopback() {
			return nil
		}
		for _, pattern := range r.AllowedHosts {
			host, port := splitPattern(pattern)
			if matchHost(host, p.host) && (port == "" || port == "*" || port == p.withPort(scheme(h.TLS)).port) {
				return nil
			}
		}
	}
	return refuse(http.StatusForbidden, http.StatusForbidden, ReasonHost, "Host "+echo(h.Host)+" is not in the allowlist")
}

func (r *Rules) checkOrigin(h *Head) *Refusal {
	lines := h.Header["Origin"]
	if len(lines) == 0 {
		return nil
	}
	if len(lines) == 1 && r.allowsOrigin(h, trimOWS(lines[0])) {
		return nil
	}
	return refuse(http.StatusForbidden, http.StatusForbidden, ReasonOrigin,
		"Origin "+echo(strings.Join(lines, ", "))+" is not in the allowlist")
}

func (r *Rules) allowsOrigin(h *Head, origin string) bool {
	sch, p, ok := parseOrigin(origin)
	if !ok {
		return false
	}
	p = p.withPort(sch)
	if own, ok := parsePlace(h.Host); ok && sch == scheme(h.TLS) && p == own.withPort(sch) {
		return true
	}
	if h.LocalLoopback && (sch == "http" || sch == "https") && p.isLoopback() {
		return true
	}
	for _, pattern := range r.AllowedOrigins {
		if pattern == "*" {
			return true
		}
		psch, rest, found := strings.Cut(strings.TrimSuffix(pattern, "/"), "://")
		if !found || !strings.EqualFold(psch, sch) {
			continue
		}
		host, port := splitPattern(rest)
		if matchHost(host, p.host) && (port == "*" || place{port: port}.withPort(sch).port == p.port) {
			return true
		}
	}
	return false
}

// parseOrigin reads scheme://host[:port] and nothing more (RFC 6454 section 6.1). The opaque origin "null" and
// lists are none.
func parseOrigin(s string) (sch string, p place, ok bool) {
	sch, rest, found := strings.Cut(s, "://")
	if !found || !isScheme(sch) {
		return "", place{}, false
	}
	p, ok = parsePlace(rest)
	return strings.ToLower(sch), p, ok
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || (s[i] < '0' || s[i] > '9') && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

// Validate says what is wrong with the rules as configured: a version that is no date, an origin or a host that
// could never match, a negative limit.
func (r *Rules) Validate() error {
	for _, v := range r.Versions {
		if !isDate(v) {
			return fmt.Errorf("protocol version %q is not a date of the form 2006-01-02", v)
		}
	}
	for _, o := range r.AllowedOrigins {
		sch, rest, found := strings.Cut(strings.TrimSuffix(o, "/"), "://")
		if o != "*" && (!found || !isScheme(sch) || !isPattern(rest)) {
			return fmt.Errorf("origin %q is not of the form scheme://host[:port]", o)
		}
	}
	for _, a := range r.AllowedHosts {
		if a != "*" && !isPattern(a) {
			return fmt.Errorf("host %q is not of the form host[:port]", a)
		}
	}
	if r.MaxBody < 0 || r.MaxDepth < 0 {
		return fmt.Errorf("a negative limit can never be kept")
	}
	return nil
}

func isPattern(s string) bool {
	host, port := splitPattern(s)
	if port != "" && port != "*" && !isPort(port) {
		return false
	}
	if _, bare := strings.CutPrefix(host, "*."); bare {
		host = host[2:]
	}
	_, ok := parsePlace(host)
	return ok
}
