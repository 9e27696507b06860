package caddymodule

// acquire takes the calls of the request into the limits that apply to them.
func (x *exchange) acquire() *denial { return nil }

// settleLimits gives back what acquire took. It runs once, after the answer.
func (x *exchange) settleLimits() {}
