package limits

import (
	"context"
	"time"
)

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
