// Package policy decides whether a tool call may go to the server: who sees
// which tool, what is switched off, whether the arguments keep to the tool's
// schema, and whether they point into a private network.
//
// It knows neither Caddy nor HTTP and has no clock: the time is an argument.
// A refusal is an envelope; the text of a refusal is composed, never copied.
package policy
