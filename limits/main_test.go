package limits

import (
	"os"
	"testing"
)

// TestMain is also the program of the gateways that the fault tests start as processes of their own.
func TestMain(m *testing.M) {
	SetLogger(nil)
	if spec := os.Getenv(workerEnv); spec != "" {
		os.Exit(work(spec))
	}
	os.Exit(m.Run())
}
