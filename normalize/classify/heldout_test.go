package classify

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

var shortCodes = map[string]string{"br": "bad_request", "af": "auth_failed", "fb": "forbidden", "nf": "not_found", "rl": "rate_limited", "ac": "at_capacity", "sd": "service_disabled",
	"su": "service_unavailable", "ue": "upstream_error", "uc": "upstream_client_error", "uu": "upstream_unknown", "nj": "upstream_non_json", "ov": "output_validation_failed", "sf": "ssrf_blocked"}

var shortClasses = map[string]string{"v": "validation", "p": "permission", "r": "retryable", "d": "dependency", "t": "terminal"}

// TestHeldOut runs the texts of libraries and services that the catalogue was
// not made from.
func TestHeldOut(t *testing.T) {
	for _, name := range textSets {
		t.Run(name, func(t *testing.T) { heldOut(t, "testdata/"+name+".txt") })
	}
}

// labelled is one line of a file of labelled texts.
type labelled struct {
	codes, classes, argument, wait, text, keep string
}

// readLines reads "<codes> <classes> <argument> <wait> <text> [## <phrase to keep>]".
func readLines(t *testing.T, file string) []labelled {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for line := range strings.SplitSeq(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, " ", 5)
		if len(f) != 5 {
			t.Fatalf("bad line %q", line)
		}
		text, keep, _ := strings.Cut(f[4], " ## ")
		if text[0] != '{' && text[0] != '[' {
			text = strings.ReplaceAll(text, `\n`, "\n")
		}
		out = append(out, labelled{f[0], f[1], f[2], f[3], text, keep})
	}
	return out
}

func heldOut(t *testing.T, file string) {
	c := &Classifier{}
	var n, codes, classes, args, named, waits, waited, keeps, kept int
	for _, x := range readLines(t, file) {
		f, text, keep := [...]string{x.codes, x.classes, x.argument, x.wait}, x.text, x.keep
		n++
		e := &Evidence{Method: "tools/call", Tool: "search", Texts: []string{text}}
		v := c.Classify(e)
		if s, ok := strings.CutPrefix(f[0], "D"); ok {
			f[0] = s
			if !c.Disguised(e) {
				t.Errorf("not seen as a failure: %q", text)
			}
		}
		codeOK, classOK := false, false
		for s := range strings.SplitSeq(f[0], ",") {
			codeOK = codeOK || shortCodes[s] == string(v.Code)
		}
		for s := range strings.SplitSeq(f[1], ",") {
			classOK = classOK || shortClasses[s] == string(v.Class)
		}
		codes += number(codeOK)
		classes += number(classOK)
		if !codeOK || !classOK {
			t.Logf("miss       want %s %s got %s/%s (%s) %q", f[0], f[1], v.Code, v.Class, v.Rule, text)
		}
		if f[2] != "-" {
			args++
			a := f[2]
			if i := strings.LastIndexAny(a, "./"); i >= 0 {
				a = a[i+1:]
			}
			if strings.Contains(strings.ToLower(v.Text.String()), strings.ToLower(a)) {
				named++
			} else {
				t.Logf("argument   want %q in %q from %q", f[2], v.Text, text)
			}
		}
		want := 0
		if f[3] != "-" {
			want, _ = strconv.Atoi(f[3])
		}
		waits++
		if int(v.Wait.Seconds()+0.999) == want {
			waited++
		} else {
			t.Logf("wait       want %d got %v from %q", want, v.Wait, text)
		}
		if keep != "" && keep != "x" {
			keeps++
			if strings.Contains(strings.ToLower(v.Text.String()), keep) {
				kept++
			} else {
				t.Logf("keep       %q not in %q from %q", keep, v.Text, text)
			}
		}
		if !sanitize.Guard(v.Text.String(), nil) {
			t.Errorf("text does not pass the guard: %q", v.Text)
		}
		if testing.Verbose() {
			t.Logf("text       %q <- %.150q", v.Text, text)
		}
	}
	t.Logf("failures %d code %d class %d argument %d/%d wait %d/%d keep %d/%d", n, codes, classes, named, args, waited, waits, kept, keeps)
	if codes*100 < n*95 || classes*100 < n*97 || named*100 < args*90 {
		t.Error("below the bar: code 95 %, class 97 %, argument 90 %")
	}
}
