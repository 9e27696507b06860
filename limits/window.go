package limits

import "math"

// windowSlots is how many slots a window is divided into when the limit is above it. A caller exactly at its limit loses
// at most 1/windowSlots of it; below or at it every unit has its own millisecond.
const windowSlots = 128

// denseSlots bounds the fine-grained slots of one subject whose limit was changed while it was counted.
const denseSlots = 192

// grain is the width of a slot in ms.
func grain(rpm int, window int64, slots int) int64 {
	if rpm > 0 && rpm <= windowSlots && slots < denseSlots {
		return 1
	}
	return coarse(window)
}

func coarse(window int64) int64 { return (window + windowSlots - 1) / windowSlots }

// slot is a group of units that leave the window together, window ms after end. before is the number of units counted
// ahead of it; both wrap.
type slot struct{ end, before uint32 }

// windowLog is the coalesced sliding log of one subject: a unit admitted at a is stamped e >= a+1 ms and counted until
// e+window, so that no window of that length can hold more than was checked against. Times are ms on any one clock that
// does not go back.
type windowLog struct {
	base  int64 // of slot.end
	slots []slot
	head  int
	n     int
	cum   uint32
}

func (l *windowLog) at(i int) *slot {
	i += l.head
	if i >= len(l.slots) {
		i -= len(l.slots)
	}
	return &l.slots[i]
}

// count drops what has left the window and returns the units in it.
func (l *windowLog) count(now, window int64) int {
	for l.n > 0 && l.base+int64(l.at(0).end)+window <= now {
		l.head++
		if l.head == len(l.slots) {
			l.head = 0
		}
		l.n--
	}
	if l.n == 0 {
		l.base = now
		return 0
	}
	if now-l.base > math.MaxInt32 {
		l.rebase(now - 2*window)
	}
	return int(l.cum - l.at(0).before)
}

// rebase moves the origin of the 32-bit offsets to a time before the oldest live slot.
func (l *windowLog) rebase(base int64) {
	shift := uint32(base - l.base) // below 2^32: it is done once 2^31 is passed
	for i := range l.n {
		l.at(i).end -= shift
	}
	l.base = base
}

// add counts units at now, after count was called for the same now.
func (l *windowLog) add(now int64, units int, g int64) {
	if units == 0 {
		return
	}
	if l.n > 0 && now < l.base+int64(l.at(l.n-1).end) { // the last slot has not ended
		l.cum += uint32(units)
		return
	}
	stamp := (now/g+1)*g - l.base
	if l.n == 0 || stamp > int64(l.at(l.n-1).end) {
		l.push(slot{end: uint32(stamp), before: l.cum}) // count keeps it below 2^31 + a slot
	}
	l.cum += uint32(units) // wraps by design, bounded by maxUnits
}

func (l *windowLog) push(s slot) {
	if l.n == len(l.slots) {
		next := make([]slot, nextSize(len(l.slots)))
		for i := range l.n {
			next[i] = *l.at(i)
		}
		l.slots, l.head = next, 0
	}
	l.n++
	*l.at(l.n - 1) = s
}

// nextSize doubles up to just over windowSlots, the most that one grain needs.
func nextSize(n int) int {
	switch {
	case n == 0:
		return 2
	case n < 64:
		return 2 * n
	case n == 64:
		return windowSlots + 4
	}
	return n + windowSlots
}

// wait returns the ms until need units have left the window, or the whole window when it holds fewer.
func (l *windowLog) wait(now, window int64, need int) int64 {
	if need <= 0 {
		return 0
	}
	first := uint32(0)
	if l.n > 0 {
		first = l.at(0).before
	}
	for i := range l.n {
		after := l.cum
		if i+1 < l.n {
			after = l.at(i + 1).before
		}
		if int(after-first) >= need {
			return l.base + int64(l.at(i).end) + window - now
		}
	}
	return window
}
