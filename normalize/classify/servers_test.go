package classify

import "testing"

// TestServers runs what published servers answered, verbatim but for paths and
// tokens: failures of arguments, of names, of dead networks and of a stand-in for
// their services, and successes.
func TestServers(t *testing.T) {
	c := &Classifier{}
	got := runSamples(t, c, "testdata/servers.jsonl")
	t.Log(got)
	if got.codes*100 < got.failures*97 || got.classes*100 < got.failures*98 || got.named*100 < got.arguments*92 || got.touched > 0 || got.leaks > 0 {
		t.Error("below the bar: code 97 %, class 98 %, argument 92 %, no leak, no success touched")
	}
	if got.kept*100 < got.failures*90 {
		t.Error("below the bar: 90 % of the phrases kept")
	}
}

// TestSources runs failures as the sources of further servers and the threads about
// them word them, in the answers that their frameworks make of them.
func TestSources(t *testing.T) {
	got := runSamples(t, &Classifier{}, "testdata/sources.jsonl")
	t.Log(got)
	if got.codes*100 < got.failures*95 || got.classes*100 < got.failures*95 || got.named*100 < got.arguments*92 || got.waited != got.waits || got.touched > 0 || got.leaks > 0 {
		t.Error("below the bar: code 95 %, class 95 %, argument 92 %, every wait, no leak, no success touched")
	}
	if got.kept*100 < got.failures*92 {
		t.Error("below the bar: 92 % of the phrases kept")
	}
}

// TestThreads runs failures as threads about still other servers quote them, and as
// the tests and sources of those servers word them.
func TestThreads(t *testing.T) {
	got := runSamples(t, &Classifier{}, "testdata/threads.jsonl")
	t.Log(got)
	if got.codes*100 < got.failures*97 || got.classes*100 < got.failures*97 || got.named*100 < got.arguments*92 || got.waited != got.waits || got.touched > 0 || got.leaks > 0 {
		t.Error("below the bar: code 97 %, class 97 %, argument 92 %, every wait, no leak, no success touched")
	}
	if got.kept*100 < got.failures*94 {
		t.Error("below the bar: 94 % of the phrases kept")
	}
}
