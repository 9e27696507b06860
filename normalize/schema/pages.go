package schema

import (
	"hash/maphash"
	"time"
)

// pages remembers results of tools/list by a seeded hash, so that the same
// bytes need not be parsed again: clients fetch the list far more often than
// it changes. It holds names only, never schemas.
type pages struct {
	seed  maphash.Seed
	known map[pageKey]pageRecord
}

type pageKey struct {
	scope string
	sum   uint64
	size  int
}

type pageRecord struct {
	tools []string
	ttl   time.Duration // 0: none
}

const maxPages = 64

func newPages() pages {
	return pages{maphash.MakeSeed(), map[pageKey]pageRecord{}}
}

func (p *pages) key(scope string, result []byte) pageKey {
	return pageKey{scope, maphash.Bytes(p.seed, result), len(result)}
}

// keep remembers a page of which every tool was learned.
func (p *pages) keep(k pageKey, r pageRecord) {
	if _, ok := p.known[k]; !ok && len(p.known) >= maxPages {
		clear(p.known)
	}
	p.known[k] = r
}

// renew treats a page as learned again if everything it says still stands.
func (s *Store) renew(k pageKey, now time.Time) bool {
	r, ok := s.pages.known[k]
	if !ok {
		return false
	}
	for _, name := range r.tools {
		el := s.tools[key{k.scope, name}]
		if el == nil || el.Value.(*entry).page != k.sum {
			delete(s.pages.known, k)
			return false
		}
		s.order.MoveToFront(el)
		el.Value.(*entry).expires = expiry(now, r.ttl)
	}
	return true
}

func expiry(now time.Time, ttl time.Duration) time.Time {
	if ttl <= 0 {
		return time.Time{}
	}
	return now.Add(ttl)
}
