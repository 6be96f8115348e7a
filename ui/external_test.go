package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
)

func TestSplitCommand_ReadsQuotesAsAShell(t *testing.T) {
	for in, want := range map[string]string{
		"vim":                                    "vim",
		"code  --wait -n":                        "code|--wait|-n",
		`"/opt/my editor/ed" --flag`:             "/opt/my editor/ed|--flag",
		`'/a b/c' "x\"y" z\ w ''`:                `/a b/c|x"y|z w|`,
		`emacsclient -t -a "" `:                  "emacsclient|-t|-a|",
		`"C:\Program Files\x.exe" 'it''s' $HOME`: `C:\Program Files\x.exe|its|$HOME`,
	} {
		got, err := SplitCommand(in)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{`"open`, `a 'b`, `x\`, "  "} {
		if got, err := SplitCommand(in); err == nil {
			t.Errorf("%q: %q and no error", in, got)
		}
	}
}

func TestArguments_OpenTheEditorAtTheLine(t *testing.T) {
	for command, want := range map[string]string{
		"vim -u NONE":      "-u NONE +7 /t/a.md",
		"/usr/bin/nano":    "+7 /t/a.md",
		"code -n":          "-n --wait --goto /t/a.md:7",
		"hx":               "/t/a.md:7",
		"micro":            "+7 /t/a.md", // a name with a number it takes for another file
		"some-own-wrapper": "/t/a.md",
	} {
		words := strings.Fields(command)
		if got := strings.Join(EditorAt(words, "/t/a.md", 7)[1:], " "); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

// outside plays an external editor: it makes of the copy what edit says.
func outside(t *testing.T, s *sim, p string, edit func(string) string) *externalJob {
	t.Helper()
	msg := prepareExternal(context.Background(), s.store, at(p), 2, "ed")().(externalReadyMsg)
	if msg.err != nil {
		t.Fatal(msg.err)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(filepath.Dir(filepath.Dir(msg.job.file)))) })
	b, err := os.ReadFile(msg.job.file)
	if err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(msg.job.file); fi.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v", fi.Mode())
	}
	if err := os.WriteFile(msg.job.file, []byte(edit(string(b))), 0o600); err != nil {
		t.Fatal(err)
	}
	return msg.job
}

func TestExternal_SavesWhatTheEditorLeft(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	j := outside(t, s, "people/dana.md", strings.ToUpper)
	s.send(externalDoneMsg{j, nil})
	if got := content(s, "people/dana.md"); got != "# DANA\n\nPREFERS SHORT NOTES\n" {
		t.Errorf("the memory holds %q", got)
	}
	s.shows("PREFERS", "saved /people/dana.md")
	if _, err := os.Stat(filepath.Dir(j.file)); err == nil {
		t.Error("the copy is still there")
	}
}

func TestExternal_WithoutAChangeWritesNothing(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	j := outside(t, s, "people/dana.md", func(s string) string { return s })
	s.send(externalDoneMsg{j, nil})
	if len(s.store.changes) != 7 {
		t.Error("something was written")
	}
	if _, err := os.Stat(filepath.Dir(j.file)); err == nil {
		t.Error("the copy is still there")
	}
}

func TestExternal_ConflictLosesNeitherText(t *testing.T) {
	for key, check := range map[string]func(s *sim, j *externalJob) bool{
		"o": func(s *sim, j *externalJob) bool { return content(s, "people/dana.md") == "mine" },
		"b": func(s *sim, j *externalJob) bool {
			return content(s, "people/dana.md") == "theirs" && content(s, "people/dana (mine).md") == "mine"
		},
		"t": func(s *sim, j *externalJob) bool {
			b, _ := os.ReadFile(j.file)
			return content(s, "people/dana.md") == "theirs" && string(b) == "mine"
		},
	} {
		s := newSim(t, sample(), 100, 30)
		j := outside(t, s, "people/dana.md", func(string) string { return "mine" })
		s.store.write(agent, "people/dana.md", "theirs")
		s.send(externalDoneMsg{j, nil})
		s.shows("changed meanwhile")
		s.keys(key)
		if !check(s, j) {
			t.Errorf("%s: the memory holds %q", key, content(s, "people/dana.md"))
		}
	}
}

func TestExternal_KeepsTheTextWhenTheStoreRefuses(t *testing.T) {
	s := newSim(t, sample(), 200, 30)
	j := outside(t, s, "people/dana.md", func(string) string { return "mine" })
	s.store.broken = os.ErrPermission
	s.send(externalDoneMsg{j, nil})
	s.shows("the text is kept in " + j.file)
	if b, _ := os.ReadFile(j.file); string(b) != "mine" {
		t.Errorf("the copy holds %q", b)
	}
}

func TestExternal_AsksWhenTheEditorFailed(t *testing.T) {
	for key, want := range map[string]string{"s": "half", "esc": "# Dana\n\nprefers short notes\n"} {
		s := newSim(t, sample(), 120, 30)
		j := outside(t, s, "people/dana.md", func(string) string { return "half" })
		s.send(externalDoneMsg{j, errors.New("signal: killed")})
		s.shows("ended with an error (signal: killed)")
		if content(s, "people/dana.md") == "half" {
			t.Fatal("it was saved unasked")
		}
		s.keys(key)
		if got := content(s, "people/dana.md"); got != want {
			t.Errorf("%s: the memory holds %q", key, got)
		}
		if b, err := os.ReadFile(j.file); key == "esc" && (err != nil || string(b) != "half") {
			t.Errorf("the copy holds %q, %v", b, err)
		}
	}
}

func TestExternal_ThatCannotBeStartedLeavesNothing(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	j := outside(t, s, "people/dana.md", func(text string) string { return text })
	s.send(externalDoneMsg{j, errors.New("executable file not found")})
	s.shows("editor ed: executable file not found")
	if _, err := os.Stat(filepath.Dir(j.file)); err == nil || len(s.store.changes) != 7 {
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

func TestSafeName_KeepsTheEndingAndNothingOdd(t *testing.T) {
	for in, want := range map[string]string{
		"plan.md": "plan.md", "a b.md": "a_b.md", "../x": "x", "日本": "memory.txt", "日本.md": "md", "-rf": "rf", "\x1b[31m.md": "31m.md",
	} {
		if got := safeName(in); got != want || filepath.Base(got) != got {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
