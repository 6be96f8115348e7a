package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/watch"
)

// wrote is a call of a session that wrote a file at a time, and told what it holds.
func wrote(session, tool, p, content string, ended time.Time) versions.Evidence {
	e := versions.Evidence{Op: versions.CallWrote, Path: mustPath(p), Ended: ended,
		By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: versions.SessionID(session), ToolUse: tool}}
	if content != "" {
		e.SHA256 = versions.Sum([]byte(content))
	}
	return e
}

func (w *world) tell(calls ...versions.Evidence) {
	w.t.Helper()
	if err := w.store.Report(w.t.Context(), calls...); err != nil {
		w.t.Fatal(err)
	}
}

// by tells who made the newest version at p: session/tool call, "outside" for nobody.
func (w *world) by(p string) string {
	w.t.Helper()
	return writerName(w.history(p)[0])
}

func writerName(v versions.Version) string {
	if v.Inferred != (v.Session != "") {
		return "inferred without a session, or a session that is not inferred"
	}
	if !v.Inferred {
		return v.Actor.String()
	}
	return string(v.Session) + "/" + v.ToolUse
}

func TestCallToldOfBeforeTheFileIsFound_ExplainsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("other.md", "before")
	w.sync()
	w.outside("a.md", "agent's")
	w.outside("b.md", "nobody's")
	w.outside("other.md", "nobody's either")
	now := time.Now()
	x, err := core.Begin(t.Context(), w.store) // as Report does, without its look at the file
	if err != nil {
		t.Fatal(err)
	}
	if x.InsertEvidence(wrote("S", "t1", "a.md", "agent's", now)); x.Err() != nil {
		t.Fatal(err)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	w.sync()
	if a, b, c := w.by("a.md"), w.by("b.md"), w.by("other.md"); a != "S/t1" || b != "outside" || c != "outside" {
		t.Errorf("a.md by %s, b.md by %s, other.md by %s", a, b, c)
	}
	changes, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 10)
	if err != nil || len(changes) != 3 {
		t.Fatalf("%d changes, %v: one for the call, one for the rest", len(changes), err)
	}
}

func TestTellAdoptsWhatTheCallLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "one")
	w.tell(wrote("S", "t1", "a.md", "one", time.Now()))
	if by := w.by("a.md"); by != "S/t1" {
		t.Errorf("by %s", by)
	}
	e, err := vhistory.Tree(t.Context(), w.store)
	if err != nil || len(e) != 1 || e[0].Actor.Name != "claude-code" {
		t.Errorf("the tree says %+v, %v", e, err)
	}
}

func TestCallToldOfLater_ExplainsWhatWasAdopted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		ended   time.Duration // after the write
		began   time.Duration // before its end
		want    string
	}{
		"the content agrees":                 {content: "new", want: "S/t1"},
		"nothing is known of the content":    {want: "S/t1"},
		"told of late, within the window":    {content: "new", ended: 1500 * time.Millisecond, want: "S/t1"},
		"another content":                    {content: "other", want: "outside"},
		"it ended before the file was there": {content: "new", ended: -200 * time.Millisecond, want: "outside"},
		"it ended long after":                {content: "new", ended: 3 * time.Second, want: "outside"},
		"it began after the file was there":  {content: "new", ended: time.Second, began: 800 * time.Millisecond, want: "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			at := time.Now()
			w.outside("a.md", "new")
			w.sync()
			e := wrote("S", "t1", "a.md", c.content, at.Add(c.ended))
			if c.began != 0 {
				e.Began = e.Ended.Add(-c.began)
			}
			w.tell(e)
			if by := w.by("a.md"); by != c.want {
				t.Errorf("by %s, want %s", by, c.want)
			}
			es, err := vhistory.Tree(t.Context(), w.store)
			if err != nil || (es[0].Actor.Kind == versions.Agent) != (c.want != "outside") {
				t.Errorf("the tree says %s, %v", es[0].Actor, err)
			}
		})
	}
}

func TestWhatFitsTwoSessionsAlike_StaysOutside(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "new"} {
		w := newWorld(t)
		w.outside("a.md", "new")
		w.sync()
		now := time.Now()
		w.tell(wrote("S", "t1", "a.md", content, now))
		if by := w.by("a.md"); by != "S/t1" {
			t.Fatalf("by %s", by)
		}
		w.tell(wrote("T", "t2", "a.md", content, now))
		if by := w.by("a.md"); by != "outside" {
			t.Errorf("content %q: by %s, and another session's call fits as well", content, by)
		}
	}
}

func TestACallWhoseContentAgrees_BeatsOneThatSaysNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "new")
	w.sync()
	now := time.Now()
	w.tell(wrote("S", "t1", "a.md", "", now))
	w.tell(wrote("T", "t2", "a.md", "new", now))
	if by := w.by("a.md"); by != "T/t2" {
		t.Errorf("by %s", by)
	}
}

func TestABatchOfOneSessionsFiles_IsTheirsWhenAllAreExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	w.outside("b.md", "b")
	w.sync()
	now := time.Now()
	w.tell(wrote("S", "t1", "a.md", "a", now))
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("by %s, and nobody spoke of b.md", by)
	}
	w.tell(wrote("S", "t2", "b.md", "b", now))
	if a, b := w.by("a.md"), w.by("b.md"); a != "S/" || b != "S/" {
		t.Errorf("a.md by %s, b.md by %s", a, b)
	}
}

func TestOneCallExplainsOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "agent's")
	w.tell(wrote("S", "t1", "a.md", "", time.Now()))
	w.outside("a.md", "somebody's, at once")
	w.sync()
	vs := w.history("a.md")
	if writerName(vs[0]) != "outside" || writerName(vs[1]) != "S/t1" {
		t.Errorf("%s, then %s", writerName(vs[1]), writerName(vs[0]))
	}
}

// Somebody put back what an agent had written: which of the two it was can't be told
// from a call that is told of after both.
func TestACallThatFitsTwoChanges_ExplainsNeither(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"agent's", "somebody's", "agent's"} {
		w.outside("a.md", text)
		w.sync()
	}
	w.tell(wrote("S", "t1", "a.md", "agent's", time.Now()))
	for _, v := range w.history("a.md") {
		if by := writerName(v); by != "outside" {
			t.Errorf("version %d is by %s", v.Number, by)
		}
	}
}

func TestABeginningToldOf_IsNotTheAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a person's, not seen yet")
	e := wrote("S", "t1", "a.md", "", time.Time{})
	w.tell(e)
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("what stood there before is by %s", by)
	}
	w.outside("a.md", "agent's")
	e.Ended = time.Now()
	w.tell(e)
	if by := w.by("a.md"); by != "S/t1" {
		t.Errorf("what it wrote is by %s", by)
	}
}

// What was found a moment before a call began is not what it left: it may have failed to
// write, or have found it so already.
func TestABeginningToldOf_BoundsWhatTheCallWrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a person's")
	w.sync()
	time.Sleep(2 * evidence.UsualNearness.Slack)
	e := wrote("S", "t1", "a.md", "", time.Time{})
	w.tell(e)
	e.Ended = time.Now()
	w.tell(e)
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("by %s, and it was there before the call began", by)
	}
}

func TestAFailedCallIsNoEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := wrote("S", "t1", "a.md", "", time.Time{})
	w.tell(e)
	e.Ended, e.Failed = time.Now(), true
	w.tell(e)
	w.outside("a.md", "a person's")
	w.sync()
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("by %s", by)
	}
	var n int
	if err := w.trail.DB.Row(t.Context(), `SELECT count(*) FROM evidence`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d calls are kept, %v", n, err)
	}
}

func TestDeletionsAndMovesAreExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("d/a.md", "a")
	w.outside("d/b.md", "b")
	w.outside("c.md", "c")
	w.sync()
	must(w, os.Rename(filepath.Join(w.folder, "d"), filepath.Join(w.folder, "e")))
	move := wrote("S", "t1", "e", "", time.Now())
	move.Op, move.From = versions.CallMoved, mustPath("d")
	w.tell(move)
	if a, b := w.by("e/a.md"), w.by("e/b.md"); a != "S/t1" || b != "S/t1" {
		t.Errorf("moved by %s, %s", a, b)
	}
	must(w, os.RemoveAll(filepath.Join(w.folder, "e")))
	w.sync()
	gone := wrote("S", "t2", "e", "", time.Now())
	gone.Op = versions.CallDeleted
	w.tell(gone)
	if a, b := w.by("e/a.md"), w.by("e/b.md"); a != "S/t2" || b != "S/t2" {
		t.Errorf("deleted by %s, %s", a, b)
	}
}

func TestAReadToldOfIsInTheLedgerOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	w.sync()
	e := wrote("S", "t1", "a.md", "", time.Now())
	e.Op = versions.CallRead
	w.tell(e)
	w.tell(e) // by the hook, and by the transcript
	list, _, err := vhistory.Activity(t.Context(), w.store, versions.ActivityFilter{NoWrites: true}, "", 10)
	if err != nil || len(list) != 1 || list[0].Session != "S" || list[0].ToolUse != "t1" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestUndoOfASessionTakesBackWhatWasConcludedToBeIts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "one\n")
	w.sync()
	w.outside("a.md", "two\n")
	w.tell(wrote("S", "t1", "a.md", "two\n", time.Now()))
	w.outside("b.md", "made\n")
	w.sync()
	w.tell(wrote("S", "t2", "b.md", "made\n", time.Now()))
	p, err := plan.Make(t.Context(), w.store, plan.UndoSession("S"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Apply(t.Context(), w.store, alice, p, nil); err != nil {
		t.Fatal(err)
	}
	if a, b := w.file("a.md"), w.file("b.md"); a != "one\n" || b != "<none>" {
		t.Errorf("a.md holds %q, b.md %q", a, b)
	}
}

func TestRedactionErasesEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := strings.Repeat("the name of a secret project ", 3)
	w.outside("fine.md", "nothing\n")
	w.sync()
	w.outside("tells.md", secret)
	w.tell(wrote("S", "t1", "tells.md", secret, time.Now()), wrote("S", "t2", secret+".md", secret, time.Now()))
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte(secret)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadDelete, Scrub: versions.Scrub{Wait: time.Second}})
	if err != nil || r.Outcome != versions.OutcomeGone {
		t.Errorf("%s: %+v, %v", r.Outcome, r.Found, err)
	}
	var n int
	if err := w.trail.DB.Row(t.Context(), `SELECT count(*) FROM evidence`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d calls are left, %v", n, err)
	}
}

func TestEvidenceToldWhileARedactionIsProved_IsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := strings.Repeat("the name of a secret project ", 3)
	w.outside("tells.md", secret)
	w.sync()
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte(secret)})
	if err != nil {
		t.Fatal(err)
	}
	told := false
	r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadDelete, Scrub: versions.Scrub{Wait: time.Second, Progress: func(int64, int64) {
		if !told {
			told = true
			w.tell(wrote("S", "t2", secret+".md", "other", time.Now()))
		}
	}}})
	if err != nil || !told || r.Outcome != versions.OutcomeStillIn {
		t.Fatalf("%s, %v, told: %v", r.Outcome, err, told)
	}
}

// A session that is known only by what it did later began with what is now concluded to
// be its.
func TestASessionBeginsWithTheFirstThatIsConcludedToBeIts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := time.Now()
	w.outside("a.md", "a")
	w.sync()
	time.Sleep(2 * time.Millisecond)
	w.outside("b.md", "b")
	w.sync()
	w.tell(wrote("S", "t2", "b.md", "b", time.Now()))
	w.tell(wrote("S", "t1", "a.md", "a", first.Add(time.Second)))
	change, _, err := vhistory.Change(t.Context(), w.store, 1)
	if err != nil || w.by("a.md") != "S/t1" || w.by("b.md") != "S/t2" {
		t.Fatalf("a.md by %s, b.md by %s, %v", w.by("a.md"), w.by("b.md"), err)
	}
	all, _, err := vhistory.HomeSessions(t.Context(), w.trail, versions.SessionFilter{}, "", 10)
	if err != nil || len(all) != 1 || !all[0].Started.Equal(change.Time) {
		t.Errorf("it began %v, and its first change was %v: %v", all, change.Time, err)
	}
}

func TestWhoWatchesIsToldOfAConclusion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	w.sync()
	events, err := watch.Watch(t.Context(), w.store)
	if err != nil {
		t.Fatal(err)
	}
	w.tell(wrote("S", "t1", "a.md", "a", time.Now()))
	e := next(t, events, "the conclusion", func(e versions.Event) bool { return len(e.Attributed) > 0 })
	if c := e.Attributed[0]; c.Number != 1 || c.Session != "S" || !c.Inferred {
		t.Errorf("%+v", c)
	}
	w.outside(".b", "b") // it comes whole, and is told of before anything is concluded
	must(w, os.Rename(filepath.Join(w.folder, ".b"), filepath.Join(w.folder, "b.md")))
	next(t, events, "the change", func(e versions.Event) bool { return len(e.Changes) > 0 })
	w.tell(wrote("T", "t2", "b.md", "b", time.Now()))
	e = next(t, events, "the next conclusion", func(e versions.Event) bool { return len(e.Attributed) > 0 })
	if c := e.Attributed[0]; len(e.Attributed) != 1 || c.Number != 2 || c.Session != "T" {
		t.Errorf("%+v", e.Attributed)
	}
}

// Who follows a store as agent does is told of each conclusion, however many come at once; who watches it, to read again.
func TestManyConclusionsAreToldWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 600
	for i := range many {
		w.write(robot, fmt.Sprintf("%d.md", i), "a")
	}
	events, err := watch.Watch(t.Context(), w.store)
	must(w, err)
	last, err := w.store.LastChange(t.Context())
	must(w, err)
	_, before, err := watch.Attributed(t.Context(), w.store, -1, 0)
	must(w, err)
	exec := func(text string) {
		t.Helper()
		must(w, core.Locked(t.Context(), w.store, func(x *core.Txn) error { x.Exec(text); return x.Err() }))
	}
	exec(`INSERT INTO attribution(change,actor,ts) SELECT id,actor,ts FROM change`)
	defer exec(`DELETE FROM attribution`) // their makers are known
	known, _, err := watch.Attributed(t.Context(), w.store, before, last)
	if err != nil || len(known) != int(last) || last < many {
		t.Errorf("%d of %d changes, %v", len(known), last, err)
	}
	next(t, events, "that all is to be read again", func(e versions.Event) bool { return e.Reload && len(e.Attributed) == 0 })
}

func TestADeletedStoreTakesItsEvidenceAlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	e := wrote("S", "t1", "a.md", "a", time.Now())
	must(w, other.Report(t.Context(), e))
	must(w, other.Close())
	if _, err := stores.Delete(t.Context(), w.trail, alice, other.Info().ID, versions.Scrub{}); err != nil {
		t.Fatal(err)
	}
}

// Evidence is no history: when the disk damages it, nothing else is lost.
func TestARepairLosesNothingForDamagedEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	w.tell(wrote("S", "t1", "a.md", "a", time.Now()))
	w.close()
	w.harm(`PRAGMA foreign_keys=OFF; UPDATE evidence SET ended='x', store=999`)
	done, err := check.Repair(t.Context(), w.home, versions.Options{})
	if err != nil || !done.Rebuilt || done.Lost {
		t.Errorf("%+v, %v", done, err)
	}
	w.open()
	if by := w.by("a.md"); by != "S/t1" {
		t.Errorf("by %s", by)
	}
}

func TestCheckSeesEvidenceAndConclusionsThatCanNotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "p.md", "p")
	w.outside("a.md", "a")
	w.tell(wrote("S", "t1", "a.md", "a", time.Now()))
	w.write(robot, "r.md", "r")
	const adopted = `(SELECT id FROM change WHERE kind='adopt')`
	for wrong, c := range map[string]struct{ mend, says string }{
		`UPDATE evidence SET change=77`:                                                              {`UPDATE evidence SET change=` + adopted, "the change that it explains is missing"},
		`UPDATE evidence SET change=(SELECT min(id) FROM change WHERE kind='create')`:                {`UPDATE evidence SET change=` + adopted, "the change that it explains is missing"},
		`UPDATE attribution SET change=(SELECT id FROM change WHERE number=3)`:                       {`UPDATE attribution SET change=` + adopted, "change 3: attributed by inference"},
		`UPDATE attribution SET actor=(SELECT id FROM actor WHERE name='alice')`:                     {`UPDATE attribution SET actor=(SELECT id FROM actor WHERE name='claude-code')`, "attributed by inference"},
		`UPDATE change SET actor=(SELECT id FROM actor WHERE name='claude-code') WHERE kind='adopt'`: {`UPDATE change SET actor=(SELECT id FROM actor WHERE kind='outside') WHERE kind='adopt'`, "attributed by inference"},
		`PRAGMA foreign_keys=OFF; UPDATE attribution SET change=77`:                                  {`UPDATE attribution SET change=` + adopted, "its change is missing"},
	} {
		w.harm(wrong)
		problems, err := check.Store(t.Context(), w.store)
		if err != nil || len(problems) > 2 || !strings.Contains(fmt.Sprint(problems), c.says) {
			t.Errorf("%s: %q, %v", wrong, problems, err)
		}
		w.harm(c.mend)
	}
}

func TestAConclusionIsInAnExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	w.tell(wrote("S", "t1", "a.md", "a", time.Now()))
	var items []versions.Item
	must(w, exchange.Export(t.Context(), w.store, func(it versions.Item) error { items = append(items, it); return nil }))
	for _, it := range items {
		if it.Record != nil && (!it.Record.Inferred || it.Record.By.ToolUse != "t1") {
			t.Errorf("%+v", it.Record)
		}
	}
	other := w.second()
	if _, err := exchange.Import(t.Context(), other, alice, func(yield func(versions.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if c, _, err := vhistory.Change(t.Context(), other, 1); err != nil || !c.Inferred || c.Session != "S" {
		t.Errorf("%+v, %v", c, err)
	}
	must(w, other.Close())
}
