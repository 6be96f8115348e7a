package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

// others are the files of a project that are not named.
var others = map[string]string{"README.md": "Bearer readme", "src/main.go": "package main", "src/CLAUDE.md": "deep", ".claude/settings.json": "{}", ".env": "KEY=1"}

// namedWorld is a world whose store has the instructions in the folder of a project.
func namedWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	for p, text := range others {
		w.outside(p, text)
	}
	w.outside("CLAUDE.md", "one\n")
	w.outside(".claude/rules/a.md", "a\n")
	trail, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	_, err = trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "rules", Folder: w.folder, Files: files(t, "CLAUDE.md", "AGENTS.md", ".claude/rules/**/*.md")})
	must(w, err)
	must(w, trail.Close())
	w.open()
	w.sync()
	t.Cleanup(func() { w.othersStay() })
	w.checkAtEnd()
	return w
}

func files(t *testing.T, patterns ...string) memfs.Names {
	t.Helper()
	n, err := memfs.ParseNames(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// othersStay checks that memend changed no other file and left none of its own.
func (w *world) othersStay() {
	w.t.Helper()
	for p, text := range others {
		if b := w.file(p); b != text {
			w.t.Errorf("%s was changed: %q", p, b)
		}
	}
	entries, err := os.ReadDir(w.folder)
	must(w, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".memend") {
			w.t.Errorf("%s was left", e.Name())
		}
	}
}

// paths are the paths of the tree.
func (w *world) paths() string {
	w.t.Helper()
	var out []string
	for p := range w.now() {
		out = append(out, p)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestAStoreOfNamedFilesHasNothingElse(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	if got := w.paths(); got != ".claude/rules/a.md CLAUDE.md" {
		t.Errorf("tree: %s", got)
	}
	if got := w.store.Info().Files.String(); got != "CLAUDE.md, AGENTS.md, .claude/rules/**/*.md" {
		t.Errorf("files: %s", got)
	}
	to := mustPath("README.md")
	for name, act := range map[string]func() error{
		"write": func() error {
			_, err := w.store.Write(t.Context(), alice, mustPath("NOTES.md"), nil, versions.Pre{})
			return err
		},
		"over":   func() error { _, err := w.store.Write(t.Context(), alice, to, []byte("x"), versions.Pre{}); return err },
		"create": func() error { _, err := write.CreateMemory(t.Context(), w.store, alice, to, []byte("x")); return err },
		"rename": func() error {
			_, err := w.store.Rename(t.Context(), alice, mustPath("CLAUDE.md"), mustPath("x.md"))
			return err
		},
		"update": func() error {
			_, err := write.UpdateMemory(t.Context(), w.store, alice, w.entry("CLAUDE.md").Memory, versions.MemoryUpdate{Path: &to})
			return err
		},
		"copy": func() error {
			_, err := write.Copy(t.Context(), w.store, alice, mustPath("CLAUDE.md"), mustPath("docs/x.md"))
			return err
		},
		"import": func() error {
			_, err := exchange.ImportFiles(t.Context(), w.store, alice, []versions.NewFile{{Path: mustPath("z.md"), Content: []byte("z")}}, false)
			return err
		},
	} {
		if err := act(); !errors.Is(err, memfs.ErrUnnamed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.store.Delete(t.Context(), alice, to); !errors.Is(err, memfs.ErrNotExist) {
		t.Error(err)
	}
	w.wantFound("Bearer")
	w.wantFound("one", "CLAUDE.md")
	if got := w.paths(); got != ".claude/rules/a.md CLAUDE.md" || w.file("CLAUDE.md") != "one\n" {
		t.Errorf("tree: %s", got)
	}
}

func TestASessionInAStoreOfNamedFilesIsUndone(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.write(robot, "CLAUDE.md", "bad\n")
	w.write(robot, "AGENTS.md", "worse\n")
	w.write(alice, ".claude/rules/sub/b.md", "b\n")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	w.apply(plan, map[versions.MemoryID]planning.Choice{})
	if got := w.paths(); got != ".claude/rules/a.md .claude/rules/sub/b.md CLAUDE.md" || w.file("CLAUDE.md") != "one\n" {
		t.Errorf("%s, %q", got, w.file("CLAUDE.md"))
	}
	c, err := w.store.Delete(t.Context(), alice, mustPath(".claude"))
	must(w, err)
	if got := w.paths(); got != "CLAUDE.md" {
		t.Errorf("after the folder was deleted: %s", got)
	}
	_, err = vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number))
	must(w, err)
	if got := w.paths(); got != ".claude/rules/a.md .claude/rules/sub/b.md CLAUDE.md" {
		t.Errorf("after the undo: %s", got)
	}
}

func TestReviewHoldsInAStoreOfNamedFiles(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.policy("hold actor:agent")
	n := w.heldAs(robot, "CLAUDE.md", "two\n")
	if got := w.file("CLAUDE.md"); got != "one\n" {
		t.Fatalf("before it is accepted: %q", got)
	}
	w.accept(n)
	if got := w.file("CLAUDE.md"); got != "two\n" {
		t.Errorf("after it is accepted: %q", got)
	}
	if _, err := w.store.Write(t.Context(), robot, mustPath("NOTES.md"), nil, versions.Pre{}); !errors.Is(err, memfs.ErrUnnamed) {
		t.Errorf("an unnamed file waits for review: %v", err)
	}
	if _, err := w.store.Write(t.Context(), robot, mustPath(".claude/rules/a.md"), nil, versions.Pre{}); !errors.Is(err, memfs.ErrControlFile) {
		t.Errorf("a control file waits for review: %v", err)
	}
}

// setFiles names other files.
func (w *world) setFiles(patterns ...string) error {
	w.t.Helper()
	return second(stores.SetFiles(w.t.Context(), w.store, alice, files(w.t, patterns...), false))
}

func TestOtherFilesAreNamed(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.outside("docs/a.md", "Bearer docs\n")
	w.sync()
	before := w.store.Info().Updated
	must(w, w.setFiles("CLAUDE.md", "AGENTS.md", ".claude/rules/**/*.md", "docs/**/*.md"))
	w.sync()
	if got := w.paths(); got != ".claude/rules/a.md CLAUDE.md docs/a.md" {
		t.Errorf("after a pattern was added: %s", got)
	}
	info, err := w.trail.FindStore(t.Context(), w.folder)
	if err != nil || info.Files.String() != "CLAUDE.md, AGENTS.md, .claude/rules/**/*.md, docs/**/*.md" || !info.Updated.After(before) || !info.Files.Same(w.store.Info().Files) {
		t.Errorf("%+v, %v", info, err)
	}
	w.wantFound("Bearer", "docs/a.md")
	w.write(alice, "docs/b.md", "b\n")

	// What a current memory needs stays named.
	var left *versions.UnnamedMemoriesError
	if err := w.setFiles("CLAUDE.md", ".claude/rules/b.md", "docs/a.*"); !errors.As(err, &left) ||
		err.Error() != "files of store rules: no pattern names /memories/.claude/rules/a.md, /memories/docs/b.md" {
		t.Errorf("%v", err)
	}
	if got := w.store.Info().Files; !got.Same(info.Files) {
		t.Errorf("after a refusal: %s", got)
	}
	c := w.deleteBy(alice, "docs/b.md")
	must(w, w.setFiles("CLAUDE.md", ".claude/rules/*.md", "docs/a.*"))
	w.sync()
	if got := w.paths(); got != ".claude/rules/a.md CLAUDE.md docs/a.md" {
		t.Errorf("after patterns were dropped: %s", got)
	}
	cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 100)
	must(w, err)
	for _, c := range cs {
		if c.Number > 2 && c.Actor.Kind == versions.Outside { // the first two found the files
			t.Errorf("change %d is recorded as made outside", c.Number)
		}
	}
	if v := w.versionOf("docs/b.md", 1); v.Operation != versions.Created {
		t.Errorf("the history of a memory that is not named any more: %+v", v)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); !errors.Is(err, memfs.ErrUnnamed) {
		t.Errorf("undo of a deletion whose file is not named any more: %v", err)
	}
	must(w, w.setFiles("CLAUDE.md", ".claude/rules/*.md", "docs/*"))
	_, err = vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number))
	must(w, err)
	if got := w.file("docs/b.md"); got != "b\n" {
		t.Errorf("after the undo: %q", got)
	}
}

// A forgotten memory ends, its file stays, and it continues when its file is named again.
func TestFilesThatAreNotNamedAnyMoreAreForgotten(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.write(alice, ".claude/rules/b.md", "b\n")
	was := w.entry(".claude/rules/a.md").Memory
	w.outside(".claude/rules/a.md", "a\nlater\n") // not adopted yet
	before := w.lastNumber()
	c, err := stores.SetFiles(t.Context(), w.store, alice, files(t, "CLAUDE.md"), true)
	must(w, err)
	if c.Number != before+2 || c.Kind != versions.KindForget || c.Versions != 2 || c.Path != mustPath(".claude/rules") || c.Actor != alice.Actor {
		t.Errorf("%+v", c)
	}
	if got, _, err := vhistory.Change(t.Context(), w.store, c.Number); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("%+v, %v, want %+v", got, err, c)
	}
	w.sync()
	w.check()
	if got := w.paths(); got != "CLAUDE.md" {
		t.Errorf("after it was forgotten: %s", got)
	}
	if a, b := w.file(".claude/rules/a.md"), w.file(".claude/rules/b.md"); a != "a\nlater\n" || b != "b\n" {
		t.Errorf("on disk: %q, %q", a, b)
	}
	if v := w.versionOf(".claude/rules/a.md", 2); v.Actor.Kind != versions.Outside || v.Added != 1 {
		t.Errorf("what was not adopted: %+v", v)
	}
	if v := w.versionOf(".claude/rules/a.md", 3); v.Operation != versions.Deleted || v.Kind != versions.KindForget || v.Actor != alice.Actor {
		t.Errorf("the last version: %+v", v)
	}
	_, err = vplan.Do(t.Context(), w.store, alice, vplan.UndoLast{By: alice.Actor})
	if !errors.Is(err, memfs.ErrUnnamed) || w.file(".claude/rules/a.md") != "a\nlater\n" {
		t.Errorf("undo: %v, %q", err, w.file(".claude/rules/a.md"))
	}

	w.outside(".claude/rules/b.md", "b\nmeanwhile\n")
	must(w, w.setFiles("CLAUDE.md", ".claude/rules/*"))
	w.sync()
	w.check()
	if got := w.paths(); got != ".claude/rules/a.md .claude/rules/b.md CLAUDE.md" || w.entry(".claude/rules/a.md").Memory != was {
		t.Errorf("after it was named again: %s, %s", got, w.entry(".claude/rules/a.md").Memory)
	}
	blame, err := vhistory.Blame(t.Context(), w.store, w.entry(".claude/rules/b.md").Version)
	must(w, err)
	if r := blame.Runs; len(r) != 2 || r[0].By.Number != 1 || r[0].By.Actor != alice.Actor || r[1].By.Actor.Kind != versions.Outside {
		t.Errorf("blame: %+v", r)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); !errors.As(err, new(*versions.LaterChangeError)) && !errors.Is(err, versions.ErrNothing) {
		t.Errorf("undo when the memories are back: %v", err)
	}
	if c, err := stores.SetFiles(t.Context(), w.store, alice, files(t, "CLAUDE.md", ".claude/rules/*", "x"), true); err != nil || c.Number != 0 {
		t.Errorf("nothing to forget: %+v, %v", c, err)
	}
}

// While a process forgets and names files in turn, the scans of another one neither adopt what is
// forgotten nor remove it.
func TestOpenStoresForgetToo(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	second, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	s, err := second.OpenStore(t.Context(), w.store.Opened.ID)
	must(w, err)
	defer func() { _, _ = s.Close(), second.Close() }()
	w.watched()
	was := w.entry(".claude/rules/a.md").Memory
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				close(done)
				return
			default:
				if _, err := w.store.Sync(t.Context()); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	for range 20 {
		_, err := stores.SetFiles(t.Context(), s, alice, files(t, "CLAUDE.md"), true)
		must(w, err)
		_, err = stores.SetFiles(t.Context(), s, alice, files(t, "CLAUDE.md", ".claude/rules/*"), false)
		must(w, err)
		_, err = s.Sync(t.Context())
		must(w, err)
	}
	_, err = stores.SetFiles(t.Context(), s, alice, files(t, "CLAUDE.md"), true)
	must(w, err)
	close(stop)
	must(w, <-done)
	w.sync()
	if got := w.paths(); got != "CLAUDE.md" || w.file(".claude/rules/a.md") != "a\n" {
		t.Errorf("%s, %q", got, w.file(".claude/rules/a.md"))
	}
	vs, err := vhistory.Of(t.Context(), w.store, was, 0, 100)
	must(w, err)
	for i, v := range vs { // the newest first
		if want := []versions.ChangeKind{versions.KindForget, versions.KindAdopt}[i%2]; v.Kind != want || len(vs) != 42 {
			t.Fatalf("version %d of %d: %+v", v.Number, len(vs), v)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	_, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "src", Folder: filepath.Join(w.folder, "src"), Files: files(t, "*.go")})
	must(w, err)
	other := w.second()
	defer func() { _ = other.Close() }()
	for name, c := range map[string]struct {
		err, want error
	}{
		"none":              {second(stores.SetFiles(t.Context(), w.store, alice, memfs.Names{}, true)), versions.ErrInvalid},
		"of a whole folder": {second(stores.SetFiles(t.Context(), other, alice, files(t, "x"), true)), versions.ErrInvalid},
		"another store's":   {w.setFiles("CLAUDE.md", ".claude/rules/**/*.md", "**/*.go"), versions.ErrHoldsStore},
		"by an agent":       {second(stores.SetFiles(t.Context(), w.store, robot, files(t, "*.md", ".claude/rules/**"), true)), versions.ErrPersonsOnly},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	_, err = stores.Archive(t.Context(), w.trail, alice, w.store.Opened.ID)
	must(w, err)
	if err := w.setFiles("*.md", ".claude/rules/**"); !errors.Is(err, versions.ErrArchived) {
		t.Errorf("in an archived store: %v", err)
	}
	if got := w.store.Info().Files.String(); got != "CLAUDE.md, AGENTS.md, .claude/rules/**/*.md" {
		t.Errorf("files: %s", got)
	}
}

// A process that has the store open follows when another one names other files: with its watch it
// adopts them, and its next write knows them.
func TestOpenStoresFollowOtherFiles(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	second, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	s, err := second.OpenStore(t.Context(), w.store.Opened.ID)
	must(w, err)
	defer func() { _, _ = s.Close(), second.Close() }()
	w.watched()
	w.outside("docs/deep/a.md", "Bearer docs\n")
	_, err = stores.SetFiles(t.Context(), s, alice, files(t, "CLAUDE.md", "docs/**", ".claude/rules/**/*.md"), false)
	must(w, err)
	wait := func(want string) {
		t.Helper()
		for end := time.Now().Add(*watchLate); w.paths() != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the tree has %s, want %s", w.paths(), want)
			}
		}
	}
	wait(".claude/rules/a.md CLAUDE.md docs/deep/a.md")
	w.wantFound("Bearer", "docs/deep/a.md")
	w.outside("docs/deep/b.md", "in a folder that was not watched\n")
	wait(".claude/rules/a.md CLAUDE.md docs/deep/a.md docs/deep/b.md")
	must(w, w.setFiles("CLAUDE.md", "*.txt", "docs/**", ".claude/rules/**/*.md"))
	if _, err := s.Write(t.Context(), alice, mustPath("new.txt"), []byte("x"), versions.Pre{}); err != nil { // s is not watched
		t.Error(err)
	}
	if got := s.Info().Files.String(); got != "CLAUDE.md, *.txt, docs/**, .claude/rules/**/*.md" {
		t.Errorf("files: %s", got)
	}
}

// A search may cache the texts of a store before it follows, when the trail has the new files already.
func TestASearchFindsFilesThatAnotherProcessNamed(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.outside("docs/a.md", "Bearer docs\n")
	second, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	s, err := second.OpenStore(t.Context(), w.store.Opened.ID)
	must(w, err)
	defer func() { _, _ = s.Close(), second.Close() }()
	_, err = stores.SetFiles(t.Context(), s, alice, files(t, "CLAUDE.md", "docs/**", ".claude/rules/**/*.md"), false)
	must(w, err)
	_, err = s.Sync(t.Context())
	must(w, err)
	for range 3 { // the first search caches only what it finds
		w.found("Bearer")
	}
	w.sync()
	w.wantFound("Bearer", "docs/a.md")
}

// The watcher sees named files and the folders that lead to them, also new ones.
func TestTheWatcherAdoptsNamedFiles(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	must(w, os.RemoveAll(filepath.Join(w.folder, ".claude", "rules")))
	w.watched()
	wait := func(want string) {
		t.Helper()
		for end := time.Now().Add(*watchLate); w.paths() != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the tree has %s, want %s", w.paths(), want)
			}
		}
	}
	wait("CLAUDE.md")
	w.outside("AGENTS.md", "new")
	wait("AGENTS.md CLAUDE.md")
	must(w, os.Remove(filepath.Join(w.folder, "CLAUDE.md")))
	wait("AGENTS.md")
	w.outside(".claude/rules/deep/er/x.md", "x")
	wait(".claude/rules/deep/er/x.md AGENTS.md")
	w.outside("src/new.md", "not named")
	w.outside(".claude/rules/deep/y.md", "y")
	wait(".claude/rules/deep/er/x.md .claude/rules/deep/y.md AGENTS.md")
	w.outside("CLAUDE.md", "again")
	wait(".claude/rules/deep/er/x.md .claude/rules/deep/y.md AGENTS.md CLAUDE.md")
	must(w, os.Remove(filepath.Join(w.folder, "src/new.md")))
}

func TestWhichStoresOfNamedFilesShareFiles(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	trail, err := vengine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = trail.Close() }()
	base := t.TempDir()
	at := func(p string) string {
		folder := filepath.Join(base, filepath.FromSlash(p))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	for i, c := range []struct {
		folder   string
		patterns []string
		want     error
	}{
		{"p", []string{"CLAUDE.md", ".claude/rules/**"}, nil},
		{"p", nil, versions.ErrSameFolder},
		{"p", []string{"AGENTS.md"}, versions.ErrSameFolder},
		{"p/.serena/memories", nil, nil},
		{"p/docs", nil, nil},
		{"p/.claude/rules", nil, versions.ErrNested},
		{"p/.claude/rules/sub", []string{"*.md"}, versions.ErrNested},
		{"p/.claude/skills", nil, nil},
		{"p/docs/sub", []string{"CLAUDE.md"}, versions.ErrNested},
		{"p/src", []string{"**/CLAUDE.md"}, nil},
		{"p/src/deep", []string{"CLAUDE.md"}, versions.ErrNested},
		{"p/src/deep", []string{"AGENTS.md"}, nil},
		{".", []string{"**/*.md"}, versions.ErrHoldsStore},
		{".", []string{"*.md"}, nil},
	} {
		_, err := trail.MakeStore(t.Context(), alice, versions.NewStore{Name: fmt.Sprint("s", i), Folder: at(c.folder), Files: files(t, c.patterns...)})
		if !errors.Is(err, c.want) {
			t.Errorf("%s %q: %v, want %v", c.folder, c.patterns, err, c.want)
		}
	}
	for ref, want := range map[string]string{"p": "s0", "p/docs": "s4", "p/docs/x": "s4", "p/.claude/rules": "", "p/src/other": ""} {
		info, err := trail.FindStore(t.Context(), at(ref))
		if info.Name != want || (want == "") != errors.Is(err, versions.ErrNoStore) {
			t.Errorf("%s is in %q, %v; want %q", ref, info.Name, err, want)
		}
	}
	for _, n := range []versions.NewStore{{Name: "x", Files: files(t, "a")}, {Name: "x", Folder: base, Files: files(t, "a"), Upstream: versions.Remote{URL: "https://example.com", Store: "memstore_1"}}} {
		if _, err := trail.MakeStore(t.Context(), alice, n); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

// A redaction searches the named files, and neither reads nor reports others.
func TestARedactionSearchesOnlyNamedFiles(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	w.write(alice, "CLAUDE.md", "Bearer 4711 secret\n")
	w.outside("other.txt", "Bearer 4711 secret\n")
	plan, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte("Bearer 4711")})
	must(w, err)
	r, err := redact.Do(t.Context(), w.store, alice, plan, versions.RedactChoice{Heads: versions.HeadMask})
	must(w, err)
	if r.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", r)
	}
	must(w, os.Remove(filepath.Join(w.folder, "other.txt")))
}

// A lost row of a store comes back with its files, which an index has. A store whose patterns are
// lost gets another folder: it would take in the whole folder of the project.
func TestARepairNeverTakesInTheWholeFolder(t *testing.T) {
	t.Parallel()
	const columns = `id INTEGER PRIMARY KEY,uid,name,description,metadata,folder,created,updated,archived,used,changes,max_bytes,max_memories,view_chars,looked,view,
		title,upstream,began,home,folder_identity,records_read,salt,files`
	for damage, kept := range map[string]bool{`DELETE FROM store`: true, `UPDATE store SET files='["CLAUDE.md'`: true,
		`DELETE FROM store; DELETE FROM log`: false, `UPDATE store SET files='["CLAUDE.md'; DELETE FROM log`: false} {
		w := &world{t: t, home: newHome(t), folder: t.TempDir()}
		w.outside("CLAUDE.md", "one\n")
		w.outside("README.md", "not named")
		trail, err := vengine.Open(t.Context(), w.home, versions.Options{})
		must(w, err)
		_, err = trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "rules", Folder: w.folder, Files: files(t, "CLAUDE.md")})
		must(w, errors.Join(err, trail.Close()))
		w.open()
		w.sync()
		w.close()
		w.harmTable("store", columns, damage)
		done, err := check.Repair(t.Context(), w.home, versions.Options{})
		if err != nil || !done.Rebuilt {
			t.Errorf("%s: %+v, %v", damage, done, err)
		}
		trail, err = vengine.Open(t.Context(), w.home, versions.Options{})
		must(w, err)
		all, err := trail.Stores(t.Context())
		if err != nil || len(all) != 1 || (all[0].Folder == w.folder) != kept || kept && all[0].Files.String() != "CLAUDE.md" {
			t.Errorf("%s: %+v, %v", damage, all, err)
		}
		must(w, trail.Close())
	}
}
