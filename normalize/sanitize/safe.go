// Package sanitize is the only way from a server's text to the client.
//
// A raw string can never reach an envelope: envelopes carry [Safe], and Safe
// has no exported constructor that takes text from a server. Sentences are
// composed from constants of this program and from slots that were checked;
// they are not cleaned. See docs/envelope.md.
package sanitize

// Safe is text that may be shown to a client. The zero value is empty text.
type Safe struct{ s string }

// String returns the text.
func (s Safe) String() string { return s.s }

// IsZero reports whether there is no text.
func (s Safe) IsZero() bool { return s.s == "" }

// MarshalText lets Safe stand in JSON as a string.
func (s Safe) MarshalText() ([]byte, error) { return []byte(s.s), nil }

// constant is unexported so that other packages can pass only untyped
// constants: the compiler, not review, keeps variables out.
type constant string

// Const returns a constant of the program as safe text.
func Const(c constant) Safe { return Safe{string(c)} }
