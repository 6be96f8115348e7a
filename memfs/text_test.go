package memfs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Models send line feeds, whatever the lines of a file end in.
// README: "line ends, encodings and file modes stay".
func TestEdits_KeepLineEndsAndAByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		edit       Command
		want       string
	}{
		{"a line more in a CRLF file", "a\r\nb\r\n", StrReplace{OldStr: "a", NewStr: "a\na2"}, "a\r\na2\r\nb\r\n"},
		{"old_str with CRLF is verbatim", "a\r\nb\r\n", StrReplace{OldStr: "a\r\nb", NewStr: "a\nb"}, "a\nb\r\n"},
		{"mixed line ends are verbatim", "a\r\nb\nc\n", StrReplace{OldStr: "b\nc", NewStr: "x\ny"}, "a\r\nx\ny\n"},
		{"a line inserted in a CRLF file", "a\r\nb\r\n", Insert{InsertLine: 1, InsertText: "x\ny\n"}, "a\r\nx\r\ny\r\nb\r\n"},
		{"a CRLF line inserted in a CRLF file", "a\r\nb\r\n", Insert{InsertLine: 1, InsertText: "x\r\n"}, "a\r\nx\r\nb\r\n"},
		{"a line at the end of a CRLF file", "a\r\nb", Insert{InsertLine: 2, InsertText: "x"}, "a\r\nb\r\nx"},
		{"a line inserted in mixed line ends", "a\r\nb\n", Insert{InsertLine: 1, InsertText: "x\n"}, "a\r\nx\nb\n"},
		{"a line before the first, with a mark", "\ufeffa\n", Insert{InsertLine: 0, InsertText: "x\n"}, "\ufeffx\na\n"},
		{"the same with CRLF", "\ufeffa\r\n", Insert{InsertLine: 0, InsertText: "x\n"}, "\ufeffx\r\na\r\n"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "f"), []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		input := map[string]any{"command": c.edit.Name(), "path": "/memories/f"}
		switch e := c.edit.(type) {
		case StrReplace:
			input["old_str"], input["new_str"] = e.OldStr, e.NewStr
		case Insert:
			input["insert_line"], input["insert_text"] = e.InsertLine, e.InsertText
		}
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		if r := d.run(raw); r.IsError {
			t.Errorf("%s: %s", c.name, r.Text)
		}
		if b, err := os.ReadFile(filepath.Join(folder, "f")); err != nil || string(b) != c.want {
			t.Errorf("%s: got %q, want %q, %v", c.name, b, c.want, err)
		}
		_ = d.Close()
	}
}
