package limits

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"sync"
	"sync/atomic"
)

// Subject is who is counted: 128 bits of HMAC-SHA256 over a scope and a credential. Nothing leads back to the credential
// without the secret.
type Subject struct {
	// ID names the counter.
	ID [16]byte
	// Tag is the ID of the outermost subject. Subjects with one tag live in one hash slot and are decided by one script.
	Tag [16]byte
}

// String returns the ID in unpadded base64url, 22 characters.
func (s Subject) String() string { return base64.RawURLEncoding.EncodeToString(s.ID[:]) }

// redisKey returns the name of the value: prefix, the tag in braces, and the ID where it differs from the tag.
func (s Subject) redisKey(prefix string) string {
	b := make([]byte, 0, len(prefix)+48)
	b = append(b, prefix...)
	b = append(b, '{')
	b = base64.RawURLEncoding.AppendEncode(b, s.Tag[:])
	b = append(b, '}')
	if s.ID != s.Tag {
		b = append(b, ':')
		b = base64.RawURLEncoding.AppendEncode(b, s.ID[:])
	}
	return string(b)
}

// secretSize is the length of an agreed or random secret in bytes.
const secretSize = 32

// Hasher turns credentials into subjects: the first 16 bytes of HMAC-SHA256(secret, "v1|"+scope+"|"+credential). It is
// safe for concurrent use. About 0.2 µs per subject.
type Hasher struct{ state atomic.Pointer[hasherState] }

type hasherState struct {
	secret []byte
	pool   sync.Pool
}

// NewHasher uses the secret, or a random one of this process when it is empty.
func NewHasher(secret []byte) *Hasher {
	if len(secret) == 0 {
		secret = newSecret()
	}
	h := &Hasher{}
	h.setSecret(secret)
	return h
}

func newSecret() []byte {
	b := make([]byte, secretSize)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return b
}

func (h *Hasher) setSecret(secret []byte) {
	s := &hasherState{secret: append([]byte(nil), secret...)}
	s.pool.New = func() any { return &mac{h: hmac.New(sha256.New, s.secret)} }
	h.state.Store(s)
}

// mac is a reusable HMAC with room for its input and sum, so that hashing does not allocate.
type mac struct {
	h   hash.Hash
	in  []byte
	sum [sha256.Size]byte
}

// Subject returns the subject of a credential in a scope. The scope keeps two limits apart that count the same
// credential; it is the name of the limit, not a secret.
func (h *Hasher) Subject(scope, credential string) Subject {
	id := h.id(scope, credential)
	return Subject{ID: id, Tag: id}
}

// Under returns a subject that is decided together with the outer one, in one atomic script: a caller under its tenant,
// or a tool under its caller.
func (h *Hasher) Under(outer Subject, scope, credential string) Subject {
	return Subject{ID: h.id(scope, credential), Tag: outer.Tag}
}

func (h *Hasher) id(scope, credential string) (id [16]byte) {
	s := h.state.Load()
	m := s.pool.Get().(*mac)
	defer s.pool.Put(m)
	m.in = append(m.in[:0], "v1|"...)
	m.in = append(m.in, scope...)
	m.in = append(m.in, '|')
	m.in = append(m.in, credential...)
	m.h.Reset()
	_, _ = m.h.Write(m.in)
	copy(id[:], m.h.Sum(m.sum[:0]))
	clear(m.in)
	return id
}
