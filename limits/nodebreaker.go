package limits

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// nodeFailures in a row give up a node; after nodePause one operation may try it again.
	nodeFailures = 5
	nodePause    = 300 * time.Millisecond
	// clockTolerance is how far the clock of Redis may move against ours between two replies.
	clockTolerance = 250 * time.Millisecond
	// For doubtTime after a failure what is not there may have been lost, as sync.lua has it.
	doubtTime = 2 * time.Second
	// quietTime is how long a node of which something is known is not heard of, at most about.
	quietTime = 400 * time.Millisecond
	// lossPause is the least time between two losses for which all subjects of a node are told again: values that are
	// evicted one by one must not cause as many.
	lossPause = 10 * time.Second
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
	closed   bool          // nobody is told any more
	offset   int64         // Redis ms minus ours
	synced   bool
	steps    int64 // clock steps seen
	failed   bool
	failure  time.Duration // last, that was more than slowness
	heard    time.Duration // of it, last
	lost     bool
	loss     time.Duration // last, that was acted on
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
	if n.closed {
		return false, n.open, 0
	}
	if err == nil {
		wasOpen := n.open
		n.failures, n.open, n.heard = 0, false, now
		if wasOpen {
			n.failed, n.failure = true, now
		}
		return wasOpen, false, now - n.since
	}
	n.failures++
	if !isTimeout(err) {
		n.failed, n.failure = true, now
	}
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

// close ends the reports of done, and returns whether the node is away and since when.
func (n *node) close(now time.Duration) (away bool, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	return n.open, now - n.since
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &ne) && ne.Timeout()
}

// expect returns the Redis time in ms at our time now, 0 when it is not known, and whether the node was away a moment
// ago, so that it may have lost what it knew.
func (n *node) expect(now time.Duration) (ms int64, doubt bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	doubt = n.open || n.failed && now-n.failure < doubtTime
	if n.synced {
		ms = now.Milliseconds() + n.offset
	}
	return ms, doubt
}

// quiet tells whether the node was not heard of for a while.
func (n *node) quiet(now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return now-n.heard >= quietTime
}

// ask notes that the node is about to be asked, so that it is not asked twice.
func (n *node) ask(now time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = now
}

// forgot notes that the node has lost something, and tells whether that has to be acted on.
func (n *node) forgot(now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lost && now-n.loss < lossPause {
		return false
	}
	n.lost, n.loss = true, now
	return true
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
