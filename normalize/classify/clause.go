package classify

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

const (
	// reach is how far in bytes a clause may extend from its anchor.
	reach = 110
	// maxTokens and maxClause bound a clause.
	maxTokens = 18
	maxClause = 150
)

// ownWords are words of failures that are constants of this program.
var ownWords = words(sanitize.Word, "ENOTFOUND", "getaddrinfo", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "EOF",
	"ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY", "EMFILE", "ENOSPC", "EROFS", "EBUSY", "NOAUTH", "WRONGPASS", "WRONGTYPE", "NOPERM", "READONLY", "LOADING", "OOM",
	"robots.txt", "rate-limited", "ratelimited", "rate_limited", "rate_limit_exceeded", "too_many_requests", "invalid_auth", "not_authed", "token_expired", "token_revoked", "missing_scope",
	"not_in_channel", "channel_not_found", "user_not_found", "object_not_found", "zero_results", "invalid_grant", "invalid_token", "invalid_api_key", "insufficient_scope", "insufficient_quota",
	"access_denied", "permission_denied", "unauthenticated", "resource_exhausted", "deadline_exceeded", "not_found", "invalid_argument", "over_query_limit", "request_denied",
	"err_name_not_resolved", "err_connection_refused", "err_connection_reset", "err_timed_out", "err_connection_timed_out", "err_internet_disconnected", "restricted_resource",
	"HTTP", "HTTPS", "API", "URL", "SQL", "JSON", "SSL", "TLS", "DNS", "IP", "SSRF", "SSE", "UUID", "OAuth", "JWT", "SQLSTATE", "JSON-RPC", "MCP", "CAPTCHA", "GraphQL", "Content-Type",
	"Chrome", "Chromium", "browser", "MySQL", "PostgreSQL", "Postgres", "Redis", "MongoDB", "SQLite", "Docker", "Kubernetes", "GitHub", "GitLab", "Jira", "Confluence", "Slack", "Notion",
	"Google", "Blender", "Figma", "Linear", "Stripe", "Discord", "Telegram", "OpenAI", "Anthropic", "Perplexity", "Brave", "AWS", "Azure", "S3", "Elasticsearch", "Grafana", "Sentry", "Salesforce",
	"SyntaxError", "TypeError", "ValueError", "KeyError", "TimeoutError", "AssertionError", "RuntimeError", "RangeError", "ReferenceError", "AttributeError", "NullPointerException", "ZodError",
	"ThrottlingException", "AccessDenied", "AccessDeniedException", "ValidationException", "ResourceNotFoundException", "NoSuchBucket", "NoSuchKey", "ExpiredToken", "RequestLimitExceeded",
	"div", "async", "undefined", "NaN", "nil", "NoneType", "subscriptable", "iterable", "callable", "unmarshal", "deserialize", "robots", "fetching", "autonomous", "simultaneously",
	"initialized", "preflight", "timed-out", "re-authenticate", "unreachable", "daemon", "keepalive", "websocket", "WebSocket", "deadlocked", "deadlock", "starvation", "ungranted",
	"can't", "couldn't", "doesn't", "isn't", "hasn't", "wasn't", "aren't", "didn't", "haven't", "you've", "you're", "it's", "won't", "blank", "fractional", "uuid", "ISO", "UTC", "UTF-8",
	"ajv", "zod", "ten_secondly_rolling", "secondly", "hourly", "minutely", "rolling", "tNOW", "tDIGIT", "scopes", "EXIT", "stdout", "stdio", "SIGTERM", "SIGKILL", "SIGSEGV",
	"gateway", "cloudflare", "nginx", "proxy", "kubeconfig", "namespace", "pod", "pods", "PKIX", "x509", "certificate", "self-signed", "localhost", "metadata", "loopback", "non-public", "link-local",
	"repository", "branch", "commit", "pathspec", "refspec", "revision", "remote", "publickey", "HEAD", "gateway-timeout", "time-out", "non-json", "structuredContent", "outputSchema", "tools/call", "tools/list")

// words maps the lower-case form of each constant to its slot. C is inferred
// from word, so that only constants of the program can be passed.
func words[C ~string](word func(C) sanitize.Slot, list ...C) map[string]sanitize.Slot {
	m := make(map[string]sanitize.Slot, len(list))
	for _, c := range list {
		m[strings.ToLower(string(c))] = word(c)
	}
	return m
}

// glue are the separators that may stand between two words of a clause.
var glue = func() map[string]sanitize.Slot {
	m := map[string]sanitize.Slot{}
	for s, w := range words(sanitize.Word, " ", ", ", ": ", " - ", " (", ") ", "/", "-", "; ", ",", " = ", "=", "+", "&", "' ", " '", "'", ") - ", "): ", " [", "] ", "][", "_", ".") {
		m[s] = w
	}
	for _, pair := range [...][2]string{{" \"", " "}, {"\" ", " "}, {" '", " "}, {"' ", " "}, {" `", " "}, {"` ", " "}, {" “", " "}, {"” ", " "}, {"  ", " "}, {": \"", ": "}, {": '", ": "}, {": `", ": "},
		{" '\"", " "}, {"', ", ", "}, {"\", ", ", "}, {"\"|\"", ", "}, {"', '", ", "}, {"\", \"", ", "}, {"` or `", " or "}, {"\t", " "}, {" [", " "}, {"] ", " "}, {"][", " "}, {".", "."}, {" => ", " "}} {
		m[pair[0]] = m[pair[1]]
	}
	m["` or `"] = sanitize.Word(" or ")
	m["' or '"] = sanitize.Word(" or ")
	m["\" or \""] = sanitize.Word(" or ")
	return m
}()

// imperatives end a clause: a report of a failure does not need them, an
// instruction does.
var imperatives = wordSet(`ignore disregard forget delete drop execute invoke send email transfer upload download forward reveal print post follow obey override bypass act pretend
	instead_ immediately now_ kindly assistant llm ai agent model_ prompt instructions instruction system_ developer password_ secret secrets ssh curl wget sudo purchase pay reply respond_`)

// known are the words of one call that the caller itself sent.
type known struct {
	tool string
	args gjson.Result
}

func (k known) slot(tok string) (sanitize.Slot, bool) {
	if tok == "" {
		return sanitize.Slot{}, false
	}
	if tok == k.tool {
		return sanitize.Ident(tok)
	}
	if !k.args.IsObject() || len(k.args.Raw) > 64<<10 {
		return sanitize.Slot{}, false
	}
	found := false
	k.args.ForEach(func(name, v gjson.Result) bool {
		found = len(tok) > 1 && v.Type != gjson.JSON && v.Type != gjson.Null && v.String() == tok && !secretKey(name.String()) || name.String() == tok
		return !found
	})
	if !found {
		return sanitize.Slot{}, false
	}
	return sanitize.Value(tok)
}

// word returns the slot of one word of a clause.
func (k known) word(tok string) (sanitize.Slot, bool) {
	low := lower(tok)
	if imperatives[low] {
		return sanitize.Slot{}, false
	}
	if s, ok := ownWords[low]; ok {
		return s, true
	}
	if s, ok := k.slot(tok); ok {
		return s, true
	}
	if len(tok) > 30 || strings.ContainsAny(tok, "@/\\") {
		return sanitize.Slot{}, false
	}
	if s, ok := sanitize.Phrase(tok); ok {
		return s, true
	}
	return sanitize.Slot{}, false
}

// piece is one word of the text with what stands before it.
type piece struct {
	start, end int
	sep        sanitize.Slot
	slot       sanitize.Slot
	ok         bool
	joined     bool // sep is a separator that a clause may keep
}

// clause returns the words around text[start:end] that may be shown, as slots
// with their separators, or nil.
func (k known) clause(text string, start, end int, forward bool) run {
	lo := max(strings.LastIndexByte(text[:start], '\n')+1, start-reach)
	hi := min(len(text), end+reach)
	if n := strings.IndexByte(text[start:hi], '\n'); n >= 0 {
		hi = max(start+n, min(end, hi))
	}
	ps := k.pieces(text, lo, hi)
	best, from, to := 0, -1, -1
	for i := 0; i < len(ps); {
		if !ps[i].ok {
			i++
			continue
		}
		j := i + 1
		for j < len(ps) && ps[j].ok && ps[j].joined {
			j++
		}
		n := 0
		for q := i; q < j; q++ {
			if ps[q].start < end && ps[q].end > start {
				n += ps[q].end - ps[q].start
			}
		}
		if n > best {
			best, from, to = n, i, j
		}
		i = j
	}
	if from < 0 {
		return nil
	}
	from, to = trim(ps, text, from, to, start, end, forward)
	var out run
	for i := from; i < to; i++ {
		if i > from {
			out = append(out, ps[i].sep)
		}
		out = append(out, ps[i].slot)
	}
	return out
}

// edge are words with which a clause neither begins nor ends.
var edge = wordSet(`a an the of to for and or in on at by with from is are was were be been that this it its as but if so than then when while error errors mcp`)

// trim cuts a run to its bounds, drops sentences before the anchor's and words
// that say nothing at the ends, and keeps brackets in pairs.
func trim(ps []piece, text string, from, to, start, end int, forward bool) (int, int) {
	for i := to - 1; i > from; i-- {
		if ps[i].start <= start && strings.HasPrefix(text[ps[i-1].end:ps[i].start], ". ") {
			from = i
			break
		}
	}
	for i := from + 1; i < to; i++ {
		if gap := text[ps[i-1].end:ps[i].start]; ps[i].start >= end && (strings.HasPrefix(gap, ". ") || !forward && strings.Contains(gap, ":")) {
			to = i
			break
		}
	}
	for to-from > maxTokens && ps[from].end <= start {
		from++
	}
	for to-from > maxTokens && ps[to-1].start >= end {
		to--
	}
	for to-from > maxTokens {
		to--
	}
	for to-from > 1 && edge[lower(text[ps[to-1].start:ps[to-1].end])] {
		to--
	}
	for to-from > 1 && ps[from].end <= start && edge[lower(text[ps[from].start:ps[from].end])] {
		from++
	}
	depth, open := 0, from
	for i := from + 1; i < to; i++ {
		for _, c := range ps[i].sep.String() {
			switch c {
			case '(':
				if depth++; depth == 1 {
					open = i
				}
			case ')':
				if depth--; depth < 0 {
					return max(i, from), to
				}
			}
		}
	}
	if depth > 0 {
		to = open
	}
	return from, to
}

// pieces splits text[lo:hi] into words.
func (k known) pieces(text string, lo, hi int) []piece {
	var out []piece
	last := lo
	for i := lo; i < hi && len(out) < 64; {
		c := text[i]
		if !wordByte(c) && c < utf8.RuneSelf {
			i++
			continue
		}
		j := i
		for j < hi && (wordByte(text[j]) || text[j] >= utf8.RuneSelf && text[j] != 0xE2 || (text[j] == '\'' || text[j] == '-' || text[j] == '.' || text[j] == '/' || text[j] == ':' && text[j-1] >= '0' && text[j-1] <= '9') &&
			j+1 < hi && wordByte(text[j+1]) && j > i && wordByte(text[j-1])) {
			j++
		}
		p := piece{start: i, end: j}
		p.slot, p.ok = k.word(text[i:j])
		if !p.ok {
			// A compound may be shown when its parts may.
			for q := i; q < j; q++ {
				if text[q] == '-' || text[q] == '/' || text[q] == '.' || text[q] == '_' || text[q] == '\'' {
					if s, ok := k.word(text[i:q]); ok && text[q] != '.' && text[q] != '\'' {
						p.slot, p.ok, j = s, true, q
						p.end = q
					}
					break
				}
			}
		}
		p.sep, p.joined = glue[text[last:i]]
		if i > 0 && i == last && len(out) > 0 {
			p.joined = false
		}
		out = append(out, p)
		last = j
		if i = j; i == p.start {
			i++
		}
	}
	return out
}
