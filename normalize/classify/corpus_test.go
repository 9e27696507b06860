package classify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// sample is one entry of the corpus of real failures.
type sample struct {
	ID, Framework string
	Raw           json.RawMessage
	Request       struct {
		Method, Tool string
		Arguments    json.RawMessage
	}
	Label struct {
		IsFailure  bool `json:"is_failure"`
		Code       string
		Class      string   `json:"error_class"`
		AltCodes   []string `json:"alt_codes"`
		AltClasses []string `json:"alt_classes"`
		Ambiguous  bool
		RetryAfter *int `json:"retry_after_s"`
		Argument   string
	}
	Leaks, Keep []string
}

func loadSamples(t testing.TB, file string) []sample {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []sample
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		if len(strings.TrimSpace(s.Text())) == 0 {
			continue
		}
		var x sample
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// evidenceOf does with a raw answer what the gateway does: it reads the HTTP
// frame, the SSE frame and the JSON-RPC message. failing is false for a result
// that does not say that it failed.
func evidenceOf(x sample) (e *Evidence, failing bool) {
	e = &Evidence{Service: "upstream", Method: "tools/call", Tool: x.Request.Tool, Arguments: x.Request.Arguments, Header: http.Header{}}
	if e.Tool == "" {
		e.Tool = "t"
	}
	raw := []byte(x.Raw)
	v := gjson.ParseBytes(raw)
	if v.Get("status").Exists() && v.Get("body").Type == gjson.String {
		e.Status = int(v.Get("status").Int())
		v.Get("headers").ForEach(func(k, h gjson.Result) bool {
			e.Header.Set(k.String(), h.String())
			return true
		})
		raw = []byte(v.Get("body").Str)
		for line := range strings.SplitSeq(string(raw), "\n") {
			if d, ok := strings.CutPrefix(line, "data:"); ok {
				raw = []byte(d)
			}
		}
		v = gjson.ParseBytes(raw)
		if !gjson.ValidBytes(raw) || !v.Get("jsonrpc").Exists() {
			e.Body = raw
			switch {
			case len(raw) == 0:
				e.Fault = Empty
			case e.Status < 400:
				e.Fault = NotJSON
			}
			return e, true
		}
	}
	if er := v.Get("error"); er.Exists() {
		code := er.Get("code").Int()
		e.RPCCode, e.Message = &code, er.Get("message").String()
		if d := er.Get("data"); d.Exists() {
			e.Data = []byte(d.Raw)
		}
		return e, true
	}
	r := v.Get("result")
	if t := r.Get("toolResult"); t.Exists() {
		r = t
	}
	r.Get("content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "text" {
			e.Texts = append(e.Texts, b.Get("text").Str)
		}
		return true
	})
	if s := r.Get("structuredContent"); s.Exists() {
		e.Structured = []byte(s.Raw)
	}
	return e, r.Get("isError").Bool() || !v.Get("result").Exists() || !r.Get("content").Exists()
}

// tally counts what a run over samples found.
type tally struct {
	failures, codes, classes, arguments, named, waits, waited, kept, leaks, successes, touched int
}

// runSamples classifies every unambiguous sample of a file and logs each miss.
func runSamples(t *testing.T, c *Classifier, file string) (n tally) {
	t.Helper()
	for _, x := range loadSamples(t, file) {
		if x.Label.Ambiguous {
			continue
		}
		e, failing := evidenceOf(x)
		if !failing {
			failing = c.Disguised(e)
		}
		if !x.Label.IsFailure {
			n.successes++
			if failing {
				n.touched++
				t.Errorf("a success is taken for a failure: %s", x.ID)
			}
			continue
		}
		n.judge(t, x, c.Classify(e), failing, strings.Join(e.Texts, " ")+e.Message)
	}
	return n
}

// judge compares a verdict with a label; seen is false for a failure in disguise
// that was taken for a success.
func (n *tally) judge(t *testing.T, x sample, v Verdict, seen bool, raw string) {
	t.Helper()
	text := v.Text.String()
	codeOK := seen && has(append(x.Label.AltCodes, x.Label.Code), string(v.Code))
	classOK := seen && has(append(x.Label.AltClasses, x.Label.Class), string(v.Class))
	n.failures++
	n.codes += number(codeOK)
	n.classes += number(classOK)
	if !codeOK || !classOK {
		t.Logf("miss       %s want %s/%s got %s/%s (%s, seen %v) %.300q", x.ID, x.Label.Code, x.Label.Class, v.Code, v.Class, v.Rule, seen, raw)
	}
	for _, l := range x.Leaks {
		if strings.Contains(text, l) {
			n.leaks++
			t.Errorf("leak       %s %q in %q", x.ID, l, text)
		}
	}
	if a := x.Label.Argument; a != "" {
		n.arguments++
		if i := strings.LastIndexAny(a, ".]"); i >= 0 && i < len(a)-1 {
			a = a[i+1:]
		}
		ok := strings.Contains(strings.ToLower(text), strings.ToLower(a))
		n.named += number(ok)
		if !ok {
			t.Logf("argument   %s want %q in %q from %.200q", x.ID, x.Label.Argument, text, raw)
		}
	}
	if x.Label.RetryAfter != nil {
		n.waits++
		ok := int(v.Wait.Seconds()+0.999) == *x.Label.RetryAfter
		n.waited += number(ok)
		if !ok {
			t.Logf("wait       %s want %d got %v", x.ID, *x.Label.RetryAfter, v.Wait)
		}
	} else if v.Wait != 0 {
		t.Logf("wait       %s want none got %v", x.ID, v.Wait)
	}
	ok := true
	for _, k := range x.Keep {
		ok = ok && strings.Contains(strings.ToLower(text), strings.ToLower(k))
	}
	n.kept += number(ok)
	if !ok {
		t.Logf("keep       %s %q not in %q from %.200q", x.ID, x.Keep, text, raw)
	}
}

func (n tally) String() string {
	return fmt.Sprintf("failures %d code %d class %d argument %d/%d wait %d/%d keep %d leaks %d successes %d touched %d",
		n.failures, n.codes, n.classes, n.named, n.arguments, n.waited, n.waits, n.kept, n.leaks, n.successes, n.touched)
}

func TestCorpus(t *testing.T) {
	n := runSamples(t, &Classifier{}, "testdata/failures.jsonl")
	t.Log(n)
	if n.codes*100 < n.failures*95 || n.classes*100 < n.failures*97 || n.named*100 < n.arguments*90 || n.waited != n.waits {
		t.Error("below the bar: code 95 %, class 97 %, argument 90 %, every wait")
	}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
