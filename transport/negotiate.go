package transport

import "net/http"

// CheckNegotiated checks the version that a server chose in its answer to initialize. The refusal goes to the
// client in the place of the answer, with HTTP 200: with another status clients would try the HTTP+SSE transport
// of 2024-11-05 (MCP 2025-11-25, lifecycle, version negotiation).
func (r *Rules) CheckNegotiated(version string, id []byte) *Refusal {
	if r.accepts(version) {
		return nil
	}
	f := r.unsupported(&Head{}, version, id)
	f.Status, f.Code, f.Text = http.StatusOK, CodeInvalidParams, "Unsupported protocol version"
	return f
}

// TooLarge refuses a request body above a limit in bytes that somebody else set.
func TooLarge(limit int64) *Refusal {
	r := Rules{MaxBody: limit}
	return r.checkSize(limit + 1)
}
