package engine_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

var hunkActs = flag.Int("hunks.acts", 80, "random acts of a review hunk by hunk")

// pending is what alice has to decide of a memory.
func (w *world) pending(m versions.MemoryID) review.Pending {
	w.t.Helper()
	p, err := review.PendingOf(w.t.Context(), w.store, m, alice.Actor)
	w.must(err)
	return p
}

// hunks are the changed lines that are to be decided: "-old+new".
func hunksOf(p review.Pending) (out []string) {
	d := diff.Lines(p.Was.Text, p.Now.Text)
	for _, e := range d.Edits() {
		s := ""
		for i := range e.OldLines {
			s += "-" + strings.TrimSpace(string(d.OldLine(e.Old+i)))
		}
		for i := range e.NewLines {
			s += "+" + strings.TrimSpace(string(d.NewLine(e.New+i)))
		}
		out = append(out, s)
	}
	return out
}

func (w *world) wantHunks(when string, m versions.MemoryID, want ...string) review.Pending {
	w.t.Helper()
	p := w.pending(m)
	if got := hunksOf(p); !slices.Equal(got, want) {
		w.t.Errorf("%s: to be decided is %q, want %q", when, got, want)
	}
	return p
}

// keeps keeps a hunk, by its number.
func (w *world) keeps(p review.Pending, n int) review.Marks {
	w.t.Helper()
	d := diff.Lines(p.Was.Text, p.Now.Text)
	before, err := review.Keep(w.t.Context(), w.store, alice.Actor, p, review.Side{Exists: true, Path: p.Was.Path, Text: d.With(d.Edits()[n].Whole())})
	w.must(err)
	return before
}

// newReviewed returns a store with one memory, "a", of ten lines, all of it reviewed by alice.
func newReviewed(t *testing.T) (*world, versions.MemoryID) {
	t.Helper()
	w := newWorld(t)
	w.write(alice, "a", tenLines)
	w.must(second(review.MarkAllReviewed(t.Context(), w.store, w.lastNumber())))
	return w, w.entry("a").Memory
}

const tenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// What is half decided stays so when the program is opened again and when the agent writes again: only what is new comes back.
func TestHunks_AreDecidedOneByOne(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	w.wantHunks("before", m)
	w.write(robot, "a", strings.NewReplacer("2\n", "two\n", "5\n", "five\n", "8\n", "eight\n").Replace(tenLines))
	p := w.wantHunks("after the agent's", m, "-2+two", "-5+five", "-8+eight")
	before := w.keeps(p, 1)
	p = w.wantHunks("after one is kept", m, "-2+two", "-8+eight")
	w.must(review.Unmark(t.Context(), w.store, before))
	w.keeps(w.wantHunks("after that was taken back", m, "-2+two", "-5+five", "-8+eight"), 1)
	if _, err := review.Keep(t.Context(), w.store, alice.Actor, review.Pending{Memory: m, Was: p.Was, Now: p.Now, Number: p.Number - 1}, p.Now); !errors.Is(err, review.ErrShownBefore) {
		t.Errorf("what was shown before is kept: %v", err)
	}
	if _, err := review.Keep(t.Context(), w.store, robot.Actor, p, p.Now); !errors.Is(err, versions.ErrPersonsOnly) {
		t.Errorf("an agent keeps a hunk: %v", err)
	}
	w.close()
	w.open()
	p = w.wantHunks("after a restart", m, "-2+two", "-8+eight")

	d := diff.Lines(p.Was.Text, p.Now.Text)
	_, err := w.store.RestoreText(t.Context(), alice, mustPath("a"), d.Without(d.Edits()[0].Whole()), versions.Pre{SHA256: w.entry("a").SHA256})
	w.must(err)
	w.wantHunks("after one is undone", m, "-8+eight")
	w.write(robot, "a", string(w.pending(m).Now.Text)+"11\n")
	w.wantHunks("after the agent wrote again", m, "-8+eight", "+11")
	w.write(robot, "a", strings.Replace(string(w.pending(m).Now.Text), "five", "FIVE", 1))
	w.wantHunks("after the agent changed what was kept", m, "-five+FIVE", "-8+eight", "+11")
	own := w.write(alice, "a", strings.Replace(string(w.pending(m).Now.Text), "1\n2\n", "one\n2\n", 1))
	w.wantHunks("after an edit of one's own", m, "-five+FIVE", "-8+eight", "+11")
	_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(own.Number))
	w.must(err)
	p = w.wantHunks("after the undo of that", m, "-five+FIVE", "-8+eight", "+11")
	undone, _, err := review.Undo(t.Context(), w.store, alice, p, p.Without(p.Hunks()[0]))
	w.must(err)
	w.wantHunks("after another is undone", m, "-8+eight", "+11")
	_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(undone.Number))
	w.must(err)
	w.wantHunks("after the undo of that", m, "-five+FIVE", "-8+eight", "+11")
	_, err = plan.Do(t.Context(), w.store, alice, plan.RedoChange(undone.Number))
	w.must(err)
	w.wantHunks("after it is done again", m, "-8+eight", "+11")
	for range 2 {
		if e := w.entry("a"); !w.unreviewed(&e) {
			t.Error("it is reviewed before all is decided")
		}
		w.keeps(w.pending(m), 0)
	}
	p = w.pending(m)
	if e := w.entry("a"); !p.Decided() || w.reviewState().IsUnreviewed(m, e.Change) {
		t.Errorf("all is decided, and it is to be reviewed: %q to %q", p.Was.Text, p.Now.Text)
	}
}

func (w *world) unreviewed(e *versions.Entry) bool {
	w.t.Helper()
	l := w.reviewState()
	if !l.IsUnreviewed(e.Memory, e.Change) {
		return false
	}
	got, err := review.HasUnreviewedChanges(w.t.Context(), w.store, e, l.UpTo(e.Memory), alice.Actor)
	w.must(err)
	return got
}

// A memory that is new, deleted or renamed is to be decided as well.
func TestHunks_OfMemoriesThatComeAndGo(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	ctx := t.Context()
	w.renameBy(robot, "a", "b")
	p := w.pending(m)
	if p.Was.Path != mustPath("a") || p.Now.Path != mustPath("b") || p.Decided() {
		t.Errorf("after a rename: %+v", p)
	}
	_, err := review.Keep(ctx, w.store, alice.Actor, p, p.Now)
	w.must(err)
	if p = w.pending(m); !p.Decided() {
		t.Errorf("a rename that is kept: %+v", p)
	}
	w.write(robot, "b", strings.Replace(tenLines, "2\n", "two\n", 1))
	w.deleteBy(robot, "b")
	if p = w.pending(m); !p.Was.Exists || p.Now.Exists {
		t.Errorf("after a deletion: %+v", p)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(p.Change))
	w.must(err)
	w.wantHunks("after the deletion is undone", m, "-2+two")
	w.deleteBy(robot, "b")
	p = w.pending(m)
	before, err := review.Keep(ctx, w.store, alice.Actor, p, review.Side{})
	w.must(err)
	if p = w.pending(m); !p.Decided() {
		t.Errorf("a deletion that is kept: %+v", p)
	}
	w.must(review.Unmark(ctx, w.store, before))
	if p = w.pending(m); p.Decided() {
		t.Errorf("after that was taken back: %+v", p)
	}

	w.write(robot, "new", "1\n2\n3\n")
	n := w.entry("new").Memory
	p = w.pending(n)
	if p.Was.Exists || !p.Now.Exists {
		t.Errorf("a new memory: %+v", p)
	}
	w.write(alice, "new", "1\nmine\n2\n3\n")
	if p = w.pending(n); p.Was.Exists {
		t.Errorf("a new memory with a line of one's own: %+v", p)
	}
	_, err = review.Keep(ctx, w.store, alice.Actor, p, review.Side{Exists: true, Path: p.Now.Path, Text: []byte("1\nmine\n")})
	w.must(err)
	w.wantHunks("after some of its lines are kept", n, "+2+3")
	w.deleteBy(alice, "new")
	if p = w.pending(n); !p.Decided() {
		t.Errorf("the person deleted it: %+v", p)
	}
}

// What an agent changed and changed back, or made and deleted, is one thing to decide: that it happened.
func TestHunks_OfWhatCameAndWent(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	w.write(robot, "a", "other\n")
	w.write(robot, "a", tenLines)
	w.write(robot, "new", "new\n")
	n := w.entry("new").Memory
	w.deleteBy(robot, "new")
	for _, id := range []versions.MemoryID{m, n} {
		p := w.pending(id)
		hs := p.Hunks()
		if p.Decided() || len(hs) != 1 || hs[0].Kind != review.Back {
			t.Fatalf("%+v", hs)
		}
		_, err := review.Keep(t.Context(), w.store, alice.Actor, p, p.With(hs...))
		w.must(err)
		if p = w.pending(id); !p.Decided() || len(p.Hunks()) > 0 {
			t.Errorf("after it was kept: %+v", p.Hunks())
		}
	}
	if gone, err := review.UnreviewedDeletions(t.Context(), w.store, alice.Actor); err != nil || len(gone) > 0 {
		t.Errorf("%+v, %v", gone, err)
	}
}

// If the version that a kept hunk was compared with is lost, all of the memory is to be decided again.
func TestHunks_OfALostVersionAreToBeDecidedAgain(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	w.write(robot, "a", strings.NewReplacer("2\n", "two\n", "8\n", "eight\n").Replace(tenLines))
	w.keeps(w.wantHunks("before", m, "-2+two", "-8+eight"), 0)
	w.exec(`UPDATE look SET kept_at=99 WHERE kept IS NOT NULL`)
	w.wantHunks("afterwards", m, "-2+two", "-8+eight")
}

// A redaction leaves nothing of what was half decided.
func TestHunks_ThatAreKeptAreErasedByARedaction(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	w.write(robot, "a", strings.NewReplacer("2\n", "a password\n", "8\n", "eight\n").Replace(tenLines))
	w.keeps(w.pending(m), 0)
	w.write(robot, "a", strings.Replace(tenLines, "8\n", "eight\n", 1))
	w.wantHunks("before the redaction", m, "-a password+2", "-8+eight")
	if text := w.one(`SELECT CAST(kept AS TEXT) FROM look WHERE kept IS NOT NULL`); !strings.Contains(fmt.Sprint(text), "a password") {
		t.Errorf("what is kept: %q", text)
	}
	if r := w.redact(versions.RedactTarget{Match: []byte("a password")}, versions.RedactChoice{}); r.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", r)
	}
	w.wantHunks("after the redaction", m, "-8+eight")
}

// Whatever others and the person write and decide, in any order and with restarts in between: what is kept goes into what is
// reviewed and changes no memory, what is undone goes out of the memory and changes nothing that is reviewed, and what others
// write changes only what is to be decided.
func TestHunks_RandomActsAndDecisions(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	r := rand.New(rand.NewPCG(uint64(seed), 31))
	w, m := newReviewed(t)
	line := 10
	for i := range *hunkActs {
		p := w.pending(m)
		d := diff.Lines(p.Was.Text, p.Now.Text)
		fail := func(what string, want, got []byte) {
			t.Helper()
			if !bytes.Equal(want, got) {
				t.Fatalf("seed %d, act %d: %s: %q, want %q", seed, i, what, got, want)
			}
		}
		part := func() (out diff.Part) {
			e := d.Edits()[r.IntN(len(d.Edits()))]
			out = e.Whole()
			if r.IntN(3) == 0 && e.NewLines > 1 {
				out.NewFrom, out.OldFrom = r.IntN(e.NewLines), r.IntN(e.OldLines+1)
			}
			return out
		}
		switch n := r.IntN(10); {
		case n < 3:
			lines := slices.Collect(strings.Lines(string(p.Now.Text)))
			at := r.IntN(len(lines) + 1)
			var in []string
			for range r.IntN(3) + 1 {
				line++
				in = append(in, fmt.Sprint(line, "\n"))
			}
			text := strings.Join(slices.Replace(lines, at, min(at+r.IntN(3), len(lines)), in...), "")
			w.write(robot, "a", text)
			fail("what was reviewed before an agent wrote", p.Was.Text, w.pending(m).Was.Text)
			fail("what the agent wrote", []byte(text), w.pending(m).Now.Text)
		case n == 3:
			line++
			w.write(alice, "a", string(p.Now.Text)+fmt.Sprint(line, "\n"))
			if e := d.Edits(); len(e) == 0 || e[len(e)-1].NewEnd() < d.NewLines() {
				fail("what is reviewed after the person wrote", append(bytes.Clone(p.Was.Text), fmt.Sprint(line, "\n")...), w.pending(m).Was.Text)
			}
		case n == 4:
			w.close()
			w.open()
		case n < 8 && !d.Identical():
			was := d.With(part())
			_, err := review.Keep(t.Context(), w.store, alice.Actor, p, review.Side{Exists: true, Path: p.Was.Path, Text: was})
			w.must(err)
			fail("what was kept", was, w.pending(m).Was.Text)
			fail("the memory after that", p.Now.Text, w.pending(m).Now.Text)
		case !d.Identical():
			now := d.Without(part())
			_, err := w.store.RestoreText(t.Context(), alice, mustPath("a"), now, versions.Pre{SHA256: w.entry("a").SHA256})
			w.must(err)
			fail("the memory after an undo", now, w.pending(m).Now.Text)
			fail("what was reviewed before the undo", p.Was.Text, w.pending(m).Was.Text)
		}
		e := w.entry("a")
		if p := w.pending(m); p.Decided() == w.unreviewed(&e) {
			t.Fatalf("seed %d, act %d: decided is %v, and so is that it is to be reviewed", seed, i, p.Decided())
		}
	}
}

// Marks that are taken back leave the review as it was, a half decided one too.
func TestUnmark_PutsReviewsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	text := strings.Repeat("line\n", 30)
	w.write(alice, "a", text)
	w.write(alice, "b", "one\n")
	w.must(second(review.MarkAllReviewed(ctx, w.store, w.lastNumber())))
	w.write(robot, "a", "new\n"+text+"more\n")
	w.write(robot, "b", "two\n")
	a, b := w.entry("a"), w.entry("b")
	p := w.pending(a.Memory)
	w.must(second(review.Keep(ctx, w.store, alice.Actor, p, p.With(p.Hunks()[0]))))
	state := func() string {
		t.Helper()
		s, err := review.ReviewState(ctx, w.store)
		w.must(err)
		return fmt.Sprintf("%d %d %q %q", s.UpTo(a.Memory), s.UpTo(b.Memory), w.pending(a.Memory).Was.Text, w.pending(b.Memory).Was.Text)
	}
	before := state()
	for name, mark := range map[string]func() (review.Marks, error){
		"all": func() (review.Marks, error) { return review.MarkAllReviewed(ctx, w.store, w.lastNumber()) },
		"both": func() (review.Marks, error) {
			return review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{a.Memory: a.Change, b.Memory: b.Change})
		},
		"one": func() (review.Marks, error) {
			return review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{b.Memory: b.Change})
		},
		"an older change": func() (review.Marks, error) {
			return review.MarkReviewed(ctx, w.store, map[versions.MemoryID]int64{a.Memory: 1})
		},
	} {
		marks, err := mark()
		w.must(err)
		if now := state(); (now == before) != (name == "an older change") {
			t.Errorf("%s: %s, before %s", name, now, before)
		}
		w.must(review.Unmark(ctx, w.store, marks))
		if now := state(); now != before {
			t.Errorf("%s, taken back: %s, before %s", name, now, before)
		}
	}
}

// Whoever decides about what changed meanwhile, or was decided by somebody else, is told, and nothing happens.
func TestDecisions_AboutWhatChangedMeanwhileAreRefused(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world, p review.Pending) error{
		"kept by another": func(w *world, p review.Pending) error {
			return second(review.Keep(w.t.Context(), w.store, alice.Actor, p, p.With(p.Hunks()[0])))
		},
		"kept as a whole by another": func(w *world, p review.Pending) error {
			return second(review.Keep(w.t.Context(), w.store, alice.Actor, p, p.Now))
		},
		"undone by another": func(w *world, p review.Pending) error {
			return third(review.Undo(w.t.Context(), w.store, alice, p, p.Without(p.Hunks()[0])))
		},
		"written": func(w *world, p review.Pending) error { w.write(robot, "a", tenLines); return nil },
		"deleted": func(w *world, _ review.Pending) error {
			return second(w.store.Delete(w.t.Context(), robot, mustPath("a")))
		},
		"renamed": func(w *world, _ review.Pending) error {
			return second(w.store.Rename(w.t.Context(), robot, mustPath("a"), mustPath("b")))
		},
		"binary now": func(w *world, _ review.Pending) error { w.outside("a", "\xff\x00\xfe"); w.sync(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(alice, "a", tenLines)
			w.must(second(review.MarkAllReviewed(t.Context(), w.store, w.lastNumber())))
			long := strings.Repeat("x", 100_000)
			w.write(robot, "a", strings.NewReplacer("2\n", long+"\r\n", "8\n", "eight\n").Replace(tenLines))
			p := w.pending(w.entry("a").Memory)
			w.must(meanwhile(w, p))
			before, last := w.files(), w.lastNumber()
			h := p.Hunks()[0]
			for did, err := range map[string]error{
				"keep": second(review.Keep(t.Context(), w.store, alice.Actor, p, p.With(h))),
				"undo": third(review.Undo(t.Context(), w.store, alice, p, p.Without(h))),
				"edit": third(review.Edit(t.Context(), w.store, alice, p, []byte("mine"), h)),
			} {
				if !errors.Is(err, review.ErrShownBefore) || errors.Is(err, review.ErrDecidedElsewhere) != strings.HasPrefix(name, "kept") {
					t.Errorf("%s: %v", did, err)
				}
			}
			if w.lastNumber() != last || !maps.Equal(before, w.files()) {
				t.Error("something happened")
			}
		})
	}
}

// Where there is nothing to undo, as in a memory that came and went, the undo keeps what is shown: only a person may do that.
func TestUndo_KeepsWhatWasChangedBack(t *testing.T) {
	t.Parallel()
	w, _ := newReviewed(t)
	w.write(robot, "moment", "a\n")
	m := w.entry("moment").Memory
	w.must(second(w.store.Delete(t.Context(), robot, mustPath("moment"))))
	p, last := w.pending(m), w.lastNumber()
	if _, _, err := review.Undo(t.Context(), w.store, robot, p, p.Without(p.Hunks()...)); !errors.Is(err, versions.ErrPersonsOnly) {
		t.Errorf("an agent keeps it: %v", err)
	}
	_, before, err := review.Undo(t.Context(), w.store, alice, p, p.Without(p.Hunks()...))
	w.must(err)
	if p = w.pending(m); !p.Decided() || w.lastNumber() != last {
		t.Errorf("it is still to be decided, or was changed")
	}
	w.must(review.Unmark(t.Context(), w.store, before))
	if p = w.pending(m); p.Decided() {
		t.Error("it is still kept")
	}
}

// The undo of an edit of a hunk brings it back, in whatever process.
func TestEdit_OfAHunkIsUndoneWithItsReview(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	w.write(robot, "a", strings.NewReplacer("2\n", "two\ntwo\n", "8\n", "eight\n").Replace(tenLines))
	edit := func(old, new string) versions.Change {
		p := w.pending(m)
		c, _, err := review.Edit(t.Context(), w.store, alice, p, []byte(strings.Replace(string(p.Now.Text), old, new, 1)), p.Hunks()[0])
		w.must(err)
		return c
	}
	edit("two\n", "TWO\n")
	w.wantHunks("after an edit", m, "-8+eight")
	last := edit("eight\n", "EIGHT\n")
	w.wantHunks("after another", m)
	reviewed := func() bool {
		e := w.entry("a")
		return !w.reviewState().IsUnreviewed(m, e.Change) && !w.unreviewed(&e)
	}
	if !reviewed() {
		t.Error("it is to be reviewed, although all is decided")
	}
	w.close()
	w.open()
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(last.Number))
	w.must(err)
	if w.wantHunks("after an undo", m, "-8+eight"); reviewed() {
		t.Error("it is reviewed, although the edit is undone")
	}
	_, err = plan.Do(t.Context(), w.store, alice, plan.RedoChange(last.Number))
	w.must(err)
	w.wantHunks("after its redo", m)
}

// What is kept of an agent's hunks stays so when the person undoes an edit of their own, in whatever process and whoever wrote since. What
// their edit had touched comes back.
func TestHunks_ThatAreKeptStaySoWhenThePersonUndoesAnEdit(t *testing.T) {
	t.Parallel()
	agents := strings.NewReplacer("2\n", "two\n", "8\n", "eight\n").Replace(tenLines)
	for _, c := range []struct{ did, old, new, later, want string }{
		{"wrote beside it", "5\n", "5\nmine\n", "", "-8+eight"},
		{"wrote beside it, before others", "5\n", "5\nmine\n", "10\n", "-8+eight -10+ten"},
		{"wrote over it", "two\n", "TWO\n", "", "-2+two -8+eight"},
		{"undid the hunk", "two\n", "2\n", "", "-2+two -8+eight"},
		{"edited the line below the hunk", "3\n", "3!\n", "", "-8+eight"},
		{"edited the line above the hunk", "1\n", "1!\n", "", "-8+eight"},
		{"inserted a line below the hunk", "two\n", "two\nmine\n", "", "-8+eight"},
		{"inserted a line above the hunk", "two\n", "mine\ntwo\n", "", "-8+eight"},
		{"deleted the line below the hunk", "3\n", "", "", "-8+eight"},
		{"deleted the line above the hunk", "1\n", "", "", "-8+eight"},
		{"brought back a line above the hunk", "two\n", "2\ntwo\n", "", "-2+two -8+eight"},
	} {
		w, m := newReviewed(t)
		w.write(robot, "a", agents)
		mine := strings.Replace(agents, c.old, c.new, 1)
		w.write(alice, "a", mine)
		own := w.lastNumber()
		if p := w.pending(m); len(p.Hunks()) > 1 {
			w.keeps(p, 0)
		}
		if c.later != "" {
			w.write(robot, "a", strings.Replace(mine, c.later, "ten\n", 1))
		}
		w.close()
		w.open()
		w.must(second(plan.Do(t.Context(), w.store, alice, plan.UndoChange(own))))
		if got := strings.Join(hunksOf(w.pending(m)), " "); got != c.want {
			t.Errorf("the person %s: after the undo, to be decided is %q, want %q", c.did, got, c.want)
		}
	}
}

// Nothing is left to decide of what the person undoes, also where they had kept a part of it.
func TestHunks_ThatWereKeptAreDecidedOnceTheSessionIsUndone(t *testing.T) {
	t.Parallel()
	for _, undo := range []plan.Goal{plan.UndoSession(robot.Session), plan.UndoChange(2)} {
		w, m := newReviewed(t)
		w.write(robot, "a", strings.NewReplacer("2\n", "two\n", "5\n", "", "8\n", "eight\n").Replace(tenLines))
		w.keeps(w.pending(m), 0)
		w.keeps(w.pending(m), 0)
		w.must(second(plan.Do(t.Context(), w.store, alice, undo)))
		w.wantHunks(undo.String(), m)
		w.must(second(plan.Do(t.Context(), w.store, alice, plan.UndoChange(3))))
		w.wantHunks("after the undo of the undo", m, "-8+eight")
	}
}

// Each hunk belongs to those who wrote its lines, or removed them, whoever changed the memory later.
func TestWriters_AreThoseOfEachHunk(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	other := robot
	other.Session = "sesn_other"
	text := tenLines
	write := func(by versions.By, old, new string) {
		text = strings.Replace(text, old, new, 1)
		w.write(by, "a", text)
	}
	write(robot, "2\n", "two\nmore\n")
	write(robot, "5\n", "")
	write(other, "more\n", "less\n")
	write(other, "8\n", "eight\n")
	write(robot, "10\n", "ten\n")
	write(alice, "1\n", "one\n")
	_, err := w.store.Rename(t.Context(), other, mustPath("a"), mustPath("b"))
	w.must(err)
	p := w.pending(m)
	by, err := review.Writers(t.Context(), w.store, p)
	w.must(err)
	var got []string
	for i, h := range p.Hunks() {
		s := string(h.Kind) + ":"
		for _, v := range by[i] {
			s += fmt.Sprintf(" %d %s", v.Number, v.Session)
		}
		got = append(got, s)
	}
	a, b := string(robot.Session), string(other.Session)
	if want := []string{"renamed: 8 " + b, "edited: 4 " + b + " 2 " + a, "edited: 3 " + a, "edited: 5 " + b, "edited: 6 " + a}; !slices.Equal(got, want) {
		t.Errorf("the hunks are by\n%q, want\n%q", got, want)
	}
}

// A memory is listed under who wrote what is left to decide of it, whoever changed it after that.
func TestWeighed_ListsAMemoryUnderWhoWroteWhatIsLeft(t *testing.T) {
	t.Parallel()
	w, m := newReviewed(t)
	other := robot
	other.Actor.Name, other.Session = "other", "sesn_other"
	w.write(robot, "a", strings.Replace(tenLines, "2\n", "two\n", 1))
	w.write(other, "a", strings.NewReplacer("2\n", "two\n", "8\n", "eight\n").Replace(tenLines))
	w.write(robot, "new", "1\n2\n")
	w.write(other, "new", "1\n2\n3\n")
	w.write(alice, "new", "1\n2\n")
	listed := func(only versions.SessionID) (out []string) {
		made, err := review.Unreviewed(t.Context(), w.store, alice.Actor, 100)
		w.must(err)
		acts, err := review.Weighed(t.Context(), w.store, alice.Actor, made, only)
		w.must(err)
		for _, a := range acts {
			for _, m := range a.Memories {
				out = append(out, a.Actor.Name+" "+m.Path().String()+" "+string(m.Last().Session))
			}
		}
		return out
	}
	a, b := "robot /%s "+string(robot.Session), "other /%s sesn_other"
	want := func(only versions.SessionID, want ...string) {
		t.Helper()
		if got := listed(only); !slices.Equal(got, want) {
			t.Errorf("listed is %q, want %q", got, want)
		}
	}
	want("", fmt.Sprintf(a, "new"), fmt.Sprintf(b, "a"))
	want("sesn_other", fmt.Sprintf(b, "a"))
	w.keeps(w.pending(m), 1)
	want("", fmt.Sprintf(a, "a"), fmt.Sprintf(a, "new"))
	want("sesn_other")
}

// What a person writes in place of all that an agent added is the person's own: it is not to be decided. What they leave of it is.
func TestHunks_ThatThePersonRewroteAreReviewed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ did, agent, person, want string }{
		{"corrects a line", "1\nReboot twice.\n3\n", "1\nReboot twice!\n3\n", ""},
		{"deletes a line", "1\nReboot twice.\n3\n", "1\n3\n", "-2"},
		{"corrects one of two", "1\nA\nB\n3\n", "1\nA\nB!\n3\n", "-2+A+B!"},
		{"writes beside what is gone", "1\n3\n", "1!\n3\n", "-1-2+1!"},
	} {
		w := newWorld(t)
		w.write(alice, "a", "1\n2\n3\n")
		w.must(second(review.MarkAllReviewed(t.Context(), w.store, w.lastNumber())))
		m := w.entry("a").Memory
		w.write(robot, "a", c.agent)
		w.write(alice, "a", c.person)
		if got := strings.Join(hunksOf(w.pending(m)), " "); got != c.want {
			t.Errorf("a person %s: to be decided is %q, want %q", c.did, got, c.want)
		}
	}
}

// A queue of any length is read in bounded time: of what is beyond that, only what is known without its text.
func TestWeigh_ReadsOnlySoManyMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("first", "text\n")
	w.sync()
	w.must(second(review.MarkAllReviewed(t.Context(), w.store, 1)))
	for i := range review.MaxWeighed + 2 {
		w.outside(fmt.Sprintf("m%03d", i), "a text\n")
	}
	w.sync()
	made, err := review.Unreviewed(t.Context(), w.store, alice.Actor, 2*review.MaxWeighed)
	w.must(err)
	made[len(made)-1].Inputs = versions.InputWeb
	facts, err := review.Weigh(t.Context(), w.store, alice.Actor, made)
	w.must(err)
	read := 0
	for _, f := range facts {
		if f.Hunks == 1 && f.Added == 1 {
			read++
		}
	}
	if last := facts[made[len(made)-1].Memory]; read != review.MaxWeighed || len(facts) != read+2 || last.Risk != review.FromAway || last.Hunks > 0 {
		t.Errorf("%d of %d memories were read; of the last one, %+v", read, len(facts), last)
	}
}
