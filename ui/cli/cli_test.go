package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/cli/testdata/clitest"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/policy"
)

func TestErrorsHaveAnExitCodeAndAHint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
		hint string
	}{
		{nil, exitDone, ""},
		{errors.New("anything"), exitFailed, ""},
		{misusef("memend ls", "no"), exitMisuse, "`memend ls --help` shows how it is used"},
		{&versions.ConflictError{}, exitRefused, "read it again"},
		{fmt.Errorf("wrapped: %w", &versions.ConflictError{}), exitRefused, "read it again"},
		{&versions.LaterChangeError{Change: 3, Later: 7}, exitRefused, "`memend show 7`"},
		{&versions.LaterChangeError{Change: 3}, exitRefused, "move or remove"},
		{fmt.Errorf("rename: %w", memfs.ErrExist), exitRefused, "another name"},
		{memfs.ErrNoSpace, exitFailed, "nothing was written"},
		{memfs.ErrReadOnlyDisk, exitFailed, "nothing was written"},
		{versions.ErrDamaged, exitFailed, "memend check"},
		{&hinted{memfs.ErrExist, "a better hint"}, exitRefused, "a better hint"},
	} {
		if got := exitCode(c.err); c.err != nil && got != c.code {
			t.Errorf("%v: code %d, want %d", c.err, got, c.code)
		}
		if got := hint(c.err); c.err != nil && !strings.Contains(got, c.hint) || c.hint == "" && got != "" {
			t.Errorf("%v: hint %q, want %q", c.err, got, c.hint)
		}
	}
}

func TestSizesFitTheirColumn(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB", 100 << 20: "105 MB", 3e12: "3.0 TB", 5e15: "5000 TB",
	} {
		if got := units.Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestArgumentsReferToChangesVersionsAndMemories(t *testing.T) {
	t.Parallel()
	path := func(s string) memfs.Path {
		p, err := memfs.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	_, s := clitest.Store(t)
	for arg, want := range map[string]ref{
		"42":               {change: 42},
		"memver_abc":       {id: "memver_abc"},
		"a.md":             {path: path("a.md")},
		"/memories/a.md@3": {path: path("a.md"), version: 3},
		"/a.md@3":          {path: path("a.md"), version: 3},
		"a@b.md":           {path: path("a@b.md")},
		"a.md@-1":          {path: path("a.md@-1")},
		"@3":               {path: path("@3")},
		"memories/a.md":    {path: path("memories/a.md")},
	} {
		want.arg = arg
		if got, err := parseRef(t.Context(), s, "memend show", arg); err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", arg, got, err, want)
		}
	}
}

// Each command has a summary in the same form as the others, and help that fits a terminal.
// That the command tree can be built shows that no command hides a common flag.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	p := &program{}
	files := map[string]bool{"screen": true, "times": true, "conflicts": true, "fields": true, "manual": true}
	each(rootCommand(p), func(cmd *cobra.Command) {
		file := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		files[file] = true
		addHelp(cmd)
		if help := cmd.Long + cmd.Example; help != "" && helpText(file) == "" || strings.Contains(help, "{times}") || strings.Contains(help, "{conflicts}") {
			t.Errorf("%s has no help/%s.txt, or its text is not included: %q", cmd.CommandPath(), file, help)
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: summary %q", cmd.CommandPath(), cmd.Short)
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if utf8.RuneCountInString(line) > 81 { // with its end
				t.Errorf("%s: too long a line: %q", cmd.CommandPath(), line)
			}
		}
	})
	all, err := helpFiles.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if !files[strings.TrimSuffix(f.Name(), ".txt")] {
			t.Errorf("help/%s belongs to no command", f.Name())
		}
	}
	for _, preset := range policy.Presets {
		if !strings.Contains(helpText("memend-policy-use"), preset.Summary) {
			t.Errorf("the help of policy use lacks %s", preset.Name)
		}
	}
	for line := range strings.Lines(schemaText("") + "\n" + helpText("screen")) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too long a line: %q", line)
		}
	}
}

func TestChangesAnnotations_NameExistingFlags(t *testing.T) {
	t.Parallel()
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		for with := range strings.SplitSeq(cmd.Annotations[changes], ",") {
			if with != always && with != withName && cmd.Flags().Lookup(with) == nil {
				t.Errorf("%s has no flag --%s", cmd.CommandPath(), with)
			}
		}
	})
}
