package transport

import (
	"fmt"
	"strings"
	"testing"
)

func TestPeekAnswer(t *testing.T) {
	tests := []struct {
		name, in string
		want     Answer
		ok       bool
	}{
		{"result", `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte(`{"isError":true}`)}, true},
		{"result first", ` {"result": {"a":1} ,"jsonrpc":"2.0","id":"x"} `, Answer{ID: []byte(`"x"`), Kind: Response, Result: []byte(`{"a":1}`)}, true},
		{"error", `{"id":1.0,"error":{"code":-1}}`, Answer{ID: []byte("1.0"), Kind: Response, Error: []byte(`{"code":-1}`)}, true},
		{"error, id null", `{"id":null,"error":{"code":-1}}`, Answer{Kind: Response, Error: []byte(`{"code":-1}`)}, true},
		{"error null", `{"id":1,"error":null,"result":5}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte("5")}, true},
		{"error null alone", `{"id":1,"error":null}`, Answer{ID: []byte("1"), Kind: Response, Error: []byte("null")}, true},
		{"error null beside a method", `{"id":1,"error":null,"method":"x"}`, Answer{ID: []byte("1"), Kind: Call, Method: "x"}, true},
		{"call", `{"id":1,"method":"sampling/createMessage","params":{}}`, Answer{ID: []byte("1"), Kind: Call, Method: "sampling/createMessage"}, true},
		{"notification", `{"method":"notifications/\u0078"}`, Answer{Kind: Notification, Method: "notifications/x"}, true},
		{"result twice", `{"id":1,"result":{},"result":{"isError":true}}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte(`{"isError":true}`), Dup: true}, true},
		{"isError twice", `{"id":1,"result":{"isError":false,"is\u0045rror":true}}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte(`{"isError":false,"is\u0045rror":true}`), Dup: true}, true},
		{"twice, deeper", `{"id":1,"result":{"a":{"b":1,"b":2}}}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte(`{"a":{"b":1,"b":2}}`)}, true},
		{"other case", `{"id":1,"Result":{}}`, Answer{}, false},
		{"deep", `{"id":1,"result":` + deep(9000) + `}`, Answer{ID: []byte("1"), Kind: Response, Result: []byte(deep(9000))}, true},
		{"too deep", `{"id":1,"result":` + deep(10001) + `}`, Answer{}, false},
		{"what the client may judge", "{\"id\":1,\"result\":\"\xff\\ud800\"}", Answer{ID: []byte("1"), Kind: Response, Result: []byte("\"\xff\\ud800\"")}, true},
		{"neither", `{"detail":"no"}`, Answer{}, false},
		{"method no string", `{"id":1,"method":5}`, Answer{}, false},
		{"cut", `{"id":1,"result":{}`, Answer{}, false},
		{"trailing", `{"id":1,"result":{}} x`, Answer{}, false},
		{"batch", `[{"id":1,"result":{}}]`, Answer{}, false},
		{"html", `<html>`, Answer{}, false},
		{"empty", ``, Answer{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := PeekAnswer([]byte(tt.in))
			if ok != tt.ok || string(got.ID) != string(tt.want.ID) || (got.ID == nil) != (tt.want.ID == nil) || got.Kind != tt.want.Kind || got.Method != tt.want.Method ||
				string(got.Result) != string(tt.want.Result) || string(got.Error) != string(tt.want.Error) || got.Dup != tt.want.Dup {
				t.Errorf("got %+v, %v; want %+v", got, ok, tt.want)
			}
		})
	}
}

func TestPeekAnswerDoesNotGrow(t *testing.T) {
	in := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","te\u0078t":"x"},`, 10000), ",") + `]}}`)
	if n := testing.AllocsPerRun(10, func() { PeekAnswer(in) }); n > 8 {
		t.Errorf("%v allocations", n)
	}
}

func TestHeadKind(t *testing.T) {
	tests := []struct {
		in, id string
		kind   MessageKind
		ok     bool
	}{
		{`{"jsonrpc":"2.0","id":12,"result":{"content":[{"te`, "12", Response, true},
		{`{"jsonrpc":"2.0", "id" : "a\"}" , "error":{"cod`, `"a\"}"`, Response, true},
		{`{"result":{"a":"}]\"","b":[{}]},"jsonrpc":"2.0","id":12}`, "12", Response, true},
		{`{"result":{"a":"cut`, "", Response, true},
		{`{"res\u0075lt":{"a":"cut`, "", Response, true},
		{`{"id":null,"error":{`, "", Response, true},
		{`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"result":1`, "1", Call, true},
		{`{"method":"sampling/createMessage","params":{"x":[1,2]},"id":5}`, "5", Call, true},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{`, "", Notification, true},
		{`{"method":"x","result":{`, "", Response, true},
		{`[{"id":1,"result":{}},{"id":2,`, "", Response, true},
		{`{"jsonrpc":"2.0","id":12,"resu`, "12", 0, false},
		{`{"jsonrpc":"2.0","params":{"result":{}}}`, "", 0, false},
		{`{"id":1`, "", 0, false},
		{`{"id":1,"result":{},"error":null}`, "1", Response, true},
		{`{"id":1,"error":null,"method":"x"}`, "1", Call, true},
		{`{"id":1,"error":null}`, "1", Response, true},
		{`"result"`, "", 0, false},
		{``, "", 0, false},
	}
	for _, tt := range tests {
		kind, id, ok := HeadKind([]byte(tt.in))
		if kind != tt.kind || string(id) != tt.id || ok != tt.ok {
			t.Errorf("%s: got %s %s %v", tt.in, kind, id, ok)
		}
	}
}

// FuzzHeadKind cuts an answer anywhere: what the head says must not contradict the whole.
func FuzzHeadKind(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":"a\"","result":{"x":[1,{}]}}`, 30)
	f.Add(`{"method":"x","params":{},"id":1}`, 14)
	f.Fuzz(func(t *testing.T, in string, cut int) {
		whole, ok := PeekAnswer([]byte(in))
		kind, id, seen := HeadKind([]byte(in)[:min(max(cut, 0), len(in))])
		if !ok || whole.Dup || !seen {
			return
		}
		if kind == Response && whole.Kind != Response && !strings.Contains(in, "error") {
			t.Fatalf("%q: head says %s, it is a %s", in, kind, whole.Kind)
		}
		if id != nil && string(id) != string(whole.ID) {
			t.Fatalf("%q: id %s, it is %s", in, id, whole.ID)
		}
		if full, fullID, ok := HeadKind([]byte(in)); whole.Method == "" && (!ok || full != whole.Kind || string(fullID) != string(whole.ID)) {
			t.Fatalf("%q: whole it is %s %s, not %s %s", in, full, fullID, whole.Kind, whole.ID)
		}
	})
}

func TestPeekAnswerMarks(t *testing.T) {
	for in, want := range map[string]struct {
		marked           bool
		structured, text string
	}{
		`{"id":1,"result":{"content":[{"type":"text","text":"a\"b"},{"type":"text","text":"c"}]}}`: {text: `"a\"b"`},
		`{"id":1,"result":{"isError":false,"structuredContent":{"isError":true}}}`:                 {structured: `{"isError":true}`},
		`{"id":1,"result":{"isError":true}}`:                                                       {marked: true},
		`{"id":1,"result":{"isError":"true"}}`:                                                     {marked: true},
		`{"id":1,"result":{"iserror":true}}`:                                                       {marked: true},
		`{"id":1,"result":{"is\u0045rror":true}}`:                                                  {marked: true},
		`{"id":1,"result":{"isError":true,"isError":false}}`:                                       {marked: true},
		`{"id":1,"result":{"toolResult":{"isError":true}}}`:                                        {marked: true},
		`{"id":1,"result":{"taskId":"t","result":{"isError":true}}}`:                               {marked: true},
		`{"id":1,"result":{"content":"x"}}`:                                                        {marked: true},
		`{"id":1,"result":{"content":[{"type":"text","text":"x","isError":true}]}}`:                {text: `"x"`},
		`{"id":1,"result":{"content":[{"type":"resource","resource":{"text":"y"}},{"text":"x"}]}}`: {text: `"x"`},
		`{"id":1,"result":{"tools":[{"name":"isError","inputSchema":{"isError":true}}]}}`:          {},
	} {
		a, ok := PeekAnswer([]byte(in))
		if !ok || a.Marked != want.marked || string(a.Structured) != want.structured || string(a.Text) != want.text {
			t.Errorf("%s: %+v", in, a)
		}
	}
}

func TestPeekAnswerUnended(t *testing.T) {
	for in, want := range map[string]bool{
		`{"id":1,"result":{"resultType":"complete","content":[]}}`:                  false,
		`{"id":1,"result":{"resultType":"input_required","content":[]}}`:            true,
		`{"id":1,"result":{"result\u0054ype":"input_required"}}`:                    true,
		`{"id":1,"result":{"resultType":"","content":[]}}`:                          false,
		`{"id":1,"result":{"task":{"taskId":"t","status":"working"}}}`:              true,
		`{"id":1,"result":{"task":"t","content":[]}}`:                               false,
		`{"id":1,"result":{"structuredContent":{"task":{},"resultType":"x"}}}`:      false,
		`{"id":1,"result":{"content":[{"type":"text","text":"x","task":{"a":1}}]}}`: false,
	} {
		if a, ok := PeekAnswer([]byte(in)); !ok || a.Unended != want {
			t.Errorf("%s: %+v", in, a)
		}
	}
}

// What a look at a success costs: prose, prose in lines, and JSON inside JSON.
func BenchmarkPeekAnswer(b *testing.B) {
	for _, kind := range []struct{ name, unit string }{
		{"prose", "In Delft it is dry today, and tomorrow there may be rain. "},
		{"lines", `In Delft it is dry today, and tomorrow there may be rain.\n`},
		{"json", `{\"city\":\"Delft\",\"days\":3},`},
	} {
		for _, size := range []int{1 << 10, 64 << 10, 5 << 20} {
			in := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(kind.unit, size/len(kind.unit)) + `"}]}}`)
			b.Run(fmt.Sprintf("%s/%d", kind.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(in)))
				for b.Loop() {
					PeekAnswer(in)
				}
			})
		}
	}
}
