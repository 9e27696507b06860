package limits

import (
	"sync"
	"time"
)

const (
	// nodeFailures in a row give up a node; after nodePause one operation may try it again.
	nodeFailures = 5
	nodePause    = 300 * time.Millisecond
	// clockTolerance is how far the clock of Redis may move against ours between two replies.
	clockTolerance = 250 * time.Millisecond
)

// node is one Redis server as seen from here: whether it answers, how many operations may use it at a time, and how its
// clock runs against ours. One node that is away says nothing about the others of a cluster.
type node struct {
	addr string
	sem  chan struct{}
	box  outbox

	mu       sync.Mutex
	failures int
	open     bool
	probing  bool
	until    time.Duration // of the pause
	since    time.Duration // the node is away
	offset   int64         // Redis ms minus ours
	synced   bool
	steps    int64 // clock steps seen
}

func newNode(addr string, concurrent int) *node {
	return &node{addr: addr, sem: make(chan struct{}, concurrent)}
}

// away tells whether the node is given up and not yet due for a probe.
func (n *node) away(now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open && (n.probing || now < n.until)
}

// try tells whether an operation may be sent. Whoever gets true from an open breaker is the probe, and must call done
// or skip.
func (n *node) try(now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.open {
		return true
	}
	if n.probing || now < n.until {
		return false
	}
	n.probing = true
	return true
}

// suspect tells whether the next operation would be a probe.
func (n *node) suspect() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open
}

// skip takes back a try that was not used.
func (n *node) skip() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.probing = false
}

// done reports the outcome of an operation. changed is set when the node went away or came back; d is how long it was
// away.
func (n *node) done(now time.Duration, err error) (changed, away bool, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.probing = false
	if err == nil {
		wasOpen := n.open
		n.failures, n.open = 0, false
		return wasOpen, false, now - n.since
	}
	n.failures++
	if n.open {
		n.until = now + nodePause
		return false, true, 0
	}
	if n.failures < nodeFailures {
		return false, false, 0
	}
	n.open, n.until, n.since = true, now+nodePause, now
	return true, true, 0
}

// expect returns the Redis time in ms at our time now, 0 when it is not known.
func (n *node) expect(now time.Duration) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.synced {
		return 0
	}
	return now.Milliseconds() + n.offset
}

// clock takes in a Redis time that was read between sent and received, and returns by how much the clock has stepped.
func (n *node) clock(redis int64, sent, received time.Duration) (step time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	low, high := redis-received.Milliseconds()-1, redis-sent.Milliseconds()+1
	was := n.offset
	n.offset = min(max(n.offset, low), high)
	if !n.synced {
		n.offset, n.synced = (low+high)/2, true
		return 0
	}
	moved := time.Duration(n.offset-was) * time.Millisecond
	if moved.Abs() <= clockTolerance {
		return 0
	}
	n.steps++
	return moved
}

// stepCount is how many clock steps were seen.
func (n *node) stepCount() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.steps
}
