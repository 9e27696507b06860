package transport

import (
	"strconv"
	"unicode/utf8"
)

// maxBatch is how many messages one batch may hold.
const maxBatch = 100

// Request is the body of a POST that kept every rule.
type Request struct {
	Messages []Message // one, unless Batch
	Batch    bool
	Era      Era
	// Version is the protocol version of this request; "" for an initialize without a version header.
	Version string

	one [1]Message
}

// CheckBody applies the rungs that need the body. h is the head that CheckHead let pass as Post. The request
// shares memory with body. Whatever it accepts is read alike by every JSON decoder: valid UTF-8, no key twice,
// no key that differs from the protocol's in case only.
func (r *Rules) CheckBody(h *Head, body []byte) (*Request, *Refusal) {
	if f := r.checkSize(int64(len(body))); f != nil {
		return nil, f
	}
	if !utf8.Valid(body) {
		return nil, parseRefusal(faultUnicode)
	}
	s := begin(body, r.maxDepth(), true)
	defer s.end()
	req := &Request{}
	var f *Refusal
	switch s.next() {
	case '{':
		f = s.single(req)
	case '[':
		f = s.batch(h, req)
	default:
		f = s.scalar()
	}
	if f != nil {
		return nil, f
	}
	if req.Era == Legacy && modernHeader(h.Header) {
		req.Era = Modern
	}
	if req.Era == Modern {
		f = r.modern(h, req, &s.f)
	} else {
		f = r.legacy(h, req)
	}
	if f == nil {
		f = callable(req)
	}
	if f != nil {
		return nil, f
	}
	return req, nil
}

func parseRefusal(fault string) *Refusal {
	return badRequest(CodeParse, ReasonParse, "Parse error: "+fault, nil)
}

func (s *scanner) scalar() *Refusal {
	if s.i == len(s.b) {
		return parseRefusal("empty body")
	}
	if !s.value(other) || !s.done() {
		return parseRefusal(s.fault)
	}
	return badRequest(CodeInvalidRequest, ReasonInvalidRequest, "Invalid Request: the body must be an object", nil)
}

func (s *scanner) single(req *Request) *Refusal {
	if !s.object(message) || !s.done() {
		return parseRefusal(s.fault)
	}
	m, f := s.f.toMessage()
	if f != nil {
		return f
	}
	req.one[0] = m
	req.Messages = req.one[:]
	req.Era = s.f.era(m.Method)
	return nil
}

// era is what the body says: a message that names its protocol version, or that asks for discovery, is modern.
func (f *fields) era(method string) Era {
	if f.metaVersion != nil || method == methodDiscover {
		return Modern
	}
	return Legacy
}

// batch reads a batch to its end, so that broken JSON is called that, and refuses for the first fault. A batch
// is legal in 2025-03-26 only (basic/index, "Batching"), and initialize never stands in one.
func (s *scanner) batch(h *Head, req *Request) *Refusal {
	req.Batch = true
	var fault *Refusal
	bad := func(f *Refusal) {
		if fault == nil {
			fault = f
		}
	}
	refuse := func(text string) { bad(badRequest(CodeInvalidRequest, ReasonBatch, "Invalid Request: "+text, nil)) }
	if v, present := versionHeader(h.Header); present && v != Version20250326 {
		refuse("batches exist in protocol version " + Version20250326 + " only")
	}
	if !s.enter() {
		return parseRefusal(s.fault)
	}
	if s.next() == ']' {
		s.i++
		if !s.done() {
			return parseRefusal(s.fault)
		}
		refuse("a batch must not be empty")
		return fault
	}
	ids := make(map[string]struct{}, 8)
	for n := 1; ; n++ {
		s.f = fields{}
		c := s.next()
		if !s.value(message) {
			return parseRefusal(s.fault)
		}
		switch {
		case c != '{':
			refuse("a batch holds objects only")
		case n > maxBatch:
			refuse("a batch holds at most " + strconv.Itoa(maxBatch) + " messages")
		case fault == nil:
			m, f := s.f.toMessage()
			switch {
			case f != nil:
				f.ID = nil // the answer is to the batch, not to one message
				bad(f)
			case m.Method == methodInitialize:
				refuse("initialize must not stand in a batch")
			case s.f.era(m.Method) == Modern:
				refuse("batches exist in protocol version " + Version20250326 + " only")
			case m.Kind == Call && !unique(ids, m.ID):
				refuse("an id repeats within the batch")
			}
			req.Messages = append(req.Messages, m)
		}
		switch s.next() {
		case ',':
			s.i++
			continue
		case ']':
			s.i++
			if !s.done() {
				return parseRefusal(s.fault)
			}
			return fault
		}
		return parseRefusal(faultJSON)
	}
}

// unique reports whether no call before had this id, and adds it. Two ids are one when a client could not tell
// their answers apart: escapes and zero fractions do not count.
func unique(ids map[string]struct{}, id []byte) bool {
	var k string
	if t, ok := text(id); ok {
		k = `"` + t
	} else {
		end := 0
		for end < len(id) && id[end] != '.' {
			end++
		}
		k = string(id[:end])
	}
	if _, ok := ids[k]; ok {
		return false
	}
	ids[k] = struct{}{}
	return true
}

// legacy has the last rungs of 2025-11-25 and older. initialize negotiates its version in the body, so it needs
// no header, and what it asks for is the server's to answer.
func (r *Rules) legacy(h *Head, req *Request) *Refusal {
	id := answerID(req)
	if _, present := versionHeader(h.Header); present || req.Batch || req.Messages[0].Method != methodInitialize {
		v, f := r.legacyVersion(h, id)
		if f != nil {
			return f
		}
		req.Version = v
	}
	return checkSession(h, id)
}

// answerID is the id that a refusal of the whole request carries: that of its one call.
func answerID(req *Request) []byte {
	if !req.Batch && req.Messages[0].Kind == Call {
		return req.Messages[0].ID
	}
	return nil
}

// callable refuses a tools/call that names no tool: policy would have nothing to judge.
func callable(req *Request) *Refusal {
	for i := range req.Messages {
		m := &req.Messages[i]
		if m.Method == methodCall && m.Tool == "" {
			return badRequest(CodeInvalidParams, ReasonInvalidParams, "Invalid params: params.name must be a string", answerID(req))
		}
	}
	return nil
}
