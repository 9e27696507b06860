package sanitize

import (
	"strings"
	"testing"
)

func TestEnding(t *testing.T) {
	last := Const("Try the tool 'b' instead.")
	for in, want := range map[string]string{
		"":                           "Try the tool 'b' instead.",
		"Error: one.":                "Error: one. Try the tool 'b' instead.",
		"Error: one. Two. Three.":    "Error: one. Two. Try the tool 'b' instead.",
		strings.Repeat("long ", 130): "Try the tool 'b' instead.",
	} {
		if got := Ending(Safe{in}, last).String(); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
