package limits

import "time"

// bucketCount buckets of window/(bucketCount-1) cover at least one window, at most one bucket more.
const bucketCount = 13

// buckets counts units by when they were seen, on the clock of this process. It errs high: a unit is counted for one
// window at least.
type buckets struct {
	last int64
	n    [bucketCount]uint32
}

func bucketWidth(window time.Duration) time.Duration {
	return (window + bucketCount - 2) / (bucketCount - 1)
}

func (b *buckets) roll(now, window time.Duration) {
	at := int64(now / bucketWidth(window))
	if at-b.last >= bucketCount {
		clear(b.n[:])
	} else {
		for i := b.last + 1; i <= at; i++ {
			b.n[i%bucketCount] = 0
		}
	}
	b.last = max(b.last, at)
}

// add counts units that happened age ago.
func (b *buckets) add(now, window, age time.Duration, units int) {
	if units <= 0 {
		return
	}
	b.roll(now, window)
	back := b.last - int64(max(now-age, 0)/bucketWidth(window))
	if back >= bucketCount {
		return
	}
	b.n[(b.last-back)%bucketCount] += uint32(units) // bounded by maxUnits per call
}

func (b *buckets) sum(now, window time.Duration) int {
	b.roll(now, window)
	total := 0
	for _, n := range b.n {
		total += int(n)
	}
	return total
}

// wait returns the time until need units have left.
func (b *buckets) wait(now, window time.Duration, need int) time.Duration {
	b.roll(now, window)
	freed := 0
	for i := b.last + 1; i <= b.last+bucketCount; i++ {
		freed += int(b.n[i%bucketCount])
		if freed >= need {
			return time.Duration(i)*bucketWidth(window) - now
		}
	}
	return window
}

// merge adds what o counts to b.
func (b *buckets) merge(o *buckets, now, window time.Duration) {
	b.roll(now, window)
	o.roll(now, window)
	for i, n := range o.n {
		b.n[i] += n
	}
}
