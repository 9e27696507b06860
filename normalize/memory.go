package normalize

import (
	"encoding/binary"
	"sync"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/schema"
)

// Bounds of a Memory: at most 2 x generation verdicts of failures of at most
// maxRemembered bytes each, so 1 MiB of failures.
const (
	generation    = 128
	maxRemembered = 4 << 10
)

// Memory keeps the verdicts of the last failures of one Classifier, at most 256
// of them. A server that is down, and an agent that repeats a call, give the same
// failure again and again; judging it costs some fifty times what finding it
// again does. A verdict is a function of the whole evidence, and all of it is
// compared. The zero value is ready; a nil *Memory keeps nothing. It is safe for
// concurrent use.
type Memory struct {
	mu         sync.Mutex
	young, old map[remembered]classify.Verdict
}

// remembered is the evidence. The schema stands for itself: one that changes is
// another one.
type remembered struct {
	schema *schema.Tool
	rest   string
}

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, maxRemembered); return &b }}

func (m *Memory) verdict(c *classify.Classifier, e *classify.Evidence) classify.Verdict {
	if m == nil || !memorable(e) {
		return c.Classify(e)
	}
	b := scratch.Get().(*[]byte)
	defer scratch.Put(b)
	*b = appendEvidence((*b)[:0], e)

	m.mu.Lock()
	k := remembered{e.Schema, ""}
	v, ok := m.young[remembered{e.Schema, string(*b)}]
	if !ok {
		v, ok = m.old[remembered{e.Schema, string(*b)}]
		if ok {
			k.rest = string(*b)
			m.keep(k, v)
		}
	}
	m.mu.Unlock()
	if ok {
		return v
	}

	v = c.Classify(e)
	if v.Envelope == nil {
		k.rest = string(*b)
		m.mu.Lock()
		m.keep(k, v)
		m.mu.Unlock()
	}
	return v
}

// keep takes in a verdict. When a generation is full, the one before it leaves.
func (m *Memory) keep(k remembered, v classify.Verdict) {
	if m.young == nil || len(m.young) >= generation {
		m.old, m.young = m.young, make(map[remembered]classify.Verdict, generation)
	}
	m.young[k] = v
}

// memorable reports whether the evidence is small and has no header that counts.
func memorable(e *classify.Evidence) bool {
	n := len(e.Service) + len(e.Method) + len(e.Tool) + len(e.Arguments) + len(e.Structured) + len(e.Message) + len(e.Data) + len(e.Body) + 80
	for _, s := range e.Texts {
		n += len(s) + 10
	}
	return n <= maxRemembered && !classify.NamesWait(e.Header)
}

// appendEvidence writes all fields but Schema and Header, each with its length,
// so that no two pieces of evidence are written alike.
func appendEvidence(b []byte, e *classify.Evidence) []byte {
	b = appendField(b, e.Service)
	b = appendField(b, e.Method)
	b = appendField(b, e.Tool)
	b = appendField(b, e.Arguments)
	b = binary.AppendUvarint(b, uint64(len(e.Texts)))
	for _, s := range e.Texts {
		b = appendField(b, s)
	}
	b = appendField(b, e.Structured)
	if e.RPCCode != nil {
		b = append(b, 1)
		b = binary.AppendVarint(b, *e.RPCCode)
	} else {
		b = append(b, 0)
	}
	b = appendField(b, e.Message)
	b = appendField(b, e.Data)
	b = binary.AppendVarint(b, int64(e.Status))
	b = appendField(b, e.Body)
	return binary.AppendVarint(b, int64(e.Fault))
}

func appendField[T string | []byte](b []byte, s T) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
