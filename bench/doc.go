// Package bench measures the gateway against what a user would take instead:
// nothing, nginx and Caddy's own reverse_proxy. "make bench" runs it and writes
// RESULTS.md and results.svg; all of it is behind the build tag bench.
package bench
