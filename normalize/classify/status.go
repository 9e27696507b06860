package classify

import (
	"strings"

	"github.com/tidwall/gjson"
)

// httpStatus reports whether n is a status of the IANA registry or of a common
// proxy that stands for a failure. Other three-digit numbers are no statuses:
// SQLSTATEs, errnos, line numbers and vendor codes look alike.
func httpStatus(n int) bool {
	switch {
	case n >= 400 && n <= 418, n >= 421 && n <= 426, n >= 500 && n <= 508, n >= 520 && n <= 527:
		return true
	case n == 428, n == 429, n == 431, n == 451, n == 499, n == 510, n == 511, n == 529, n == 530:
		return true
	}
	return false
}

// statusValue returns the status under a status-like key, or 0.
func statusValue(v gjson.Result, key string) int {
	n := 0
	switch {
	case v.Type == gjson.Number:
		n = int(v.Int())
	case v.Type == gjson.String && len(v.Str) == 3:
		n, _ = smallInt(v.Str)
	}
	if httpStatus(n) {
		return n
	}
	return 0
}

func smallInt(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || i > 8 {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}

// reasons are the reason phrases after a status, by their first words.
var reasons = map[int][]string{
	400: {"bad request"}, 401: {"unauthorized", "unauthorised", "authorization required"}, 402: {"payment required"}, 403: {"forbidden"},
	404: {"not found", "page not found"}, 405: {"method not allowed", "not allowed"}, 406: {"not acceptable"}, 407: {"proxy authentication"},
	408: {"request timeout", "request time-out"}, 409: {"conflict"}, 410: {"gone"}, 411: {"length required"}, 412: {"precondition"},
	413: {"request entity", "payload too", "content too"}, 414: {"uri too", "request-uri"}, 415: {"unsupported media"}, 416: {"range not"},
	421: {"misdirected"}, 422: {"unprocessable"}, 423: {"locked"}, 424: {"failed dependency"}, 425: {"too early"}, 426: {"upgrade required"},
	428: {"precondition required"}, 429: {"too many"}, 431: {"request header"}, 451: {"unavailable for"}, 499: {"client closed"},
	500: {"internal server", "internal error", "server error"}, 501: {"not implemented"}, 502: {"bad gateway"},
	503: {"service unavailable", "service temporarily", "unavailable", "backend fetch"}, 504: {"gateway time", "gateway timeout"}, 505: {"http version"},
	507: {"insufficient storage"}, 520: {"web server returned"}, 521: {"web server is down"}, 522: {"connection timed"}, 523: {"origin is"},
	524: {"a timeout"}, 525: {"ssl handshake"}, 526: {"invalid ssl"}, 529: {"overloaded", "site is overloaded"}, 530: {"origin dns"},
}

// before are the words after which a number is an HTTP status.
var before = map[string]bool{
	"status": true, "http": true, "httperror": true, "statuscode": true, "status_code": true, "httpstatus": true, "http_status": true, "responded": true,
	"returned": true, "response": true, "1.1": true, "2.0": true, "http2": true, "apierror": true, "clienterror": true, "servererror": true,
	"responseerror": true, "apistatuserror": true, "httpexception": true, "状态码": true, "code": true, "received": true, "got": true, "statut": true, "estado": true,
	"answered": true, "replied": true, "answers": true, "failed": true, "error": true, "errors": true,
}

// textStatus returns the first number of low that is shown as an HTTP status,
// with its position, or 0.
func textStatus(low string) (int, int) {
	for i := 0; i+3 <= len(low); i++ {
		if low[i] != '4' && low[i] != '5' || i > 0 && !opens(low, i) {
			continue
		}
		n, ok := smallInt(low[i : i+3])
		if !ok || !httpStatus(n) || i+3 < len(low) && !closes(low, i+3) {
			continue
		}
		if shownAsStatus(low, i, n) {
			return n, i
		}
		i += 2
	}
	return 0, -1
}

// opens reports whether the number at i may be a number of its own.
func opens(s string, i int) bool {
	switch c := s[i-1]; c {
	case ' ', '(', '[', ':', '\n', '=', '"', '\'', '<', '\t', ',', '>', '{':
		return true
	case '/':
		return i >= 5 && strings.HasSuffix(s[:i], "http/")
	case '_', '-':
		return strings.HasSuffix(s[:i-1], "http") || strings.HasSuffix(s[:i-1], "status") || strings.HasSuffix(s[:i-1], "error")
	}
	return strings.HasSuffix(s[:i], "http") || strings.HasSuffix(s[:i], "码")
}

func closes(s string, i int) bool {
	if c := s[i]; c == '.' || c == ',' {
		return i+1 >= len(s) || s[i+1] < '0' || s[i+1] > '9'
	}
	return !wordByte(s[i]) && s[i] != '%'
}

func shownAsStatus(low string, i, n int) bool {
	if k := strings.TrimLeft(low[i+3:], ") -."); len(k) >= 8 && digits(k[:3]) && k[3] == '-' && digits(k[4:8]) {
		return false // an area code
	}
	rest := low[i+3:]
	after := strings.TrimLeft(rest, " :,-\"')]([{")
	for _, r := range reasons[n] {
		if strings.HasPrefix(after, r) {
			return true
		}
	}
	if strings.HasPrefix(after, "client error") || strings.HasPrefix(after, "server error") || strings.HasPrefix(after, "error") && !strings.HasPrefix(after, "errors") {
		return true
	}
	// Units, line numbers, ports and enhanced mail codes are no statuses.
	for _, u := range [...]string{"ms", "milli", "sec", "s ", "byte", "kb", "mb", "char", "token", "line", "row", "item", "record", "record", "px", "%", "times", "minute", "hour", "day", "file", "result", "entries", "match", "word", "page", "error in"} {
		if strings.HasPrefix(after, u) {
			return false
		}
	}
	if len(after) > 4 && after[1] == '.' && after[3] == '.' && (after[0] == '4' || after[0] == '5') {
		return false
	}
	head := strings.TrimRight(low[max(0, i-40):i], " :=\"'(#-[/")
	k := len(head)
	for k > 0 && (wordByte(head[k-1]) || head[k-1] >= 0x80 || head[k-1] == '.') {
		k--
	}
	w := head[k:]
	bracket := i > 0 && (low[i-1] == '(' || low[i-1] == '[') && rest != "" && (rest[0] == ')' || rest[0] == ']' || rest[0] == ' ' || rest[0] == ',')
	switch {
	case w == "line" || w == "port" || w == "errno" || w == "column" || w == "exit" || w == "position" || w == "oserror" || w == "char" || w == "character" || w == "size" || w == "length" || w == "limit" || w == "id" || w == "than" || w == "to" || w == "of" || w == "at" || w == "pid" || w == "maximum" || w == "minimum" || w == "received" && strings.HasPrefix(after, "instead") || w == "page" || w == "row":
		return false
	case w == "code":
		prev := strings.TrimRight(head[:k], " _-")
		return !strings.HasSuffix(prev, "exit") && !strings.HasSuffix(prev, "vendor") && !strings.HasPrefix(after, "db::exception") && !strings.HasSuffix(prev, "error") || strings.HasSuffix(prev, "http error")
	case before[w]:
		return true
	case w == "with":
		prev := strings.TrimRight(head[:k], " ")
		return before[prev[strings.LastIndexByte(prev, ' ')+1:]]
	case strings.HasSuffix(w, "error") || strings.HasSuffix(w, "exception"):
		return true
	case bracket:
		return true
	case i == 0 || low[i-1] == '\n' || strings.HasSuffix(low[:i], ": "):
		return after != "" && (after[0] >= 'a' && after[0] <= 'z' || after[0] == '{' || after[0] == '<') || rest == ""
	}
	return false
}
