//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rawError is an error of the system, of SQLite or of an archive that no word of ours introduces.
var rawError = regexp.MustCompile(`^memend: (stat|lstat|open|mkdir|rename /tmp|unlink|gzip|archive|unexpected EOF|SQL|constraint|database)|\*\*\*|\^J`)

func TestErrorsSayOperationObjectAndCure(t *testing.T) {
	past(t)
	for name, content := range map[string]string{"text": "no history\n", "cut.tar.gz": "\x1f\x8b\x08\x00", "plain.tar.gz": "plain\n", "plain.tar": "plain\n", "config.toml": "= =\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ line, names string }{
		{"import nosuch", "import nosuch"}, {"import text", "text"}, {"import -s other nosuch.jsonl", "import nosuch.jsonl"},
		{"guard nosuch", "guard nosuch"}, {"write c.md --file nosuch", "write nosuch"}, {"policy set nosuch", "policy set nosuch"}, {"check --since nosuch", "nosuch"},
		{"merge a.md b.md --file nosuch", "nosuch"}, {"config --config nosuch", "nosuch"}, {"config --config config.toml", "config.toml"},
		{"backup nodir/b", "nodir/b"}, {"backup nodir/b.tar.gz", "nodir/b.tar.gz"}, {"export -o nodir/x", "nodir/x"}, {"export -o x.zip", "export to x.zip"}, {"export --format git -o nodir/x/y", "nodir/x/y"},
		{"--home new backup --restore nosuch", "restore nosuch"}, {"--home new backup --restore cut.tar.gz", "restore cut.tar.gz"}, {"--home new backup --restore plain.tar.gz", "restore plain.tar.gz"},
		{"--home new backup --restore plain.tar", "restore plain.tar"}, {"--home new backup --restore w", "restore w"}, {"backup --restore w", "home"},
		{"stores move w ./nodir", "move store w: no such folder: ./nodir"}, {"stores create z --folder ./nodir", "create store z: no such folder: ./nodir"}, {"stores describe nosuch", "no such store: nosuch"},
		{"cp nosuch:a.md b", "no such store: nosuch"}, {"mv nosuch: b", "no such store: nosuch"}, {"cat nosuch.md", "/memories/nosuch.md"}, {"show 99", "99"}, {"undo 99", "99"}, {"show a.md@9", "a.md"}, {"show nosuch@1", "nosuch"},
		{"edit a.md", "edit"}, {"policy edit", "policy edit"}, {"merge a.md b.md", "merge"}, {"serve --token-file nosuch", "nosuch"}, {"tokens revoke nosuch", "nosuch"}, {"stores mirror w", "w"}, {"blame a.md:99", "/memories/a.md"},
		{"setup nosuch", "nosuch"}, {"mv a.md b.md", "/memories/b.md"}, {"cat a.md:99", "/memories/a.md"}, {"review show 9", "#9"}, {"show sesn_nosuch", "sesn_nosuch"},
	} {
		code, _, errs := runLine(c.line)
		if code == exitDone || rawError.MatchString(errs) || !strings.Contains(errs, c.names) || !strings.Contains(errs, "\n  hint: ") {
			t.Errorf("memend %s: %d, want %q named:\n%s", c.line, code, c.names, errs)
		}
	}
	if code, _, errs := runLine("stores archive w"); code != exitDone {
		t.Fatal(errs)
	}
	if code, _, errs := runLine("write a.md"); code != exitRefused || !strings.Contains(errs, "store w: archived stores can't be written") {
		t.Errorf("a write to an archived store: %d %s", code, errs)
	}
}

// Outside a store's folder a file of it may be named as the shell completes it.
func TestAFileIsFoundFromTheParentOfItsStore(t *testing.T) {
	past(t)
	for _, name := range []string{"a.md", "/a.md", "w/a.md", "./w/a.md", "../" + here(t) + "/w/a.md"} {
		if code, out, errs := runLine("cat " + name); code != exitDone || !strings.HasPrefix(out, "one\n") {
			t.Errorf("cat %s: %d %s%s", name, code, out, errs)
		}
	}
	if err := os.MkdirAll("w/w", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("w/w/a.md", []byte("inner\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := runLine("cat w/a.md"); out != "inner\n" {
		t.Errorf("a path of the store comes first: %s%s", out, errs)
	}
}

func here(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(dir)
}

func TestADiffOfTwoVersionsNamesThem(t *testing.T) {
	past(t)
	if _, out, errs := runLine("diff a.md@1 a.md@2"); !strings.HasPrefix(out, "--- /memories/a.md@1\n+++ /memories/a.md@2\n") {
		t.Errorf("%s%s", out, errs)
	}
}

func TestARemovalOfNothingChangesNoSettings(t *testing.T) {
	past(t)
	if code, out, errs := runLine("setup claude-code --scope user --remove --yes"); code != exitDone || strings.Contains(out, "+++") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

func TestATokenIsNotPrintedIntoAFileThatOthersRead(t *testing.T) {
	past(t)
	for _, command := range []string{"serve", "mcp -s w --http 127.0.0.1:0"} {
		f, err := os.OpenFile("out", os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		if code := Run(strings.Fields(command), strings.NewReader(""), f, &errs); code != exitMisuse || !strings.Contains(errs.String(), "--token-file") {
			t.Errorf("%s: %d %s", command, code, errs.String())
		}
		if fi, err := f.Stat(); err != nil || fi.Size() > 0 || f.Close() != nil {
			t.Errorf("%s: %v, %v", command, fi.Size(), err)
		}
	}
}
