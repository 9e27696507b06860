// Package schema knows the JSON schemas of the tools that pass by in
// tools/list: it checks the arguments and results of calls against them, says
// in fixed words what a valid call looks like, and amends output schemas so
// that a client accepts the gateway's envelope where a tool's own result is
// expected.
//
// A schema is text of a server and is treated as hostile: its size, depth and
// cost are bounded, nothing remote is ever loaded, and of its prose (title,
// description, default, examples) nothing is used. Whatever cannot be
// understood counts as unknown, and an unknown schema has no violations.
package schema

import (
	"sync"
	"sync/atomic"
)

// Bounds of what is looked at. Beyond them a schema or a value is unknown.
const (
	// MaxSchema is the size in bytes of the largest schema that is kept.
	MaxSchema = 64 << 10

	// MaxValue is the size in bytes of the largest arguments or result that
	// is checked.
	MaxValue = 256 << 10

	maxName     = 128 // bytes of a tool's name
	maxDepth    = 64  // nesting of a schema or of a value
	maxSchemas  = 2000
	maxPointers = 256 << 10 // bytes of JSON pointers in one schema
	maxSteps    = 20_000    // schema evaluations of one check
)

// Tool holds the compiled schemas of one tool. It is safe for concurrent use.
// A nil *Tool is valid and knows nothing.
type Tool struct {
	in, out *document
	opaque  bool // there is an outputSchema, but it exceeds the bounds
}

// NewTool returns a tool made from its inputSchema and outputSchema, either of
// which may be nil. What exceeds the bounds is unknown.
func NewTool(input, output []byte) *Tool {
	t := &Tool{}
	if len(input) > 0 && len(input) <= MaxSchema {
		t.in = &document{raw: string(input)}
	}
	if len(output) > 0 && len(output) <= MaxSchema {
		t.out = &document{raw: string(output)}
	}
	t.opaque = len(output) > MaxSchema
	return t
}

// HasOutput reports whether the tool declares an outputSchema.
func (t *Tool) HasOutput() bool { return t != nil && (t.out != nil || t.opaque) }

// Amendable reports whether AmendOutput can make the tool's outputSchema admit
// the envelope, or whether there is nothing to amend. A failure of a tool that
// is not amendable goes without structuredContent.
func (t *Tool) Amendable() bool {
	if t == nil {
		return true
	}
	if t.out == nil {
		return !t.opaque
	}
	t.out.amend.Do(func() { t.out.amendable = amendable(t.out.raw) })
	return t.out.amendable
}

// document is one schema, shared by all tools that have the same bytes. It is
// compiled when it is first needed.
type document struct {
	raw     string
	refs    int       // guarded by the store
	shelf   *programs // nil outside a store
	compile sync.Mutex
	program atomic.Pointer[program]

	amend     sync.Once
	amendable bool
}

// compiled never returns nil. A schema that cannot be compiled gives an empty
// program, once.
func (d *document) compiled() *program {
	if p := d.program.Load(); p != nil {
		d.shelf.touch(d, p.weight)
		return p
	}
	d.compile.Lock()
	defer d.compile.Unlock()
	if p := d.program.Load(); p != nil {
		return p
	}
	p := compile(d.raw)
	d.program.Store(p)
	d.shelf.touch(d, p.weight)
	return p
}
