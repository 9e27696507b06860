package limits

import (
	"context"
	"time"
)

// roundTrips is how many answers one operation waits for at most: a connection that is made for it has to log in first, which
// takes up to two, and a script that Redis has forgotten is sent again. Each answer has to come within the time-out, which the
// settings of NewClient see to. So a Redis that answers in time is of use however slow it is, and one that is silent is given
// up after one time-out. Were all of them to come within one, a connection that is not ready in time would be closed and
// made anew, for ever.
const roundTrips = 3

// agreeTrips is the same for the secret: one command sets it, another reads it.
const agreeTrips = 5

// deadline is a context that only has a deadline. go-redis hands that to the connection (and to the dialer), which needs no
// timer; context.WithTimeout would start and stop one for every operation.
type deadline struct {
	context.Context
	at time.Time
}

func newDeadline(d time.Duration) context.Context {
	return &deadline{context.Background(), time.Now().Add(d)}
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Err implements context.Context. Done stays nil: nobody waits for it.
func (d *deadline) Err() error {
	if time.Now().Before(d.at) {
		return nil
	}
	return context.DeadlineExceeded
}
