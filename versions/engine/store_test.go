package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/testdata/versionstest"
)

// world is a home and a folder that is a store of it.
type world struct {
	t      *testing.T
	home   string
	folder string
	trail  *core.Trail
	store  *core.Store
}

var alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}
var robot = versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot", ToolUse: "toolu_1", Turn: 3}

// newHome returns a new home with an empty trail.
func newHome(t testing.TB) string {
	t.Helper()
	return versionstest.Home(t, func(ctx context.Context, dir string) (*core.Trail, error) {
		return vengine.Open(ctx, dir, versions.Options{})
	})
}

// newWorld opens a store; its invariants are checked when the test ends.
func newWorld(t *testing.T, o ...versions.Options) *world {
	t.Helper()
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open(o...)
	w.checkAtEnd()
	return w
}

// checkAtEnd checks the invariants when the test ends, and closes the world.
func (w *world) checkAtEnd() {
	w.t.Cleanup(func() {
		w.sync()
		w.check()
		w.close()
	})
}

// open opens the trail and the store of the folder, and makes the store if there is none.
func (w *world) open(o ...versions.Options) {
	w.t.Helper()
	opts := versions.Options{}
	if len(o) > 0 {
		opts = o[0]
	}
	var err error
	if w.trail, err = vengine.Open(w.t.Context(), w.home, opts); err != nil {
		w.t.Fatal(err)
	}
	if opts.Now != nil || opts.Hook != nil { // a flush by itself would call them while the test changes what they do
		w.trail.FlushDelay = time.Hour
	}
	info, err := w.trail.FindStore(w.t.Context(), w.folder)
	if errors.Is(err, versions.ErrNoStore) {
		info, err = stores.CreateStore(w.t.Context(), w.trail, alice, "", "", w.folder)
		if err == nil { // tests write what they like; those of limits set their own
			err = stores.SetLimits(w.t.Context(), w.trail, alice, info.ID, versions.Limits{Bytes: versions.NoLimit})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if w.store, err = w.trail.OpenStore(w.t.Context(), info.ID); err != nil {
		w.t.Fatal(err)
	}
}

// second opens another store of the same home, in a folder of memend's own.
func (w *world) second() *core.Store {
	w.t.Helper()
	info, err := stores.CreateStore(w.t.Context(), w.trail, alice, "second", "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.trail.OpenStore(w.t.Context(), info.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) close() {
	w.t.Helper()
	if err := errors.Join(w.store.Close(), w.trail.Close()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) sync() versions.SyncReport {
	w.t.Helper()
	r, err := w.store.Sync(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) check() {
	w.t.Helper()
	problems, err := check.Store(context.Background(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range problems {
		w.t.Errorf("check: %s", p)
	}
	if len(problems) == 0 {
		w.replays()
	}
}

func mustPath(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (w *world) write(by versions.By, p, content string) versions.Change {
	w.t.Helper()
	c, err := w.store.Write(w.t.Context(), by, mustPath(p), []byte(content), versions.Pre{})
	if err != nil {
		w.t.Fatalf("write %s: %v", p, err)
	}
	return c
}

// outside writes as another program does.
func (w *world) outside(p, content string) {
	w.t.Helper()
	host := filepath.Join(w.folder, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(host, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// file is what the folder holds at p; "<none>" when nothing is there.
func (w *world) file(p string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.folder, filepath.FromSlash(p)))
	if errors.Is(err, os.ErrNotExist) {
		return "<none>"
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) wantFile(p, want string) {
	w.t.Helper()
	if got := w.file(p); got != want {
		w.t.Errorf("%s holds %q, want %q", p, got, want)
	}
}

func (w *world) entry(p string) versions.Entry {
	w.t.Helper()
	e, err := vhistory.Entry(w.t.Context(), w.store, mustPath(p))
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *world) history(p string) []versions.Version {
	w.t.Helper()
	id, err := vhistory.MemoryAt(w.t.Context(), w.store, mustPath(p))
	if err != nil {
		w.t.Fatal(err)
	}
	vs, err := vhistory.Of(w.t.Context(), w.store, id, 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return vs
}

func TestWriteMakesAFileAndAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.write(robot, "notes/a.md", "one\n")
	if c.Number != 1 || c.Kind != versions.KindCreate || c.Versions != 1 {
		t.Errorf("change %+v", c)
	}
	w.wantFile("notes/a.md", "one\n")
	c = w.write(alice, "notes/a.md", "one\ntwo\n")
	if c.Number != 2 || c.Kind != versions.KindEdit {
		t.Errorf("change %+v", c)
	}
	vs := w.history("notes/a.md")
	if len(vs) != 2 || vs[0].Operation != versions.Modified || vs[1].Operation != versions.Created {
		t.Fatalf("history %+v", vs)
	}
	if vs[0].Added != 1 || vs[0].Removed != 0 || vs[1].Actor != robot.Actor || vs[1].Session != "sesn_robot" || vs[1].ToolUse != "toolu_1" || vs[1].Turn != 3 {
		t.Errorf("history %+v", vs)
	}
	if b, err := vhistory.Content(t.Context(), w.store, vs[1].ID); err != nil || string(b) != "one\n" {
		t.Errorf("content %q, %v", b, err)
	}
}

func TestTheSameContentAgainIsNoChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	if c := w.write(alice, "a", "x"); c.Number != 0 {
		t.Errorf("made change %+v", c)
	}
}

// README: "a precondition and its write are one step, across processes".
func TestPreconditionsAreHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	_, err := w.store.Write(t.Context(), alice, mustPath("a"), []byte("y"), versions.Pre{Absent: true})
	var c *versions.ConflictError
	if !errors.As(err, &c) || c.Now != versions.Sum([]byte("x")) {
		t.Errorf("absent: %v", err)
	}
	_, err = w.store.Write(t.Context(), alice, mustPath("a"), []byte("y"), versions.Pre{SHA256: versions.Sum([]byte("z"))})
	if !errors.As(err, &c) || c.Now != versions.Sum([]byte("x")) {
		t.Errorf("hash: %v", err)
	}
	w.outside("a", "theirs")
	_, err = w.store.Write(t.Context(), alice, mustPath("a"), []byte("y"), versions.Pre{SHA256: versions.Sum([]byte("x"))})
	if !errors.As(err, &c) || c.Now != versions.Sum([]byte("theirs")) {
		t.Errorf("outside: %v", err)
	}
	w.wantFile("a", "theirs")
	if vs := w.history("a"); len(vs) != 2 || vs[0].Actor.Kind != versions.Outside {
		t.Errorf("the outside edit is not in the history: %+v", vs)
	}
	if _, err = w.store.Write(t.Context(), alice, mustPath("a"), []byte("y"), versions.Pre{SHA256: versions.Sum([]byte("theirs"))}); err != nil {
		t.Error(err)
	}
}

func TestOutsideEditsAreAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "1")
	w.outside("sub/b.md", "2")
	w.outside(".git/config", "hidden")
	w.outside("node_modules/x.js", "hidden")
	if r := w.sync(); r.Adopted != 2 {
		t.Errorf("adopted %d", r.Adopted)
	}
	id := w.entry("a.md").Memory
	w.outside("a.md", "1+")
	if err := os.Rename(filepath.Join(w.folder, "sub/b.md"), filepath.Join(w.folder, "c.md")); err != nil {
		t.Fatal(err)
	}
	b := w.entry("sub/b.md").Memory
	w.sync()
	if w.entry("c.md").Memory != b {
		t.Error("a rename from outside lost the memory's id")
	}
	if vs := w.history("c.md"); len(vs) != 2 || vs[0].Operation != versions.Modified || vs[0].From != mustPath("sub/b.md") {
		t.Errorf("history %+v", vs)
	}
	if w.entry("a.md").Memory != id {
		t.Error("an edit from outside lost the memory's id")
	}
	_ = os.Remove(filepath.Join(w.folder, "a.md"))
	w.sync()
	w.outside("a.md", "again")
	w.sync()
	if w.entry("a.md").Memory != id {
		t.Error("a program that saves by removing and making anew lost the memory's id")
	}
	if vs := w.history("a.md"); len(vs) != 4 || vs[1].Operation != versions.Deleted {
		t.Errorf("history %+v", vs)
	}
}

func TestDeletingAFolderIsOneChangeAndCanBeUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "d/a", "1")
	w.write(robot, "d/e/b", "2")
	w.outside("d/.hidden", "3")
	id := w.entry("d/a").Memory
	c, err := w.store.Delete(t.Context(), robot, mustPath("d"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Kind != versions.KindDelete || c.Versions != 3 || c.Path != mustPath("d") {
		t.Errorf("change %+v", c)
	}
	if _, err := os.Stat(filepath.Join(w.folder, "d")); !os.IsNotExist(err) {
		t.Error("the folder still stands")
	}
	u, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	if err != nil {
		t.Fatal(err)
	}
	w.wantFile("d/a", "1")
	w.wantFile("d/e/b", "2")
	w.wantFile("d/.hidden", "3")
	if w.entry("d/a").Memory != id {
		t.Error("the memory came back under another id")
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number)); !errors.Is(err, versions.ErrUndone) {
		t.Errorf("undo again: %v", err)
	}
	r, err := plan.Do(t.Context(), w.store, alice, plan.RedoLast{By: alice.Actor})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := vhistory.Change(t.Context(), w.store, r.Number); err != nil || got.Undoes != c.Number || r.Undoes != c.Number {
		t.Errorf("redo says it brought back %d and %d, not %d: %v", r.Undoes, got.Undoes, c.Number, err)
	}
	w.wantFile("d/a", "<none>")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.RedoChange(c.Number)); !errors.Is(err, versions.ErrNotUndone) {
		t.Errorf("redo again: %v", err)
	}
	if got, _, err := vhistory.Change(t.Context(), w.store, u.Number); err != nil || got.UndoneBy == 0 || got.Undoes != c.Number {
		t.Errorf("undo %+v, %v", got, err)
	}
}

func TestRenamingAFolderKeepsIdsAndCanBeUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "d/a", "1")
	w.write(robot, "d/e/b", "2")
	w.outside("d/.git/x", "repository")
	a := w.entry("d/a").Memory
	c, err := w.store.Rename(t.Context(), alice, mustPath("d"), mustPath("n/m"))
	if err != nil {
		t.Fatal(err)
	}
	w.wantFile("n/m/e/b", "2")
	w.wantFile("n/m/.git/x", "repository")
	if e := w.entry("n/m/a"); e.Memory != a {
		t.Error("the memory's id changed")
	}
	w.write(robot, "n/m/a", "1 edited")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("d/a", "1 edited") // the later edit stays
	w.wantFile("d/e/b", "2")
	w.wantFile("d/.git/x", "repository")
	if w.entry("d/a").Memory != a {
		t.Error("the memory's id changed")
	}
}

func TestUndoRefusesWhatALaterChangeTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1")
	c := w.write(robot, "a", "2")
	w.write(alice, "a", "3")
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	var later *versions.LaterChangeError
	if !errors.As(err, &later) || later.Later != 3 {
		t.Errorf("undo: %v", err)
	}
	w.wantFile("a", "3")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: alice.Actor}); err != nil { // alice's own
		t.Fatal(err)
	}
	w.wantFile("a", "2")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "1")
}

// Later changes to other lines are not in the way, and neither is one that came before the conflict.
func TestAConflictNamesTheChangeThatIsInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(second, tenth, last string) string {
		return "1\n" + second + "\n3\n4\n5\n6\n7\n8\n9\n" + tenth + "\n11\n12\n13\n14\n15\n16\n17\n" + last + "\n"
	}
	w.write(alice, "a", at("2", "10", "18"))
	c := w.write(robot, "a", at("two", "10", "18"))
	w.write(alice, "a", at("two", "ten", "18"))
	w.outside("a", at("second", "ten", "18"))
	w.sync()
	w.write(robot, "a", at("second", "ten", "last"))
	check := func(name string, err error) {
		t.Helper()
		var later *versions.LaterChangeError
		if !errors.As(err, &later) || later.Later != 4 || later.By != versions.Outside {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	check("a change", err)
	if want := "undo change 2: /memories/a was changed since, by change 4 of another program"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	plan := plans(t)(plan.Make(t.Context(), w.store, plan.UndoSession(robot.Session))) // the newest change is of the same session
	if len(plan.Conflicts) != 1 {
		t.Fatalf("%+v", plan)
	}
	check("a session", plan.Conflicts[0].Reason)
}

func TestUndoOfMemoriesThatSwappedPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "was a")
	w.write(alice, "b", "was b")
	for _, r := range [][2]string{{"a", "t"}, {"b", "a"}, {"t", "b"}} {
		if err := os.Rename(filepath.Join(w.folder, r[0]), filepath.Join(w.folder, r[1])); err != nil {
			t.Fatal(err)
		}
	}
	w.sync()
	w.wantFile("a", "was b")
	changes, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 10)
	if err != nil || len(changes) != 1 {
		t.Fatalf("%+v, %v", changes, err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(changes[0].Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "was a")
	w.wantFile("b", "was b")
}

func TestRestoreBringsBackAnyVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1")
	w.write(robot, "a", "2")
	w.write(robot, "a", "3")
	vs := w.history("a")
	c, err := plan.Do(t.Context(), w.store, alice, plan.Restore(vs[2].ID))
	if err != nil || c.Kind != versions.KindRestore {
		t.Fatalf("%+v, %v", c, err)
	}
	w.wantFile("a", "1")
	if _, err := w.store.Delete(t.Context(), robot, mustPath("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(vs[1].ID)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "2")
	if got := w.history("a"); len(got) != 6 || got[0].Memory != vs[0].Memory {
		t.Errorf("history %+v", got)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(w.history("a")[1].ID)); !errors.Is(err, versions.ErrDeletion) {
		t.Errorf("restoring a deletion: %v", err)
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := newWorld(t, versions.Options{Now: func() time.Time { return now }})
	w.write(alice, "a", "1")
	now = now.Add(-time.Hour)
	w.write(alice, "a", "2")
	w.write(alice, "a", "3") // frozen
	now = now.Add(365 * 24 * time.Hour)
	w.write(alice, "a", "4")
	vs := w.history("a")
	for i := 1; i < len(vs); i++ {
		if !vs[i].Time.Before(vs[i-1].Time) {
			t.Errorf("version %d is not after version %d: %v, %v", vs[i-1].Number, vs[i].Number, vs[i-1].Time, vs[i].Time)
		}
	}
}

func TestAWriteKeepsTheModeOfAFileThatAnotherToolOwns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a", "1")
	host := filepath.Join(w.folder, "a")
	if err := os.Chmod(host, 0o640); err != nil {
		t.Fatal(err)
	}
	w.write(alice, "a", "2")
	want := func(after string) {
		t.Helper()
		if fi, err := os.Stat(host); err != nil || fi.Mode().Perm() != 0o640 {
			t.Errorf("after %s: %v, %v", after, fi, err)
		}
	}
	want("an edit")
	w.remove("a")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: alice.Actor}); err != nil {
		t.Fatal(err)
	}
	want("the undo of a deletion")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(w.history("a")[1].ID)); err == nil {
		t.Error("a deletion was restored")
	}
	w.remove("a")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(w.history("a")[1].ID)); err != nil {
		t.Fatal(err)
	}
	want("the restore of a deleted memory")
}

func TestAnOutsideWriteRightAfterOursIsSeenLater(t *testing.T) {
	t.Parallel()
	var armed func()
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == "before-final-commit" && armed != nil {
			armed()
			armed = nil
		}
		return nil
	}})
	w.write(alice, "a", "first")
	armed = func() { // after our rename, before our heads know the file
		w.outside("a", "theirs")
		time.Sleep(2 * tables.RacyWindow) // its times no longer look too new to be trusted
	}
	w.write(alice, "a", "ours")
	w.sync()
	w.wantFile("a", "theirs")
	if vs := w.history("a"); len(vs) != 3 || vs[0].Actor.Kind != versions.Outside || vs[1].Actor != alice.Actor {
		t.Errorf("history %+v", vs)
	}
}

// A client that lost the answer sends a call again, with the same id.
func TestACallThatIsSentAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	by := robot
	by.Session, by.ToolUse = "run-9", "toolu_01"
	insert := memfs.Insert{Path: "/memories/a.md", InsertText: "x\n"}
	send := func(by versions.By) string {
		t.Helper()
		res, _, err := w.store.Tool(t.Context(), by, insert, memfs.Options{})
		if err != nil || res.IsError {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Text
	}
	send(by)
	if got, want := send(by), "The call toolu_01 was done already, as change 2. Nothing was written again."; got != want {
		t.Errorf("%q", got)
	}
	w.wantFile("a.md", "x\none\n")
	other := by
	other.Session = "run-10"
	send(other)
	by.ToolUse = "toolu_02"
	send(by)
	w.wantFile("a.md", "x\nx\nx\none\n")
}
