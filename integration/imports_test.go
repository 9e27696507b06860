package integration

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/caddymcp/gateway"

// The packages that decide know nothing of Caddy and of each other, and of
// Redis only where state is kept. So they can be read, tested and reused
// alone.
func TestImports(t *testing.T) {
	libraries := []string{"transport", "policy", "limits", "normalize"}
	// What a package of a library may use from another one.
	allowed := map[string][]string{
		"policy": {"normalize/envelope", "normalize/schema", "normalize/sanitize"}, // sanitize: the type of an envelope's text
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg, ok := strings.CutPrefix(fields[0], module+"/")
		if !ok {
			continue
		}
		library, _, _ := strings.Cut(pkg, "/")
		if !slices.Contains(libraries, library) {
			continue
		}
		seen[library] = true
		for _, dep := range fields[1:] {
			if strings.HasPrefix(dep, "github.com/caddyserver/") || dep == module {
				t.Errorf("%s depends on %s", pkg, dep)
			}
			if strings.HasPrefix(dep, "github.com/redis/") && (library == "transport" || library == "normalize") {
				t.Errorf("%s depends on %s", pkg, dep)
			}
			other, ok := strings.CutPrefix(dep, module+"/")
			if !ok || other == library || strings.HasPrefix(other, library+"/") || slices.Contains(allowed[library], other) {
				continue
			}
			t.Errorf("%s depends on %s", pkg, other)
		}
	}
	for _, l := range libraries {
		if !seen[l] {
			t.Errorf("no package of %s was looked at", l)
		}
	}

	// The parser knows the modules that it configures, and not the other way round.
	out, err = exec.Command("go", "list", "-f", `{{join .Deps " "}}`, module+"/caddymodule").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(out)), module+"/caddyfile") {
		t.Error("caddymodule depends on caddyfile")
	}
}
