package policy

import "github.com/caddymcp/gateway/normalize/sanitize"

// HiddenText is what a call to a hidden tool gets, and what a call to a tool
// that does not exist gets wherever any tool is hidden from the caller. It is
// one text, so that nobody learns what exists.
var HiddenText = sanitize.Const("Permission Error: this tool does not exist or is not available to this caller. Retrying will not help; choose a tool from the tools list.")

// View is one `tools` block of the configuration that applies to a caller.
type View struct{ Allow, Deny Patterns }

// Tools is what one caller sees: the views that apply to it, and what its key
// is narrowed to. The zero Tools hides nothing.
type Tools struct {
	// Views are the `tools` blocks whose matcher matched the caller.
	Views []View

	// Only narrows the caller further, whatever the views allow (the
	// attribute "tools" of its key). Empty: no narrowing.
	Only []Pattern
}

// Visible reports whether the caller sees the tool. A deny of any view hides
// it. Once any view allows something, what no view allows is hidden. With Only,
// what Only does not name is hidden too.
func (t Tools) Visible(name string) bool {
	allowed, anyAllow := false, false
	for _, v := range t.Views {
		if v.Deny.Match(name) {
			return false
		}
		if v.Allow.Empty() {
			continue
		}
		anyAllow = true
		allowed = allowed || v.Allow.Match(name)
	}
	if anyAllow && !allowed {
		return false
	}
	return len(t.Only) == 0 || matchAny(t.Only, name)
}

// Restricted reports whether any tool can be hidden from the caller. When it
// can, an unknown tool must be answered like a hidden one.
func (t Tools) Restricted() bool {
	for _, v := range t.Views {
		if !v.Allow.Empty() || !v.Deny.Empty() {
			return true
		}
	}
	return len(t.Only) > 0
}
