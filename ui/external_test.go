package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// outside simulates an external editor: it applies edit to the copy, and returns the error
// failed.
func outside(t *testing.T, s *sim, p string, failed error, edit func(string) string) (file string) {
	t.Helper()
	t.Setenv("VISUAL", "ed")
	s.program = func(args []string) error {
		file = args[len(args)-1]
		t.Cleanup(func() { os.RemoveAll(filepath.Dir(filepath.Dir(filepath.Dir(file)))) })
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if fi, _ := os.Stat(file); fi.Mode().Perm() != 0o600 {
			t.Errorf("the copy has mode %v", fi.Mode())
		}
		if err := os.WriteFile(file, []byte(edit(string(b))), 0o600); err != nil {
			t.Fatal(err)
		}
		return failed
	}
	s.send(screen.External{Path: at(p), Line: 2})
	if file == "" {
		t.Fatalf("no editor is run:\n%s", s.screen())
	}
	return file
}

func TestExternal_SavesTheEditedText(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	file := outside(t, s, "people/dana.md", nil, strings.ToUpper)
	if got := content(s, "people/dana.md"); got != "# DANA\n\nPREFERS SHORT NOTES\n" {
		t.Errorf("the memory holds %q", got)
	}
	s.shows("PREFERS", "saved /people/dana.md")
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("the copy is still there")
	}
}

func TestExternal_WithoutAChangeWritesNothing(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	file := outside(t, s, "people/dana.md", nil, func(s string) string { return s })
	if len(s.store.changes) != 7 {
		t.Error("something was written")
	}
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("the copy is still there")
	}
}

func TestExternal_ConflictLosesNeitherText(t *testing.T) {
	for key, check := range map[string]func(s *sim, file string) bool{
		"o": func(s *sim, file string) bool { return content(s, "people/dana.md") == "mine" },
		"b": func(s *sim, file string) bool {
			return content(s, "people/dana.md") == "theirs" && content(s, "people/dana (mine).md") == "mine"
		},
		"t": func(s *sim, file string) bool {
			b, _ := os.ReadFile(file)
			return content(s, "people/dana.md") == "theirs" && string(b) == "mine"
		},
	} {
		s := newSim(t, sample(), 100, 30)
		file := outside(t, s, "people/dana.md", nil, func(string) string {
			s.store.write(agent, "people/dana.md", "theirs")
			return "mine"
		})
		s.shows("changed meanwhile")
		s.keys(key)
		if !check(s, file) {
			t.Errorf("%s: the memory holds %q", key, content(s, "people/dana.md"))
		}
	}
}

func TestExternal_KeepsTheTextWhenTheStoreRefuses(t *testing.T) {
	s := newSim(t, sample(), 200, 30)
	s.store.broken = os.ErrPermission
	file := outside(t, s, "people/dana.md", nil, func(string) string { return "mine" })
	s.shows("the text is kept in " + file)
	if b, _ := os.ReadFile(file); string(b) != "mine" {
		t.Errorf("the copy holds %q", b)
	}
}

func TestExternal_AsksWhenTheEditorFailed(t *testing.T) {
	for key, want := range map[string]string{"s": "half", "esc": "# Dana\n\nprefers short notes\n"} {
		s := newSim(t, sample(), 120, 30)
		file := outside(t, s, "people/dana.md", errors.New("signal: killed"), func(string) string { return "half" })
		s.shows("ended with an error (signal: killed)")
		if content(s, "people/dana.md") == "half" {
			t.Fatal("it was saved unasked")
		}
		s.keys(key)
		if got := content(s, "people/dana.md"); got != want {
			t.Errorf("%s: the memory holds %q", key, got)
		}
		if b, err := os.ReadFile(file); key == "esc" && (err != nil || string(b) != "half") {
			t.Errorf("the copy holds %q, %v", b, err)
		}
	}
}

func TestExternal_ThatCannotBeStartedLeavesNothing(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	file := outside(t, s, "people/dana.md", errors.New("executable file not found"), func(text string) string { return text })
	s.shows("editor ed: executable file not found")
	if _, err := os.Stat(filepath.Dir(file)); err == nil || len(s.store.changes) != 7 {
		t.Error("the copy is still there")
	}
}

func TestExternal_SaysWhenNoEditorIsSet(t *testing.T) {
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", " ")
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("E")
	s.shows("VISUAL or EDITOR")
}

func TestPager_ShowsAFileThatIsTooLarge(t *testing.T) {
	t.Setenv("PAGER", "pg --plain")
	for _, readOnly := range []bool{false, true} {
		store := sample()
		text := strings.Repeat("0123456789\n", versions.DefaultMaxBytes/11+1)
		if _, err := store.Write(t.Context(), me, at("all.log"), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
		s := newSim(t, store, 100, 30, func(c *Config) { c.ReadOnly = readOnly })
		var ran []string
		s.program = func(args []string) error { ran = args; return nil }
		s.send(screen.Open{Path: at("all.log")})
		s.shows("E opens it in your pager", "E $PAGER")
		s.keys("E")
		if strings.Join(ran, " ") != "pg --plain" || s.piped != text {
			t.Errorf("read-only %v: %q is run, with an input of %d bytes", readOnly, ran, len(s.piped))
		}
		s.program = func([]string) error { return errors.New("exit status 3") }
		s.keys("E")
		s.shows("show /all.log: exit status 3")
	}
}
