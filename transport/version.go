package transport

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// The protocol revisions that the rules themselves speak of.
const (
	Version20250326 = "2025-03-26" // what a legacy request without a version header means; the only one with batches
	Version20260728 = "2026-07-28" // the first stateless one
)

var defaultVersions = []string{Version20260728, "2025-11-25", "2025-06-18", Version20250326, "2024-11-05", "2024-10-07"}

// DefaultVersions are the protocol versions accepted when none are configured, newest first.
func DefaultVersions() []string { return append([]string(nil), defaultVersions...) }

// Era is the generation of the protocol that one request speaks.
type Era int

const (
	// Legacy is 2025-11-25 and older: a handshake, optional sessions, GET streams.
	Legacy Era = iota
	// Modern is 2026-07-28 and newer: stateless, every request describes itself.
	Modern
)

// String is the era's name, fit for a label.
func (e Era) String() string {
	if e == Modern {
		return "modern"
	}
	return "legacy"
}

// IsModern reports whether version is a date of the stateless era.
func IsModern(version string) bool {
	return isDate(version) && version >= Version20260728
}

func isDate(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	for i := range len(s) {
		switch {
		case i == 4 || i == 7:
			if s[i] != '-' {
				return false
			}
		case s[i] < '0' || s[i] > '9':
			return false
		}
	}
	return true
}

const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerSession = "Mcp-Session-Id"
	headerLast    = "Last-Event-Id"
)

// versionHeader is the value of MCP-Protocol-Version. Several lines are one list (RFC 9110 section 5.3), which
// no version equals.
func versionHeader(h http.Header) (value string, present bool) {
	lines := h[headerVersion]
	switch len(lines) {
	case 0:
		return "", false
	case 1:
		return trimOWS(lines[0]), true
	}
	return strings.Join(lines, ", "), true
}

// modernHeader reports whether any version named in the header is modern.
func modernHeader(h http.Header) bool {
	for _, line := range h[headerVersion] {
		for v := range strings.SplitSeq(line, ",") {
			if IsModern(trimOWS(v)) {
				return true
			}
		}
	}
	return false
}

func trimOWS(s string) string { return strings.Trim(s, " \t") }

func (r *Rules) versions() []string {
	if len(r.Versions) == 0 {
		return defaultVersions
	}
	return r.Versions
}

func (r *Rules) accepts(version string) bool {
	for _, v := range r.versions() {
		if v == version {
			return true
		}
	}
	return false
}

// supported is what a refusal names: the accepted versions that the server behind the gateway is known to
// speak. When nothing is known, or nothing would be left, it is every accepted version.
func (r *Rules) supported(h *Head) []string {
	if len(h.Upstream) == 0 {
		return r.versions()
	}
	var both []string
	for _, v := range r.versions() {
		for _, u := range h.Upstream {
			if u == v {
				both = append(both, v)
				break
			}
		}
	}
	if len(both) == 0 {
		return r.versions()
	}
	return both
}

func (r *Rules) unsupported(h *Head, version string, id []byte) *Refusal {
	requested, list := echo(version), r.supported(h)
	data := []byte(`{"supported":[`)
	for i, v := range list {
		if i > 0 {
			data = append(data, ',')
		}
		data = gjson.AppendJSONString(data, v)
	}
	data = append(data, `],"requested":`...)
	data = append(gjson.AppendJSONString(data, requested), '}')
	f := badRequest(CodeVersion, ReasonVersion,
		"Unsupported MCP-Protocol-Version: "+requested+". Supported: "+strings.Join(list, ", ")+".", id)
	f.Data = data
	return f
}

// legacyVersion is the version of a legacy request: the header's, or 2025-03-26 without one
// (2025-11-25 basic/transports, "Protocol Version Header").
func (r *Rules) legacyVersion(h *Head, id []byte) (string, *Refusal) {
	version, present := versionHeader(h.Header)
	if !present {
		version = Version20250326
	}
	if !r.accepts(version) {
		return "", r.unsupported(h, version, id)
	}
	return version, nil
}
