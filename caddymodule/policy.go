package caddymodule

import "github.com/caddymcp/gateway/normalize/envelope"

// denial is why the calls of a request are not made.
type denial struct {
	reason string // a word of a fixed set, for the log and the metric
	env    envelope.Envelope

	// calls are the envelopes of single calls of a batch, by their place; nil
	// gives every call the same.
	calls map[int]envelope.Envelope
}

// decide asks the policy whether the calls of the request may be made.
func (x *exchange) decide() *denial { return nil }

// settlePolicy ends what decide began. It runs once, after the answer.
func (x *exchange) settlePolicy() {}
