//go:build unix

package conformance

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

type conformanceCase struct {
	Name       string            `json:"name"`
	Files      []caseFile        `json:"files"`
	Steps      []caseStep        `json:"steps"`
	FinalFiles []caseFile        `json:"final_files"`
	FinalModes map[string]string `json:"final_modes"`
}

type caseFile struct {
	Path   string  `json:"path"`
	Type   string  `json:"type"`
	Text   *string `json:"text"`
	Base64 *string `json:"base64"`
	Target string  `json:"target"`
	Mode   string  `json:"mode"`
	Unit   string  `json:"unit"`
	Count  int     `json:"count"`
	Tail   string  `json:"tail"`
	Size   *int64  `json:"size"`
	SHA256 string  `json:"sha256"`
}

type caseStep struct {
	Input          json.RawMessage `json:"input"`
	Match          string          `json:"match"`
	Expected       string          `json:"expected"`
	IsError        bool            `json:"expected_is_error"`
	MustNotContain []string        `json:"must_not_contain"`
}

const conformanceCases = 201

// keepsMode lists where memend differs on purpose: an edit leaves a file
// with the mode it had, since the file may be another program's; the cases were
// taken from handlers that make every edited file 0600.
var keepsMode = map[string]string{
	"str_replace normal":   "0644",
	"insert in the middle": "0644",
}

// refuses lists where an agent's door refuses on purpose what package memfs and the handlers do: a deletion
// that no undo could bring back, and one of another tool's control files. The folder stays as it is.
var refuses = map[string]string{
	"delete a FIFO": "Error: Could not delete /memories/pipe: ",
	"delete directory with hidden and node_modules inside": "Error: Could not delete /memories/d: ",
}

// Answer carries out one input of the tool and gives what the model reads back.
type Answer func(t *testing.T, input []byte) (text string, isError bool)

// Run replays the cases of a file. For each it makes a new tree and asks start
// for somebody who answers commands on the folder of memories in it.
func Run(t *testing.T, file string, start func(t *testing.T, folder string) Answer) {
	RunEach(t, file, 1, start)
}

// RunEach is Run of one of each so many cases.
func RunEach(t *testing.T, file string, each int, start func(t *testing.T, folder string) Answer) {
	defer syscall.Umask(syscall.Umask(0o022))
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []conformanceCase }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for i := 0; i < len(all.Cases); i += each {
		c := all.Cases[i]
		if t.Run(c.Name, func(t *testing.T) { c.check(t, start) }) {
			passed++
		}
	}
	t.Logf("%d of %d cases pass", passed, len(all.Cases))
	if len(all.Cases) != conformanceCases {
		t.Errorf("there are %d cases, want %d", len(all.Cases), conformanceCases)
	}
}

func (c conformanceCase) check(t *testing.T, start func(t *testing.T, folder string) Answer) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(base, "memories")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Files {
		f.make(t, base)
	}
	answer := start(t, folder)
	for i, s := range c.Steps {
		text, isError := answer(t, s.Input)
		if refusal, ok := refuses[c.Name]; ok && isError && strings.HasPrefix(text, refusal) {
			return
		}
		s.check(t, fmt.Sprintf("step %d", i+1), text, isError, base)
	}
	c.checkTree(t, base)
}

func (c conformanceCase) checkTree(t *testing.T, base string) {
	t.Helper()
	want, got := listing(c.FinalFiles, base), treeOf(t, base)
	if got != want {
		t.Errorf("the tree is\n%s\nwant\n%s", got, want)
	}
	for p, mode := range c.FinalModes {
		if special, ok := keepsMode[c.Name]; ok {
			mode = special
		}
		fi, err := os.Lstat(filepath.Join(base, p))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%04o", fi.Mode().Perm()); got != mode {
			t.Errorf("%s has mode %s, want %s", p, got, mode)
		}
	}
}

func (s caseStep) check(t *testing.T, step, got string, isError bool, base string) {
	t.Helper()
	if isError != s.IsError {
		t.Errorf("%s: is_error is %v, want %v", step, isError, s.IsError)
	}
	want := strings.ReplaceAll(s.Expected, "<BASE>", base)
	switch s.Match {
	case "exact":
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "<DIRSIZE>", `[0-9]+(\.[0-9])?[BKMG]`)
		if !regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString(got) {
			t.Errorf("%s: answer is\n%q\nwant\n%q", step, got, want)
		}
	case "error-prefix":
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: answer is %q, want it to begin with %q", step, got, want)
		}
	default:
		t.Fatalf("%s: unknown match %q", step, s.Match)
	}
	for _, never := range append(s.MustNotContain, base) {
		if strings.Contains(got, strings.ReplaceAll(never, "<BASE>", base)) {
			t.Errorf("%s: %q holds %q", step, got, never)
		}
	}
}

func (f caseFile) make(t *testing.T, base string) {
	t.Helper()
	name := filepath.Join(base, f.Path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	switch f.Type {
	case "", "file", "repeat":
		mode := fs.FileMode(0o644)
		if f.Mode != "" {
			fmt.Sscanf(f.Mode, "%o", &mode)
		}
		if err = os.WriteFile(name, f.content(t), mode); err == nil {
			err = os.Chmod(name, mode)
		}
	case "dir":
		err = os.MkdirAll(name, 0o755)
	case "symlink":
		err = os.Symlink(strings.ReplaceAll(f.Target, "<BASE>", base), name)
	case "hardlink":
		err = os.Link(filepath.Join(base, f.Target), name)
	case "fifo":
		err = syscall.Mkfifo(name, 0o644)
	case "sparse":
		if err = os.WriteFile(name, nil, 0o644); err == nil && os.Truncate(name, *f.Size) != nil {
			t.Skip("no file of that size here")
		}
	default:
		t.Fatalf("unknown type %q", f.Type)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (f caseFile) content(t *testing.T) []byte {
	switch {
	case f.Base64 != nil:
		b, err := base64.StdEncoding.DecodeString(*f.Base64)
		if err != nil {
			t.Fatal(err)
		}
		return b
	case f.Text != nil:
		return []byte(*f.Text)
	}
	return []byte(strings.Repeat(f.Unit, f.Count) + f.Tail)
}

// row is one entry of a final tree; a file is told by its digest.
func row(path, kind, detail string) string { return path + " " + kind + " " + detail + "\n" }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func listing(files []caseFile, base string) string {
	var b strings.Builder
	for _, f := range files {
		rel := strings.TrimPrefix(f.Path, "/")
		switch {
		case f.Type == "symlink":
			b.WriteString(row(rel, "symlink", strings.ReplaceAll(f.Target, "<BASE>", base)))
		case f.Type != "file":
			b.WriteString(row(rel, f.Type, ""))
		case f.SHA256 != "":
			b.WriteString(row(rel, "file", f.SHA256))
		case f.Base64 != nil:
			raw, _ := base64.StdEncoding.DecodeString(*f.Base64)
			b.WriteString(row(rel, "file", digest(raw)))
		case f.Text != nil:
			b.WriteString(row(rel, "file", digest([]byte(*f.Text))))
		default:
			b.WriteString(row(rel, "file of", fmt.Sprint(*f.Size)))
		}
	}
	return b.String()
}

func treeOf(t *testing.T, base string) string {
	var b strings.Builder
	err := filepath.WalkDir(base, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == base {
			return err
		}
		rel, _ := filepath.Rel(base, name)
		fi, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			b.WriteString(row(rel, "dir", ""))
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			b.WriteString(row(rel, "symlink", target))
		case fi.Mode()&fs.ModeNamedPipe != 0:
			b.WriteString(row(rel, "fifo", ""))
		case fi.Size() > 200<<20:
			b.WriteString(row(rel, "file of", fmt.Sprint(fi.Size())))
		default:
			raw, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			b.WriteString(row(rel, "file", digest(raw)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
