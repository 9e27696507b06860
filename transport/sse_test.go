package transport

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// piece is an Event whose bytes outlive emit, with the pieces of one large event joined.
type piece struct {
	raw, data  string
	none, tail bool
	over       bool
	head       string // of an over event: its first piece
}

// split runs a splitter over the chunks that cut makes.
func split(t testing.TB, limit int, in string, cut func(rest int) int) []piece {
	t.Helper()
	s := Splitter{Max: limit}
	var out []piece
	open := false
	emit := func(e Event) error {
		if e.Cont {
			if !open {
				t.Fatalf("a piece that continues nothing: %q", e.Raw)
			}
			out[len(out)-1].raw += string(e.Raw)
			out[len(out)-1].tail = e.Tail
			open = !e.End
			if e.Data() != nil {
				t.Fatalf("a continued piece has data: %q", e.Raw)
			}
			return nil
		}
		if open {
			t.Fatalf("an event began before the large one ended: %q", e.Raw)
		}
		d := e.Data()
		p := piece{raw: string(e.Raw), data: string(d), none: d == nil, tail: e.Tail, over: e.Over}
		if e.Over {
			p.head, open = p.raw, true
		}
		out = append(out, p)
		return nil
	}
	for len(in) > 0 {
		n := min(max(cut(len(in)), 1), len(in))
		chunk := []byte(in[:n])
		if err := s.Write(chunk, emit); err != nil {
			t.Fatal(err)
		}
		clear(chunk) // the splitter must not keep it
		in = in[n:]
	}
	if err := s.Close(emit); err != nil {
		t.Fatal(err)
	}
	if open {
		t.Fatal("a large event has no end")
	}
	return out
}

func allAtOnce(rest int) int { return rest }
func byteByByte(int) int     { return 1 }

func TestSplitter(t *testing.T) {
	tests := []struct {
		name, in string
		raw      []string // of the events
		data     []string // of the events; "-" for none
	}{
		{"one", "data: a\n\n", []string{"data: a\n\n"}, []string{"a"}},
		{"two", "data: a\n\ndata: b\n\n", []string{"data: a\n\n", "data: b\n\n"}, []string{"a", "b"}},
		{"crlf", "event: message\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"event: message\r\ndata: a\r\n\r\n", "data: b\r\n\r\n"}, []string{"a", "b"}},
		{"cr", "data: a\r\rdata: b\r\r", []string{"data: a\r\r", "data: b\r\r"}, []string{"a", "b"}},
		{"mixed", "id: 1\rdata: a\n\r\ndata: b\r\n\n", []string{"id: 1\rdata: a\n\r\n", "data: b\r\n\n"}, []string{"a", "b"}},
		{"cr then lf", "data: a\r\r\ndata: b\n\n", []string{"data: a\r\r", "\n", "data: b\n\n"}, []string{"a", "-", "b"}},
		{"lf then cr", "data: a\n\rdata: b\n\n", []string{"data: a\n\r", "data: b\n\n"}, []string{"a", "b"}},
		{"mark", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []string{"\xef\xbb\xbfdata: a\n\n", "\xef\xbb\xbfdata: b\n\n"}, []string{"a", "-"}},
		{"comments", ": ping\n\n:\ndata: a\n: inside\n\n", []string{": ping\n", "\n", ":\n", "data: a\n: inside\n\n"}, []string{"-", "-", "-", "a"}},
		{"priming", "id: 7\ndata: \n\nretry: 500\n\n", []string{"id: 7\ndata: \n\n", "retry: 500\n\n"}, []string{"", "-"}},
		{"no colon", "data\n\ndatax: 1\n\n", []string{"data\n\n", "datax: 1\n\n"}, []string{"", "-"}},
		{"lines", "data: a\ndata:b\ndata:  c\ndata\n\n", []string{"data: a\ndata:b\ndata:  c\ndata\n\n"}, []string{"a\nb\n c\n"}},
		{"blanks", "\n\ndata: a\n\n\n\n", []string{"\n", "\n", "data: a\n\n", "\n", "\n"}, []string{"-", "-", "a", "-", "-"}},
		{"empty", "", nil, nil},
	}
	for _, tt := range tests {
		for how, cut := range map[string]func(int) int{"at once": allAtOnce, "by bytes": byteByByte} {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				var raw, data []string
				for _, p := range split(t, 0, tt.in, cut) {
					raw = append(raw, p.raw)
					if p.none {
						p.data = "-"
					}
					data = append(data, p.data)
					if p.tail || p.over {
						t.Errorf("%q: tail %v, over %v", p.raw, p.tail, p.over)
					}
				}
				if strings.Join(raw, "|") != strings.Join(tt.raw, "|") || len(raw) != len(tt.raw) {
					t.Errorf("events %q, want %q", raw, tt.raw)
				}
				if strings.Join(data, "|") != strings.Join(tt.data, "|") {
					t.Errorf("data %q, want %q", data, tt.data)
				}
			})
		}
	}
}

func TestSplitterTail(t *testing.T) {
	for in, want := range map[string][]bool{
		"data: a":           {true},
		"data: a\n":         {true},
		"data: a\n\ndata":   {false, true},
		"data: a\r\n\r":     {false}, // the blank line is there, only an LF could have followed
		"data: a\r":         {true},
		"data: a\n\n: ping": {false, true},
	} {
		got := split(t, 0, in, byteByByte)
		if len(got) != len(want) {
			t.Fatalf("%q: %d events, want %d", in, len(got), len(want))
		}
		for i, p := range got {
			if p.tail != want[i] {
				t.Errorf("%q: event %q tail %v", in, p.raw, p.tail)
			}
		}
	}
	if got := split(t, 0, "data: {\"a\":1}", allAtOnce); got[0].data != `{"a":1}` {
		t.Errorf("tail data %q", got[0].data)
	}
}

// The event leaves with the very write that ends it.
func TestSplitterIsPrompt(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", ": ping\n"} {
		s, n := Splitter{}, 0
		for i := range len(in) {
			if n != 0 {
				t.Errorf("%q: emitted before its end", in)
			}
			if err := s.Write([]byte{in[i]}, func(Event) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if n != 1 {
			t.Errorf("%q: %d events", in, n)
		}
	}
}

func TestSplitterLarge(t *testing.T) {
	big := "event: message\ndata: " + strings.Repeat("x", 100) + "\n\n"
	in := "data: a\n\n" + big + "data: b\n\n: " + strings.Repeat("y", 50) + "\ndata: c\n\ndata: " + strings.Repeat("z", 60)
	for how, cut := range map[string]func(int) int{"at once": allAtOnce, "by bytes": byteByByte, "by 7": func(int) int { return 7 }} {
		got := split(t, 32, in, cut)
		if len(got) != 6 {
			t.Fatalf("%s: %d events: %+v", how, len(got), got)
		}
		if !got[1].over || got[1].raw != big || got[1].head != big[:32] || got[1].data != strings.Repeat("x", 32-len("event: message\ndata: ")) {
			t.Errorf("%s: large event %+v", how, got[1])
		}
		if got[2].data != "b" || got[2].over || !got[3].over || got[4].data != "c" || !got[5].over || !got[5].tail {
			t.Errorf("%s: what follows: %+v", how, got[2:])
		}
	}
}

func TestSplitterHoldsNoMoreThanMax(t *testing.T) {
	s := Splitter{Max: 1000}
	for range 5000 {
		if err := s.Write([]byte(strings.Repeat("x", 100)), func(Event) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if len(s.buf) > 1100 {
			t.Fatalf("holds %d bytes", len(s.buf))
		}
	}
}

func TestSplitterStopsOnError(t *testing.T) {
	stop := errors.New("stop")
	s := Splitter{}
	if err := s.Write([]byte("data: a\n\n"), func(Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestEventField(t *testing.T) {
	e := Event{Raw: []byte("event: endpoint\nid: 1\nid: 2\ndata: /messages\n\n")}
	if f := e.Fields(); string(f.Type) != "endpoint" || string(f.ID) != "2" {
		t.Errorf("event %q, id %q", f.Type, f.ID)
	}
	line := []byte("data: abc\n\n")
	if d := (Event{Raw: line}).Data(); &d[0] != &line[6] {
		t.Error("a single data line was copied")
	}
}

func TestWithData(t *testing.T) {
	tests := []struct{ name, raw, data, want string }{
		{"plain", "event: message\ndata: old\n\n", "new", "event: message\ndata: new\n\n"},
		{"every other line stays", "id: 1\r\ndata: a\r\n: c\r\ndata: b\r\nretry: 5\r\n\r\n", "{}", "id: 1\r\ndata: {}\r\n: c\r\nretry: 5\r\n\r\n"},
		{"cr", "data: a\r\r", "b", "data: b\r\r"},
		{"mark", "\xef\xbb\xbfdata: a\n\n", "b", "\xef\xbb\xbfdata: b\n\n"},
		{"none", "id: 1\n\n", "b", "id: 1\ndata: b\n\n"},
		{"tail", "event: message\ndata: {\"a", "b", "event: message\ndata: b\n\n"},
		{"tail with its line", "data: a\r\n", "b", "data: b\r\n\r\n"},
		{"empty", "", "b", "data: b\n\n"},
		{"breaks in the data", "data: a\n\n", "{\r\n}", "data: {  }\n\n"},
		{"endings that would join", "data: a\rdata: b\n\n", "c", "data: c\r\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(WithData([]byte(tt.raw), []byte(tt.data))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := string(EventOf([]byte(`{"a":1}`))); got != "event: message\ndata: {\"a\":1}\n\n" {
		t.Errorf("EventOf: %q", got)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add("id: 1\ndata: a\r\ndata: b\n\n: c\r\r\r\n", uint64(3), uint8(0))
	f.Add("\xef\xbb\xbf:x\rdata\r\n\r", uint64(1<<40+5), uint8(4))
	f.Fuzz(func(t *testing.T, in string, seed uint64, limit uint8) {
		random := func(rest int) int {
			seed = seed*6364136223846793005 + 1442695040888963407
			return int(seed>>33) % (min(rest, 16) + 1)
		}
		want, got := split(t, int(limit), in, allAtOnce), split(t, int(limit), in, random)
		var raw strings.Builder
		for i, p := range want {
			raw.WriteString(p.raw)
			if i >= len(got) || got[i] != p {
				t.Fatalf("event %d: %+v in one chunk, %+v in many", i, want, got)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d events in one chunk, %d in many", len(want), len(got))
		}
		if raw.String() != in {
			t.Fatalf("%q became %q", in, raw.String())
		}
	})
}

func FuzzWithData(f *testing.F) {
	f.Add("id: 1\ndata: a\r\ndata: b\n\n", `{"a":1}`)
	f.Add("data: a\rdata: b\n\n", "x")
	f.Add("\xef\xbb\xbfdata: a\r\r", "")
	f.Fuzz(func(t *testing.T, in, data string) {
		for _, p := range split(t, 0, in, allAtOnce) {
			out := WithData([]byte(p.raw), []byte(data))
			again := split(t, 0, string(out), allAtOnce)
			last := again[len(again)-1]
			want := strings.NewReplacer("\n", " ", "\r", " ").Replace(data)
			if last.data != want || last.tail {
				t.Fatalf("%q with %q is %q: %+v", p.raw, data, out, again)
			}
			if a, b := others(p.raw), others(string(out)); !bytes.Equal(a, b) {
				t.Fatalf("%q with %q is %q: other lines %q, were %q", p.raw, data, out, b, a)
			}
		}
	})
}

// others are the lines that are neither data nor blank, without their endings.
func others(raw string) []byte {
	var out []byte
	rest := bytes.TrimPrefix([]byte(raw), bom)
	for len(rest) > 0 {
		var line []byte
		line, _, rest = cutLine(rest)
		if _, isData := fieldValue(line, "data"); !isData && len(line) > 0 {
			out = append(append(out, line...), '\n')
		}
	}
	return out
}

func BenchmarkSplitter(b *testing.B) {
	in := bytes.Repeat([]byte("event: message\ndata: "+strings.Repeat("x", 900)+"\n\n"), 64)
	for name, chunk := range map[string]int{"whole": len(in), "4k": 4096, "100": 100} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				var s Splitter
				n := 0
				for i := 0; i < len(in); i += chunk {
					if err := s.Write(in[i:min(i+chunk, len(in))], func(Event) error { n++; return nil }); err != nil {
						b.Fatal(err)
					}
				}
				if n != 64 {
					b.Fatal(n)
				}
			}
		})
	}
}

// An event that comes in many pieces is copied twice at most, not once for each
// quarter that a buffer grows by.
func TestSplitterGrowsByDoubling(t *testing.T) {
	piece := bytes.Repeat([]byte("x"), 4<<10)
	n := testing.AllocsPerRun(5, func() {
		s := Splitter{Max: 8 << 20}
		for range 1024 {
			if err := s.Write(piece, func(Event) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n > 14 {
		t.Errorf("%.0f allocations for 4 MiB in pieces of 4 KiB, want at most 14", n)
	}
}
