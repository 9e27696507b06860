package limits

import "time"

// Observer is told what happens inside a limiter, for metrics and logs. Every field and the Observer itself may be nil.
// The functions are called on the path of a decision and must not block. No argument carries a credential.
type Observer struct {
	// Redis is called after every round trip with the node's address, the time it took and its error; scripts is the
	// number of scripts in it and decisions the number of calls that they decided.
	Redis func(node string, took time.Duration, scripts, decisions int, err error)
	// Fallback is called when a node is given up (away true) and when it answers again, with the time it was away. For a node
	// that is away when the limiter is closed it is called as if it were back, with ErrClosed.
	Fallback func(node string, away bool, d time.Duration, err error)
	// Overload is called when a call had to do without Redis because too many were waiting for a connection.
	Overload func(node string)
	// StateLost is called when Redis had lost a subject that this process had seen counted, and it was brought back.
	StateLost func(node string)
	// ClockStep is called when the clock of a node moved against that of this process by d.
	ClockStep func(node string, d time.Duration)
	// LeaseLost is called when slots could not be renewed in time.
	LeaseLost func(slots int)
	// Evicted is called when a subject that may still have been counted had to be dropped for another.
	Evicted func()
	// SecretChanged is called when the secret agreed on in Redis replaced the one in use: counts start anew.
	SecretChanged func()
}

func (o *Observer) redis(node string, took time.Duration, scripts, decisions int, err error) {
	if o != nil && o.Redis != nil {
		o.Redis(node, took, scripts, decisions, err)
	}
}

func (o *Observer) fallback(node string, away bool, d time.Duration, err error) {
	if o != nil && o.Fallback != nil {
		o.Fallback(node, away, d, err)
	}
}

func (o *Observer) overload(node string) {
	if o != nil && o.Overload != nil {
		o.Overload(node)
	}
}

func (o *Observer) stateLost(node string) {
	if o != nil && o.StateLost != nil {
		o.StateLost(node)
	}
}

func (o *Observer) clockStep(node string, d time.Duration) {
	if o != nil && o.ClockStep != nil {
		o.ClockStep(node, d)
	}
}

func (o *Observer) leaseLost(slots int) {
	if o != nil && o.LeaseLost != nil {
		o.LeaseLost(slots)
	}
}

func (o *Observer) evicted() {
	if o != nil && o.Evicted != nil {
		o.Evicted()
	}
}

func (o *Observer) secretChanged() {
	if o != nil && o.SecretChanged != nil {
		o.SecretChanged()
	}
}
