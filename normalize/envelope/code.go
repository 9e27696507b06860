package envelope

import "github.com/caddymcp/gateway/normalize/sanitize"

// Code is one of the stable codes of a failure. Clients branch on it.
type Code string

// The codes. Their wording is the contract of existing clients.
const (
	SSRFBlocked            Code = "ssrf_blocked"
	UpstreamNonJSON        Code = "upstream_non_json"
	OutputValidationFailed Code = "output_validation_failed"
	BadRequest             Code = "bad_request"
	AuthFailed             Code = "auth_failed"
	Forbidden              Code = "forbidden"
	NotFound               Code = "not_found"
	RateLimited            Code = "rate_limited"
	AtCapacity             Code = "at_capacity"
	ServiceDisabled        Code = "service_disabled"
	ServiceUnavailable     Code = "service_unavailable"
	UpstreamError          Code = "upstream_error"
	UpstreamClientError    Code = "upstream_client_error"
	UpstreamUnknown        Code = "upstream_unknown"
)

// Class tells an agent how to react to a failure.
type Class string

// The classes.
const (
	// Validation: fix the arguments; the same call will fail again.
	Validation Class = "validation"
	// Permission: access must be granted first.
	Permission Class = "permission"
	// Retryable: the same call may succeed later.
	Retryable Class = "retryable"
	// Dependency: something behind the tool failed; retry with back-off.
	Dependency Class = "dependency"
	// Terminal: retrying will not help.
	Terminal Class = "terminal"
)

// The two ways of backing off.
const (
	Fixed       = "fixed"
	Exponential = "exponential"
)

const defaultJitter = 0.2

// row is one line of the table.
type row struct {
	code   Code
	status int // 0: the failure's own, or none
	class  Class
	hint   *RetryHint
	text   sanitize.Safe
}

func hint(ms int64, attempts int, backoff string) *RetryHint {
	return &RetryHint{RetryAfterMS: ms, MaxAttempts: attempts, Backoff: backoff, Jitter: defaultJitter}
}

// hintOtherwise serves a code whose class was overridden to one with a hint.
var hintOtherwise = *hint(1000, 2, Exponential)

// table is the only place where code, status, class, hint and fixed text meet.
var table = []row{
	{SSRFBlocked, 0, Permission, nil, sanitize.Const("Permission Error: the address is private or reserved and may not be reached. Use a public address.")},
	{UpstreamNonJSON, 0, Dependency, hint(1000, 2, Exponential), sanitize.Const("Error: the service behind this tool answered with something that is not valid JSON. Try again later.")},
	{OutputValidationFailed, 0, Terminal, nil, sanitize.Const("Error: the tool returned a result that breaks its own output schema. Retrying the same call will not help.")},
	{BadRequest, 400, Validation, nil, sanitize.Const("Validation Error: the arguments of this call were refused. Check them against the tool's input schema.")},
	{AuthFailed, 401, Permission, nil, sanitize.Const("Permission Error: authentication failed. Retrying will not help; valid credentials are needed first.")},
	{Forbidden, 403, Permission, nil, sanitize.Const("Permission Error: access was denied. Retrying will not help; access must be granted first.")},
	{NotFound, 404, Terminal, nil, sanitize.Const("Error: what was asked for does not exist. Check the name or the id.")},
	{RateLimited, 429, Retryable, hint(1000, 3, Fixed), sanitize.Const("Error: rate limit reached. Try again later.")},
	{AtCapacity, 503, Retryable, hint(1000, 3, Fixed), sanitize.Const("Error: too many calls are running at the same time. Try again when one has ended.")},
	{ServiceDisabled, 503, Terminal, nil, sanitize.Const("Error: this service is switched off. It stays off until somebody switches it on again.")},
	{ServiceUnavailable, 503, Retryable, hint(1000, 3, Fixed), sanitize.Const("Error: the service behind this tool is unavailable. Try again later.")},
	{UpstreamError, 500, Dependency, hint(1000, 3, Exponential), sanitize.Const("Error: the service behind this tool failed with an internal error. Try again later.")},
	{UpstreamClientError, 400, Terminal, nil, sanitize.Const("Error: the service behind this tool refused the request. Retrying the same call will not help.")},
	{UpstreamUnknown, 0, Terminal, nil, sanitize.Const("Error: the tool failed for a reason that it did not state. Retrying the same call will not help.")},
}

func (c Code) row() row {
	for _, r := range table {
		if r.code == c {
			return r
		}
	}
	return table[len(table)-1]
}

// Known reports whether c is one of the codes.
func (c Code) Known() bool { return c == UpstreamUnknown || c.row().code == c }

// Class returns the class of the code by default.
func (c Code) Class() Class { return c.row().class }

// Status returns the HTTP status that the code stands for, or 0.
func (c Code) Status() int { return c.row().status }

// Text returns the fixed text of the code.
func (c Code) Text() sanitize.Safe { return c.row().text }

// Codes returns all codes, in the order of the documentation.
func Codes() []Code {
	out := make([]Code, len(table))
	for i, r := range table {
		out[i] = r.code
	}
	return out
}

// Known reports whether c is one of the classes.
func (c Class) Known() bool {
	switch c {
	case Validation, Permission, Retryable, Dependency, Terminal:
		return true
	}
	return false
}
