//go:build unix

package memfs

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var hostilePaths = []string{
	"/memories", "/memories/", "/memories/a.md", "/memories/../canary", "/memories/out", "/memories/up/canary",
	"/memories/..%2fcanary", "/memories/%252e%252e/canary", `/memories/..\canary`, "/memories/a/../../canary",
	"/memoriesa", "/memories/\x00", "/memories/x\n4.0K\t/memories/y", "/memories/in/../../canary", "/memories/up/memories/a.md",
	"/memories/dangling", "/memories/self", "/memories/abs/canary", "/memories/" + strings.Repeat("n", 255), "/memories/" + strings.Repeat("d/", 2000),
	"/memories/a.md/below", "/memories/\u202eevil", "/memories/\xff", "/", "", "canary", "../canary", "/etc/passwd",
}

func FuzzParsePathHoldsWhatItPromises(f *testing.F) {
	for _, p := range hostilePaths {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (Path, error){ParsePath, ParseToolPath} {
			p, err := parse(s)
			if err != nil {
				if p != Root {
					t.Errorf("%q: a path %v beside the error %v", s, p, err)
				}
				continue
			}
			if !utf8.ValidString(p.rel) || strings.HasPrefix(p.rel, "/") || strings.HasSuffix(p.rel, "/") {
				t.Errorf("%q became %q", s, p.rel)
			}
			for seg := range strings.SplitSeq(p.rel, "/") {
				if p.rel != "" && (seg == "" || seg == "." || seg == "..") {
					t.Errorf("%q became %q", s, p.rel)
				}
			}
			again, err := ParseToolPath(p.Tool())
			if err != nil || again != p {
				t.Errorf("%q: %q reads as %q, %v", s, p.Tool(), again, err)
			}
			again, err = ParsePath(p.String())
			if err != nil || again != p {
				t.Errorf("%q: %q reads as %q, %v", s, p, again, err)
			}
			if !p.IsRoot() {
				j, err := p.Dir().Join(p.Base())
				c, named := p.Dir().child(p.Base())
				if err != nil || j != p || !named || c != p {
					t.Errorf("%q: joined again it is %q, %v; %q, %v", s, j, err, c, named)
				}
			}
		}
	})
}

// Each input runs against a real folder with links out in place.
// README: "nothing outside the store's folder is read or written, whatever path or link is tried".
func FuzzNoCommandEscapes(f *testing.F) {
	for _, p := range hostilePaths {
		for _, command := range []string{"view", "create", "str_replace", "insert", "delete", "rename"} {
			f.Add(command, p, "x", int64(0))
			f.Add(command, "/memories/a.md", p, int64(1))
		}
	}
	f.Fuzz(func(t *testing.T, command, path, other string, line int64) {
		d := newDir(t)
		put(t, d, "a.md", "inside\nx")
		put(t, d, "in/b.md", "inside")
		link(t, d, "out", "../canary")
		link(t, d, "up", "..")
		link(t, d, "self", "self")
		link(t, d, "dangling", "../new-outside")
		link(t, d, "abs", d.host(".."))
		input := in(t, map[string]any{
			"command": command, "path": path, "old_path": path, "new_path": other,
			"file_text": other, "old_str": other, "new_str": other, "insert_text": other, "insert_line": line, "view_range": []int64{line, -1},
		})
		got := d.run(input)
		if strings.Contains(got.Text, canary) && !strings.Contains(other, canary) {
			t.Errorf("%s read the canary: %q", input, got.Text)
		}
		noHostPath(t, d, got.Text)
		if got.IsError != (got.Text != "" && !succeeded(got.Text)) {
			t.Errorf("error flag %v on %q", got.IsError, got.Text)
		}
		checkCanary(t, d)
		if outside, err := os.ReadDir(d.host("..")); err != nil || len(outside) != 2 {
			t.Errorf("%s: beside the canary and the store there is %v, %v", input, outside, err)
		}
	})
}

func succeeded(text string) bool {
	for _, begin := range []string{"Here're the ", "Here's the content", "File created successfully", "The memory file has been edited", "The file ", "Successfully "} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

func FuzzDecodeAnswersWhateverComes(f *testing.F) {
	for _, s := range []string{
		`{"command":"view","path":"/memories"}`, `{"type":"tool_use","id":"toolu_1","name":"memory","input":{"command":"delete","path":"/memories/a"}}`,
		`{"type":"tool_use","id":"toolu_1","name":"bash","input":{}}`, `{}`, `null`, `[]`, `{"command":null}`, `{"command":"insert","path":"/memories/a","insert_line":1.5,"insert_text":"x"}`,
		`{"command":"create","path":"/memories/a","file_text":"\ud800"}`, `{"COMMAND":"view","PATH":"/memories"}`, `{"command":"view","path":"/memories","view_range":[1]}`, "{", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, _, refused := Decode(raw)
		if (c == nil) == (refused == nil) {
			t.Fatalf("command %v, refusal %v", c, refused)
		}
		if refused != nil && (!refused.IsError || !strings.HasPrefix(refused.Text, "Error: ")) {
			t.Fatalf("refused with %+v", *refused)
		}
		if create, ok := c.(Create); ok && !utf8.ValidString(create.FileText) {
			t.Fatalf("file_text %q", create.FileText)
		}
	})
}
