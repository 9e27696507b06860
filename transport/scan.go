package transport

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// The scanner reads one JSON text (RFC 8259) once: it checks the grammar, finds repeated keys and notes where the
// members lie that the rules speak of. encoding/json would take the first two for granted and decode keys
// without regard to case; gjson checks neither.

// level is where an object stands; on some levels the keys mean something.
type level uint8

const (
	other   level = iota
	message       // a JSON-RPC message
	params        // its params
	meta          // params._meta
	outcome       // its result or error
	nested        // an object in its result that may be a tool result itself
	blocks        // the content of its result: an array
	block         // one of them
)

// fields are the raw values of one message's members; nil when absent.
type fields struct {
	jsonrpc, id, method, params, result, err []byte // message
	name, arguments, uri, taskID, task, meta []byte // params
	metaVersion, metaCapabilities            []byte // params._meta
	repeated, variant                        []byte // the first key that repeats, or that is one but for its case
	idRepeated                               bool
	structured, firstText                    []byte // result.structuredContent, the first text of result.content
	marked                                   bool   // some isError is not false, or content is no array
	unended                                  bool   // result.resultType is not complete, or result.task is an object
}

type scanner struct {
	b     []byte
	i     int
	depth int  // levels left
	whole bool // find repeated keys everywhere, else only on the levels that mean something
	f     fields
	keys  [][]byte // keys of the open objects
	// what went wrong, when a method returned false
	fault string
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// begin takes a scanner for b. The caller gives it back with end.
func begin(b []byte, depth int, whole bool) *scanner {
	s := scanners.Get().(*scanner)
	s.b, s.depth, s.whole = b, depth, whole
	return s
}

func (s *scanner) end() {
	keys := s.keys[:0]
	if cap(keys) > 1024 {
		keys = nil
	}
	clear(keys[:cap(keys)]) // they point into the body
	*s = scanner{keys: keys}
	scanners.Put(s)
}

const (
	faultJSON    = "invalid JSON"
	faultUnicode = "invalid UTF-8"
	faultDeep    = "nested too deeply"
)

func (s *scanner) fail(fault string) bool {
	s.fault = fault
	return false
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return
		}
	}
}

// next skips white space and looks at the byte after it; 0 at the end.
func (s *scanner) next() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// done reports whether nothing but white space is left.
func (s *scanner) done() bool {
	s.space()
	return s.i == len(s.b) || s.fail(faultJSON)
}

// value reads one value. lv is what it means, if it is an object.
func (s *scanner) value(lv level) bool {
	switch c := s.next(); c {
	case '{':
		return s.object(lv)
	case '[':
		return s.array(lv)
	case '"':
		return s.str()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		return s.number()
	}
}

func (s *scanner) literal(word string) bool {
	if !bytes.HasPrefix(s.b[s.i:], []byte(word)) {
		return s.fail(faultJSON)
	}
	s.i += len(word)
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return s.fail(faultJSON)
	}
	if s.take('.') && !s.digits() {
		return s.fail(faultJSON)
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.fail(faultJSON)
		}
	}
	return true
}

func (s *scanner) enter() bool {
	s.i++
	s.depth--
	return s.depth >= 0 || s.fail(faultDeep)
}

func (s *scanner) array(lv level) bool {
	if !s.enter() {
		return false
	}

	if s.next() == ']' {
		s.i++
		s.depth++
		return true
	}
	for {
		item := other
		if lv == blocks && s.f.firstText == nil {
			item = block
		}
		if !s.value(item) {
			return false
		}
		switch s.next() {
		case ',':
			s.i++
		case ']':
			s.i++
			s.depth++
			return true
		default:
			return s.fail(faultJSON)
		}
	}
}

// manyKeys is from how many keys on an object gets a table to find repeated ones.
const manyKeys = 16

// seed keeps clients from choosing keys that collide.
var seed = maphash.MakeSeed()

func (s *scanner) object(lv level) bool {
	if !s.enter() {
		return false
	}
	base := len(s.keys)
	var seen map[uint64]struct{} // hashes of the keys from base on
	if s.next() == '}' {
		s.i++
		s.depth++
		return true
	}
	for {
		if s.next() != '"' {
			return s.fail(faultJSON)
		}
		start := s.i
		if !s.str() {
			return false
		}
		var key []byte
		if s.whole || lv != other {
			key = unquote(s.b[start:s.i])
			// One is enough, and looking for more would be quadratic.
			if (s.whole || lv < nested) && s.f.repeated == nil && s.repeats(base, &seen, key) {
				s.f.repeated = key
			}
		}
		if s.next() != ':' {
			return s.fail(faultJSON)
		}
		s.i++
		s.space()
		start = s.i
		if !s.value(below(lv, key)) {
			return false
		}
		if lv != other {
			s.note(lv, key, s.b[start:s.i])
		}
		switch s.next() {
		case ',':
			s.i++
			s.space()
		case '}':
			s.i++
			s.depth++
			s.keys = s.keys[:base]
			return true
		default:
			return s.fail(faultJSON)
		}
	}
}

// repeats reports whether the object whose keys begin at base already has the key, and adds it.
func (s *scanner) repeats(base int, seen *map[uint64]struct{}, key []byte) bool {
	if *seen != nil {
		n := len(*seen)
		(*seen)[maphash.Bytes(seed, key)] = struct{}{}
		if len(*seen) > n {
			s.keys = append(s.keys, key)
			return false
		}
	}
	for _, k := range s.keys[base:] {
		if bytes.Equal(k, key) {
			return true
		}
	}
	s.keys = append(s.keys, key)
	if *seen == nil && len(s.keys)-base == manyKeys {
		*seen = make(map[uint64]struct{}, 4*manyKeys)
		for _, k := range s.keys[base:] {
			(*seen)[maphash.Bytes(seed, k)] = struct{}{}
		}
	}
	return false
}

// below is what the value of a key means.
func below(lv level, key []byte) level {
	switch lv {
	case message:
		switch string(key) {
		case "params":
			return params
		case "result", "error":
			return outcome
		}
	case params:
		if string(key) == "_meta" {
			return meta
		}
	case outcome:
		switch string(key) {
		case "toolResult", "result":
			return nested
		case "content":
			return blocks
		}
	}
	return other
}
