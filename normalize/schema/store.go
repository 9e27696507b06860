package schema

import (
	"container/list"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

const (
	maxPage     = 8 << 20  // bytes of a tools/list result that is read
	maxPerPage  = 1024     // tools of one result that are kept
	maxKept     = 64 << 20 // bytes of distinct schemas that are kept
	maxCompiled = 64 << 10 // KiB of compiled schemas, about
	maxTTL      = 365 * 24 * time.Hour
)

// Store remembers the tools that passed in tools/list results: at most a fixed
// number of them, the least recently used leaving first, and at most 64 MiB of
// schemas. Equal schemas are kept once, whatever their scope. It is safe for
// concurrent use. A nil *Store learns nothing and knows nothing.
type Store struct {
	mu    sync.Mutex
	max   int // tools
	kept  int // bytes of schemas
	tools map[key]*list.Element
	order list.List // of *entry; front is the most recently used
	docs  map[string]*document
	bytes int
	shelf programs
	pages pages
}

type key struct{ scope, tool string }

type entry struct {
	key     key
	tool    Tool
	expires time.Time // zero: until it is replaced
	page    uint64    // hash of the result that named it last
}

// NewStore returns a store for at most so many tools; less than 1 is 4096.
func NewStore(tools int) *Store {
	if tools < 1 {
		tools = 4096
	}
	return &Store{max: tools, kept: maxKept, shelf: programs{max: maxCompiled}, pages: newPages(), tools: map[key]*list.Element{}, docs: map[string]*document{}}
}

// Learn takes in the result object of a tools/list answer. The tools that it
// names replace those of the same scope and name; others stay, because lists
// come in pages. A ttlMs above zero limits how long they are known; absent,
// zero or negative sets no limit, since SDKs send zero without meaning it.
// What is malformed or too large is skipped and forgotten, the rest is kept.
// The caller chooses a scope that no two authorization contexts share when the
// result says cacheScope "private" (MCP 2026-07-28, caching).
func (s *Store) Learn(scope string, toolsListResult []byte, now time.Time) {
	if s == nil || len(toolsListResult) > maxPage {
		return
	}
	page := s.pages.key(scope, toolsListResult)
	s.mu.Lock()
	known := s.renew(page, now)
	s.mu.Unlock()
	if known {
		return
	}
	root, ok := parseList(string(toolsListResult))
	if !ok || !root.IsObject() {
		return
	}
	var tools gjson.Result
	var ttl time.Duration
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case "tools":
			tools = v
		case "ttlMs":
			ttl = 0
			if v.Type == gjson.Number && v.Num > 0 {
				ttl = min(maxTTL, time.Duration(min(v.Num, 1e12))*time.Millisecond)
			}
		}
		return true
	})
	if !tools.IsArray() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	record := pageRecord{ttl: ttl}
	tools.ForEach(func(_, v gjson.Result) bool {
		if name := s.learn(page, v, expiry(now, ttl)); name != "" {
			record.tools = append(record.tools, name)
		}
		n++
		return n < maxPerPage
	})
	if len(record.tools) == n {
		s.pages.keep(page, record)
	}
}

// learn takes in one tool of a page and returns its name, "" if it was skipped.
func (s *Store) learn(page pageKey, tool gjson.Result, expires time.Time) string {
	if !tool.IsObject() {
		return ""
	}
	var name, in, out gjson.Result
	tool.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case "name":
			name = v
		case "inputSchema":
			in = v
		case "outputSchema":
			out = v
		}
		return true
	})
	if name.Type != gjson.String || name.Str == "" || len(name.Str) > maxName {
		return ""
	}
	k := key{page.scope, name.Str}
	el := s.tools[k]
	if el != nil {
		if e := el.Value.(*entry); e.tool.in.same(in) && e.tool.out.same(out) && !e.tool.opaque {
			e.expires, e.page = expires, page.sum
			s.order.MoveToFront(el)
			return e.key.tool
		}
		s.drop(el)
	}
	t := Tool{in: s.document(in), out: s.document(out)}
	t.opaque = out.Exists() && out.Type != gjson.Null && t.out == nil
	if t.in == nil && t.out == nil && !t.opaque {
		return ""
	}
	k.tool = strings.Clone(k.tool)
	s.tools[k] = s.order.PushFront(&entry{k, t, expires, page.sum})
	for len(s.tools) > s.max || s.bytes > s.kept {
		s.drop(s.order.Back())
	}
	return k.tool
}

// same reports whether the document is that of the schema in v.
func (d *document) same(v gjson.Result) bool {
	if d == nil {
		return !v.IsObject() || len(v.Raw) > MaxSchema
	}
	return d.raw == v.Raw
}

// document returns the shared document of a schema, or nil.
func (s *Store) document(v gjson.Result) *document {
	if !v.IsObject() || len(v.Raw) > MaxSchema {
		return nil
	}
	d := s.docs[v.Raw]
	if d == nil {
		d = &document{raw: strings.Clone(v.Raw), shelf: &s.shelf}
		s.docs[d.raw] = d
		s.bytes += len(d.raw)
	}
	d.refs++
	return d
}

func (s *Store) drop(el *list.Element) {
	e := s.order.Remove(el).(*entry)
	delete(s.tools, e.key)
	for _, d := range []*document{e.tool.in, e.tool.out} {
		if d == nil {
			continue
		}
		if d.refs--; d.refs == 0 {
			delete(s.docs, d.raw)
			s.bytes -= len(d.raw)
			s.shelf.remove(d)
		}
	}
}

// Lookup returns what is known of a tool, or nil.
func (s *Store) Lookup(scope, tool string, now time.Time) *Tool {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	el := s.tools[key{scope, tool}]
	if el == nil {
		return nil
	}
	e := el.Value.(*entry)
	if !e.expires.IsZero() && !now.Before(e.expires) {
		s.drop(el)
		return nil
	}
	s.order.MoveToFront(el)
	return &e.tool
}

// Forget drops all tools of a scope, for notifications/tools/list_changed.
func (s *Store) Forget(scope string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, el := range s.tools {
		if k.scope == scope {
			s.drop(el)
		}
	}
}

// Len returns the number of tools known, expired ones included.
func (s *Store) Len() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tools)
}
