package caddymodule

import "sync"

// listeners are the streams of a handler that have no end of their own.
type listeners struct {
	mu  sync.Mutex
	all map[*exchange]struct{}
}

// add takes a stream in until the function that it returns is called.
func (l *listeners) add(x *exchange) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[*exchange]struct{})
	}
	l.all[x] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, x)
	}
}

// endAll ends every stream.
func (l *listeners) endAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for x := range l.all {
		x.cancel(errLeaving)
	}
}

// count returns how many streams are open.
func (l *listeners) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}
