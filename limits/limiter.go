package limits

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limiter decides calls against limits. [Memory] and [Redis] implement it and behave alike; both are safe for
// concurrent use.
type Limiter interface {
	// Acquire decides one call over all its tiers, all or nothing. A refusal is a Decision, not an error. The error is
	// that of ctx, an invalid call, or [ErrClosed]; the Decision is then zero. The caller must release
	// Decision.Lease when Allowed; releasing the zero Lease does nothing, so `defer d.Lease.Release()` is always right.
	Acquire(ctx context.Context, call Call) (Decision, error)
	// State returns what is known of at most max subjects, the busiest first. It reads local memory only.
	State(max int) []KeyState
	// Stats returns sums over all subjects.
	Stats() Stats
	// Hasher makes the subjects that this limiter counts.
	Hasher() *Hasher
	// Close gives up the limiter. Leases may still be released afterwards.
	Close() error
}

// MaxTiers bounds the tiers of one call.
const MaxTiers = 8

// Call is what has to be admitted: one request, or one JSON-RPC batch.
type Call struct {
	// Tiers that apply, outermost first. Not kept after Acquire has returned. No tiers: always admitted.
	Tiers []Tier
}

// Tier is one limit that applies to a call.
type Tier struct {
	// Name is what the operator calls the limit; it comes back in Decision.Tier. Never a credential.
	Name string
	// Subject is who is counted.
	Subject Subject
	// RPM is the most units in any 60 seconds, Concurrency the most leases at a time. 0 counts only.
	RPM, Concurrency int
	// Cost is the number of RPM units that the call takes, Slots the number of concurrency slots; a batch of three
	// calls at cost 2 has Cost 6 and Slots 3. 0 takes none (a listening stream has Cost 0 and Slots 1).
	Cost, Slots int
	// Shadow counts and reports but never refuses; see Decision.Shadow.
	Shadow bool
}

// Bound says what refused a call.
type Bound uint8

const (
	// None: the call is admitted.
	None Bound = iota
	// RPM: too many units in the last 60 seconds. RetryAfter is exact.
	RPM
	// Concurrency: all slots are taken. RetryAfter is an estimate.
	Concurrency
	// Unavailable: nothing could be decided (Redis is away and the policy is [Deny], or no room for another subject).
	Unavailable
)

// String returns "none", "rpm", "concurrency" or "unavailable".
func (b Bound) String() string {
	switch b {
	case RPM:
		return "rpm"
	case Concurrency:
		return "concurrency"
	case Unavailable:
		return "unavailable"
	}
	return "none"
}

// Count is a pair of units in the last 60 seconds and leases held, or of the limits on them.
type Count struct {
	RPM, Concurrency int
}

// Decision is the answer to a call.
type Decision struct {
	Allowed bool
	// Bound is what refused the call, None when it is allowed.
	Bound Bound
	// Tier is the name of the tier that refused, or of the tightest tier when the call is allowed; "" without limits.
	Tier string
	// RetryAfter is set on refusals. For RPM it is exact, to the millisecond: not earlier, and at that instant the call
	// would be admitted if nobody else were before it. For Concurrency it is an estimate from the mean holding time,
	// with jitter. For Unavailable it is one second.
	RetryAfter time.Duration
	// Current and Limits belong to Tier and come from the same snapshot as the decision. Current includes the call
	// itself when it is allowed; when it is refused, Current.Concurrency counts the refused call too and Current.RPM
	// does not.
	Current, Limits Count
	// Shadow names the shadow tiers that would have refused the call. Nil when there are none.
	Shadow []string
	// Fallback is set when Redis did not take part in the decision.
	Fallback bool
	// Lease holds the slots of an allowed call.
	Lease Lease
}

// KeyState is what is known of one subject under one tier.
type KeyState struct {
	Tier string
	// Key is the hashed key, as in Redis: no credential.
	Key string
	// Current is exact for memory, and as of the last answer from Redis otherwise.
	Current, Limits Count
	// Held is the number of slots that this process holds.
	Held int
	// Age is the time since the subject was last used here.
	Age time.Duration
}

// Stats are sums over all subjects of a limiter.
type Stats struct {
	// Keys is the number of subjects kept in this process, Held the slots that this process holds.
	Keys, Held int
}

// Clock returns monotonic time since any fixed origin. Only differences are used.
type Clock func() time.Duration

// Monotonic returns the clock of the process, with now as its origin.
func Monotonic() Clock {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// ErrClosed is returned by Acquire after Close.
var ErrClosed = errors.New("limiter is closed")

// maxUnits bounds every number of a tier: sums of them fit the 32-bit fields of the stored value.
const maxUnits = 1 << 28

func (c Call) check() error {
	if len(c.Tiers) > MaxTiers {
		return fmt.Errorf("a call has at most %d tiers, not %d", MaxTiers, len(c.Tiers))
	}
	for i := range c.Tiers {
		t := &c.Tiers[i]
		if t.RPM < 0 || t.Concurrency < 0 || t.Cost < 0 || t.Slots < 0 {
			return fmt.Errorf("tier %q: limits, cost and slots must not be negative", t.Name)
		}
		if t.RPM > maxUnits || t.Concurrency > maxUnits || t.Cost > maxUnits || t.Slots > maxUnits {
			return fmt.Errorf("tier %q: limits, cost and slots must not be above %d", t.Name, maxUnits)
		}
		if t.Subject == (Subject{}) {
			return fmt.Errorf("tier %q has no subject", t.Name)
		}
		for j := range i {
			if c.Tiers[j].Subject.ID == t.Subject.ID {
				return fmt.Errorf("tiers %q and %q have the same subject", c.Tiers[j].Name, t.Name)
			}
		}
	}
	return nil
}
