package editing

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
		"micro":            "+7 /t/a.md", // it would take a name with a number for another file
		"some-own-wrapper": "/t/a.md",
	} {
		words := EditorAt(command, "/t/a.md", 7)
		if words[0] == "sh" {
			words = append(strings.Fields(command), words[4:]...)
		}
		if got := strings.Join(words[1:], " "); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestSafeName_KeepsTheExtensionAndSafeCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"plan.md": "plan.md", "a b.md": "a_b.md", "../x": "x", "日本": "memory.txt", "日本.md": "md", "-rf": "rf", "\x1b[31m.md": "31m.md",
	} {
		if got := safeName(in); got != want || filepath.Base(got) != got {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPagerCommand_IsTheOwnOneOrLess(t *testing.T) {
	for _, c := range []struct{ own, common, there, want string }{
		{"", "pg -n 'a b'", "less more", "pg|-n|a b"},
		{"own", "pg", "less more", "own"},
		{"cat", "pg", "less more", "pg"},
		{"", "cat", "less more", "less"},
		{"", "", "less more", "less"},
		{"", " ", "more", ""},
		{"", "", "", ""},
	} {
		env := map[string]string{"MEMEND_PAGER": c.own, "PAGER": c.common}
		words, err := pagerCommand(func(name string) string { return env[name] }, func(name string) (string, error) {
			if !strings.Contains(c.there, name) {
				return "", exec.ErrNotFound
			}
			return name, nil
		})
		if got := strings.Join(words, "|"); err == nil && got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("MEMEND_PAGER=%q PAGER=%q with %q is %q, %v", c.own, c.common, c.there, got, err)
		}
	}
}
