package classify

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// run is a sequence of checked slots that stand directly after each other.
type run []sanitize.Slot

// cat puts runs after each other; it is empty when a slot is not valid.
func cat(parts ...run) run {
	var out run
	for _, p := range parts {
		for _, s := range p {
			if !s.Valid() {
				return nil
			}
			out = append(out, s)
		}
	}
	return out
}

// one is the run of one slot.
func one(s sanitize.Slot) run { return run{s} }

// list writes "a, b, c" of at most n runs.
func list(n int, runs ...run) run {
	var out run
	for i, r := range runs[:min(n, len(runs))] {
		if i > 0 {
			out = append(out, sanitize.Word(", "))
		}
		out = append(out, r...)
	}
	return out
}

func (r run) String() string {
	var b strings.Builder
	size := 0
	for _, s := range r {
		size += len(s.String())
	}
	b.Grow(size)
	for _, s := range r {
		b.WriteString(s.String())
	}
	return b.String()
}

// room is how many slots a sentence holds.
const room = 100

// sentence composes the run; empty words fill what the format has left.
func (r run) sentence() (sanitize.Safe, bool) {
	if len(r) == 0 || len(r) > room {
		return sanitize.Safe{}, false
	}
	var all [room]sanitize.Slot
	n := copy(all[:], r)
	for i := n; i < room; i++ {
		all[i] = sanitize.Word("")
	}
	return sanitize.Compose(""+
		"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s"+
		"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s"+
		"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s"+
		"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s"+
		"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", all[:]...)
}

// first returns the first of the sentences that can be composed.
func first(runs ...run) (sanitize.Safe, bool) {
	for _, r := range runs {
		if s, ok := r.sentence(); ok {
			return s, true
		}
	}
	return sanitize.Safe{}, false
}
