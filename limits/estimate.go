package limits

import "time"

const (
	minCapacityWait = 100 * time.Millisecond
	maxCapacityWait = 5 * time.Second
	// firstHold is assumed before any call of a subject has ended.
	firstHold = time.Second
)

// holdTime is the moving average of how long a subject's calls hold a slot.
type holdTime struct{ mean time.Duration }

func (h *holdTime) observe(d time.Duration) {
	if d < 0 {
		return
	}
	if h.mean == 0 {
		h.mean = max(d, 1)
		return
	}
	h.mean = max(h.mean+(d-h.mean)/8, 1)
}

// wait estimates when a slot comes free: by Little's law the mean time to the next release is hold/concurrency. r in
// [0,1) spreads the callers that were refused together.
func (h *holdTime) wait(concurrency int, r float64) time.Duration {
	mean := h.mean
	if mean == 0 {
		mean = firstHold
	}
	w := min(max(mean/time.Duration(max(concurrency, 1)), minCapacityWait), maxCapacityWait)
	w = time.Duration(float64(w) * (1 + r/2))
	return w.Round(time.Millisecond)
}
