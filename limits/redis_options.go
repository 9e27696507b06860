package limits

import (
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"runtime"
	"time"
)

// OnFailure says what happens to calls while Redis is away.
type OnFailure uint8

const (
	// Local goes on with this process's own share of the limits: 1/Replicas of each. Calls that this process admitted
	// in the last minute count, whoever decided them. The default.
	Local OnFailure = iota
	// Allow admits everything. What was admitted is reported to Redis when it is back.
	Allow
	// Deny refuses everything with Bound Unavailable. When Redis is back without what it knew of a subject, that is refused
	// for 2 s more, in which the other processes say what they know: the limits hold over the loss.
	Deny
)

// ParseOnFailure reads "local", "allow" or "deny".
func ParseOnFailure(s string) (OnFailure, error) {
	switch s {
	case "local":
		return Local, nil
	case "allow":
		return Allow, nil
	case "deny":
		return Deny, nil
	}
	return Local, fmt.Errorf("on_failure is local, allow or deny, not %q", s)
}

// String is the inverse of ParseOnFailure.
func (f OnFailure) String() string { return [...]string{"local", "allow", "deny"}[f%3] }

const (
	// DefaultPrefix begins every key; the hash tag follows it.
	DefaultPrefix = "mg:v1:"
	// DefaultTimeout bounds the wait for one answer of Redis, DefaultLease is how long a silent process keeps its slots.
	DefaultTimeout = 100 * time.Millisecond
	DefaultLease   = 15 * time.Second
	minLease       = time.Second
	gatewayIDSize  = 8
	redisShards    = 64
)

// RedisOptions configure [NewRedis]. The zero value of every field is its default.
type RedisOptions struct {
	// Prefix of all keys, DefaultPrefix.
	Prefix string
	// Secret keys the HMAC of the subjects. Without one, the replicas agree on a random one through Redis.
	Secret []byte
	// Timeout bounds the wait for one answer of Redis; so long does the first call wait that finds Redis silent, twice so long
	// where no connection comes about. An operation that has to connect and log in first waits for three of them at most.
	// 100 ms.
	Timeout time.Duration
	// Lease is how long the slots of a silent process are kept, 15 s. They are renewed after a third of it.
	Lease time.Duration
	// Replicas is how many processes share the limits: each has 1/Replicas of them while Redis is away. 1.
	Replicas  int
	OnFailure OnFailure
	// MaxKeys bounds the subjects kept in this process, DefaultMaxKeys.
	MaxKeys int
	// MaxInFlight bounds the operations at one node at a time; make it the size of the client's pool per node.
	// 10 x GOMAXPROCS, as go-redis does.
	MaxInFlight int
	// Clock is Monotonic() by default, Rand the global source of math/rand/v2. Rand returns numbers in [0,1) and must be
	// safe for concurrent use.
	Clock    Clock
	Rand     func() float64
	Observer *Observer

	// For tests: a shorter minute, a source of time inside the script, no background work, a fixed process id, and the
	// Redis time in ms of every call that was granted.
	window  time.Duration
	source  func(string) string
	manual  bool
	id      string
	granted func(ms int64)
}

func (o *RedisOptions) defaults() error {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Replicas == 0 {
		o.Replicas = 1
	}
	if o.MaxKeys <= 0 {
		o.MaxKeys = DefaultMaxKeys
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 10 * runtime.GOMAXPROCS(0)
	}
	if o.Clock == nil {
		o.Clock = Monotonic()
	}
	if o.Rand == nil {
		o.Rand = mrand.Float64
	}
	if o.window == 0 {
		o.window = Window
	}
	if o.id == "" {
		b := make([]byte, gatewayIDSize)
		_, _ = rand.Read(b) // never fails, crypto/rand
		o.id = string(b)
	}
	switch {
	case o.Timeout < 0:
		return fmt.Errorf("timeout must be above 0, not %s", o.Timeout)
	case o.Lease < minLease:
		return fmt.Errorf("lease must be at least %s, not %s", minLease, o.Lease)
	case o.Replicas < 0:
		return fmt.Errorf("replicas must be at least 1, not %d", o.Replicas)
	case o.OnFailure > Deny:
		return errors.New("on_failure is local, allow or deny")
	case len(o.id) != gatewayIDSize:
		// A longer id would shift every field behind it in the stored value.
		return fmt.Errorf("the id of a process has %d bytes, not %d", gatewayIDSize, len(o.id))
	}
	return nil
}
