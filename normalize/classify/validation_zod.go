package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// scanIssues reads the multi-line and flattened formats out of one text:
// pydantic's report and the two flattened zod renderings.
func (d *doc) scanIssues(s string) {
	if len(d.issues) >= maxIssues {
		return
	}
	low := lower(s)
	if k := strings.Index(low, "validation error"); k >= 0 {
		d.pydantic(s[k:])
	}
	for _, lead := range [...]string{"invalid arguments for tool ", "invalid arguments for ", "invalid structured content for tool ", "parameter validation failed: ", "invalid tools/call request", "invalid tools/call result", "invalid params", "invalid input:", "invalid arguments:"} {
		k := strings.Index(low, lead)
		if k < 0 {
			continue
		}
		rest := s[k+len(lead):]
		if strings.HasSuffix(lead, " ") {
			_, rest, _ = strings.Cut(rest, ": ")
		}
		d.flattened(rest)
		break
	}
}

// flattened reads "<message> at <path>" lines and "<path>: <message>, ..." lists.
func (d *doc) flattened(s string) {
	s, _, _ = strings.Cut(s, ". Please check")
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || len(d.issues) >= maxIssues || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "{") {
			return
		}
		it := issue{strong: true, rule: "validation.zod"}
		if k := strings.LastIndex(line, " at "); k > 0 && identLike(line[k+4:]) {
			it.path, it.msg = line[k+4:], line
			zodMessage(&it, it.msg)
			d.issues = append(d.issues, it)
			continue
		}
		for len(d.issues) < maxIssues {
			p, m, ok := strings.Cut(line, ": ")
			if !ok || !identLike(p) || noArguments[lower(p)] && len(p) > 1 {
				break
			}
			it.path, it.msg = p, nextIssue(m)
			one := it
			zodMessage(&one, one.msg)
			d.issues = append(d.issues, one)
			line = strings.TrimPrefix(m[len(it.msg):], ", ")
		}
	}
}

// nextIssue cuts a message before ", <path>: ".
func nextIssue(m string) string {
	for from := 0; ; {
		k := strings.Index(m[from:], ", ")
		if k < 0 {
			return m
		}
		k += from
		if p, _, ok := strings.Cut(m[k+2:], ": "); ok && identLike(p) {
			return m[:k]
		}
		from = k + 2
	}
}

// zodMessage reads a message of zod 3 or 4 for what it expected and received.
func zodMessage(it *issue, msg string) {
	low := lower(msg)
	switch {
	case low == "required" || strings.Contains(low, "received undefined"):
		it.kind = kindMissing
		it.received = "missing"
	case strings.Contains(low, "received nan"):
		it.kind = kindType
	case strings.HasPrefix(low, "unrecognized key"):
		it.kind = kindUnexpected
		if k := strings.IndexAny(msg, `"'`); k >= 0 && it.path == "" {
			it.path, _, _ = strings.Cut(strings.Trim(msg[k:], `"' `), msg[k:k+1])
		}
	}
	if k := strings.Index(low, "expected one of "); k >= 0 {
		it.kind = kindEnum
		if len(it.options) == 0 {
			it.options = quoted(msg[k:])
		}
		return
	}
	if k := strings.Index(low, "expected '"); k >= 0 && strings.Contains(low, "enum") {
		it.kind = kindEnum
		head, _, _ := strings.Cut(msg[k:], ", received")
		if len(it.options) == 0 {
			it.options = quoted(head)
		}
		return
	}
	if k := strings.Index(low, "expected "); k >= 0 {
		e := msg[k+len("expected "):]
		if r := strings.Index(lower(e), "received "); r >= 0 {
			if it.received == "" || it.received == "undefined" {
				it.received = strings.Trim(e[r+len("received "):], ` ."'`)
			}
			e = e[:r]
		}
		if it.expected == "" {
			it.expected = strings.Trim(e, " ,.")
		}
		if it.kind == kindOther {
			it.kind = kindType
		}
		if strings.HasPrefix(low, "too small") || strings.HasPrefix(low, "too big") {
			it.kind, it.expected = kindRange, strings.Trim(e, " ,.")
		}
		return
	}
	if it.expected == "" {
		sentenceDetail(it, msg)
	}
}

// quoted returns the quoted words of a text.
func quoted(s string) []string {
	var out []string
	for len(out) < 8 {
		k := strings.IndexAny(s, "\"'`")
		if k < 0 {
			break
		}
		q := s[k]
		end := strings.IndexByte(s[k+1:], q)
		if end < 0 {
			break
		}
		out = append(out, s[k+1:k+1+end])
		s = s[k+end+2:]
	}
	return out
}

// sentenceDetail reads the common sentences of validators.
func sentenceDetail(it *issue, msg string) {
	low := strings.TrimSpace(lower(msg))
	switch {
	case low == "required" || strings.Contains(low, "field required") || strings.Contains(low, "is required") || strings.Contains(low, "missing required") || strings.Contains(low, "field is mandatory") ||
		strings.Contains(low, "must specify") || strings.Contains(low, "is missing"):
		it.kind, it.received = kindMissing, "missing"
	case strings.Contains(low, "unexpected keyword") || strings.Contains(low, "extra inputs") || strings.Contains(low, "extra fields") || strings.Contains(low, "unknown field"):
		it.kind, it.received = kindUnexpected, "unexpected"
	case strings.HasPrefix(low, "input should be "):
		it.expected = strings.TrimSpace(msg[len("input should be "):])
		if k := strings.Index(it.expected, ", "); k > 0 {
			it.expected = it.expected[:k]
		}
		if strings.ContainsAny(it.expected, `'"`) {
			it.kind, it.options = kindEnum, quoted(it.expected)
		}
	case strings.HasPrefix(low, "ensure this value is "):
		it.kind, it.expected = kindRange, msg[len("ensure this value is "):]
	case strings.HasPrefix(low, "number must be "):
		it.kind, it.expected = kindRange, msg[len("number must be "):]
	case strings.HasPrefix(low, "value is not "):
		it.kind, it.expected = kindType, msg[len("value is not "):]
	case strings.HasPrefix(low, "not "):
		it.kind, it.expected = kindType, msg[len("not "):]
	case strings.Contains(low, " must be "):
		it.kind, it.expected = kindRange, strings.TrimSuffix(msg[strings.Index(low, " must be ")+1:], ".")
	case strings.Contains(low, ": must "):
		it.kind, it.expected = kindRange, strings.TrimSuffix(msg[strings.Index(low, ": must ")+2:], ".")
	case strings.HasPrefix(low, "invalid "):
		it.kind, it.expected = kindFormat, strings.TrimSuffix(msg[len("invalid "):], ".")
	case strings.HasPrefix(low, "must "):
		it.kind, it.expected = kindRange, strings.TrimSuffix(msg, ".")
	case strings.HasPrefix(low, "the data ("):
		if _, rest, ok := strings.Cut(msg, "("); ok {
			it.received, rest, _ = strings.Cut(rest, ")")
			if _, e, ok := strings.Cut(rest, "type: "); ok {
				it.kind, it.expected = kindType, e
			}
		}
	}
}

// pydantic reads "N validation errors for M", with a path and a message line
// for each error, as version 1 and 2 write it.
func (d *doc) pydantic(s string) {
	lines := strings.Split(s, "\n")
	if len(lines) < 2 || !strings.Contains(lines[0], " for ") {
		return
	}
	_, model, _ := strings.Cut(lines[0], " for ")
	for i := 1; i+1 < len(lines) && len(d.issues) < maxIssues; i++ {
		path, msg := lines[i], lines[i+1]
		if strings.HasPrefix(path, " ") || !strings.HasPrefix(msg, " ") || !strings.ContainsAny(msg, "[(") && !strings.Contains(msg, "required") {
			continue
		}
		it := issue{strong: true, rule: "validation.pydantic", path: dotted(strings.TrimSpace(path)), msg: strings.TrimSpace(msg)}
		if k := strings.LastIndex(it.msg, " [type="); k > 0 {
			meta := it.msg[k+2 : len(it.msg)-1]
			it.msg = it.msg[:k]
			kindName, rest, _ := strings.Cut(strings.TrimPrefix(meta, "type="), ",")
			if _, v, ok := strings.Cut(rest, "input_value="); ok {
				if e := strings.LastIndex(v, ", input_type="); e >= 0 {
					v = v[:e]
				}
				it.received = strings.Trim(v, `'"`)
			}
			pydanticType(&it, kindName)
		} else if k := strings.LastIndex(it.msg, " (type="); k > 0 {
			kindName := strings.TrimSuffix(it.msg[k+len(" (type="):], ")")
			it.msg = it.msg[:k]
			kindName, _, _ = strings.Cut(kindName, ";")
			pydanticType(&it, kindName)
		} else {
			sentenceDetail(&it, it.msg)
		}
		it.output = !strings.HasSuffix(model, "Arguments") && !strings.HasPrefix(model, "call[") && !strings.HasPrefix(model, "JSONRPC")
		d.issues = append(d.issues, it)
		i++
	}
}

// dotted writes pydantic's items.0.name as items[0].name.
func dotted(p string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(p, ".") {
		if _, num := smallInt(part); num {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

// pydanticType reads the type of a pydantic error, then its message.
func pydanticType(it *issue, name string) {
	received := it.received
	switch {
	case strings.Contains(name, "missing"):
		it.kind, received = kindMissing, "missing"
	case strings.Contains(name, "extra") || strings.Contains(name, "unexpected"):
		it.kind, received = kindUnexpected, "unexpected"
	case strings.Contains(name, "literal") || strings.Contains(name, "enum"):
		it.kind = kindEnum
	case strings.Contains(name, "greater") || strings.Contains(name, "less") || strings.Contains(name, "not_le") || strings.Contains(name, "not_ge") ||
		strings.Contains(name, "too_") || strings.Contains(name, "multiple"):
		it.kind = kindRange
	case strings.Contains(name, "parsing") || strings.Contains(name, "_type") || strings.HasPrefix(name, "type_error"):
		it.kind = kindType
	default:
		it.kind = kindFormat
	}
	k := it.kind
	sentenceDetail(it, it.msg)
	if k != kindFormat {
		it.kind = k
	}
	it.received = received
}

// argumentOf returns the name of the one argument whose value is v, or "".
func argumentOf(args []byte, v string) string {
	if len(args) == 0 || len(args) > 64<<10 || v == "" {
		return ""
	}
	found := ""
	gjson.ParseBytes(args).ForEach(func(k, x gjson.Result) bool {
		if s := scalar(x); s == v || x.Type == gjson.True && v == "True" || x.Type == gjson.False && v == "False" || x.Type == gjson.Null && v == "None" {
			if found != "" {
				found = ""
				return false
			}
			found = k.String()
		}
		return true
	})
	return found
}
