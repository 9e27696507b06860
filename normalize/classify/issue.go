package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// kind says in what way an argument was refused.
type kind int

const (
	kindOther kind = iota
	kindMissing
	kindUnexpected
	kindType
	kindEnum
	kindRange
	kindFormat
	kindEmpty
)

// issue is one refused argument as a validator described it. All its strings
// are the server's; each is checked before it is used.
type issue struct {
	path     string
	kind     kind
	expected string
	received string
	msg      string
	options  []string

	// more are the arguments that the same text refuses after this one.
	more []issue

	// instance is the value that the validator quoted instead of a name.
	instance string

	rule   string
	strong bool // a validator's own format, not prose
	output bool // it concerns a result, not arguments
	at     int  // position in the text
}

var zodCodes = map[string]kind{
	"invalid_type": kindType, "too_small": kindRange, "too_big": kindRange, "invalid_string": kindFormat, "invalid_format": kindFormat, "invalid_enum_value": kindEnum,
	"invalid_value": kindEnum, "invalid_literal": kindEnum, "unrecognized_keys": kindUnexpected, "invalid_union": kindOther, "custom": kindOther, "not_multiple_of": kindRange,
	"invalid_date": kindFormat, "invalid_arguments": kindOther, "invalid_key": kindOther, "invalid_element": kindOther, "not_finite": kindRange, "invalid_union_discriminator": kindEnum,
	"invalid_intersection_types": kindOther, "invalid_return_type": kindOther,
}

// issueOf reads one JSON object as a validation issue, if it is one: zod 3 and
// 4, pydantic and FastAPI, ajv, opis, Spring, Google, JSON:API, Stripe, GitHub.
func issueOf(v gjson.Result) (issue, bool) {
	if !v.IsObject() {
		return issue{}, false
	}
	if c := v.Get("code").Str; c != "" && v.Get("path").Exists() {
		if k, ok := zodCodes[c]; ok {
			return zodIssue(v, k), true
		}
	}
	msg := firstString(v, "msg", "message", "defaultMessage", "description", "detail", "reason", "error")
	switch {
	case v.Get("loc").IsArray() && v.Get("msg").Exists():
		it := issue{path: joinPath(v.Get("loc").Array(), true), msg: msg, strong: true, rule: "validation.pydantic"}
		it.received = scalar(v.Get("input"))
		pydanticType(&it, v.Get("type").Str)
		return it, true
	case (v.Get("instancePath").Exists() || v.Get("dataPath").Exists()) && v.Get("keyword").Exists():
		it := issue{path: pointer(v.Get("instancePath").Str + v.Get("dataPath").Str), msg: msg, strong: true, rule: "validation.ajv"}
		p := v.Get("params")
		switch v.Get("keyword").Str {
		case "required":
			it.kind, it.path = kindMissing, sub(it.path, p.Get("missingProperty").Str)
		case "additionalProperties":
			it.kind, it.path = kindUnexpected, sub(it.path, p.Get("additionalProperty").Str)
		case "type":
			it.kind, it.expected = kindType, p.Get("type").String()
		case "enum":
			it.kind, it.options = kindEnum, stringsOf(p.Get("allowedValues"))
		}
		return it, true
	case v.Get("pointer").Exists() && (v.Get("keyword").Exists() || msg != ""):
		it := issue{path: pointer(v.Get("pointer").Str), msg: msg, strong: true, rule: "validation.pointer"}
		sentenceDetail(&it, msg)
		return it, true
	case v.Get("source.pointer").Exists() || v.Get("source.parameter").Exists():
		it := issue{path: strings.TrimPrefix(pointer(v.Get("source.pointer").Str), "data.attributes.") + v.Get("source.parameter").Str, msg: msg, rule: "validation.jsonapi"}
		sentenceDetail(&it, msg)
		return it, it.path != ""
	}
	for _, k := range [...]string{"field", "param", "parameter", "argument", "property", "propertyPath", "fieldName", "parameterName", "attribute", "location", "name", "path"} {
		f := v.Get(k)
		if f.Type != gjson.String || !identLike(f.Str) || k == "location" && v.Get("domain").Exists() {
			continue
		}
		weak := k == "name" || k == "path" || k == "location"
		if weak && v.Get("isValid").Type != gjson.False && (!v.Get("reason").Exists() && !v.Get("value").Exists() && !v.Get("msg").Exists() || v.Get("stack").Exists() || strings.HasSuffix(f.Str, "Error")) {
			continue
		}
		code := v.Get("code").Str
		if msg == "" && code == "" {
			continue
		}
		it := issue{path: f.Str, msg: msg, rule: "validation.field"}
		sentenceDetail(&it, msg)
		if strings.HasPrefix(code, "missing") || strings.HasSuffix(code, "missing") || code == "required" {
			it.kind = kindMissing
		}
		return it, true
	}
	return issue{}, false
}

func zodIssue(v gjson.Result, k kind) issue {
	it := issue{path: joinPath(v.Get("path").Array(), false), kind: k, msg: v.Get("message").Str, strong: true, rule: "validation.zod"}
	it.expected = v.Get("expected").String()
	if r := v.Get("received").String(); r != "" {
		it.received = r
	}
	for _, key := range [...]string{"options", "values"} {
		it.options = append(it.options, stringsOf(v.Get(key))...)
	}
	if f := firstString(v, "format", "validation"); f != "" && k == kindFormat {
		it.expected = f
	}
	if keys := stringsOf(v.Get("keys")); len(keys) > 0 {
		it.path = sub(it.path, keys[0])
	}
	if u := v.Get("unionErrors.0.issues.0"); u.Exists() {
		it.msg = u.Get("message").Str
	}
	zodMessage(&it, it.msg)
	return it
}

func firstString(v gjson.Result, keys ...string) string {
	for _, k := range keys {
		if x := v.Get(k); x.Type == gjson.String && x.Str != "" {
			return x.Str
		}
	}
	return ""
}

func stringsOf(v gjson.Result) []string {
	var out []string
	if v.IsArray() {
		v.ForEach(func(_, x gjson.Result) bool {
			out = append(out, x.String())
			return len(out) < 8
		})
	}
	return out
}

func scalar(v gjson.Result) string {
	switch v.Type {
	case gjson.String, gjson.Number, gjson.True, gjson.False:
		return v.String()
	case gjson.JSON:
		if v.IsArray() {
			return "array"
		}
		return "object"
	}
	return ""
}

// joinPath writes a path as a.b[0]. With http, a first part that names a place
// of an HTTP request is left out.
func joinPath(parts []gjson.Result, http bool) string {
	var b strings.Builder
	for i, p := range parts {
		s := p.String()
		if http && i == 0 && len(parts) > 1 && (s == "body" || s == "query" || s == "path" || s == "header" || s == "cookie" || s == "form") {
			continue
		}
		if p.Type == gjson.Number {
			b.WriteString("[" + s + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	return b.String()
}

// brackets turns the members of a path in brackets into members behind dots.
var brackets = strings.NewReplacer("']['", ".", "['", ".", "']", "", "[\"", ".", "\"]", "")

// pointer turns "/a/b/0", "/properties/a", "$.a", "#/a" and "data/a" into a.b[0].
func pointer(s string) string {
	s = strings.Trim(s, " \"'`")
	if len(s) > 1 && s[0] == '[' && (s[1] < '0' || s[1] > '9') {
		s = s[1:]
	}
	for _, p := range [...]string{"#", "$", "data/", "instance", "root"} {
		s = strings.TrimPrefix(s, p)
	}
	s = brackets.Replace(s)
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '.' })
	var b strings.Builder
	for i, p := range parts {
		if _, num := smallInt(p); num {
			b.WriteString("[" + p + "]")
			continue
		}
		if (p == "properties" || p == "items") && i+1 < len(parts) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}

func sub(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}

func identLike(s string) bool {
	if s == "" || len(s) > 64 || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) && strings.IndexByte(".[]-$", s[i]) < 0 {
			return false
		}
	}
	return true
}

// fieldErrors reads {"field": ["message"]} as Django, Laravel, Rails, ASP.NET
// and Jira write it. It reports whether the object was one of that kind.
func (d *doc) fieldErrors(fields map[string]gjson.Result, order []string, key string) bool {
	inErrors := key == "errors" || key == "error" || key == "detail" || key == "fieldErrors" || key == "validationErrors" || key == "message"
	if key != "" && !inErrors || len(order) == 0 {
		return false
	}
	for _, k := range order {
		x := fields[k]
		name := strings.TrimPrefix(k, "$.")
		list := x.IsArray() && x.Get("0").Type == gjson.String
		if !list && !(inErrors && x.Type == gjson.String && strings.Contains(x.Str, " ")) || !identLike(name) && k != "$" {
			return false
		}
		if !list && contains(messageKeys, k) || list && key == "" && contains(messageKeys, k) {
			return false
		}
	}
	for _, k := range order {
		x := fields[k]
		msg := x.String()
		if x.IsArray() {
			msg = x.Get("0").Str
		}
		if len(d.issues) < maxIssues && k != "non_field_errors" && k != "$" && k != "base" {
			it := issue{path: strings.TrimPrefix(k, "$."), msg: msg, rule: "validation.fields"}
			sentenceDetail(&it, msg)
			d.issues = append(d.issues, it)
		}
		d.message(msg, maxRounds)
	}
	return true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
