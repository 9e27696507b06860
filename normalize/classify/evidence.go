// Package classify turns the evidence of one failed call into a code, a class,
// a status, a wait and one safe text of at most three sentences.
//
// The text is composed from constants of this program and from checked slots;
// no run of a server's bytes is ever copied into it. What a phrase means stands
// as data in the catalogue_*.go files; the other files are the engine.
package classify

import (
	"net/http"
	"time"

	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
	"github.com/caddymcp/gateway/normalize/schema"
)

// Fault is what the gateway itself saw while it talked to the server.
type Fault int

// The faults.
const (
	NoFault   Fault = iota
	Refused         // the connection was refused
	Reset           // the connection was reset
	DNS             // the name did not resolve
	Timeout         // no answer in time
	Cut             // the answer stopped before its end
	Empty           // the answer had no body
	NotJSON         // the body was not the JSON it had to be
	WrongType       // the media type was neither JSON nor an event stream
	TooLarge        // the answer exceeded max_response_body
)

// Evidence is everything that is known about one failure. Every field may be
// zero; nothing in it is modified.
type Evidence struct {
	// Service, Method and Tool are what the caller asked for.
	Service, Method, Tool string

	// Arguments are the arguments of this call as sent, or nil.
	Arguments []byte

	// Schema is the tool's learned schema, or nil.
	Schema *schema.Tool

	// Texts are the text blocks of a result, in order.
	Texts []string

	// Structured is the structuredContent of a failing result, or nil.
	Structured []byte

	// RPCCode, Message and Data are those of a JSON-RPC error.
	RPCCode *int64
	Message string
	Data    []byte

	// Status is the HTTP status of the answer; 0 is unknown, 200 says nothing.
	Status int

	// Header is the answer's header, or nil.
	Header http.Header

	// Body is the head of an HTTP body that is no JSON-RPC message (64 KiB).
	Body []byte

	// Fault is what the gateway itself saw.
	Fault Fault
}

// Verdict is the outcome. Code, Class and Text are always set and valid.
type Verdict struct {
	Code  envelope.Code
	Class envelope.Class

	// Status is the HTTP status that the failure showed; 0 is none.
	Status int

	// Wait is the time to wait before the next attempt; 0 is unknown.
	Wait time.Duration

	// Text passes the final guard and has at most 600 characters.
	Text sanitize.Safe

	// Rule is the stable name of the rule that decided, such as "http.429".
	Rule string

	// Removed are the names of the sanitizing rules that the raw text hit.
	Removed []string

	// Trace reports that the raw text held a stack trace.
	Trace bool

	// Envelope is set when the failure already was an envelope: its valid
	// fields, with the text composed anew.
	Envelope *envelope.Envelope
}

// Classifier holds the settings. The zero value is strict and ready to use; it
// is safe for concurrent use.
type Classifier struct {
	// Lenient lets one masked sentence of the server through.
	Lenient bool

	// Literals are the operator's own secrets, or nil.
	Literals *sanitize.Literals
}
