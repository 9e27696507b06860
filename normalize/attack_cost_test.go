package normalize_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddymcp/gateway/normalize"
	"github.com/caddymcp/gateway/normalize/attacktest"
	"github.com/caddymcp/gateway/normalize/cputime"
)

// failingMessage is a failing tool result with that text.
func failingMessage(text string) []byte {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[{"type":"text","text":` + string(q) + `}]}}`)
}

// errorMessage is a JSON-RPC error with that message and data.
func errorMessage(text string) []byte {
	q, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":` + string(q) + `,"data":{"message":` + string(q) + `}}}`)
}

// Twice the message takes at most 2.6 times as long, whatever it repeats.
func TestAttackLinear(t *testing.T) {
	size := 1 << 20
	if testing.Short() || raceEnabled {
		size = 128 << 10
	}
	n := new(normalize.Normalizer)
	x := attacktest.Exchange{C: attacktest.ToolCall()}
	for _, u := range attacktest.Floods() {
		for _, wrap := range []func(string) []byte{failingMessage, errorMessage} {
			a, b := wrap(strings.Repeat(u.Text, size/len(u.Text))), wrap(strings.Repeat(u.Text, 2*size/len(u.Text)))
			ratio := cputime.Ratio(func() { n.Message(normalize.Carrier{}, a, x) }, func() { n.Message(normalize.Carrier{}, b, x) }, 2.6, 10)
			if ratio > 2.6 {
				t.Errorf("%q: twice the message takes %.2f times as long", u.Name, ratio)
			}
		}
	}
}

// failing8K is a realistic failing text of 8 KiB: a traceback with a reason.
func failing8K() string {
	var b strings.Builder
	b.WriteString("Error executing tool query: could not reach the database, see the details below\nTraceback (most recent call last):\n")
	for b.Len() < 7<<10 {
		b.WriteString("  File \"/srv/app/handlers/query.py\", line 120, in run_query\n    return session.execute(statement, timeout=30)\n")
	}
	b.WriteString("sqlalchemy.exc.OperationalError: connection to server at \"db-1.corp.internal\" (10.0.0.7), port 5432 failed: password authentication failed for user \"app\"\n")
	for b.Len() < 8<<10 {
		b.WriteString("quantity must be less than or equal to 20, received 900. The operation was refused by the service.\n")
	}
	return b.String()
}

// prose8K is a text without a trace, all of which is looked at.
func prose8K() string {
	return strings.Repeat("The request could not be processed because the order was not found in the list of this customer. ", 82)
}

func TestAttackAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates too: not counted")
		return
	}
	n := new(normalize.Normalizer)
	x := attacktest.Exchange{C: attacktest.ToolCall()}
	for name, text := range map[string]string{"trace": failing8K(), "prose": prose8K()} {
		msg := failingMessage(text)
		if got := testing.AllocsPerRun(20, func() { n.Message(normalize.Carrier{}, msg, x) }); got >= 300 {
			t.Errorf("%s: 8 KiB cost %v allocations, want less than 300", name, got)
		}
	}
}

func BenchmarkFailing8K(b *testing.B) {
	for name, text := range map[string]string{"trace": failing8K(), "prose": prose8K()} {
		b.Run(name, func(b *testing.B) { benchmark(b, failingMessage(text)) })
	}
}

// BenchmarkHostile64K: each unit has a budget of 5 ms.
func BenchmarkHostile64K(b *testing.B) {
	for _, u := range attacktest.Floods() {
		b.Run(u.Name, func(b *testing.B) { benchmark(b, failingMessage(strings.Repeat(u.Text, (64<<10)/len(u.Text)))) })
	}
}

func benchmark(b *testing.B, msg []byte) {
	n := new(normalize.Normalizer)
	x := attacktest.Exchange{C: attacktest.ToolCall()}
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		n.Message(normalize.Carrier{}, msg, x)
	}
}
