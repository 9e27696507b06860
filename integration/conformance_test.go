//go:build conformance

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// The official suite passes through the gateway exactly the checks that pass
// without it, in both eras. The gateway is the one that xcaddy.sh builds.
func TestConformance(t *testing.T) {
	caddy := xcaddy(t)
	for _, era := range []struct {
		requirements string
		stateless    bool
		least        int // checks that must pass at all, so that nothing passes by not running
	}{
		{"2025-11-25", false, 82},
		{"2026-07-28", true, 160},
	} {
		t.Run(era.requirements, func(t *testing.T) {
			server := goEverything(t, era.stateless)
			direct := suite(t, server, era.requirements)
			through := suite(t, serveCaddy(t, caddy, "mcp_gateway", server).url, era.requirements)

			if n := count(direct, "SUCCESS"); n < era.least {
				t.Errorf("only %d checks pass without the gateway, want %d", n, era.least)
			}
			t.Logf("passing checks: %d direct, %d through the gateway", count(direct, "SUCCESS"), count(through, "SUCCESS"))
			for check, n := range direct {
				if check.status == "SUCCESS" && through[check] < n {
					t.Errorf("lost: %s (%d of %d): %s", check, through[check], n, through.of(check))
				}
			}
			for check, n := range through {
				if check.status == "SUCCESS" && direct[check] < n {
					t.Errorf("gained: %s (%d instead of %d): %s", check, n, direct[check], direct.of(check))
				}
			}
		})
	}
}

// check is one check of a scenario with its outcome.
type check struct{ scenario, id, name, status string }

func (c check) String() string { return c.scenario + " " + c.id + " " + c.name }

// checks counts them: some are made more than once in a scenario.
type checks map[check]int

// of lists the outcomes of the same check.
func (c checks) of(other check) (list []string) {
	for k, n := range c {
		if k.scenario == other.scenario && k.id == other.id && k.name == other.name {
			list = append(list, fmt.Sprintf("%s: %d", k.status, n))
		}
	}
	slices.Sort(list)
	return list
}

func count(c checks, status string) (n int) {
	for k, v := range c {
		if k.status == status {
			n += v
		}
	}
	return n
}

var runTime = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// suite runs the suite and reads what it recorded. Its exit code counts
// failures, which is nothing to this test.
func suite(t *testing.T, url, requirements string) checks {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cached(t, "bin", "node"), cached(t, "node", "node_modules", ".bin", "conformance"),
		"server", "--url", url, "--requirements", requirements, "-o", dir)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the suite did not end: %s", tail(string(out), 3000))
	}
	files, globErr := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if globErr != nil || len(files) == 0 {
		t.Fatalf("the suite recorded nothing (%v): %s", err, tail(string(out), 3000))
	}
	found := checks{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			ID, Name, Status string
			ErrorMessage     string
		}
		if err := json.Unmarshal(b, &list); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		scenario := runTime.ReplaceAllString(filepath.Base(filepath.Dir(f)), "")
		for _, c := range list {
			found[check{scenario, c.ID, c.Name, c.Status}]++
			if c.Status == "FAILURE" {
				t.Logf("%s: %s %s: %s", url, scenario, c.ID, tail(c.ErrorMessage, 300))
			}
		}
	}
	return found
}
