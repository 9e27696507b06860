package schema

import (
	"container/list"
	"sync"
)

// programs is the shelf of documents that stay compiled, bounded by what they
// weigh. A nil shelf keeps everything.
type programs struct {
	mu     sync.Mutex
	items  map[*document]*list.Element
	order  list.List // of shelved
	weight int
	max    int
}

type shelved struct {
	*document
	weight int
}

// touch marks d as used and drops the programs that were not used for longest.
func (p *programs) touch(d *document, weight int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if el := p.items[d]; el != nil {
		p.order.MoveToFront(el)
		return
	}
	if p.items == nil {
		p.items = map[*document]*list.Element{}
	}
	p.items[d] = p.order.PushFront(shelved{d, weight})
	p.weight += weight
	for p.weight > p.max && p.order.Len() > 1 {
		p.release(p.order.Back())
	}
}

func (p *programs) remove(d *document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if el := p.items[d]; el != nil {
		p.release(el)
	}
}

func (p *programs) release(el *list.Element) {
	d := p.order.Remove(el).(shelved)
	delete(p.items, d.document)
	p.weight -= d.weight
	d.program.Store(nil)
}
