package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

func (w *world) reviewState() *versions.ReviewState {
	w.t.Helper()
	l, err := review.ReviewState(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// news are the paths that changed since they were looked at.
func (w *world) news() (out []string) {
	w.t.Helper()
	l := w.reviewState()
	es, err := vhistory.Tree(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range es {
		if es[i].Kind == versions.Memory && l.IsUnreviewed(es[i].Memory, es[i].Change) {
			out = append(out, es[i].Path.Rel())
		}
	}
	return out
}

func (w *world) wantNews(when string, want ...string) {
	w.t.Helper()
	got := w.news()
	if len(got) != len(want) {
		w.t.Fatalf("%s the news is %q, want %q", when, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			w.t.Fatalf("%s the news is %q, want %q", when, got, want)
		}
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestNewsIsWhatChangedSinceItWasLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(robot, "a", "1")
	w.write(robot, "b", "1")
	w.wantNews("before anybody looked")
	w.must(second(review.MarkAllReviewed(ctx, w.store, 2)))
	w.wantNews("at first")
	w.write(robot, "a", "2")
	c := w.write(robot, "b", "2")
	w.write(robot, "new", "1")
	w.wantNews("after three changes", "a", "b", "new")
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{w.entry("a").Memory: w.entry("a").Change, w.entry("b").Memory: c.Number - 1})))
	w.wantNews("with an older version of b looked at", "b", "new")
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{w.entry("b").Memory: c.Number})))
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{w.entry("b").Memory: 1, "mem_nonsense": 7})))
	w.wantNews("though something older was looked at later", "new")
	if _, err := w.store.Rename(ctx, robot, mustPath("a"), mustPath("c")); err != nil {
		t.Fatal(err)
	}
	w.wantNews("after a rename", "c", "new")
	if n := w.news(); len(n) != 2 {
		t.Fatal(n)
	}
	w.close()
	w.open()
	w.wantNews("after a restart", "c", "new")
	last, err := w.store.LastChange(ctx)
	w.must(err)
	w.must(second(review.MarkAllReviewed(ctx, w.store, last)))
	w.must(second(review.MarkAllReviewed(ctx, w.store, 1)))
	w.wantNews("when all is seen")
	if l := w.reviewState(); len(l.Of) != 0 {
		t.Errorf("what says nothing any more is kept: %v", l.Of)
	}
}

func TestReviewsSurviveRestartsRenamesAndDeletions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(robot, "a", "1")
	w.write(robot, "b", "1")
	a := w.entry("a").Memory
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{a: 1})))
	if _, err := w.store.Rename(ctx, robot, mustPath("a"), mustPath("z")); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.open()
	if l := w.reviewState(); l.Of[a] != 1 {
		t.Errorf("%+v", l.Of)
	}
	if n, err := w.store.LastChange(ctx); err != nil || n != 3 {
		t.Errorf("looking made changes: %d, %v", n, err)
	}
	if _, err := w.store.Delete(ctx, alice, mustPath("z")); err != nil {
		t.Fatal(err)
	}
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{a: 12})))
	if l := w.reviewState(); l.Of[a] != 12 {
		t.Errorf("that it was deleted is seen: %+v", l.Of)
	}
}

// A store's looks are its own.
func TestLooksOfAnotherStoreAreNotTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	other := w.second()
	if _, err := other.Write(ctx, robot, mustPath("x"), []byte("1"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	e, err := vhistory.Entry(ctx, other, mustPath("x"))
	w.must(err)
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{e.Memory: 1})))
	if l, err := review.ReviewState(ctx, other); err != nil || len(l.Of) != 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	w.must(second(review.MarkReviewed(ctx, other, map[versions.MemoryID]int64{e.Memory: 1})))
	w.must(other.Close())
	if _, err := stores.Delete(ctx, w.trail, alice, other.Info().ID, versions.Scrub{}); err != nil {
		t.Fatal(err)
	}
	var n int
	w.must(w.trail.DB.Row(ctx, `SELECT count(*) FROM look`).Scan(&n))
	if n != 0 {
		t.Errorf("%d looks are left of a deleted store", n)
	}
}

func TestTheViewOfAStoreIsKeptUntilSomethingIsRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	if v, err := review.View(ctx, w.store); err != nil || len(v) != 0 {
		t.Fatalf("%q, %v", v, err)
	}
	view := []byte("\x00folded\xff")
	w.must(review.SetView(ctx, w.store, view))
	w.close()
	w.open()
	if v, err := review.View(ctx, w.store); err != nil || !bytes.Equal(v, view) {
		t.Fatalf("%q, %v", v, err)
	}
	if err := review.SetView(ctx, w.store, make([]byte, review.MaxView+1)); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("too much: %v", err)
	}
	w.write(robot, "a", "the secret")
	v := w.versionOf("a", 1)
	w.write(robot, "a", "no more")
	w.redact(versions.RedactTarget{Version: v.ID}, versions.RedactChoice{})
	if v, err := review.View(ctx, w.store); err != nil || len(v) != 0 {
		t.Errorf("after a redaction: %q, %v", v, err)
	}
}

// A memory that was looked at can be forgotten: a change that never came about
// takes its memories along.
func TestALookGoesWithItsMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO memory(id,uid,store) VALUES(99,x'00',1)`)
	w.exec(`INSERT INTO look(memory,store,pinned) VALUES(99,1,1)`)
	w.exec(`DELETE FROM memory WHERE id=99`)
	var n int
	w.must(w.trail.DB.Row(t.Context(), `SELECT count(*) FROM look`).Scan(&n))
	if n != 0 {
		t.Error("it stays")
	}
}

func TestATrailOfTheLastFormatIsTakenOver(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	pool := db.OpenFile(filepath.Join(home, db.File), "&_pragma=page_size(8192)")
	for _, q := range []string{schema.Schema1, schema.Schema2, `PRAGMA user_version=2`,
		`INSERT INTO store(uid,name,folder,created,updated,used) VALUES(randomblob(15),'old','/nowhere',1,1,1)`} {
		if _, err := pool.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	trail, err := vengine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	infos, err := trail.Stores(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Name != "old" {
		t.Fatalf("%+v, %v", infos, err)
	}
	l, err := review.ReviewState(t.Context(), (&core.Store{Trail: trail, Row: 1}))
	if err != nil {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestMovingSeveralIsOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for _, p := range []string{"a", "x/b", "x/deep/c", "to/here"} {
		w.write(robot, p, p)
	}
	a := w.entry("a").Memory
	c, err := w.store.Move(ctx, alice, mustPath("to"), mustPath("a"), mustPath("x/b"), mustPath("x/deep"), mustPath("to/here"))
	if err != nil || c.Number != 5 || c.Versions != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, p := range []string{"to/a", "to/b", "to/deep/c", "to/here"} {
		w.entry(p)
	}
	if w.entry("to/a").Memory != a {
		t.Error("it is another memory now")
	}
	if _, err := plan.Do(ctx, w.store, alice, plan.UndoLast{By: alice.Actor}); err != nil {
		t.Fatal(err)
	}
	w.entry("x/deep/c")
	for name, try := range map[string]struct {
		paths []string
		err   error
	}{
		"where they are":   {[]string{"to/here"}, versions.ErrNothing},
		"to a taken name":  {[]string{"here", "x/b"}, memfs.ErrExist},
		"two of one name":  {[]string{"x/same", "same"}, memfs.ErrExist},
		"what isn't there": {[]string{"a", "none"}, memfs.ErrNotExist},
	} {
		for _, p := range []string{"here", "x/same", "same"} {
			w.write(robot, p, "other")
		}
		var paths []memfs.Path
		for _, p := range try.paths {
			paths = append(paths, mustPath(p))
		}
		before, err := w.store.LastChange(ctx)
		w.must(err)
		if _, err := w.store.Move(ctx, alice, mustPath("to"), paths...); !errors.Is(err, try.err) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := w.store.LastChange(ctx); err != nil || after != before {
			t.Errorf("%s: something was done, %v", name, err)
		}
	}
	one, err := w.store.Move(ctx, alice, memfs.Root, mustPath("to/here"), mustPath("a"))
	if !errors.Is(err, memfs.ErrExist) {
		t.Errorf("%+v, %v", one, err)
	}
	one, err = w.store.Move(ctx, alice, mustPath("new/folder"), mustPath("x"))
	if err != nil || one.Kind != versions.KindRename || one.Path != mustPath("x") || one.To != mustPath("new/folder/x") {
		t.Errorf("a folder: %+v, %v", one, err)
	}
}

func TestPending_IsSinceTheVersionBeforeTheFirstThatSomebodyElseMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(second(review.MarkAllReviewed(t.Context(), w.store, 0)))
	first := w.write(robot, "r", "1")
	m := w.entry("r").Memory
	since := func() int {
		t.Helper()
		p, err := review.PendingOf(t.Context(), w.store, m, alice.Actor)
		w.must(err)
		return p.Since
	}
	if n := since(); n != 0 {
		t.Errorf("of a new memory version %d", n)
	}
	w.write(alice, "r", "2")
	w.write(robot, "r", "3")
	w.write(alice, "r", "4")
	for i, want := range []int{2, 2, 4} {
		_, err := review.MarkReviewed(t.Context(), w.store, map[versions.MemoryID]int64{m: first.Number + int64(i)})
		w.must(err)
		if n := since(); n != want {
			t.Errorf("reviewed up to change %d: since version %d, want %d", first.Number+int64(i), n, want)
		}
	}
	if _, err := review.PendingOf(t.Context(), w.store, "mem_nonsense", alice.Actor); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("of no memory: %v", err)
	}
}

// A person's own edit doesn't review what others wrote before it, unless it takes that back.
func TestAnOwnEditReviewsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(robot, "a", "1\n2\n")
	w.must(second(review.MarkAllReviewed(ctx, w.store, 1)))
	beneath := func() bool {
		t.Helper()
		e := w.entry("a")
		got, err := review.HasUnreviewedChanges(ctx, w.store, &e, 1, alice.Actor)
		w.must(err)
		return got
	}
	w.write(alice, "a", "1\n2\nmine\n")
	if beneath() {
		t.Error("only the person has changed it")
	}
	w.write(robot, "a", "1\nTWO\nmine\n")
	w.write(alice, "a", "one\nTWO\nmine\n")
	if !beneath() {
		t.Error("the change of an agent counts as reviewed")
	}
	w.write(alice, "a", "1\n2\nmine\n")
	if beneath() {
		t.Error("the change of the agent was taken back")
	}
}

// What others deleted is to be reviewed, unless something stands at its path, or below it, or a person's own act came last.
func TestUnreviewedDeletions_AreWhatIsGoneAndNobodyReviewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for _, p := range []string{"back", "d/file", "folder", "gone", "mine", "moved", "seen"} {
		w.write(alice, p, "a text of "+p)
	}
	w.must(second(review.MarkAllReviewed(ctx, w.store, w.lastNumber())))
	remove := func(by versions.By, p string) int64 {
		t.Helper()
		c, err := w.store.Delete(ctx, by, mustPath(p))
		w.must(err)
		return c.Number
	}
	remove(robot, "gone")
	remove(alice, "mine")
	remove(robot, "moved")
	w.write(robot, "moved", "another memory")
	remove(robot, "folder")
	w.write(robot, "folder/x", "below it")
	remove(robot, "d")
	w.write(robot, "d", "a file where the folder was")
	_, err := plan.Do(ctx, w.store, alice, plan.UndoChange(remove(robot, "back")))
	w.must(err)
	seen := w.entry("seen").Memory
	w.must(second(review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{seen: remove(robot, "seen")})))
	got, err := review.UnreviewedDeletions(ctx, w.store, alice.Actor)
	w.must(err)
	if len(got) != 1 || got[0].Path != mustPath("gone") || got[0].Kind != versions.DeletedMemory || got[0].Actor != robot.Actor || got[0].Size != int64(len("a text of gone")) {
		t.Errorf("%+v", got)
	}
	for _, step := range w.queryPlan(review.DeletionsToReview) { // it runs with each reading of the tree
		if strings.Contains(step, " h USING") && !strings.Contains(step, "path") || strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "SUBQUERY") {
			t.Errorf("it does not scale: %s", step)
		}
	}
}

// The review begins at what the first scan of a folder finds, whether or not anybody looked.
func TestReviewState_BeginsAtWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("found", "there before\n")
	_, err := w.store.Sync(t.Context())
	w.must(err)
	w.wantNews("at first")
	w.outside("later", "by somebody\n")
	_, err = w.store.Sync(t.Context())
	w.must(err)
	w.write(robot, "agents", "by an agent\n")
	w.wantNews("before any review", "agents", "later")
}

// A person undoes a deletion, and takes that back: the deletion is to be reviewed as before.
func TestDeletionsToReview_AreThoseAgainWhoseUndoIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sync()
	w.write(alice, "a", "1\n")
	w.deleteBy(robot, "a")
	toReview := func() int {
		t.Helper()
		found, err := review.UnreviewedDeletions(t.Context(), w.store, alice.Actor)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if toReview() != 1 {
		t.Fatal("the deletion is not to be reviewed")
	}
	undo, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: robot.Actor})
	if err != nil || toReview() != 0 {
		t.Fatal(undo, err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChanges{undo.Number}); err != nil || toReview() != 1 {
		t.Fatal("the undo is undone, and the deletion is not to be reviewed", err)
	}
	w.write(alice, "b", "1\n")
	own := w.deleteBy(alice, "b")
	for _, g := range []plan.Goal{plan.UndoChange(own.Number), plan.RedoChange(own.Number)} {
		if _, err := plan.Do(t.Context(), w.store, alice, g); err != nil || toReview() != 1 {
			t.Fatal("a deletion of one's own is to be reviewed", err)
		}
	}
}
