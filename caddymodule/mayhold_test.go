package caddymodule

import "testing"

func TestMayHold(t *testing.T) {
	for text, want := range map[string]bool{
		`{"content":[]}`:             false,
		`{"content":["task"]}`:       true,
		`{"task":{}}`:                true,
		`{"\u0074ask":{}}`:           true,
		`{"content":["tasks\n"]}`:    false,
		`{"structuredContent":{}}`:   true,
		`{"structuredContents":{}}`:  false,
		``:                           false,
		`{"content":["caf\u00e9 "]}`: true,
	} {
		if got := mayHold([]byte(text), `"task"`, `"structuredContent"`); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
