package normalize

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/caddymcp/gateway/normalize/classify"
	"github.com/caddymcp/gateway/normalize/envelope"
)

// maxTasks bounds the tasks of one list that are looked at.
const maxTasks = 1024

// mayBeTask reports whether the answer to the call may hold the state of tasks.
func (c *Call) mayBeTask() bool {
	return c.Task || c.Method == "" || strings.HasPrefix(c.Method, "tasks/")
}

// failedTask reports whether v is the state of a task that failed: its message,
// and with protocol 2026-07-28 its result or error too, tell why in the words of
// the server.
func failedTask(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	failed, task, inner := false, false, false
	v.ForEach(func(k, x gjson.Result) bool {
		switch {
		case key(k, "status"):
			failed = failed || strings.EqualFold(x.Str, "failed")
		case key(k, "taskId"):
			task = true
		case key(k, "error"):
			inner = inner || x.IsObject()
		case key(k, "result"):
			inner = inner || saysError(x)
		}
		return true
	})
	return task && (failed || inner)
}

// saysError reports isError: true in a result, whatever it repeats.
func saysError(v gjson.Result) bool {
	f, _ := failing(v)
	return f.Exists()
}

// task writes the state of a failed task anew: what the specification defines of
// it stays, the reason becomes the envelope's.
func (n *Normalizer) task(car Carrier, c *Call, v gjson.Result) ([]byte, classify.Verdict, envelope.Envelope) {
	var res, failure gjson.Result
	var message string
	e := n.evidence(car, c)
	v.ForEach(func(k, x gjson.Result) bool {
		switch {
		case key(k, "result") && x.IsObject():
			res = x
			inner := n.resultEvidence(car, c, x)
			e.Texts, e.Structured = append(e.Texts, inner.Texts...), inner.Structured
		case key(k, "error") && x.IsObject():
			failure = x
			code := x.Get("code").Int()
			e.RPCCode, e.Message = &code, x.Get("message").String()
			if d := x.Get("data"); d.Exists() && d.Type != gjson.Null {
				e.Data = []byte(d.Raw)
			}
		case key(k, "statusMessage"):
			message = x.Str
		}
		return true
	})
	if message != "" && len(e.Texts) == 0 && e.Message == "" {
		e.Texts = append(e.Texts, message)
	}
	verdict := n.verdict(e)
	env := n.envelope(c, verdict)
	b := []byte{'{'}
	add := func(name string, value []byte) {
		b = append(append(append(append(b, Marshal(name)...), ':'), value...), ',')
	}
	for _, name := range [...]string{"taskId", "status", "createdAt", "lastUpdatedAt", "resultType"} {
		if x := v.Get(name); x.Type == gjson.String && plain(x.Str) && !strings.Contains(x.Str, " ") {
			add(name, []byte(x.Raw))
		}
	}
	for _, name := range [...]string{"ttl", "ttlMs", "pollInterval", "pollIntervalMs"} {
		if x := v.Get(name); x.Type == gjson.Number && len(x.Raw) <= 16 || x.Exists() && x.Type == gjson.Null {
			add(name, []byte(x.Raw))
		}
	}
	if message != "" {
		add("statusMessage", Marshal(env.Sanitized))
	}
	if res.Exists() {
		add("result", result(c, env, n.meta(res)))
	}
	if failure.Exists() {
		add("error", rpcError(failure.Get("code").Int(), env, nil))
	}
	if kept := keptMeta(n.meta(v)); len(kept) > 0 {
		add("_meta", append(append([]byte{'{'}, kept[:len(kept)-1]...), '}'))
	}
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, '}'), verdict, env
}

// tasks looks at the tasks of a list and at the task of a new call. It returns
// the result with every failed one written anew, or nil when there is none.
func (n *Normalizer) tasks(car Carrier, c *Call, res gjson.Result, raw []byte) ([]byte, *Report) {
	var out []byte
	var rep *Report
	last := 0
	replace := func(v gjson.Result) {
		if !failedTask(v) {
			return
		}
		one, verdict, env := n.task(car, c, v)
		at := v.Index - res.Index
		out = append(append(out, res.Raw[last:at]...), one...)
		last = at + len(v.Raw)
		if rep == nil {
			rep = report(c, verdict, env, raw)
		}
	}
	res.ForEach(func(k, v gjson.Result) bool {
		switch {
		case key(k, "task"):
			replace(v)
		case key(k, "tasks") && v.IsArray():
			count := 0
			v.ForEach(func(_, t gjson.Result) bool {
				replace(t)
				count++
				return count < maxTasks
			})
		}
		return true
	})
	if rep == nil {
		return nil, nil
	}
	return append(out, res.Raw[last:]...), rep
}
