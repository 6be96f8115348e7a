package gitsync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/testdata/versionstest"
)

// syncAloneEnv makes the test program call syncAlone, with the lines of its value, and nothing else.
const syncAloneEnv = "MEMEND_TEST_SYNC"

var syncAlone func(args []string) error

func TestMain(m *testing.M) {
	if args := os.Getenv(syncAloneEnv); args != "" {
		if err := syncAlone(strings.Split(args, "\n")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	code := ramdisk.Tests(m).AtOnce(2).Run()
	_ = os.RemoveAll(bare.dir)
	os.Exit(code)
}

// world is a repository that homes share.
type world struct {
	*testing.T
	url string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := &world{t, filepath.Join(t.TempDir(), "team.git")}
	bare.Do(func() {
		dir, err := os.MkdirTemp("", "memend-bare-")
		w.must(err)
		w.git(".", "init", "--quiet", "--bare", "--initial-branch=main", "--template=", dir)
		w.git(dir, "config", "receive.autogc", "false")
		bare.dir = dir
	})
	if bare.dir == "" {
		t.Fatal("another test could not make a repository")
	}
	w.must(os.CopyFS(w.url, os.DirFS(bare.dir)))
	return w
}

// bare is an empty repository that tests copy: to make one takes longer.
var bare struct {
	sync.Once
	dir string
}

// git runs git as somebody else would.
func (w *world) git(dir string, args ...string) string {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Tess", "-c", "user.email=tess@example.com", "-c", "commit.gpgsign=false", "-c", "core.compression=0", "-c", "maintenance.auto=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// clone is a working tree of the repository, as a colleague without memend has one.
func (w *world) clone() string {
	w.Helper()
	dir := filepath.Join(w.TempDir(), "clone")
	w.git(".", "clone", "--quiet", w.url, dir)
	return dir
}

// commit writes files into a working tree, and commits and pushes them; an empty text deletes a file.
func (w *world) commit(dir, message string, files map[string]string) {
	w.Helper()
	for name, text := range files { // what goes makes room first
		if text == "" {
			w.must(os.Remove(filepath.Join(dir, name)))
		}
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if text == "" {
			continue
		}
		w.must(os.MkdirAll(filepath.Dir(file), 0o755))
		w.must(os.WriteFile(file, []byte(text), 0o644))
	}
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "--quiet", "-m", message)
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// tree is what the branch holds.
func (w *world) tree() map[string]string {
	w.Helper()
	out := map[string]string{}
	list, err := exec.Command("git", "-C", w.url, "ls-tree", "-r", "-z", "--format=%(objectname) %(path)", "main").Output()
	w.must(err)
	var names []string
	var ids strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if id, name, ok := strings.Cut(line, " "); ok {
			names = append(names, name)
			ids.WriteString(id + "\n")
		}
	}
	cat := exec.Command("git", "-C", w.url, "cat-file", "--batch=%(objectsize)")
	cat.Stdin = strings.NewReader(ids.String())
	texts, err := cat.Output()
	w.must(err)
	rest := string(texts)
	for _, name := range names { // each text has its size before it, and a line end behind it
		first, after, _ := strings.Cut(rest, "\n")
		size, err := strconv.Atoi(first)
		w.must(err)
		out[name], rest = after[:size], after[size+1:]
	}
	return out
}

// home is one of the homes.
type home struct {
	*world
	me           versions.By
	home, folder string
	trail        *core.Trail
	s            *core.Store
	step         func(string) error
}

func (w *world) home(name string, files ...string) *home {
	w.Helper()
	h := &home{world: w, me: versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: name}, Session: versions.NewSession()}, folder: w.TempDir(),
		home: versionstest.Home(w.T, func(ctx context.Context, dir string) (*core.Trail, error) {
			return engine.Open(ctx, dir, versions.Options{})
		})}
	var err error
	h.trail, err = engine.Open(w.Context(), h.home, versions.Options{})
	w.must(err)
	names, err := memfs.ParseNames(files)
	w.must(err)
	_, err = h.trail.MakeStore(w.Context(), h.me, versions.NewStore{Name: "notes", Folder: h.folder, Files: names})
	w.must(errors.Join(err, h.trail.Close()))
	h.open()
	w.Cleanup(func() {
		if problems, err := check.Store(context.Background(), h.s); err != nil || len(problems) > 0 {
			w.Errorf("%s: check: %v, %v", name, problems, err)
		}
		if err := errors.Join(h.s.Close(), h.trail.Close()); err != nil {
			w.Error(err)
		}
	})
	return h
}

func (h *home) open() {
	h.Helper()
	var err error
	h.trail, err = engine.Open(h.Context(), h.home, versions.Options{})
	h.must(err)
	infos, err := h.trail.Stores(h.Context())
	h.must(err)
	h.s, err = h.trail.OpenStore(h.Context(), infos[0].ID)
	h.must(err)
}

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (h *home) write(name, text string) {
	h.Helper()
	_, err := h.s.Write(h.Context(), h.me, at(name), []byte(text), versions.Pre{})
	h.must(err)
}

func (h *home) trySync(o Options) (Result, error) {
	h.Helper()
	_, err := h.s.Sync(h.Context())
	h.must(err)
	b, ok, err := Branch(h.Context(), h.s)
	h.must(err)
	if !ok {
		b = versions.Branch{URL: h.url, Name: "main"}
	}
	o.Me, o.Step = func() (string, string) { return "", h.me.Actor.Name + "@example.com" }, h.step
	o.Subject = func(r versions.Change, _ string) string { return fmt.Sprintf("%s %s", r.Kind, r.Path.Tool()) }
	return Sync(h.Context(), h.s, h.me, b, o)
}

func (h *home) sync() Result {
	h.Helper()
	r, err := h.trySync(Options{})
	h.must(err)
	return r
}

// texts is what stands in the store.
func (h *home) texts() map[string]string {
	h.Helper()
	out := map[string]string{}
	_, err := Texts(h.Context(), h.s, func(p memfs.Path, b []byte) error {
		out[p.Rel()] = string(b)
		return nil
	})
	h.must(err)
	return out
}

func (h *home) stands(want map[string]string) {
	h.Helper()
	if got := h.texts(); !maps.Equal(got, want) {
		h.Errorf("%s: %q, want %q", h.me.Actor.Name, got, want)
	}
}

// told lists the changes of the store: who did what when.
func (h *home) told() (out []string) {
	h.Helper()
	h.must(exchange.Export(h.Context(), h.s, func(it versions.Item) error {
		if r := it.Record; r != nil {
			out = append(out, fmt.Sprintf("%s:%s %s %s", r.By.Actor.Kind, r.By.Actor.Name, r.By.Session, r.Time.UTC().Format(time.RFC3339Nano)))
		}
		return nil
	}))
	return out
}
