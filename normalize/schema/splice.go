package schema

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// maxNesting bounds the JSON that is parsed at all: gjson validates by
// recursion.
const maxNesting = 10_000

// edit replaces src[start:end] by text.
type edit struct {
	start, end int
	text       string
}

// apply returns src[from:to] with the edits that lie in it; edits are in order
// and do not overlap.
func apply(src string, from, to int, edits []edit) string {
	var b strings.Builder
	at := from
	for _, e := range edits {
		if e.start < from || e.end > to {
			continue
		}
		b.WriteString(src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(src[at:to])
	return b.String()
}

// parseList parses a tools/list result; the indexes of all values are offsets
// in src.
func parseList(src string) (gjson.Result, bool) {
	if tooDeep(src, maxNesting) || !gjson.Valid(src) {
		return gjson.Result{}, false
	}
	return gjson.Parse(src), true
}

// eachTools calls f with every array under the key "tools": a doubled key is
// read by some clients as the first and by others as the last. Keys are
// compared without regard to case, as some JSON decoders do.
func eachTools(root gjson.Result, f func(tools gjson.Result)) {
	if !root.IsObject() {
		return
	}
	root.ForEach(func(k, v gjson.Result) bool {
		if strings.EqualFold(k.String(), "tools") && v.IsArray() {
			f(v)
		}
		return true
	})
}

// FilterTools removes the tools that keep refuses from the result object of a
// tools/list answer and returns how many went. Every other byte stays as it
// was; with nothing removed the slice itself comes back. A tool with several
// names stays only if all may stay; one without a name is asked for as "". A
// result that is no valid JSON, or that nests deeper than 10,000 levels, is
// replaced by an empty list, so that nothing hidden can pass in it.
func FilterTools(result []byte, keep func(name string) bool) (out []byte, removed int) {
	src := string(result)
	root, ok := parseList(src)
	if !ok {
		return []byte(`{"tools":[]}`), 1
	}
	var edits []edit
	eachTools(root, func(tools gjson.Result) {
		e, n := filterArray(tools, keep)
		edits, removed = append(edits, e...), removed+n
	})
	if removed == 0 {
		return result, 0
	}
	return []byte(apply(src, 0, len(src), edits)), removed
}

// filterArray returns one edit for each run of elements that go, with the
// comma that goes with it.
func filterArray(tools gjson.Result, keep func(string) bool) (edits []edit, removed int) {
	start, lastKept, end := -1, -1, -1 // start of the run; end of the last element kept, and of the last
	tools.ForEach(func(_, v gjson.Result) bool {
		end = v.Index + len(v.Raw)
		if !stays(v, keep) {
			removed++
			if start < 0 {
				start = v.Index
			}
			return true
		}
		if start >= 0 {
			edits = append(edits, edit{start, v.Index, ""})
			start = -1
		}
		lastKept = end
		return true
	})
	if start >= 0 {
		if lastKept >= 0 {
			start = lastKept
		}
		edits = append(edits, edit{start, end, ""})
	}
	return edits, removed
}

func stays(tool gjson.Result, keep func(string) bool) bool {
	var names []string
	if tool.IsObject() {
		tool.ForEach(func(k, v gjson.Result) bool {
			if strings.EqualFold(k.String(), "name") {
				names = append(names, v.String())
			}
			return true
		})
	}
	if len(names) == 0 {
		return keep("")
	}
	return !slices.ContainsFunc(names, func(n string) bool { return !keep(n) })
}
