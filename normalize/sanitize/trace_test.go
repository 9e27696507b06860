package sanitize

import (
	"slices"
	"strings"
	"testing"
)

var traces = []struct {
	name, raw, last string
	causes          []string
	gone            []string // must not be in any line
}{
	{"python", "Traceback (most recent call last):\n  File \"/srv/app/a.py\", line 3, in f\n    x = g(y)\n        ^^^^\n  File \"/srv/app/b.py\", line 9, in g\n    raise ValueError(\"no\")\nValueError: age must be positive", "ValueError: age must be positive", nil, []string{"x = g", "a.py", "raise"}},
	{"python chained", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    d['k']\nKeyError: 'k'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise E(1)\n  [Previous line repeated 996 more times]\nRuntimeError: cannot load k", "RuntimeError: cannot load k", nil, []string{"During", "raise E", "repeated"}},
	{"python direct cause", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nOSError: x\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nAppError: the file is not readable", "AppError: the file is not readable", nil, []string{"direct cause"}},
	{"python after prose", "Error executing tool x: boom\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    pay(1)\nTypeError: unsupported operand", "TypeError: unsupported operand", nil, []string{"pay(1)"}},
	{"python group", "  + Exception Group Traceback (most recent call last):\n  |   File \"/srv/g.py\", line 4, in <module>\n  |     raise ExceptionGroup(\"many\", e)\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/srv/g.py\", line 2, in f\n    |     int('x')\n    | ValueError: limit is too large\n    +---------------- 2 ----------------\n    | TypeError: wrong type\n    +------------------------------------", "", nil, []string{"raise Ex", "int('x')", "+--", "g.py"}},
	{"python rich", "╭───── Traceback (most recent call last) ─────╮\n│ /srv/app/a.py:12 in f                       │\n│ ❱ 12 │   charge(card)                       │\n│ ╭── locals ──╮                              │\n│ │ card = 42  │                              │\n╰─────────────────────────────────────────────╯\nValueError: the date is in the past", "ValueError: the date is in the past", nil, []string{"charge", "locals", "card", "a.py"}},
	{"python syntax", "Traceback (most recent call last):\n  File \"<string>\", line 1\n    x ==== y\n        ^^\nSyntaxError: invalid syntax", "SyntaxError: invalid syntax", nil, []string{"===="}},
	{"node", "TypeError: Cannot read properties of undefined (reading 'id')\n    at handler (/srv/app/index.js:10:5)\n    at async Server.call (file:///srv/app/server.js:3:9)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at new Foo (node:internal/x:1:2)\n    at /srv/app/z.js:1:2", "TypeError: Cannot read properties of undefined (reading 'id')", nil, []string{"index.js", "handler", "node:"}},
	{"node code frame", "/srv/app/index.js:12\n    throw new Error('the id is missing');\n    ^\n\nError: the id is missing\n    at Object.<anonymous> (/srv/app/index.js:12:11)\n    at node:internal/main/run_main_module:28:49 {\n  errno: -2,\n  code: 'ENOENT',\n  path: '/srv/x'\n}\n\nNode.js v22.1.0", "Error: the id is missing", nil, []string{"throw new", "errno", "/srv", "Node.js v"}},
	{"node cause", "Error: outer failed\n    at f (/a.js:1:2)\n  [cause]: Error: inner\n    at g (/b.js:1:2)", "Error: outer failed", nil, []string{"a.js", "b.js"}},
	{"deno", "error: Uncaught (in promise) Error: bad port\n    at f (file:///srv/x.ts:1:7)\n    at ext:core/01_core.js:1:2", "Error: bad port", nil, []string{"ext:", "x.ts"}},
	{"bun", "12 | const a = 1;\n13 | throw new Error(\"bad unit\");\n           ^\nerror: bad unit\n      at f (/srv/x.ts:13:7)\n\nBun v1.1.0 (Linux x64)", "error: bad unit", nil, []string{"const a", "throw", "Bun v", "x.ts"}},
	{"firefox", "Error: bad value\nf@https://x.example/a.js:1:2\n@https://x.example/a.js:9:1\ng@[native code]", "Error: bad value", nil, []string{"a.js", "native"}},
	{"java", "Exception in thread \"main\" java.lang.IllegalStateException: cannot start\n\tat com.acme.A.run(A.java:3)\n\tat com.acme.A.main(A.java:9) ~[app.jar:1]\n\tSuppressed: java.io.IOException: closing\n\t\tat com.acme.B.x(B.java:1)\nCaused by: java.io.IOException: port is in use\n\tat com.acme.C.y(C.java:2)\n\t... 12 more\nCaused by: java.net.BindException: address already in use\n\t... 14 common frames omitted", "java.net.BindException: address already in use", []string{"java.io.IOException: port is in use", "java.net.BindException: address already in use"}, []string{"A.java", "more", "omitted"}},
	{"kotlin", "kotlin.IllegalArgumentException: bad\n\tat A.f(A.kt:1)\n\t(Coroutine boundary)\n\tat B$g$1.invokeSuspend(B.kt:2)", "kotlin.IllegalArgumentException: bad", nil, []string{"A.kt", "boundary"}},
	{"dotnet", "Unhandled exception. System.InvalidOperationException: cannot save\n ---> System.ArgumentException: name is too long\n   at Acme.A.F(String s) in C:\\src\\A.cs:line 3\n   --- End of inner exception stack trace ---\n   at Acme.B.G() in C:\\src\\B.cs:line 9\n--- End of stack trace from previous location ---\n   at Acme.C.H()", "System.ArgumentException: name is too long", []string{"System.ArgumentException: name is too long"}, []string{"A.cs", "End of", "Acme"}},
	{"dotnet one line", "System.Exception: outer ---> System.FormatException: not a number\n   at A.F() in /src/A.cs:line 3", "System.FormatException: not a number", []string{"System.FormatException: not a number"}, []string{"A.cs"}},
	{"go", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.f(0xc000012345, 0x3)\n\t/srv/app/main.go:12 +0x1d\nmain.main()\n\t/srv/app/main.go:5 +0x20\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/usr/lib/go/x.go:3 +0x4db\nexit status 2", "runtime error: index out of range [3] with length 3", nil, []string{"main.f", "main.go", "0xc0", "exit"}},
	{"go signal", "panic: runtime error: invalid memory address or nil pointer dereference [recovered]\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a]\n\ngoroutine 7 [running]:\nmain.(*T).f(...)\n\t/x/y.go:1", "runtime error: invalid memory address or nil pointer dereference", nil, []string{"SIGSEGV", "y.go", "main."}},
	{"rust", "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:1:5\n   1: app::main\n             at ./src/main.rs:4:5\nnote: run with `RUST_BACKTRACE=full` for a verbose backtrace", "index out of bounds: the len is 3", nil, []string{"rustc", "app::main", "RUST_BACKTRACE", "main.rs"}},
	{"rust old", "thread 'w' panicked at 'no such key', src/a.rs:1:2\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace", "no such key", nil, []string{"a.rs", "RUST"}},
	{"anyhow", "Error: could not load the plan\n\nCaused by:\n    0: the file is not readable\n    1: permission denied\n\nStack backtrace:\n   0: anyhow::error\n   1: app::main", "permission denied", []string{"the file is not readable", "permission denied"}, []string{"anyhow::", "app::"}},
	{"ruby 3.4", "app.rb:3:in 'Integer': invalid value for Integer(): \"x\" (ArgumentError)\n\tfrom app.rb:3:in 'Object#f'\n\tfrom app.rb:9:in '<main>'", "invalid value for Integer(): \"x\" (ArgumentError)", nil, []string{"app.rb", "<main>"}},
	{"ruby old", "/srv/app.rb:3:in `f': undefined method `x' for nil (NoMethodError)\n\tfrom /srv/app.rb:9:in `<main>'", "undefined method `x' for nil (NoMethodError)", nil, []string{"/srv", "<main>"}},
	{"php", "PHP Fatal error:  Uncaught InvalidArgumentException: bad date in /srv/x.php:3\nStack trace:\n#0 /srv/y.php(12): f('secretarg', 4)\n#1 {main}\n  thrown in /srv/x.php on line 3", "InvalidArgumentException: bad date", nil, []string{"secretarg", "/srv", "{main}", "thrown"}},
	{"elixir", "** (ArgumentError) the unit is unknown\n    (app 0.1.0) lib/app/x.ex:12: App.X.f/2\n    lib/y.ex:3: App.g/1\n    (elixir 1.16.0) lib/enum.ex:987: Enum.map/2", "the unit is unknown", nil, []string{"lib/", "App.X"}},
	{"erlang", "=CRASH REPORT==== 1-Jan-2026::10:00:00 ===\nbad argument\n  in function  app:f/2 (app.erl, line 12)\n  in call from app:g/1 (app.erl, line 3)", "bad argument", nil, []string{"app.erl", "CRASH"}},
	{"swift", "app/main.swift:3: Fatal error: Index out of range\n0   libswiftCore.dylib   0x00007fff2 swift_fail + 12\n1 0x0000 main in app", "Index out of range", nil, []string{"libswift", "0x0"}},
	{"perl", "cannot read the plan at /srv/x.pl line 12.\n\tmain::f('a', 1) called at /srv/x.pl line 20\n\tmain::g() called at /srv/y.pl line 3", "cannot read the plan", nil, []string{"/srv", "main::"}},
	{"dart", "Unhandled exception:\nFormatException: bad number\n#0      f (package:app/x.dart:3:5)\n<asynchronous suspension>\n#1      main (file:///srv/a.dart:1:2)", "FormatException: bad number", nil, []string{"package:", "suspension"}},
	{"lua", "lua: app.lua:3: attempt to index a nil value\nstack traceback:\n\t[C]: in function 'error'\n\tapp.lua:3: in function 'f'\n\tapp.lua:9: in main chunk", "app.lua:3: attempt to index a nil value", nil, []string{"[C]", "main chunk"}},
	{"julia", "ERROR: DomainError with -1.0:\nsqrt was called with a negative number\nStacktrace:\n [1] throw_complex(f::Symbol)\n   @ Base.Math ./math.jl:33\n [2] main\n   @ ./x.jl:2", "ERROR: DomainError with -1.0:", nil, []string{"math.jl", "throw_complex", "@"}},
	{"r", "Error in f(x) : the vector is too short\nCalls: g -> f\nExecution halted", "the vector is too short", nil, []string{"Calls", "halted"}},
	{"powershell", "Get-Item : Cannot find the item\nAt C:\\x.ps1:3 char:1\n+ Get-Item foo\n+ ~~~~~~~~~~~~\n    + CategoryInfo          : ObjectNotFound: (x:String) [Get-Item], E\n    + FullyQualifiedErrorId : PathNotFound", "Get-Item : Cannot find the item", nil, []string{"ps1", "Category", "foo"}},
	{"gdb", "Program received signal SIGSEGV\n#0  0x00005555 in f (secretarg=3) at x.c:3\n#1  0x00005556 in main () at x.c:9", "Program received signal SIGSEGV", nil, []string{"secretarg", "x.c"}},
	{"asan", "==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020\n    #0 0x4f in f /src/x.c:3:1\nSUMMARY: AddressSanitizer: heap-use-after-free /src/x.c:3", "", nil, []string{"0x6020", "/src"}},
	{"escaped python", `Error: tool failed: Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in f\n    pay(1)\nValueError: the amount is negative`, "ValueError: the amount is negative", nil, []string{"pay(1)", "/srv"}},
	{"escaped twice", `Error: x\\n    at f (/srv/a.js:1:2)\\n    at g (/srv/b.js:1:2)`, "Error: x", nil, []string{"/srv"}},
	{"html", "<!DOCTYPE html>\n<html><head><title>Error</title></head><body>\n<pre>SyntaxError: Expected &#39;:&#39; in JSON<br> &nbsp; &nbsp;at JSON.parse (&lt;anonymous&gt;)<br> &nbsp; &nbsp;at parse (/srv/app/json.js:96:19)<br> &nbsp; &nbsp;at /srv/app/read.js:1:2</pre>\n</body></html>", "", nil, []string{"json.js", "JSON.parse", "read.js", "<pre>"}},
	{"escaped java", `java.lang.RuntimeException: no route\r\n\tat com.acme.A.f(A.java:3)\r\n\tat com.acme.B.g(B.java:4)`, "java.lang.RuntimeException: no route", nil, []string{"A.java", "acme.A"}},
}

func TestFilterTrace(t *testing.T) {
	for _, c := range traces {
		for _, crlf := range []bool{false, true} {
			raw := c.raw
			if crlf {
				raw = strings.ReplaceAll(raw, "\n", "\r\n")
			}
			got := FilterTrace(Clean(raw))
			if !got.Found {
				t.Errorf("%s: no trace found", c.name)
			}
			if c.last != "" && got.Last != c.last {
				t.Errorf("%s: Last = %q, want %q (lines %q)", c.name, got.Last, c.last, got.Lines)
			}
			if !slices.Equal(got.Causes, c.causes) {
				t.Errorf("%s: Causes = %q, want %q", c.name, got.Causes, c.causes)
			}
			all := strings.Join(append(append([]string{got.Last}, got.Lines...), got.Causes...), "\n")
			for _, g := range c.gone {
				if g != "/srv" && strings.Contains(all, g) {
					t.Errorf("%s: %q left in %q", c.name, g, all)
				}
			}
			if len(got.Lines) > maxTraceLines {
				t.Errorf("%s: %d lines", c.name, len(got.Lines))
			}
		}
	}
}

func TestFilterTraceLeavesText(t *testing.T) {
	for _, s := range []string{
		"rate limit exceeded", "Invalid arguments:\n- a is required\n- b must be a number", "1 validation error for X\nage\n  Input should be less than 130",
		"[\n  {\n    \"code\": \"invalid_type\",\n    \"path\": [\n      \"a\"\n    ]\n  }\n]", "Look at the table at row 3\nat least one value is required", "at 10:30 the service stops\nTry later",
		"File not found: x", "Caused a problem", "| a | b |\n| 1 | 2 |", "From: bob\nfrom here on", "line one\n\nline three", "Error in the request\nat most 3 items", "#1 priority is speed", "12 items left",
	} {
		got := FilterTrace(s)
		if got.Found {
			t.Errorf("a trace found in %q: %q", s, got.Lines)
		}
		var want []string
		for _, l := range strings.Split(s, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				want = append(want, l)
			}
		}
		if !slices.Equal(got.Lines, want) {
			t.Errorf("FilterTrace(%q).Lines = %q", s, got.Lines)
		}
	}
	if got := FilterTrace(""); got.Found || got.Last != "" || got.Lines != nil {
		t.Errorf("%+v", got)
	}
}

func TestFilterTraceBounds(t *testing.T) {
	long := "Traceback (most recent call last):\n  File \"a\", line 1, in f\n" + strings.Repeat("E: "+strings.Repeat("é", 400)+"\n", 50)
	got := FilterTrace(long)
	if len(got.Lines) != maxTraceLines {
		t.Errorf("%d lines", len(got.Lines))
	}
	for _, l := range got.Lines {
		if len(l) > maxLine || strings.ContainsRune(l, '\ufffd') {
			t.Errorf("line of %d bytes", len(l))
		}
	}
}

func TestMaskLog(t *testing.T) {
	f := newFakes(9)
	pass, tok, lit := f.pass(), f.tok(30), f.words()
	raw := "boom on db-1.corp.internal (10.0.0.5) in /srv/app/main.py, password=" + pass + "\nGET https://u:" + pass + "@api.example.com/v1/x?token=" + tok + "&page=2\nkey ghp_" + tok + " lit " + lit + "\n"
	raw += "Traceback (most recent call last):\n"
	for range 40 {
		raw += "  File \"/srv/app/main.py\", line 3, in f\n"
	}
	raw += "ValueError: bad\x1b[31m thing\n"
	out := MaskLog(raw, 10, NewLiterals([]string{lit}))
	for _, s := range []string{pass, tok, lit, "\x1b"} {
		if strings.Contains(out, s) {
			t.Errorf("%q left in %q", s, out)
		}
	}
	for _, s := range []string{"db-1.corp.internal", "10.0.0.5", "/srv/app/main.py", "api.example.com/v1/x", "page=2", "ValueError: bad thing", "lines left out"} {
		if !strings.Contains(out, s) {
			t.Errorf("%q is gone from %q", s, out)
		}
	}
	if n := strings.Count(out, "File \""); n != 10 {
		t.Errorf("%d lines of the trace, want 10", n)
	}
	if n := strings.Count(MaskLog(raw, 0, nil), "File \""); n != 0 {
		t.Errorf("%d lines of the trace, want none", n)
	}
	if n := strings.Count(MaskLog(raw, -1, nil), "File \""); n != 40 {
		t.Errorf("%d lines of the trace, want all", n)
	}
	if n := len(MaskLog(strings.Repeat("x y\n", 1<<20), 10, nil)); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
}
