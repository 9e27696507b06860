package caddyfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

var update = flag.Bool("update", false, "write the goldens anew")

const separator = "\n----------\n"

// TestAdapt adapts each Caddyfile of testdata as Caddy does and compares the
// JSON, or the error where the right-hand side is no JSON.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d goldens: %v", len(files), err)
	}
	t.Setenv("MCP_TEST_SERVICE", "orders")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in, want, ok := strings.Cut(string(raw), separator)
			if !ok && !*update {
				t.Fatal("no line of ten dashes between the Caddyfile and its JSON")
			}
			got := adapt(t, in)
			if *update {
				if err := os.WriteFile(file, []byte(in+separator+got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want = strings.TrimSpace(want); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// adapt returns the indented JSON of a Caddyfile, or the error.
func adapt(t *testing.T, text string) string {
	t.Helper()
	cfg, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return err.Error()
	}
	for _, w := range warnings {
		if w.Directive == "mcp_gateway" {
			t.Errorf("warning: %v", w)
		}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, cfg, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
