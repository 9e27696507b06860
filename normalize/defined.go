package normalize

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// maxDefined bounds the data of the specification that stays, in bytes.
const maxDefined = 4096

// definedData returns the data that the specification defines for a code, or
// nil. Members and values that the specification does not know are left out: the
// rest of the data is the server's own and may hold anything.
func definedData(c *Call, code int64, data gjson.Result) []byte {
	if code == codeInvalidParams && c.Method == "resources/read" {
		code = codeResourceMissing // its successor since 2026-07-28
	}
	if !data.IsObject() || len(data.Raw) > maxDefined {
		return nil
	}
	out := map[string]any{}
	switch code {
	case codeVersion:
		var supported []string
		data.Get("supported").ForEach(func(_, v gjson.Result) bool {
			if version(v) {
				supported = append(supported, v.Str)
			}
			return len(supported) < 32
		})
		if len(supported) > 0 {
			out["supported"] = supported
		}
		if v := data.Get("requested"); version(v) {
			out["requested"] = v.Str
		}
	case codeMissingCap:
		if c := capabilities(data.Get("requiredCapabilities"), 0); len(c) > 0 {
			out["requiredCapabilities"] = c
		}
	case codeResourceMissing:
		if v := data.Get("uri"); v.Type == gjson.String && address(v.Str) {
			out["uri"] = v.Str
		}
	case codeHeaderMismatch, codeElicitation:
		data.ForEach(func(k, v gjson.Result) bool {
			if _, ok := sanitize.Ident(k.Str); ok && v.Type == gjson.String && !sanitize.Sensitive(k.Str) {
				if s, ok := sanitize.Value(v.Str); ok && !strings.Contains(v.Str, " ") {
					out[k.Str] = s.String()
				}
			}
			return len(out) < 8
		})
	default:
		return nil
	}
	if len(out) == 0 {
		return nil
	}
	return Marshal(out)
}

// version reports a protocol version: a date.
func version(v gjson.Result) bool {
	if v.Type != gjson.String || len(v.Str) < 4 || len(v.Str) > 20 {
		return false
	}
	for i := range len(v.Str) {
		if c := v.Str[i]; (c < '0' || c > '9') && c != '-' && c != '.' && (c < 'a' || c > 'z') || i < 4 && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// address reports a URI without credentials, a query and anything shaped like a
// secret.
func address(s string) bool {
	return plain(s) && strings.Contains(s, ":") && !strings.ContainsAny(s, " ?@\\\"'{}") && sanitize.MaskLog(s, 0, nil) == s
}

// capabilities keeps names of capabilities, up to three levels deep.
func capabilities(v gjson.Result, depth int) map[string]any {
	out := map[string]any{}
	if !v.IsObject() || depth > 2 {
		return out
	}
	v.ForEach(func(k, x gjson.Result) bool {
		name := strings.ReplaceAll(k.Str, "/", ".")
		if _, ok := sanitize.Ident(name); !ok {
			return true
		}
		switch {
		case x.IsObject():
			out[k.Str] = capabilities(x, depth+1)
		case x.Type == gjson.True || x.Type == gjson.False:
			out[k.Str] = x.Bool()
		}
		return len(out) < 16
	})
	return out
}
