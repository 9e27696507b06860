package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// findJSON returns where JSON (or a Python literal) starts in s, with its value;
// value.Index is its length in s. At most four places are tried.
func findJSON(s string) (int, gjson.Result) {
	tries := 0
	for i := 0; i < len(s) && tries < 4; i++ {
		c := s[i]
		if c != '{' && c != '[' && !(c == '"' && i == 0 && len(s) > 2) {
			continue
		}
		if c == '[' && i+1 < len(s) && (s[i+1] >= 'A' && s[i+1] <= 'Z' || s[i+1] == ']') {
			continue
		}
		tries++
		end := closing(s, i)
		if end < 0 || c == '"' && end != len(s) || c == '[' && i > 0 && strings.IndexByte(s[i:end], '{') < 0 {
			continue
		}
		part := s[i:end]
		if !gjson.Valid(part) {
			if part = pythonJSON(part); part == "" || !gjson.Valid(part) {
				if c == '{' || c == '[' {
					i = min(i+1, end)
				}
				continue
			}
		}
		v := gjson.Parse(part)
		if v.IsArray() && !strings.ContainsAny(part, "{\"") || v.IsObject() && !strings.Contains(part, ":") {
			i = end - 1
			continue
		}
		v.Index = end - i
		return i, v
	}
	return -1, gjson.Result{}
}

// closing returns the end of the bracketed or quoted text that starts at i.
func closing(s string, i int) int {
	if s[i] == '"' {
		for j := i + 1; j < len(s); j++ {
			switch s[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return -1
	}
	depth := 0
	var quote byte
	for j := i; j < len(s); j++ {
		c := s[j]
		if quote != 0 {
			if c == '\\' {
				j++
			} else if c == quote {
				quote = 0
			}
			continue
		}
		switch c {
		case '"':
			quote = c
		case '\'':
			if j > 0 && strings.IndexByte("{[(:, ", s[j-1]) >= 0 {
				quote = c
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return -1
}

// pythonJSON turns the repr of a Python dict or list into JSON; "" when it is
// none.
func pythonJSON(s string) string {
	if strings.IndexByte(s, '\'') < 0 || len(s) > 16<<10 {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			j := i + 1
			b.WriteByte('"')
			for j < len(s) && s[j] != c {
				switch {
				case s[j] == '\\' && j+1 < len(s):
					if s[j+1] == '\'' {
						b.WriteByte('\'')
					} else {
						b.WriteByte('\\')
						b.WriteByte(s[j+1])
					}
					j++
				case s[j] == '"':
					b.WriteString(`\"`)
				case s[j] == '\n':
					b.WriteString(`\n`)
				default:
					b.WriteByte(s[j])
				}
				j++
			}
			b.WriteByte('"')
			i = j + 1
		case strings.HasPrefix(s[i:], "None"):
			b.WriteString("null")
			i += 4
		case strings.HasPrefix(s[i:], "True"):
			b.WriteString("true")
			i += 4
		case strings.HasPrefix(s[i:], "False"):
			b.WriteString("false")
			i += 5
		case c == '(':
			b.WriteByte('[')
			i++
		case c == ')':
			b.WriteByte(']')
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// walk reads messages, codes, a status, a wait and issues out of JSON.
func (d *doc) walk(v gjson.Result, key string, depth, round int) {
	if depth > maxDepth || len(d.msgs) >= 16 {
		return
	}
	switch {
	case v.Type == gjson.String:
		s := v.String()
		if key == "data" && !looksLikePage(s) {
			return
		}
		if key != "" && isCodeWord(s) {
			d.codes = appendCode(d.codes, s)
			return
		}
		if round < maxRounds {
			d.message(s, round+1)
		} else {
			d.plain(strings.TrimSpace(s))
		}
	case v.IsArray():
		n := 0
		v.ForEach(func(_, x gjson.Result) bool {
			if iss, ok := issueOf(x); ok {
				if len(d.issues) < maxIssues {
					d.issues = append(d.issues, iss)
				}
				if x.Get("type").String() == "text" {
					d.walk(x, key, depth+1, round)
				}
			} else {
				d.walk(x, key, depth+1, round)
			}
			n++
			return n < 8
		})
	case v.IsObject():
		d.object(v, key, depth, round)
	}
}

func (d *doc) object(v gjson.Result, key string, depth, round int) {
	fields := map[string]gjson.Result{}
	var order []string
	v.ForEach(func(k, x gjson.Result) bool {
		name := k.String()
		if _, dup := fields[name]; !dup {
			order = append(order, name)
		}
		fields[name] = x
		return len(order) < 64
	})
	if iss, ok := issueOf(v); ok && len(d.issues) < maxIssues {
		d.issues = append(d.issues, iss)
	}
	for _, k := range statusKeys {
		if x, ok := fields[k]; ok && d.status == 0 {
			d.status = statusValue(x, k)
		}
	}
	d.wait.fields(fields)
	if d.fieldErrors(fields, order, key) {
		return
	}
	told := len(d.msgs) + len(d.codes) + len(d.issues)
	for _, k := range messageKeys {
		x, ok := fields[k]
		if !ok || (k == "content" || k == "toolResult" || k == "result" || k == "output" || k == "text") && depth > 3 {
			continue
		}
		if k == "data" && x.Type != gjson.String && !hasMessage(x) {
			continue
		}
		d.walk(x, k, depth+1, round)
	}
	for _, k := range codeKeys {
		if x, ok := fields[k]; ok && x.Type == gjson.String && isCodeWord(x.String()) {
			d.codes = appendCode(d.codes, x.String())
		}
	}
	if n := len(d.msgs) + len(d.codes) + len(d.issues); n > told+1 || n > told && !saysFailed(d.codes) {
		return
	}
	// Nothing under the keys that hold messages: a key of the service's own may.
	for _, k := range order[:min(len(order), 8)] {
		if x := fields[k]; x.Type == gjson.JSON && !secretKey(k) && (speaks(x) || speaks(x.Get("0"))) {
			d.walk(x, k, depth+1, round)
		}
	}
	if len(d.msgs)+len(d.issues) == 0 && (len(d.codes) == 0 || len(d.codes) == 1 && saysFailed(d.codes)) && len(order) > 0 && depth == 0 {
		for _, k := range order[:min(len(order), 8)] {
			if x := fields[k]; x.Type == gjson.String && strings.ContainsAny(x.String(), " ") && !secretKey(k) {
				d.message(x.String(), round+1)
			}
		}
	}
}

// saysFailed reports whether the last code says only that there was a failure.
func saysFailed(codes []string) bool {
	if len(codes) == 0 {
		return false
	}
	switch lower(codes[len(codes)-1]) {
	case "error", "failed", "failure", "fail":
		return true
	}
	return false
}

func hasMessage(x gjson.Result) bool {
	return x.Get("message").Exists() || x.Get("error").Exists() || x.Get("errors").Exists() || x.Get("validation_errors").Exists() || x.Get("detail").Exists()
}

// speaks reports whether an object has a message of its own.
func speaks(x gjson.Result) bool {
	return x.IsObject() && (hasMessage(x) || x.Get("reason").Type == gjson.String || x.Get("msg").Type == gjson.String || x.Get("description").Type == gjson.String)
}

func appendCode(codes []string, s string) []string {
	if len(codes) >= 8 {
		return codes
	}
	for _, c := range codes {
		if c == s {
			return codes
		}
	}
	return append(codes, s)
}

// isCodeWord reports whether s is one word such as "object_not_found".
func isCodeWord(s string) bool {
	if len(s) < 3 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return true
}
