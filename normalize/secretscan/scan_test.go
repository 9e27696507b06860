// Package secretscan holds a second opinion: gitleaks reads everything that the
// normalizer lets out and must find nothing. It is a module of its own, so that
// the scanner's dependencies stay out of the gateway's.
package secretscan

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/tidwall/gjson"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/attacktest"
	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// texts are what one answer shows: its bytes, and its strings without escapes.
func texts(out []byte) string {
	return string(out) + "\n" + gjson.GetBytes(out, "result.content.0.text").Str + "\n" + gjson.GetBytes(out, "error.message").Str + "\n"
}

func normalizers() []*normalize.Normalizer {
	return []*normalize.Normalizer{{}, {Classifier: classify.Classifier{Lenient: true}}}
}

func answer(n *normalize.Normalizer, raw []byte) []byte {
	c := attacktest.ToolCall()
	if normalize.IsMessage(raw) {
		out, _ := n.Message(normalize.Carrier{Status: 200}, raw, attacktest.Exchange{C: c})
		return out
	}
	out, _ := n.Failure(normalize.Carrier{Status: 500}, classify.NotJSON, raw, c)
	return out
}

func failing(text string) []byte {
	q, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":` + string(q) + `}]}}`)
}

// corpus returns the answers of the corpus and the held-out texts.
func corpus(t *testing.T) [][]byte {
	t.Helper()
	dir := filepath.Join("..", "classify", "testdata")
	raw, err := os.ReadFile(filepath.Join(dir, "failures.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for line := range strings.SplitSeq(string(raw), "\n") {
		v := gjson.Get(line, "raw")
		// A success leaves as it came; only failures are the gateway's text.
		if !v.Exists() || !gjson.Get(line, "label.is_failure").Bool() {
			continue
		}
		body := v.Raw
		if v.Get("body").Type == gjson.String {
			body = v.Get("body").Str
		}
		list = append(list, []byte(body))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 || len(list) < 300 {
		t.Fatalf("%d answers, %d files: %v", len(list), len(files), err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(raw), "\n") {
			if line != "" && line[0] != '#' {
				list = append(list, failing(strings.ReplaceAll(line, `\n`, "\n")))
			}
		}
	}
	return list
}

// scan reports what gitleaks finds in everything that was written to it.
func scan(t *testing.T, what, all string) int {
	t.Helper()
	logging.Logger = zerolog.New(io.Discard)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	d.IgnoreGitleaksAllow = true
	d.MaxDecodeDepth = 3
	found := d.DetectString(all)
	if what != "" {
		for _, f := range found {
			t.Errorf("%s: %s in line %d: %.200s", what, f.RuleID, f.StartLine, f.Line)
		}
	}
	return len(found)
}

func TestOutputs(t *testing.T) {
	for mode, n := range normalizers() {
		var b strings.Builder
		count := 0
		for _, raw := range corpus(t) {
			b.WriteString(texts(answer(n, raw)))
			count++
		}
		for _, out := range attacktest.Outputs(11+int64(mode), func(c *attacktest.Case) []byte {
			out, _ := c.Run(n)
			return out
		}) {
			b.WriteString(texts(out))
			count++
		}
		// The scanner takes a text in pieces: its time grows faster than the text.
		all := b.String()
		for len(all) > 0 {
			k := min(len(all), 256<<10)
			if nl := strings.LastIndexByte(all[:k], '\n'); nl > 0 {
				k = nl + 1
			}
			scan(t, []string{"strict", "lenient"}[mode], all[:k])
			all = all[k:]
		}
		t.Logf("%d answers", count)
	}
}

// The debug log keeps paths and traces, and no secret.
func TestLog(t *testing.T) {
	var b strings.Builder
	for _, c := range attacktest.Cases(13) {
		raw := c.Message
		if raw == nil {
			raw = c.Page
		}
		if len(raw) < 64<<10 {
			b.WriteString(sanitize.MaskLog(string(raw), 10, nil) + "\n")
		}
	}
	scan(t, "log", b.String())
}

// The scanner itself works: it finds the attacks as they came.
func TestScannerFinds(t *testing.T) {
	var b strings.Builder
	for _, c := range attacktest.Cases(14) {
		if len(c.Message) < 16<<10 {
			b.Write(c.Message)
			b.WriteByte('\n')
		}
	}
	if n := scan(t, "", b.String()); n < 20 {
		t.Errorf("%d findings in the attacks, want at least 20", n)
	}
}
