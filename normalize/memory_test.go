package normalize

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/gateway/normalize/classify"
)

// A remembered verdict is the one that the evidence gets anew, and evidence that
// differs anywhere is other evidence.
func TestMemory(t *testing.T) {
	var c classify.Classifier
	m := new(Memory)
	code := int64(-32603)
	base := func() classify.Evidence {
		return classify.Evidence{Service: "s", Method: "tools/call", Tool: "t", Arguments: []byte(`{"a":1}`),
			Texts: []string{"HTTP 503", "x"}, Message: "m", Status: 503}
	}
	variants := []func(*classify.Evidence){
		func(*classify.Evidence) {},
		func(e *classify.Evidence) { e.Service = "other" },
		func(e *classify.Evidence) { e.Method = "resources/read" },
		func(e *classify.Evidence) { e.Tool = "u" },
		func(e *classify.Evidence) { e.Arguments = []byte(`{"a":2}`) },
		func(e *classify.Evidence) { e.Texts = []string{"HTTP 503x"} },
		func(e *classify.Evidence) { e.Texts = []string{"HTTP 404", "x"} },
		func(e *classify.Evidence) { e.Structured = []byte(`{"error":"timed out"}`) },
		func(e *classify.Evidence) { e.RPCCode = &code },
		func(e *classify.Evidence) { e.Message = "permission denied" },
		func(e *classify.Evidence) { e.Data = []byte(`{"x":1}`) },
		func(e *classify.Evidence) { e.Status = 401 },
		func(e *classify.Evidence) { e.Body = []byte("<html>") },
		func(e *classify.Evidence) { e.Fault = classify.Timeout },
		func(e *classify.Evidence) { e.Header = http.Header{"Retry-After": {"7"}} },
		func(e *classify.Evidence) { e.Header = http.Header{"Retry-After": {"9"}} },
		func(e *classify.Evidence) { e.Texts = []string{strings.Repeat("long ", maxRemembered)} },
	}
	for range 3 {
		for i, change := range variants {
			e := base()
			change(&e)
			if got, want := m.verdict(&c, &e), c.Classify(&e); !reflect.DeepEqual(got, want) {
				t.Errorf("variant %d: %+v, want %+v", i, got, want)
			}
		}
	}
	// All but the two with a header that counts and the long one.
	if got := len(m.young); got != len(variants)-3 {
		t.Errorf("%d verdicts are kept, want %d", got, len(variants)-3)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var c classify.Classifier
	m := new(Memory)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range 4 * generation {
				m.verdict(&c, &classify.Evidence{Texts: []string{fmt.Sprint("no ", k, i)}})
			}
		})
	}
	wg.Wait()
	if len(m.young) > generation || len(m.old) > generation {
		t.Errorf("%d and %d verdicts are kept, want at most %d each", len(m.young), len(m.old), generation)
	}
	e := classify.Evidence{Texts: []string{"HTTP 503"}}
	m.verdict(&c, &e)
	key := remembered{rest: string(appendEvidence(nil, &e))}
	if _, ok := m.young[key]; !ok {
		t.Error("the last verdict is not kept")
	}
	(*Memory)(nil).verdict(&c, &e)
}
