package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
)

var (
	pastSeed     = flag.Uint64("past.seed", 1, "seed of the checks of the past; 0 takes one from the clock")
	pastSteps    = flag.Int("past.steps", 150, "random acts of the checks of the past")
	pastVersions = flag.Int("past.versions", 20_000, "versions of the store that the past's benchmark looks back in")
	pastMemories = flag.Int("past.memories", 2_000, "memories of that store")
)

// treeAt is the tree after change n as a map from path to version.
func (w *world) treeAt(n int64) map[string]versions.Entry {
	w.t.Helper()
	es, err := vhistory.TreeAt(w.t.Context(), w.store, n)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]versions.Entry{}
	for _, e := range es {
		e.Binary, e.Hidden = false, 0 // known only of memories that were not changed since
		out[versions.Key(e.Path)] = e
	}
	return out
}

// holds compares a tree of the past with what a map says stood there.
func (w *world) holds(n int64, model map[string]string) {
	w.t.Helper()
	tree := w.treeAt(n)
	if got, want := slices.Sorted(maps.Keys(tree)), slices.Sorted(maps.Keys(model)); !slices.Equal(got, want) {
		w.t.Fatalf("after change %d stood %v, the model says %v", n, got, want)
	}
	for p, content := range model {
		if e := tree[p]; e.SHA256 != versions.Sum([]byte(content)) || e.Size != int64(len(content)) {
			w.t.Fatalf("after change %d %s was %+v, the model says %q", n, p, e, content)
		}
	}
}

// randomActs does so many random acts of several sessions and tells of each, once
// it is done, what stands after it. Every act is one change.
func (w *world) randomActs(rnd interface{ IntN(int) int }, steps int, done func(c versions.Change, model map[string]string)) map[string]string {
	w.t.Helper()
	model := map[string]string{}
	names := []string{"a", "b", "d/a", "d/b", "d/e/c", "g", "h/a"}
	pick := func() string { return names[rnd.IntN(len(names))] }
	for i := range steps {
		by := []versions.By{alice, robot, {Actor: robot.Actor, Session: "sesn_other"}}[rnd.IntN(3)]
		var c versions.Change
		var err error
		switch p, q := pick(), pick(); rnd.IntN(9) {
		case 0, 1, 2, 3:
			text := fmt.Sprintf("%d\n", i)
			if rnd.IntN(3) > 0 {
				text = w.edited(rnd, model[p], i)
			}
			c = w.write(by, p, text)
			model[p] = text
		case 4:
			if _, ok := model[p]; !ok {
				continue
			}
			c, err = w.store.Delete(w.t.Context(), by, mustPath(p))
			delete(model, p)
		case 5, 6:
			if _, ok := model[p]; !ok || p == q {
				continue
			}
			if _, taken := model[q]; taken {
				continue
			}
			c, err = w.store.Rename(w.t.Context(), by, mustPath(p), mustPath(q))
			model[q] = model[p]
			delete(model, p)
		case 7:
			moved := map[string]string{}
			for p, content := range model {
				if mustPath(p).In(mustPath("d")) {
					moved[p] = content
				}
			}
			if len(moved) == 0 {
				continue
			}
			c, err = w.store.Delete(w.t.Context(), by, mustPath("d"))
			for p := range moved {
				delete(model, p)
			}
		case 8: // a whole folder, when the other name is free
			from, to := mustPath("d"), mustPath("h")
			if rnd.IntN(2) == 0 {
				from, to = to, from
			}
			if w.exists(to) || !w.exists(from) {
				continue
			}
			c, err = w.store.Rename(w.t.Context(), by, from, to)
			for p, content := range maps.Clone(model) {
				if at := mustPath(p); at.In(from) {
					delete(model, p)
					model[versions.Key(at.Move(from, to))] = content
				}
			}
		}
		if err != nil {
			w.t.Fatalf("act %d: %v", i, err)
		}
		if c.Number > 0 {
			done(c, model)
		}
	}
	return model
}

// exists reports whether anything stands at p, an empty folder too.
func (w *world) exists(p memfs.Path) bool {
	_, err := core.Folder(w.store).Lstat(p)
	return err == nil
}

// edited changes one line of a text, or adds one. A new text has lines enough
// that two edits often don't touch.
func (w *world) edited(rnd interface{ IntN(int) int }, text string, i int) string {
	if text == "" {
		for n := range 15 {
			text += fmt.Sprintf("%d of %d\n", n, i)
		}
	}
	lines := slices.Collect(strings.Lines(text))
	at := rnd.IntN(len(lines) + 1)
	word := fmt.Sprintf("line %d\n", i)
	if at < len(lines) && rnd.IntN(2) == 0 {
		lines[at] = word
	} else {
		lines = slices.Insert(lines, at, word)
	}
	var out string
	for _, l := range lines {
		out += l
	}
	return out
}

func TestTreeAtEveryChangeIsWhatStoodThere(t *testing.T) {
	t.Parallel()
	r := seeded(t, "past.seed", *pastSeed)
	w := newWorld(t)
	stood := map[int64]map[string]string{0: {}}
	w.randomActs(r, *pastSteps, func(c versions.Change, model map[string]string) { stood[c.Number] = maps.Clone(model) })
	for n, model := range stood {
		w.holds(n, model)
		for _, p := range []string{"a", "b", "d/a", "d/b", "d/e/c", "g", "h/a", "h/e/c"} {
			e, err := vhistory.EntryAt(t.Context(), w.store, mustPath(p), n)
			content, there := model[p]
			if there != (err == nil) || !there && !errors.Is(err, versions.ErrNoMemory) {
				t.Fatalf("%s after change %d: %+v, %v; the model says %v", p, n, e, err, there)
			}
			if there && (e.SHA256 != versions.Sum([]byte(content)) || e.Path != mustPath(p)) {
				t.Fatalf("%s after change %d: %+v, the model says %q", p, n, e, content)
			}
		}
	}
	last, err := w.store.LastChange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vhistory.TreeAt(t.Context(), w.store, last+1); !errors.Is(err, versions.ErrNoChange) {
		t.Errorf("the tree after a change that is not there yet: %v", err)
	}
}

func TestDiffTreesIsTheWayFromOneTreeToTheOther(t *testing.T) {
	t.Parallel()
	r := seeded(t, "past.seed", *pastSeed)
	w := newWorld(t)
	last := int64(0)
	w.randomActs(r, *pastSteps/2, func(c versions.Change, _ map[string]string) { last = c.Number })
	for range 60 {
		from, to := int64(r.IntN(int(last)+1)), int64(r.IntN(int(last)+1))
		byMemory := func(n int64) map[versions.MemoryID]versions.Entry {
			out := map[versions.MemoryID]versions.Entry{}
			for _, e := range w.treeAt(n) {
				out[e.Memory] = e
			}
			return out
		}
		before, after := byMemory(from), byMemory(to)
		ds, err := vhistory.DiffTrees(t.Context(), w.store, from, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			id := d.Memory()
			if d.Before != before[id] || d.After != after[id] {
				t.Fatalf("from %d to %d: %+v, want %+v to %+v", from, to, d, before[id], after[id])
			}
			b, wasThere := before[id]
			a, isThere := after[id]
			want := versions.TreeModified
			switch {
			case !wasThere:
				want = versions.TreeCreated
			case !isThere:
				want = versions.TreeDeleted
			case a.Path != b.Path:
				want = versions.TreeRenamed
			case a.SHA256 == b.SHA256:
				want = versions.TreeSame
			}
			if d.Kind != want {
				t.Fatalf("from %d to %d: %+v is not %s", from, to, d, want)
			}
			delete(before, id)
			delete(after, id)
		}
		for id, b := range before { // all else is as it was
			if a := after[id]; a != b {
				t.Fatalf("from %d to %d: nothing is said of %+v, now %+v", from, to, b, a)
			}
			delete(after, id)
		}
		if len(after) > 0 {
			t.Fatalf("from %d to %d: nothing is said of %+v", from, to, after)
		}
	}
}

// A memory that was moved away and back is the same one at the same path, by a newer version.
func TestDiffTreesNamesWhatWasChangedAndChangedBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "a\n")
	w.write(alice, "b", "b\n")
	w.renameBy(alice, "a", "c")
	w.renameBy(alice, "c", "a")
	ds, err := vhistory.DiffTrees(t.Context(), w.store, 2, 4)
	if err != nil || len(ds) != 1 || ds[0].Kind != versions.TreeSame || ds[0].Before.Change != 1 || ds[0].After.Change != 4 || ds[0].After.Path != mustPath("a") {
		t.Errorf("%+v, %v", ds, err)
	}
}

// clock is one that a test sets.
type clock struct{ now time.Time }

func (c *clock) tell() time.Time { return c.now }

func TestMomentsAnswerByNumberWhateverTheClockDoes(t *testing.T) {
	t.Parallel()
	c := &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w := newWorld(t, versions.Options{Now: c.tell})
	for i, jump := range []time.Duration{0, time.Minute, -time.Hour, 0, 0, time.Second, 365 * 24 * time.Hour, 0, -400 * 24 * time.Hour, time.Hour} {
		c.now = c.now.Add(jump)
		w.write(alice, "a", fmt.Sprint(i+1))
	}
	last := versions.Moment{}
	for n := int64(1); n <= 10; n++ {
		m, err := vhistory.MomentOf(t.Context(), w.store, n)
		if err != nil {
			t.Fatal(err)
		}
		if m.Change != n || !m.Time.After(last.Time) {
			t.Errorf("change %d is at %v, the one before at %v", n, m.Time, last.Time)
		}
		for _, look := range []struct {
			at   time.Time
			want versions.Moment
		}{{m.Time, m}, {m.Time.Add(-time.Microsecond), last}, {m.Time.Add(time.Microsecond / 2), m}} {
			if look.want == (versions.Moment{}) { // before the store was made
				continue
			}
			if got, err := vhistory.MomentAt(t.Context(), w.store, look.at); err != nil || got != look.want {
				t.Errorf("at %v is %+v, want %+v; %v", look.at, got, look.want, err)
			}
		}
		if e, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), n); err != nil || e.SHA256 != versions.Sum([]byte(fmt.Sprint(n))) {
			t.Errorf("after change %d stood %+v, %v", n, e, err)
		}
		last = m
	}
	if m, err := vhistory.MomentAt(t.Context(), w.store, last.Time.AddDate(9, 0, 0)); err != nil || m != last {
		t.Errorf("in the future: %+v, %v", m, err)
	}
	if m, err := vhistory.MomentAt(t.Context(), w.store, time.Unix(0, 0)); !errors.As(err, new(*versions.BeforeHistoryError)) {
		t.Errorf("before all: %+v, %v", m, err)
	}
	if _, err := vhistory.MomentOf(t.Context(), w.store, 11); !errors.Is(err, versions.ErrNoChange) {
		t.Errorf("a change that is not there: %v", err)
	}
}

// A clock that was a year ahead once must not hide what was done since: a time means what
// the clock says now.
func TestATimeIsFoundAfterTheClockWasAhead(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, ahead := range map[string]time.Duration{"a year": 365 * 24 * time.Hour, "two days": 48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			c := &clock{now: day}
			w := newWorld(t, versions.Options{Now: c.tell})
			w.write(alice, "a", "1") // 12:00
			c.now = day.Add(10*time.Minute + ahead)
			w.write(alice, "a", "2") // 12:10, on a clock that is ahead
			for i := range 3 {
				c.now = day.Add(time.Duration(20+10*i) * time.Minute) // 12:20, 12:30, 12:40
				w.write(alice, "a", fmt.Sprint(3+i))
			}
			for minute, want := range map[int]int64{5: 1, 15: 1, 20: 3, 25: 3, 30: 4, 39: 4, 40: 5, 60: 5} {
				at := day.Add(time.Duration(minute) * time.Minute)
				if m, err := vhistory.MomentAt(t.Context(), w.store, at); err != nil || m.Change != want {
					t.Errorf("at minute %d it is change %d, want %d; %v", minute, m.Change, want, err)
				}
			}
			cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Since: day.Add(30 * time.Minute), Until: day.Add(35 * time.Minute)}, 0, 10)
			if err != nil || len(cs) != 1 || cs[0].Number != 4 {
				t.Errorf("%+v, %v", cs, err)
			}
		})
	}
}

// README: "only redact erases, and keeps who and when".
func TestARedactedVersionShowsAsSuchInThePast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.write(alice, "a", "secret")
	w.write(alice, "a", "3")
	w.write(alice, "b", "1")
	old := w.eraseVersion("a", 2)
	es, err := vhistory.TreeAt(t.Context(), w.store, 2)
	if err != nil || len(es) != 1 {
		t.Fatalf("%+v, %v", es, err)
	}
	if e := es[0]; e.Redacted == nil || e.Version != old || !e.Path.IsRoot() || e.Size != 0 || e.SHA256 != (versions.Hash{}) || e.Kind != versions.Memory {
		t.Errorf("entry %+v", e)
	}
	if _, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), 2); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("by its path: %v", err)
	}
	if e, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), 3); err != nil || e.SHA256 != versions.Sum([]byte("3")) {
		t.Errorf("after it: %+v, %v", e, err)
	}
	ds, err := vhistory.DiffTrees(t.Context(), w.store, 2, 4)
	if err != nil || len(ds) != 2 || ds[0].Before.Redacted == nil {
		t.Errorf("%+v, %v", ds, err)
	}
}

// eraseVersion does to the tables what a redaction does.
func (w *world) eraseVersion(p string, number int) versions.VersionID {
	w.t.Helper()
	v, err := w.store.VersionAt(w.t.Context(), mustPath(p), number)
	if err != nil {
		w.t.Fatal(err)
	}
	uid := ids.Parse(ids.VersionPrefix, string(v.ID))
	for _, q := range []string{
		`UPDATE version SET blob=NULL, path=NULL, origin=NULL, redacted=1, redacted_by=1 WHERE uid=?`,
		`DELETE FROM blob WHERE id NOT IN (SELECT blob FROM version WHERE blob IS NOT NULL) AND ?1 IS NOT NULL`,
	} {
		w.exec(q, uid)
	}
	w.relog()
	return v.ID
}

func TestEntryAtKnowsWhatOnlyTheContentTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x\u200by")
	w.write(alice, "a", "\xff")
	w.write(alice, "a", "plain")
	if e, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), 1); err != nil || e.Hidden != 1 || e.Binary {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := vhistory.EntryAt(t.Context(), w.store, mustPath("a"), 2); err != nil || !e.Binary {
		t.Errorf("%+v, %v", e, err)
	}
}

// A repair may add a version to an earlier change: its row comes after those of later changes.
func TestTreeAt_HasVersionsThatWereAddedToEarlierChanges(t *testing.T) {
	w := bareWorld(t)
	w.write(alice, "a", "1\n")
	c := w.write(alice, "b", "2\n")
	w.write(alice, "c", "3\n")
	for _, text := range []string{`INSERT INTO version(uid,memory,number,change,op,redacted,redacted_by)
			SELECT randomblob(15),v.memory,2,c.id,'deleted',1,c.actor FROM version v JOIN change c ON c.number=2 WHERE v.path='a'`,
		`DELETE FROM head WHERE path='a'`} {
		if _, err := w.trail.DB.W.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if es, err := vhistory.TreeAt(t.Context(), w.store, c.Number); err != nil || len(es) != 1 || versions.Key(es[0].Path) != "b" {
		t.Errorf("the tree after change %d is %+v, %v", c.Number, es, err)
	}
}
