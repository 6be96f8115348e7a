package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/write"
)

// naiveOrigins replays all versions of a memory from the first on and carries an
// owner along with each line: what Blame should say, in the most obvious way.
func naiveOrigins(t *testing.T, s *core.Store, m versions.MemoryID) map[versions.VersionID][]string {
	t.Helper()
	vs, err := vhistory.Of(t.Context(), s, m, 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(vs)
	contents, owners := make([][]byte, len(vs)), make([][]string, len(vs))
	out := map[versions.VersionID][]string{}
	for i, v := range vs {
		if v.Operation == versions.Deleted || !v.Redacted.IsZero() {
			continue
		}
		if contents[i], err = vhistory.Content(t.Context(), s, v.ID); err != nil {
			t.Fatal(err)
		}
		var brought, since int
		if err := s.Trail.DB.Row(t.Context(), `SELECT coalesce((SELECT o.number FROM version o WHERE o.id=v.source),0) FROM version v WHERE v.uid=?`, ids.Parse(ids.VersionPrefix, string(v.ID))).Scan(&brought); err != nil {
			t.Fatal(err)
		}
		since = v.Number
		prev := i - 1
		for prev >= 0 && owners[prev] == nil {
			if vs[prev].Operation != versions.Deleted {
				since = vs[prev].Number
			}
			prev--
		}
		parents := []int{brought - 1, prev}
		if prev >= 0 && vs[prev].SHA256 == v.SHA256 {
			parents = []int{prev}
		} else if brought > 0 && owners[brought-1] == nil {
			since = min(since, brought)
		}
		lines := strings.SplitAfter(string(contents[i]), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		mine := make([]string, len(lines))
		for _, p := range parents {
			if p < 0 || owners[p] == nil {
				continue
			}
			d := diff.Lines(contents[p], contents[i])
			for r := range d.Rows() {
				if l := d.Row(r); l.Kind == diff.Same && mine[l.New-1] == "" {
					mine[l.New-1] = owners[p][l.Old-1]
				}
			}
		}
		for k := range mine {
			if mine[k] == "" {
				mine[k] = fmt.Sprintf("v%d:%d since %d", v.Number, k+1, since)
			}
		}
		owners[i], out[v.ID] = mine, mine
	}
	return out
}

// blamed writes an answer of Blame line by line, as naiveOrigins does.
func blamed(t testing.TB, s *core.Store, id versions.VersionID) []string {
	t.Helper()
	b, err := vhistory.Blame(t.Context(), s, id)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, r := range b.Runs {
		if r.Start != len(out)+1 {
			t.Fatalf("run starts at line %d after %d lines", r.Start, len(out))
		}
		for k := range r.Lines {
			out = append(out, fmt.Sprintf("v%d:%d since %d", r.By.Number, r.At+k, r.Since))
		}
	}
	return out
}

func wantOrigins(t *testing.T, s *core.Store, m versions.MemoryID) {
	t.Helper()
	for id, want := range naiveOrigins(t, s, m) {
		if got := blamed(t, s, id); !slices.Equal(got, want) {
			t.Fatalf("blame of %s:\ngot  %q\nwant %q", id, got, want)
		}
	}
}

func TestBlame_SaysOfARecordedHistoryWhatAReplaySays(t *testing.T) {
	t.Parallel()
	ops := corpusOps(t)
	for _, path := range mostWritten(ops, 6) {
		w := newWorld(t)
		play(t, w.store, livesOf(ops, path))
		m, err := vhistory.MemoryAt(t.Context(), w.store, mustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		wantOrigins(t, w.store, m)
	}
}

// randomText edits a text of lines that often repeat.
func randomText(r *rand.Rand, lines []string) []string {
	lines = slices.Clone(lines)
	for range 1 + r.Intn(4) {
		at := r.Intn(len(lines) + 1)
		switch to := min(len(lines), at+r.Intn(4)); r.Intn(3) {
		case 0:
			lines = slices.Delete(lines, at, to)
		default:
			lines = slices.Insert(lines, at, fmt.Sprintf("line %d\n", r.Intn(30)))
		}
	}
	return lines
}

var blameRuns = flag.Int("blame.runs", 1, "random histories whose lines are blamed")

func TestBlame_SaysOfRandomHistoriesWhatAReplaySays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	for range *blameRuns {
		w := newWorld(t)
		lines := []string{"line 0\n", "line 1\n"}
		path := "a"
		w.write(alice, path, strings.Join(lines, ""))
		m := w.entry(path).Memory
		for range 40 {
			w.randomPast(r, m, &path, &lines)
		}
		wantOrigins(t, w.store, m)
		w.redactSome(r, m)
		wantOrigins(t, w.store, m)
		w.unredact()
	}
}

// randomPast adds a version to a memory: an edit, a rename, a restore, an undo.
func (w *world) randomPast(r *rand.Rand, m versions.MemoryID, path *string, lines *[]string) {
	w.t.Helper()
	switch r.Intn(8) {
	case 0:
		to := fmt.Sprintf("p%d", r.Int31())
		if _, err := w.store.Rename(w.t.Context(), robot, mustPath(*path), mustPath(to)); err != nil {
			w.t.Fatal(err)
		}
		*path = to
	case 1:
		vs, err := vhistory.Of(w.t.Context(), w.store, m, 0, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err = plan.Do(w.t.Context(), w.store, alice, plan.Restore(vs[r.Intn(len(vs))].ID)); err != nil && !errors.Is(err, versions.ErrNothing) {
			w.t.Fatal(err)
		}
	case 2: // a rename or an edit that later changes may stand in the way of
		last, err := w.store.LastChange(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		_, _ = plan.Do(w.t.Context(), w.store, alice, plan.UndoChange(2+r.Int63n(last)))
	default:
		*lines = randomText(r, *lines)
		w.write(robot, *path, strings.Join(*lines, ""))
	}
	vs, err := vhistory.Of(w.t.Context(), w.store, m, 0, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	*path = vs[0].Path.Rel()
	*lines = strings.SplitAfter(w.file(*path), "\n")
}

// redactSome makes versions look as a redaction leaves them; the newest stays.
func (w *world) redactSome(r *rand.Rand, m versions.MemoryID) {
	w.t.Helper()
	vs, err := vhistory.Of(w.t.Context(), w.store, m, 0, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`CREATE TABLE kept AS SELECT id,blob,path FROM version`)
	for _, v := range vs[1:] {
		if r.Intn(4) == 0 {
			w.exec(`UPDATE version SET redacted=1, blob=NULL, path=NULL WHERE uid=?`, ids.Parse(ids.VersionPrefix, string(v.ID)))
		}
	}
}

// unredact puts back what redactSome took, so that the trail is whole again.
func (w *world) unredact() {
	w.exec(`UPDATE version SET redacted=NULL, blob=(SELECT blob FROM kept WHERE id=version.id), path=(SELECT path FROM kept WHERE id=version.id)`)
	w.exec(`DROP TABLE kept`)
	w.relog()
}

func (w *world) exec(text string, args ...any) {
	w.t.Helper()
	defer w.alone()()
	must(w, core.UpdateLocked(w.t.Context(), w.trail, text, args...))
}

// wantBlame compares who wrote each line of what stands at a path.
func (w *world) wantBlame(p string, want ...string) {
	w.t.Helper()
	if got := blamed(w.t, w.store, w.entry(p).Version); !slices.Equal(got, want) {
		w.t.Errorf("blame of %s is %q, want %q", p, got, want)
	}
}

func TestBlame_NamesTheVersionActorSessionAndToolCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\ntwo\n")
	w.write(robot, "a.md", "one\nnew\ntwo\n")
	b, err := vhistory.Blame(t.Context(), w.store, w.entry("a.md").Version)
	if err != nil {
		t.Fatal(err)
	}
	if string(b.Content) != "one\nnew\ntwo\n" || len(b.Runs) != 3 {
		t.Fatalf("blame is %+v", b)
	}
	by := b.Runs[1].By
	if by.Actor != robot.Actor || by.Session != robot.Session || by.ToolUse != robot.ToolUse || by.Turn != 3 || by.Time.IsZero() {
		t.Errorf("the new line is by %+v", by)
	}
	if b.Runs[0].By != b.Runs[2].By || b.Runs[2].By.Actor != alice.Actor {
		t.Errorf("the old lines are by %+v and %+v", b.Runs[0].By, b.Runs[2].By)
	}
}

func TestBlame_FollowsRenames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	if _, err := w.store.Rename(t.Context(), robot, mustPath("a.md"), mustPath("d/b.md")); err != nil {
		t.Fatal(err)
	}
	w.write(robot, "d/b.md", "one\ntwo\n")
	w.wantBlame("d/b.md", "v1:1 since 1", "v3:2 since 3")
}

func TestBlame_GivesRestoredLinesToWhoeverWroteThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\ntwo\n")
	first := w.entry("a.md").Version
	w.write(robot, "a.md", "spoilt\n")
	if _, err := plan.Do(t.Context(), w.store, robot, plan.Restore(first)); err != nil {
		t.Fatal(err)
	}
	w.wantBlame("a.md", "v1:1 since 1", "v1:2 since 1")
	c, err := w.store.Delete(t.Context(), robot, mustPath("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), w.store, robot, plan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantBlame("a.md", "v1:1 since 1", "v1:2 since 1")
	if _, err := vhistory.Blame(t.Context(), w.store, w.versionAt("a.md", 4)); !errors.Is(err, versions.ErrDeletion) {
		t.Errorf("blame of a deletion: %v", err)
	}
}

func (w *world) versionAt(p string, n int) versions.VersionID {
	w.t.Helper()
	v, err := w.store.VersionAt(w.t.Context(), mustPath(p), n)
	if err != nil {
		w.t.Fatal(err)
	}
	return v.ID
}

func TestBlame_GivesLinesThatWereWrittenAgainToTheNewWriter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\ntwo\n")
	w.write(robot, "a.md", "one\n")
	w.write(robot, "a.md", "one\ntwo\n")
	w.wantBlame("a.md", "v1:1 since 1", "v3:2 since 3")
}

func TestBlame_SaysThatARedactedVersionMayHaveWrittenALine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	w.write(robot, "a.md", "one\nsecret\n")
	w.write(robot, "a.md", "one\nsecret\nthree\n")
	w.write(alice, "a.md", "one\n2\nthree\n")
	w.exec(`CREATE TABLE kept AS SELECT id,blob,path FROM version`)
	w.exec(`UPDATE version SET redacted=1, blob=NULL, path=NULL WHERE number IN (2,3)`)
	w.wantBlame("a.md", "v1:1 since 1", "v4:2 since 2", "v4:3 since 2")
	if _, err := vhistory.Blame(t.Context(), w.store, w.versionAt("a.md", 3)); !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("blame of a redacted version: %v", err)
	}
	w.unredact()
}

func TestBlame_TakesBytesAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "bin", "a\x00\xff\nb\r\nno end")
	w.write(robot, "bin", "a\x00\xff\nb\nno end\n")
	w.wantBlame("bin", "v1:1 since 1", "v2:2 since 2", "v2:3 since 2")
	w.write(robot, "empty", "")
	w.wantBlame("empty")
}

func TestBlame_AdmitsThatTextsWereTooLargeToCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x\n", diff.MaxLines)
	w.write(alice, "a", "first\n"+long+"last\n")
	w.write(robot, "a", "first\nnew\n"+long+"new\nlast\n")
	b, err := vhistory.Blame(t.Context(), w.store, w.entry("a").Version)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.Runs); n != 3 || b.Runs[0].Coarse || !b.Runs[1].Coarse || b.Runs[2].Coarse || b.Runs[1].By.Number != 2 {
		t.Errorf("blame has %d runs: %+v", n, b.Runs)
	}
}

func BenchmarkBlame_MemoryWith147Versions(b *testing.B) {
	ops := corpusOps(b)
	w := benchStore(b)
	play(b, w, livesOf(ops, "/memory-index.md"))
	v, err := w.VersionAt(b.Context(), mustPath("/memory-index.md"), 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		blame, err := vhistory.Blame(b.Context(), w, v.ID)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(v.Number), "versions")
		b.ReportMetric(float64(len(blame.Runs)), "runs")
	}
}

// A merge writes only the lines that neither side had. The others stay with who wrote them in either memory, in two
// stores or one, also after the merge was undone and redone.
func TestBlame_OfAMergeGoesOnInBothMemories(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, stores := range []string{"two stores", "one store"} {
		t.Run(stores, func(t *testing.T) {
			t.Parallel()
			w, other := newTwo(t)
			if stores == "one store" {
				other = w.store
			}
			writeText(t, w.store, alice, "a", "one\n")
			writeText(t, w.store, versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "bob"}}, "a", "one\ntwo\n")
			writeText(t, other, alice, "b", "one\n")
			writeText(t, other, robot, "b", "one\nthree\n")
			three, err := other.VersionAt(ctx, mustPath("b"), 0)
			w.must(err)
			kept, _, err := write.MergeInto(ctx, w.trail, alice, mergingOf(t, w.store, "a"), mergingOf(t, other, "b"), []byte("one\ntwo\nthree\nfour\n"))
			w.must(err)
			blamed := func(when string) {
				t.Helper()
				v, err := w.store.VersionAt(ctx, mustPath("a"), 0)
				w.must(err)
				b, err := vhistory.Blame(ctx, w.store, v.ID)
				w.must(err)
				var got []string
				for _, r := range b.Runs {
					got = append(got, fmt.Sprintf("%d %s@%d %s %s", r.Start, r.By.Path, r.By.Number, r.By.Actor.Name, r.Store))
				}
				want := []string{"1 /a@1 " + alice.Actor.Name + " ", "2 /a@2 bob ", "3 /b@2 " + robot.Actor.Name + " " + other.Info().Name, "4 /a@3 " + alice.Actor.Name + " "}
				if !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", when, got, want)
				}
				if len(b.Runs) == 4 && b.Runs[2].By.ID != three.ID {
					t.Errorf("%s: the third line is of %s", when, b.Runs[2].By.ID)
				}
			}
			blamed("merged")
			_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(kept.Number))
			w.must(err)
			_, err = plan.Do(ctx, w.store, alice, plan.RedoChange(kept.Number))
			w.must(err)
			blamed("redone")
		})
	}
}

// Git stashes an agent's edit and brings it back, with a look in between.
func TestBlame_KeepsTheWritersOfAContentThatAnotherProgramBringsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := "one\ntwo\nthree\n"
	w.outside("a.md", first)
	w.sync()
	edited := "one\nTWO\nthree\n"
	w.write(alice, "a.md", edited)
	by := w.history("a.md")[0].ID
	w.outside("a.md", first) // git stash
	w.sync()
	w.outside("a.md", edited) // git stash pop
	w.sync()
	wrote := func(line int) versions.VersionID {
		t.Helper()
		b, err := vhistory.Blame(t.Context(), w.store, w.history("a.md")[0].ID)
		must(w, err)
		for _, r := range b.Runs {
			if r.Start <= line && line < r.Start+r.Lines {
				return r.By.ID
			}
		}
		return ""
	}
	if got := wrote(2); got != by {
		t.Errorf("line 2 is from %s, want the edit %s", got, by)
	}
	must(w, os.Remove(w.host("a.md"))) // a branch without it
	w.sync()
	w.outside("a.md", first) // one with its older content
	w.sync()
	w.outside("a.md", edited+"four\n")
	w.sync()
	w.outside("a.md", edited)
	w.sync()
	if got := wrote(2); got != by {
		t.Errorf("after the branches line 2 is from %s, want the edit %s", got, by)
	}
}
