package policy

import "github.com/tidwall/gjson"

// FilterList removes the tools that the caller does not see from the result
// object of tools/list. The bytes of what stays are the same bytes; when
// nothing is removed the result itself is returned. An entry that is no object
// with a string name is removed, because it cannot be judged, if and only if
// something can be hidden from the caller. A cursor (nextCursor) stays, also on
// a page that is left empty.
func FilterList(result []byte, tools Tools) (out []byte, removed int) {
	if !tools.Restricted() || !gjson.ValidBytes(result) {
		return result, 0
	}
	type span struct{ from, to int }
	var lists []gjson.Result
	// Every member named "tools": of duplicate keys clients take the last,
	// some the first.
	gjson.ParseBytes(result).ForEach(func(k, v gjson.Result) bool {
		if k.Type == gjson.String && k.String() == "tools" && v.IsArray() {
			lists = append(lists, v)
		}
		return true
	})
	out = result
	// From the back, so that the offsets of the earlier ones stay right.
	for i := len(lists) - 1; i >= 0; i-- {
		list := lists[i]
		var keep []span
		gone := 0
		list.ForEach(func(_, v gjson.Result) bool {
			if visibleEntry(v, tools) {
				keep = append(keep, span{v.Index, v.Index + len(v.Raw)})
			} else {
				gone++
			}
			return true
		})
		if gone == 0 {
			continue
		}
		removed += gone
		next := make([]byte, 0, len(out))
		next = append(next, out[:list.Index]...)
		next = append(next, '[')
		for n, s := range keep {
			if n > 0 {
				next = append(next, ',')
			}
			next = append(next, result[s.from:s.to]...)
		}
		next = append(next, ']')
		out = append(next, out[list.Index+len(list.Raw):]...)
	}
	return out, removed
}

func visibleEntry(v gjson.Result, tools Tools) bool {
	if !v.IsObject() {
		return false
	}
	seen, visible := false, true
	v.ForEach(func(k, n gjson.Result) bool {
		if k.String() == "name" {
			seen = true
			visible = visible && n.Type == gjson.String && tools.Visible(n.String())
		}
		return true
	})
	return seen && visible
}
