//go:build unix

package instructions

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// None of these may block, read without bounds, or be loaded.
func TestClaude_DoesNotWaitForOrLoadWhatIsNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/CLAUDE.md|@pipe.md @/dev/zero @loop.md @big.md @dir.md @a\x1b[31m.md\n@huge.md", "home/app/huge.md|x", "home/app/.claude/CLAUDE.md/x|", "home/app/web/CLAUDE.md|\xff\xfe")
	if err := syscall.Mkfifo(w.at("home/app/pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(w.at("home/app/CLAUDE.local.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.link("loop.md", "home/app/loop.md")
	w.link(".", "home/app/.claude/rules/circle")
	w.write("home/app/dir.md/x|", "home/app/.claude/rules/r.md|r")
	for name, size := range map[string]int64{"home/app/big.md": 100 << 20, "home/app/huge.md": 1 << 40} {
		w.write(name + "|x")
		if err := os.Truncate(w.at(name), size); err != nil {
			t.Skip(err)
		}
	}
	w.wants(ClaudeCode, "home/app", "project home/app/CLAUDE.md",
		"  import home/app/pipe.md @1 - it is not a regular file",
		"  import "+w.rel("/dev/zero")+" @1 - it is not a regular file",
		"  import home/app/loop.md @1 - too many levels of symbolic links",
		"  import home/app/big.md @1 - it is not UTF-8 text",
		"  import home/app/dir.md @1 - it is a directory",
		"  import home/app/a\x1b[31m.md @1 - there is no such file",
		"  import home/app/huge.md @2 - it is not UTF-8 text",
		"rule home/app/.claude/rules/r.md",
		"not: project home/app/.claude/CLAUDE.md - it is a directory",
		"not: local home/app/CLAUDE.local.md - it is not a regular file",
		"not: project home/app/web/CLAUDE.md - it is not UTF-8 text")
}

func TestClaude_SkipsWhatIsLargerThanItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/CLAUDE.md|"+strings.Repeat("x\n", 3<<20))
	w.wants(ClaudeCode, "home/app", "not: project home/app/CLAUDE.md - larger than 4 MiB")
	s := w.session("opencode", "home/app")
	if f := s.Files[0]; !f.More || f.Lines != 2<<20 || f.LoadedBytes != 6<<20 {
		t.Errorf("%+v", f)
	}
}

// A file that imports all others, each of which does the same, is a tree without end.
func TestGemini_BoundsATreeOfImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all strings.Builder
	for i := range 40 {
		all.WriteString("@./f" + string(rune('A'+i)) + ".md\n")
	}
	for i := range 40 {
		w.write("home/app/f" + string(rune('A'+i)) + ".md|" + all.String())
	}
	w.write("home/app/GEMINI.md|" + all.String())
	n := 0
	s := w.session("gemini", "home/app")
	s.Each(func(*File, int) { n++ })
	if n < maxRules || n > 2*maxRules || len(s.Notes) != 2 || s.Notes[1] != "more than 1000 imports are not listed" {
		t.Errorf("%d files, %q", n, s.Notes)
	}
}

// What is looked for must not be changed: neither the files nor their folders.
func TestOf_WritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "home/app/CLAUDE.md|@a.md", "home/app/a.md|x")
	var before, after strings.Builder
	list := func(into *strings.Builder) {
		err := filepath.WalkDir(w.top, func(name string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				into.WriteString(name + info.Mode().String() + info.ModTime().String() + "\n")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	list(&before)
	if _, err := Here(t.Context(), w.at("home/app"), w.roots); err != nil {
		t.Fatal(err)
	}
	if list(&after); before.String() != after.String() {
		t.Errorf("before:\n%s\nafter:\n%s", before.String(), after.String())
	}
}
