package limits

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// BreakerKey says whose failures are added up.
type BreakerKey struct {
	// Service and Tool are shown on state pages and in events.
	Service, Tool string

	// Scope is empty (scope tool), or the opaque id of the caller's key or of
	// the session: a keyed hash, never the credential itself.
	Scope string
}

// maxBreakerKey bounds a key: what is longer is not tracked, its calls pass.
const maxBreakerKey = 512

type breakerID [16]byte

// id is the name under which a key is stored. ok is false for a key that is
// not tracked. It does not allocate.
func (k BreakerKey) id() (id breakerID, ok bool) {
	if len(k.Service)+len(k.Tool)+len(k.Scope) > maxBreakerKey {
		return id, false
	}
	if !utf8.ValidString(k.Service) || !utf8.ValidString(k.Tool) || !utf8.ValidString(k.Scope) {
		return id, false
	}
	var buf [maxBreakerKey + 8]byte
	b := binary.BigEndian.AppendUint32(buf[:0], uint32(len(k.Service)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(k.Tool)))
	b = append(append(append(b, k.Service...), k.Tool...), k.Scope...)
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	return id, true
}

// BreakerOutcome is how a call ended, for the breaker.
type BreakerOutcome uint8

const (
	// BreakerNeutral neither counts nor resets: the call never reached the
	// tool, or it failed in a way that says nothing about the tool's health.
	BreakerNeutral BreakerOutcome = iota

	// BreakerSuccess resets the count and closes the breaker.
	BreakerSuccess

	// BreakerFailure counts.
	BreakerFailure
)

// breakerClasses are the classes that a failure can have (docs/envelope.md).
var breakerClasses = []string{"validation", "permission", "retryable", "dependency", "terminal"}

// Defaults of BreakerRules.
const (
	DefaultBreakerFailures = 3
	DefaultBreakerCooldown = 30 * time.Second
	DefaultBreakerForget   = time.Hour
	minProbeLease          = time.Second
	maxProbeLease          = time.Minute
)

// BreakerRules says when a breaker opens and for how long.
type BreakerRules struct {
	// Failures in a row open the breaker. 0 is no breaker: every call passes.
	Failures int

	// Cooldown is how long calls are refused before one may probe.
	// 0 is manual: until a reset (or until a call that was already under way
	// succeeds).
	Cooldown time.Duration

	// ProbeLease is how long a probe may stay without an outcome before
	// another call may probe, so that a killed prober wedges nothing.
	// 0 is the cool-down, at least 1 s and at most 1 min.
	ProbeLease time.Duration

	// Forget drops a count that saw no failure for so long. 0 is 1 h. It does
	// not close a breaker that is open.
	Forget time.Duration

	// Classes of failures that count. Empty is dependency and retryable.
	Classes []string

	// Any counts failures of every class.
	Any bool
}

// Validate returns what is wrong with the rules, or nil.
func (r BreakerRules) Validate() error {
	switch {
	case r.Failures < 0:
		return errors.New("breaker: failures must not be negative")
	case r.Failures > 1_000_000:
		return errors.New("breaker: failures must be at most 1000000")
	case r.Cooldown < 0:
		return errors.New("breaker: cooldown must not be negative; use manual for a breaker that stays open until a reset")
	case r.Cooldown > 0 && r.Cooldown < 10*time.Millisecond:
		return errors.New("breaker: cooldown must be at least 10ms")
	case r.Cooldown > 24*time.Hour:
		return errors.New("breaker: cooldown must be at most 24h; use manual for a breaker that stays open until a reset")
	case r.ProbeLease < 0 || r.Forget < 0:
		return errors.New("breaker: durations must not be negative")
	}
	for _, c := range r.Classes {
		if !slices.Contains(breakerClasses, c) {
			return fmt.Errorf("breaker: unknown class %q; one of %s, or any", c, strings.Join(breakerClasses, ", "))
		}
	}
	return nil
}

// Outcome is the counting rule. class is the error class of the call's
// envelope, empty for a success; own says that the gateway itself refused the
// call. Refusals of the gateway never count, and a failure of a class that
// does not count neither counts nor resets: one caller's bad arguments must
// not close a tool for everyone, nor prove that it works.
func (r BreakerRules) Outcome(class string, own bool) BreakerOutcome {
	switch {
	case own:
		return BreakerNeutral
	case class == "":
		return BreakerSuccess
	case r.Any, slices.Contains(r.Classes, class):
		return BreakerFailure
	case len(r.Classes) == 0 && (class == "dependency" || class == "retryable"):
		return BreakerFailure
	}
	return BreakerNeutral
}

func (r BreakerRules) lease() time.Duration {
	if r.ProbeLease > 0 {
		return r.ProbeLease
	}
	return min(max(r.Cooldown, minProbeLease), maxProbeLease)
}

func (r BreakerRules) forget() time.Duration {
	if r.Forget > 0 {
		return r.Forget
	}
	return DefaultBreakerForget
}

// BreakerDecision answers Allow. The zero value lets the call pass.
type BreakerDecision struct {
	// Open: refuse the call.
	Open bool

	// Manual: it stays open until a reset; RetryAfter is 0.
	Manual bool

	// Failures in a row that opened it.
	Failures int

	// RetryAfter is the rest of the cool-down, or 1 s while a probe runs.
	RetryAfter time.Duration

	// Ticket is for Record. It is not 0 when this call is the probe.
	Ticket uint64
}

// Breaker stops calls to what keeps failing. Every Allow that was not refused
// must be followed by one Record with its ticket, in a defer: BreakerNeutral
// when the call was not made after all.
type Breaker interface {
	// Allow decides about a call. While nothing is open or failing it takes
	// no lock and allocates nothing. It never fails: without Redis it goes on
	// with what this process knows.
	Allow(ctx context.Context, key BreakerKey, now time.Time) BreakerDecision

	// Record tells how the call ended.
	Record(ctx context.Context, key BreakerKey, ticket uint64, outcome BreakerOutcome, now time.Time)
}

// BreakerStore holds the state of breakers. It outlives a configuration: the
// rules come with each Breaker.
type BreakerStore interface {
	// Breaker returns a breaker with rules on the store's state.
	Breaker(rules BreakerRules) Breaker

	// Reset closes the breakers that match, forgets their counts and returns
	// how many there were. An error means that other replicas were not told
	// yet; this process is reset all the same.
	Reset(ctx context.Context, filter BreakerFilter, now time.Time) (int, error)

	// State lists at most max breakers that are failing or open, open ones
	// first, then by service and tool.
	State(max int) []BreakerState
}

// BreakerFilter selects breakers; an empty field matches everything.
type BreakerFilter struct{ Service, Tool, Scope string }

func (f BreakerFilter) match(k BreakerKey) bool {
	return (f.Service == "" || f.Service == k.Service) &&
		(f.Tool == "" || f.Tool == k.Tool) &&
		(f.Scope == "" || f.Scope == k.Scope)
}

// BreakerPhase is where a breaker stands.
type BreakerPhase string

// The phases. BreakerFailing is closed with a count above 0.
const (
	BreakerClosed  BreakerPhase = "closed"
	BreakerFailing BreakerPhase = "failing"
	BreakerOpen    BreakerPhase = "open"
	BreakerProbing BreakerPhase = "probing"
)

// BreakerState is one line of a state page. It shows no credential.
type BreakerState struct {
	Key      BreakerKey
	Phase    BreakerPhase
	Failures int
	Manual   bool
	Until    time.Time // end of the cool-down; zero when manual or not open
	Last     time.Time // last failure that this process knows of
}

// BreakerEvent is a change of phase between closed, open and probing. Remote
// says that another replica caused it.
type BreakerEvent struct {
	Key      BreakerKey
	From, To BreakerPhase
	Failures int
	Manual   bool
	Remote   bool
}
