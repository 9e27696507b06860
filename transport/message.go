package transport

import "strings"

// MessageKind is one of the three JSON-RPC messages.
type MessageKind int

const (
	// Call is a request: it has a method and an id.
	Call MessageKind = iota
	// Notification has a method and no id.
	Notification
	// Response has a result or an error.
	Response
)

// String is the kind's name, fit for a label.
func (k MessageKind) String() string {
	switch k {
	case Notification:
		return "notification"
	case Response:
		return "response"
	}
	return "call"
}

// Message is one JSON-RPC message of a request. Its byte slices are parts of the body that was checked.
type Message struct {
	Kind   MessageKind
	ID     []byte // raw token, byte for byte; nil when absent
	Method string // "" in a response
	Params []byte // raw object; nil when absent
	// Tool is params.name of tools/call, unescaped.
	Tool string
	// Name is what Mcp-Name mirrors: params.name of tools/call and prompts/get, params.uri of resources/…,
	// params.taskId of tasks/…; "" elsewhere and when it is no string.
	Name string
	// Arguments is the raw params.arguments, whatever its type; nil when absent.
	Arguments []byte
	// Task is true for a legacy tools/call that asks to run as a task (params.task, 2025-11-25).
	Task bool
}

const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodCall       = "tools/call"
	methodGet        = "prompts/get"
	methodRead       = "resources/read"
	notifications    = "notifications/"
)

// requests are the methods that the specification defines with an answer. A message that calls one without an id
// is refused: nothing would come back, and it would pass the limits as a notification.
var requests = interned(methodInitialize, "ping", methodDiscover, "tools/list", methodCall, "resources/list",
	"resources/templates/list", methodRead, "resources/subscribe", "resources/unsubscribe", "prompts/list", methodGet,
	"completion/complete", "logging/setLevel", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel",
	"tasks/update", "subscriptions/listen")

func interned(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for _, n := range names {
		m[n] = n
	}
	return m
}

// Throttled reports whether calls of a method may be refused for limits. The handshake, discovery, ping,
// notifications and responses (method "") never are: clients answer a refusal there by giving up the connection
// or by falling back to an older protocol for good.
func Throttled(method string) bool {
	switch method {
	case "", methodInitialize, methodDiscover, "ping":
		return false
	}
	return !strings.HasPrefix(method, notifications)
}

// text is the value of a raw JSON string; false when raw is something else.
func text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return string(unquote(raw)), true
}

// toMessage applies the rules of shape to the members of one object. A refusal carries the id when the message
// is a request, or was meant as one.
func (f *fields) toMessage() (Message, *Refusal) {
	var m Message
	if f.method == nil && (f.result != nil || f.err != nil) {
		m.Kind = Response
	}
	if isID(f.id) && !f.idRepeated {
		m.ID = f.id
	}
	bad := func(reason, text string) (Message, *Refusal) {
		id := m.ID
		if m.Kind == Response {
			id = nil
		}
		return m, badRequest(CodeInvalidRequest, reason, "Invalid Request: "+text, id)
	}
	switch {
	case f.repeated != nil:
		return bad(ReasonDuplicateKey, "the key '"+echo(string(f.repeated))+"' repeats")
	case f.variant != nil:
		return bad(ReasonDuplicateKey, "the key '"+echo(string(f.variant))+"' differs from the protocol's only in case")
	}
	if v, _ := text(f.jsonrpc); v != "2.0" {
		return bad(ReasonInvalidRequest, `jsonrpc must be "2.0"`)
	}
	if f.id != nil && m.ID == nil {
		return bad(ReasonInvalidRequest, "id must be a string or an integer")
	}
	if f.method == nil {
		switch {
		case m.Kind != Response:
			return bad(ReasonInvalidRequest, "method is missing")
		case f.result != nil && f.err != nil:
			return bad(ReasonInvalidRequest, "a response has either result or error")
		case f.result != nil && f.id == nil:
			return bad(ReasonInvalidRequest, "a result needs an id")
		}
		return m, nil
	}
	if f.method[0] != '"' || len(f.method) == 2 {
		return bad(ReasonInvalidRequest, "method must be a string")
	}
	if f.result != nil || f.err != nil {
		return bad(ReasonInvalidRequest, "a message has either method or result or error")
	}
	if f.params != nil && f.params[0] != '{' {
		return bad(ReasonInvalidRequest, "params must be an object")
	}
	method := unquote(f.method)
	name, known := requests[string(method)]
	if !known {
		name = string(method)
	}
	m.Method = name
	if f.id == nil {
		m.Kind = Notification
		if known {
			return bad(ReasonInvalidRequest, "id is missing")
		}
	}
	m.Params, m.Arguments = f.params, f.arguments
	m.Name, _ = text(f.named(m.Method))
	if m.Method == methodCall {
		m.Tool, m.Task = m.Name, f.task != nil
	}
	return m, nil
}

// named is the raw member of params that says what a method acts on.
func (f *fields) named(method string) []byte {
	switch {
	case method == methodCall || method == methodGet:
		return f.name
	case strings.HasPrefix(method, "resources/"):
		return f.uri
	case strings.HasPrefix(method, "tasks/"):
		return f.taskID
	}
	return nil
}

// isID accepts a string or an integer. A fraction of zeros ("1.0") is the same integer to every reader; an
// exponent is not, so it is no id.
func isID(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '"' {
		return true
	}
	fraction := false
	for i, c := range raw {
		switch {
		case c == '.':
			fraction = true
		case c == '-' && i == 0 || c == '0':
		case c < '0' || c > '9' || fraction:
			return false
		}
	}
	return true
}
