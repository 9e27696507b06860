package classify

import "strings"

// looksLikePage reports whether s is HTML or XML.
func looksLikePage(s string) bool {
	_, ok := page(s)
	return ok
}

// page returns what a person would read first of an HTML or XML document: title,
// headings, fault and message elements, with what stood before the document.
func page(s string) (string, bool) {
	low := lower(s[:min(len(s), 16<<10)])
	at := -1
	for _, m := range [...]string{"<!doctype html", "<html", "<head>", "<body", "<?xml", "<soap", "<s:envelope", "<env:", "<error>", "<errorresponse", "<fault", "<response>", "<title>", "<serviceexception"} {
		if k := strings.Index(low, m); k >= 0 && (at < 0 || k < at) {
			at = k
		}
	}
	if at < 0 {
		return "", false
	}
	out := []string{strings.TrimSpace(s[:at])}
	html := strings.Contains(low[at:], "<html") || strings.Contains(low[at:], "<!doctype") || strings.Contains(low[at:], "<title>")
	tags := []string{"title", "h1", "h2", "pre", "faultstring", "soap:text", "s:text", "env:text", "message", "msg", "reason", "detail", "description", "code", "faultcode", "serviceexception", "error"}
	for _, t := range tags {
		if v := element(s[at:min(len(s), at+16<<10)], low[at:], t); v != "" {
			v = strings.ToValidUTF8(v[:min(len(v), 600)], "")
			dup := false
			for _, o := range out {
				dup = dup || o == v
			}
			if !dup {
				out = append(out, v)
			}
		}
	}
	if html && len(out) < 3 {
		if v := element(s[at:min(len(s), at+16<<10)], low[at:], "body"); v != "" && len(v) < 300 {
			out = append(out, v)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n")), html || len(out) > 1
}

// element returns the text of the first element of that name, without tags.
func element(s, low, name string) string {
	for from := 0; ; {
		k := strings.Index(low[from:], "<"+name)
		if k < 0 {
			return ""
		}
		k += from + len(name) + 1
		if k < len(low) && low[k] != '>' && low[k] != ' ' {
			from = k
			continue
		}
		open := strings.IndexByte(low[k:], '>')
		if open < 0 {
			return ""
		}
		start := k + open + 1
		end := strings.Index(low[start:], "</"+name)
		if end < 0 || start+end > len(s) {
			return ""
		}
		return strip(s[start : start+end])
	}
}

var lineBreaks = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n")

var entities = strings.NewReplacer("&#39;", "'", "&apos;", "'", "&quot;", `"`, "&lt;", "<", "&gt;", ">", "&nbsp;", " ", "&amp;", "&", "<br>", "\n", "<br/>", "\n", "<br />", "\n")

// strip removes tags and decodes the common entities once.
func strip(s string) string {
	s = lineBreaks.Replace(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '<' {
			if k := strings.IndexByte(s[i:], '>'); k >= 0 && k < 256 {
				i += k
				b.WriteByte(' ')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.TrimSpace(entities.Replace(b.String()))
}
