package proposals

import (
	"strings"
	"testing"
)

// The wanted results are those of jsdiff 8.0.3, applyPatch.
func TestApply(t *testing.T) {
	const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ name, text, hunks, want string }{
		{"in its place", ten, "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n", strings.Replace(ten, "3\n", "three\n", 1)},
		{"at other lines", "0\n0\n" + ten, "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n", "0\n0\n" + strings.Replace(ten, "3\n", "three\n", 1)},
		{"the later of two places as near", "a\nx\nx\na\nx\n", "@@ -3,1 +3,1 @@\n-a\n+b\n", "a\nx\nx\nb\nx\n"},
		{"two hunks, moved alike", "0\n" + ten, "@@ -1,1 +1,1 @@\n-1\n+one\n@@ -9,1 +9,1 @@\n-9\n+nine\n", "0\none\n2\n3\n4\n5\n6\n7\n8\nnine\n10\n"},
		{"context must be exact", ten, "@@ -2,3 +2,3 @@\n two\n-3\n+three\n 4\n", "no"},
		{"blank context without its blank", "1\n\n3\n", "@@ -1,3 +1,3 @@\n 1\n\n-3\n+three\n", "1\n\nthree\n"},
		{"into an empty file", "", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"},
		{"without a line end at the end", "", "@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n", "a"},
		{"a line end is added", "1\n2", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n", "1\n2\n"},
		{"a line end that is there can't be added", "1\n2\n", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n", "no"},
		{"a file with Windows line ends", "1\r\n2\r\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", "1\r\ntwo\r\n"},
		{"a patch with Windows line ends", "1\n2\n", "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+two\r\n", "1\ntwo\n"},
		{"beyond the end", "1\n", "@@ -50,0 +51,1 @@\n+x\n", "no"},
		{"overlapping context", "1\n2\n3\n", "@@ -1,2 +1,3 @@\n 1\n+a\n 2\n@@ -2,2 +3,3 @@\n 2\n+b\n 3\n", "1\na\n2\nb\n3\n"},
	} {
		files, err := parsePatch("--- /a.md\n+++ /a.md\n" + c.hunks)
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %d files", c.name, err, len(files))
			continue
		}
		got, ok := files[0].apply(c.text)
		if !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-1\n+2\n", "1\n")
	f.Add("@@ -0,0 +99,1 @@\n+x", "")
	f.Fuzz(func(_ *testing.T, patch, text string) {
		files, err := parsePatch(patch)
		if err != nil {
			return
		}
		for _, p := range files {
			p.apply(text)
		}
	})
}
