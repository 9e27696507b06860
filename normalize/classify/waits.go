package classify

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxWait bounds what counts as a wait; more is a date or a mistake.
const maxWait = 31 * 24 * time.Hour

var joined = strings.NewReplacer("_", "", "-", "")

// wait collects the waits that a failure names; the first that counts wins.
type wait struct{ d time.Duration }

func (w *wait) set(d time.Duration) {
	if w.d == 0 && d > 0 && d <= maxWait {
		w.d = d
	}
}

// fields reads the waits under well-known keys of a JSON object.
func (w *wait) fields(fields map[string]gjson.Result) {
	for k, v := range fields {
		key := lower(joined.Replace(k))
		var unit time.Duration
		switch key {
		case "retryafter", "retryafterseconds", "retryaftersec", "retryaftersecs", "retryin", "retryinseconds", "waitseconds", "secondsuntilreset", "resetin",
			"resetinseconds", "resetafter", "xratelimitresetafter", "ratelimitresetafter", "retrydelay", "retrydelayseconds", "backoffseconds", "cooldownseconds",
			"wait", "waittime", "waittimeseconds", "timetoreset", "ttlseconds", "secondsremaining", "retryinterval", "floodwait", "retrysec", "cooldown":
			unit = time.Second
		case "retryafterms", "retryaftermillis", "retryaftermilliseconds", "retryinms", "msbeforenext", "resetafterms", "waitms", "retrydelayms", "backoffms", "cooldownms",
			"retryaftermsec":
			unit = time.Millisecond
		case "retryafterminutes", "waitminutes":
			unit = time.Minute
		default:
			continue
		}
		switch v.Type {
		case gjson.Number:
			w.set(scale(v.Float(), unit))
		case gjson.String:
			s := strings.TrimSpace(v.Str)
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				w.set(scale(f, unit))
			} else if d, n := span(lower(s), 0); n == len(s) {
				w.set(d)
			}
		case gjson.JSON:
			if sec := v.Get("seconds"); sec.Exists() {
				w.set(scale(sec.Float()+v.Get("nanos").Float()/1e9, time.Second))
			}
		}
	}
}

func scale(f float64, unit time.Duration) time.Duration {
	if math.IsNaN(f) || f <= 0 || f > float64(maxWait/unit) {
		return 0
	}
	return time.Duration(f * float64(unit))
}

// waitHeaders are all headers that headerWait reads beside Date.
var waitHeaders = [...]string{"Retry-After", "Retry-After-Ms", "X-Retry-After-Ms", "X-Ms-Retry-After-Ms", "X-Ratelimit-Reset-After",
	"Ratelimit-Reset-After", "X-Rate-Limit-Reset-After", "X-Retry-After", "Ratelimit-Reset", "X-Ratelimit-Reset-Requests",
	"X-Ratelimit-Reset", "X-Rate-Limit-Reset", "X-Ratelimit-Reset-Tokens", "Ratelimit"}

// NamesWait reports whether a header may say how long to wait. When it does not,
// a verdict depends on no header at all.
func NamesWait(h http.Header) bool {
	for _, k := range waitHeaders {
		if _, ok := h[k]; ok {
			return true
		}
	}
	return false
}

// headerWait reads Retry-After and the rate-limit headers. A date counts from
// the answer's own Date.
func headerWait(h http.Header, limited bool) time.Duration {
	var w wait
	if h == nil {
		return 0
	}
	date, derr := http.ParseTime(h.Get("Date"))
	if s := strings.TrimSpace(h.Get("Retry-After")); s != "" {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			w.set(scale(f, time.Second))
		} else if t, err := http.ParseTime(s); err == nil && derr == nil {
			w.set(t.Sub(date))
		} else if d, n := span(lower(s), 0); n == len(s) {
			w.set(d)
		}
	}
	for _, k := range [...]string{"Retry-After-Ms", "X-Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if f, err := strconv.ParseFloat(h.Get(k), 64); err == nil {
			w.set(scale(f, time.Millisecond))
		}
	}
	if !limited {
		return w.d
	}
	for _, k := range [...]string{"X-Ratelimit-Reset-After", "Ratelimit-Reset-After", "X-Rate-Limit-Reset-After", "X-Retry-After", "Ratelimit-Reset", "X-Ratelimit-Reset-Requests",
		"X-Ratelimit-Reset", "X-Rate-Limit-Reset", "X-Ratelimit-Reset-Tokens"} {
		s := strings.TrimSpace(h.Get(k))
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			switch {
			case f < 1e8:
				w.set(scale(f, time.Second))
			case derr == nil && f < 1e11:
				w.set(time.Unix(0, int64(f*1e9)).Sub(date))
			case derr == nil && f < 1e14:
				w.set(time.UnixMilli(int64(f)).Sub(date))
			}
		} else if d, n := span(lower(s), 0); n > 0 && n == len(s) {
			w.set(d)
		} else if t, err := http.ParseTime(s); err == nil && derr == nil {
			w.set(t.Sub(date))
		} else if t, err := time.Parse(time.RFC3339, s); err == nil && derr == nil {
			w.set(t.Sub(date))
		}
	}
	for part := range strings.FieldsFuncSeq(h.Get("Ratelimit"), func(r rune) bool { return r == ';' || r == ',' }) {
		part = strings.TrimSpace(part)
		for _, p := range [...]string{"t=", "reset="} {
			if s, ok := strings.CutPrefix(part, p); ok {
				if f, err := strconv.ParseFloat(s, 64); err == nil {
					w.set(scale(f, time.Second))
				}
			}
		}
	}
	return w.d
}

// cues are the words after which a span of time is a wait. A cue that ends in
// "!" also takes a bare number as seconds.
var cues = []string{
	"retry-after!", "retry_after!", "retry after!", "retryafter!", "retryafterms", "retry_after_ms", "retry in!", "retrying in!", "retry again in!", "retry again after!",
	"retried after!", "retry your request after!", "retry the request after!", "retry your request in", "retry request in", "retry request after", "please retry in!",
	"retrydelay", "retry delay", "retry_delay", "retry-in!", "next retry in", "refill in", "refills in", "possible in", "possible after", "available again in", "free again in", "allowed again in", "next one in", "next request in", "next attempt in", "next allowed in", "try again in!", "try again after!",
	"try in", "try later in", "try your request again in", "again in", "again after", "available in", "available again in", "available after", "reset in", "resets in",
	"reset after", "resets after", "resetting in", "resume in", "resumes in", "wait at least", "wait for at least", "wait for", "wait another", "wait time:", "wait time is",
	"wait_seconds!", "wait of", "a wait of", "wait", "cool down", "cooldown of", "cooldown:", "cooldown", "back off for", "backoff for", "backoff", "sleep for", "sleep", "delay of", "pause", "pause for",
	"blocked for", "limited for", "throttled for", "banned for", "remaining:", "remaining time:", "time remaining", "expires in", "lifted in", "unlocks in", "seconds until",
	"a wait of", "must wait", "for another", "not before",
	"请在", "请等待", "等待", "请于", "重试等待", "再试", "在", "後", "您需要等待",
	"réessayez dans", "réessayer dans", "veuillez réessayer dans", "attendez", "patientez", "dans", "in", "erneut in", "warten sie", "intente de nuevo en", "inténtelo de nuevo en",
	"vuelva a intentarlo en", "espere", "tente novamente em", "aguarde", "riprova tra", "через",
}

// proseWait finds a wait in lower-case prose. "A few minutes" is none.
func proseWait(low string) time.Duration {
	for i := 0; i < len(low); i++ {
		c := low[i]
		if c < '0' || c > '9' || i > 0 && (low[i-1] >= '0' && low[i-1] <= '9' || low[i-1] == '.' || wordByte(low[i-1])) {
			continue
		}
		d, n := span(low, i)
		bare := false
		if n == 0 {
			j := i
			for j < len(low) && (low[j] >= '0' && low[j] <= '9' || low[j] == '.' && j+1 < len(low) && low[j+1] >= '0' && low[j+1] <= '9') {
				j++
			}
			f, err := strconv.ParseFloat(low[i:j], 64)
			if err != nil || j < len(low) && (wordByte(low[j]) || low[j] == '-' || low[j] == '/' || low[j] == ':') {
				i = j
				continue
			}
			d, n, bare = scale(f, time.Second), j-i, true
		}
		if d > 0 && cued(low, i, n, bare, &d) {
			return d
		}
		i += n
	}
	return 0
}

// cued reports whether the span of n bytes at i follows (or, in languages that
// put the verb last, precedes) a word that makes it a wait.
func cued(low string, i, n int, bare bool, d *time.Duration) bool {
	head := strings.TrimRight(low[max(0, i-40):i], " \"'`=:~(≈")
	for _, f := range [...]string{"about", "approximately", "approx.", "around", "at least", "for", "roughly", "up to"} {
		if s, ok := strings.CutSuffix(head, " "+f); ok {
			head = strings.TrimRight(s, " \"'`=:(")
		}
	}
	for _, c := range cues {
		c, seconds := strings.CutSuffix(c, "!")
		if bare && !seconds && !strings.HasSuffix(c, "ms") {
			continue
		}
		k := strings.TrimRight(c, " :")
		if strings.HasSuffix(head, k) && (len(head) == len(k) || boundary(head, len(head)-len(k))) {
			if bare && strings.HasSuffix(k, "ms") {
				*d /= 1000
			}
			if k != "in" && k != "dans" && k != "在" || againWords(head[max(0, len(head)-28):]) {
				return true
			}
		}
	}
	if bare {
		return false
	}
	tail := strings.TrimLeft(low[i+n:min(len(low), i+n+48)], " ")
	for _, t := range [...]string{"后重试", "后再", "后可", "后", "之后", "後に", "後再", "후에", "후 다시", "후", "이후", "before retrying", "before trying", "before your next", "before making", "before next",
		"before you", "before sending", "and try again", "and retry", "then retry", "then try", "until reset", "until your", "until the", "until next", "remaining", "cooldown", "warten", "to reset"} {
		if strings.HasPrefix(tail, t) {
			return true
		}
	}
	return false
}

// againWords reports whether the words before "in 5 seconds" speak of another
// attempt.
func againWords(low string) bool {
	for _, w := range [...]string{"retry", "again", "wait", "reset", "available", "refresh", "resume", "réessay", "erneut", "intent", "tent", "请", "重试"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// span parses "15m27s", "1h2m", "1.5 seconds", "500ms", "2 minutes and 3
// seconds", "45秒" at i and returns the time and its length; 0 when there is none.
func span(s string, i int) (time.Duration, int) {
	var total time.Duration
	at, end := i, i
	for range 4 {
		j := at
		for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' && j+1 < len(s) && s[j+1] >= '0' && s[j+1] <= '9') {
			j++
		}
		if j == at || j-at > 12 {
			break
		}
		f, err := strconv.ParseFloat(s[at:j], 64)
		if err != nil {
			break
		}
		k := j
		for k < len(s) && (s[k] == ' ' || s[k] == '-') && k < j+2 {
			k++
		}
		unit, n := unitAt(s, k)
		if n == 0 {
			break
		}
		total += scale(f, unit)
		end = k + n
		at = end
		for at < len(s) && (s[at] == ' ' || s[at] == ',') {
			at++
		}
		if strings.HasPrefix(s[at:], "and ") {
			at += 4
		}
	}
	return total, end - i
}

var units = []struct {
	word string
	unit time.Duration
}{
	{"milliseconds", time.Millisecond}, {"millisecond", time.Millisecond}, {"millis", time.Millisecond}, {"msec", time.Millisecond}, {"ms", time.Millisecond}, {"毫秒", time.Millisecond},
	{"µs", time.Microsecond}, {"μs", time.Microsecond}, {"us", time.Microsecond},
	{"seconds", time.Second}, {"second(s)", time.Second}, {"second", time.Second}, {"secondes", time.Second}, {"seconde", time.Second}, {"sekunden", time.Second}, {"sekunde", time.Second},
	{"segundos", time.Second}, {"segundo", time.Second}, {"secondi", time.Second}, {"секунд", time.Second}, {"secs", time.Second}, {"sec", time.Second}, {"秒钟", time.Second}, {"秒間", time.Second},
	{"秒", time.Second}, {"초", time.Second}, {"s", time.Second},
	{"minutes", time.Minute}, {"minute(s)", time.Minute}, {"minute", time.Minute}, {"minuten", time.Minute}, {"minutos", time.Minute}, {"minuto", time.Minute}, {"minuti", time.Minute}, {"минут", time.Minute},
	{"mins", time.Minute}, {"min", time.Minute}, {"分钟", time.Minute}, {"分鐘", time.Minute}, {"分間", time.Minute}, {"分", time.Minute}, {"분", time.Minute}, {"m", time.Minute},
	{"hours", time.Hour}, {"hour(s)", time.Hour}, {"hour", time.Hour}, {"stunden", time.Hour}, {"stunde", time.Hour}, {"heures", time.Hour}, {"heure", time.Hour}, {"horas", time.Hour}, {"hora", time.Hour},
	{"hrs", time.Hour}, {"hr", time.Hour}, {"小时", time.Hour}, {"時間", time.Hour}, {"시간", time.Hour}, {"h", time.Hour},
	{"days", 24 * time.Hour}, {"day", 24 * time.Hour}, {"天", 24 * time.Hour}, {"d", 24 * time.Hour},
}

func unitAt(s string, i int) (time.Duration, int) {
	for _, u := range units {
		if !strings.HasPrefix(s[i:], u.word) {
			continue
		}
		e := i + len(u.word)
		if u.word[0] >= 0x80 || e >= len(s) || !(s[e] >= 'a' && s[e] <= 'z') && s[e] != '_' {
			return u.unit, len(u.word)
		}
	}
	return 0, 0
}
