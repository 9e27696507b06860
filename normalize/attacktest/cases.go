package attacktest

import "slices"

// Cases returns every attack, its secrets drawn from seed. Each text is put into
// one of the places that are read for a reason, in turn.
func Cases(seed int64) []Case {
	f := NewFakes(seed)
	var read []carrier
	for _, c := range carriers {
		if c.reads {
			read = append(read, c)
		}
	}
	var list []Case
	for i, t := range texts(f) {
		list = append(list, t.in(read[(i+int(seed))%len(read)], t.keep))
	}
	return append(list, wire(f)...)
}

// texts are all that go into the places of an answer.
func texts(f *Fakes) []text {
	return slices.Concat(hidden(f), spoken(f), dumps(f), tongues(f))
}

// Sweep returns every text in every place of an answer; whether a reason
// survives there is not asked. yield returns false to stop.
func Sweep(seed int64, yield func(Case) bool) {
	f := NewFakes(seed)
	for _, t := range texts(f) {
		for _, c := range carriers {
			if !yield(t.in(c, nil)) {
				return
			}
		}
	}
}

func (t *text) in(c carrier, keep []string) Case {
	out := Case{Item: t.item, Name: t.name + ", " + c.name, Call: ToolCall(), Secrets: t.secrets, Cross: t.cross, Keep: keep}
	c.put(&out, t.raw)
	return out
}

// Outputs returns what every case of the seed, and every text of the sweep, is
// turned into by run.
func Outputs(seed int64, run func(*Case) []byte) [][]byte {
	var out [][]byte
	for _, c := range Cases(seed) {
		out = append(out, run(&c))
	}
	Sweep(seed, func(c Case) bool {
		out = append(out, run(&c))
		return true
	})
	return out
}
