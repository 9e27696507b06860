package classify

import "testing"

// bars are the least shares of a file's samples, in percent.
type bars struct{ code, class, argument, keep int }

// clears runs the samples of a file and checks that no bar is missed, nothing leaks and no success is touched.
func clears(t *testing.T, file string, b bars) tally {
	t.Helper()
	got := runSamples(t, &Classifier{}, file)
	t.Log(got)
	for _, c := range []struct {
		what           string
		some, all, bar int
	}{
		{"code", got.codes, got.failures, b.code},
		{"class", got.classes, got.failures, b.class},
		{"argument", got.named, got.arguments, b.argument},
		{"phrases kept", got.kept, got.failures, b.keep},
	} {
		if c.some*100 < c.all*c.bar {
			t.Errorf("%s: %d of %d, below the bar of %d %%", c.what, c.some, c.all, c.bar)
		}
	}
	if got.touched > 0 || got.leaks > 0 {
		t.Errorf("%d successes touched, %d leaks", got.touched, got.leaks)
	}
	return got
}

// everyWait checks that each wait was read.
func everyWait(t *testing.T, got tally) {
	t.Helper()
	if got.waited != got.waits {
		t.Errorf("%d of %d waits", got.waited, got.waits)
	}
}

// TestServers runs what published servers answered, verbatim but for paths and
// tokens: failures of arguments, of names, of dead networks and of a stand-in for
// their services, and successes.
func TestServers(t *testing.T) {
	clears(t, "testdata/servers.jsonl", bars{code: 97, class: 98, argument: 92, keep: 90})
}

// TestSources runs failures as the sources of further servers and the threads about
// them word them, in the answers that their frameworks make of them.
func TestSources(t *testing.T) {
	everyWait(t, clears(t, "testdata/sources.jsonl", bars{code: 95, class: 95, argument: 92, keep: 92}))
}

// TestThreads runs failures as threads about still other servers quote them, and as
// the tests and sources of those servers word them.
func TestThreads(t *testing.T) {
	everyWait(t, clears(t, "testdata/threads.jsonl", bars{code: 97, class: 97, argument: 92, keep: 94}))
}
