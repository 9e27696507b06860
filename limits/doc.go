// Package limits holds every caller to its requests per minute and its concurrency.
//
// # Guarantees
//
//   - Requests per minute: on the clock of the store, for every instant t, the units admitted in (t-60 s, t] are never
//     more than the limit, with any number of replicas (Redis) or in one process (memory).
//   - Concurrency: never more leases than the limit, with any number of replicas. A process that dies keeps its slots
//     for at most one lease time.
//   - A decision is all or nothing over the tiers of a call, takes one round trip, and waits for no timer.
//   - When Redis is away the decision takes at most the configured time-out, then less than a microsecond; what is
//     decided then says the policy (see [OnFailure]).
//
// Two stores stand behind one contract, [Limiter]: [Memory] and [Redis]. Callers are known to both only as a [Subject],
// the keyed hash that a [Hasher] makes of a credential.
package limits
