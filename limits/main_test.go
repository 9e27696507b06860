package limits

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	SetLogger(nil)
	os.Exit(m.Run())
}
