package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

// changeRows is the table of changes as text, without what an undo notes in it.
func (w *world) changeRows() string {
	w.t.Helper()
	var b strings.Builder
	pool := w.trail.DB.W
	for _, row := range allRows(w, pool, `SELECT id,store,number,kind,path,dest,versions,actor,session,tool_use,turn,ts,wall FROM change ORDER BY id`) {
		fmt.Fprintln(&b, row...)
	}
	return b.String()
}

// An inference, a better one and one that turns out wrong are rows beside the change. What the
// trail recorded of the change stays.
func TestAnInferenceNeverRewritesAChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "mine.md", "1")
	w.outside("a.md", "text")
	w.sync()
	before := w.changeRows()
	at := time.Now()
	for i, step := range []struct {
		session, by string
		attributed  int
	}{{"S1", "S1/t0", 1}, {"S2", "outside", 2}} { // two sessions match equally well: the second row says nobody
		w.tell(wrote(step.session, fmt.Sprint("t", i), "a.md", "text", at))
		if by := w.by("a.md"); by != step.by {
			t.Errorf("after call %d it is by %s, want %s", i, by, step.by)
		}
		if n := len(allRows(w, w.trail.DB.W, `SELECT id FROM attribution`)); n != step.attributed {
			t.Errorf("after call %d there are %d attributions, want %d", i, n, step.attributed)
		}
	}
	if e := w.entry("a.md"); e.Actor != core.Outside.Actor {
		t.Errorf("the tree shows %s", e.Actor)
	}
	if es, err := vhistory.TreeAt(t.Context(), w.store, 2); err != nil || actorAt(es, "a.md") != core.Outside.Actor {
		t.Errorf("the tree at change 2: %+v, %v", es, err)
	}
	if after := w.changeRows(); after != before {
		t.Errorf("the changes were rewritten:\n%s\n%s", before, after)
	}
}

// Whoever asks by session, actor or call finds the changes that are attributed to them now, and no
// others.
func TestWhatIsAttributedIsFoundBySessionActorAndCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "S1", ToolUse: "seen"}
	w.write(by, "seen.md", "seen")
	w.outside("inferred.md", "inferred")
	w.sync() // one change each
	w.outside("nobody.md", "nobody")
	w.sync()
	at := time.Now()
	w.tell(wrote("S1", "inferred", "inferred.md", "inferred", at))
	w.tell(wrote("S1", "wrong", "nobody.md", "nobody", at))
	w.tell(wrote("S2", "wrong too", "nobody.md", "nobody", at))

	ctx := t.Context()
	seen, inferred := w.history("seen.md")[0].Change, w.history("inferred.md")[0].Change
	want := []int64{inferred, seen}
	cs, err := vhistory.Changes(ctx, w.store, versions.Filter{Session: "S1"}, 0, 10)
	must(w, err)
	if got := numbersOf(cs); !slices.Equal(got, want) {
		t.Errorf("changes of the session: %v, want %v", got, want)
	}
	if cs, err = vhistory.Changes(ctx, w.store, versions.Filter{Session: "S2"}, 0, 10); err != nil || len(cs) != 0 {
		t.Errorf("changes of a session whose only inference was reverted: %+v, %v", cs, err)
	}
	activity, _, err := vhistory.Activity(ctx, w.store, versions.ActivityFilter{Session: "S1", Actor: versions.Agent, Name: "claude-code", NoReads: true}, "", 10)
	if must(w, err); len(activity) != 2 || activity[0].Change.Number != inferred || activity[0].ToolUse != "inferred" || activity[1].Change.Number != seen {
		t.Errorf("activity: %+v", activity)
	}
	for name, f := range map[string]versions.VersionFilter{
		"of the session":                 {Session: "S1"},
		"by the actor":                   {Actor: by.Actor},
		"of the session and of a memory": {Session: "S1", Memory: w.entry("inferred.md").Memory},
	} {
		vs, _, err := vhistory.Versions(ctx, w.store, f, "", 10)
		must(w, err)
		if f.Memory == "" && len(vs) != 2 || len(vs) == 0 || vs[0].Change != inferred {
			t.Errorf("versions %s: %+v", name, vs)
		}
	}
	sessions, _, err := vhistory.Sessions(ctx, w.store, versions.SessionFilter{}, "", 10)
	must(w, err)
	for _, s := range sessions {
		if want := map[versions.SessionID]int{"S1": 2}[s.ID]; s.Changes != want || s.Versions != want {
			t.Errorf("session %s: %d changes with %d versions, want %d", s.ID, s.Changes, s.Versions, want)
		}
	}
	if n, err := vhistory.CountSessions(ctx, w.store); err != nil || n != 1 {
		t.Errorf("%d sessions did something, %v", n, err)
	}
	if n, err := vhistory.CallChanges(ctx, w.store, "inferred"); err != nil || !slices.Equal(n, []int64{inferred}) {
		t.Errorf("changes of the call: %v, %v", n, err)
	}
	if known, err := vhistory.IDs(ctx, w.trail, versions.CallIDs, "infer"); err != nil || len(known) != 1 || known[0].ID != "inferred" {
		t.Errorf("ids of calls: %+v, %v", known, err)
	}
	if calls := allRows(w, w.trail.DB.W, `SELECT count(*) FROM change WHERE tool_use='inferred'`); fmt.Sprint(calls) != "[[0]]" {
		t.Errorf("the change itself names the call: %v", calls)
	}

	p, err := plan.Make(ctx, w.store, plan.UndoSession("S1"))
	must(w, err)
	w.apply(p, nil)
	if got := w.file("seen.md") + w.file("inferred.md") + w.file("nobody.md"); got != "<none><none>nobody" {
		t.Errorf("after the undo of the session: %s", got)
	}
}

func actorAt(es []versions.Entry, path string) versions.Actor {
	for _, e := range es {
		if e.Path.Rel() == path {
			return e.Actor
		}
	}
	return versions.Actor{}
}

// An agent's own undo, the tree of the past and heads that are made again know what is attributed.
func TestTheActorOfAnInferredChangeIsTheAgentEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := versions.Actor{Kind: versions.Agent, Name: "claude-code"}
	w.write(alice, "mine.md", "1")
	w.write(versions.By{Actor: agent, Session: "S1", ToolUse: "seen"}, "seen.md", "1")
	w.outside("a.md", "text")
	w.sync()
	w.tell(wrote("S1", "t1", "a.md", "text", time.Now()))
	w.write(alice, "mine.md", "2")
	if v, seen := w.history("a.md")[0], w.history("seen.md")[0]; !v.Inferred || seen.Inferred || seen.Actor != agent {
		t.Errorf("%+v, %+v", v, seen)
	}
	if p, err := plan.Make(t.Context(), w.store, plan.UndoLast{By: agent}); err != nil || !slices.Equal(p.Changes, []int64{3}) {
		t.Errorf("the agent's last change: %+v, %v", p, err)
	}
	w.close()
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	if e := w.entry("a.md"); e.Actor != agent {
		t.Errorf("after a repair the tree shows %s", e.Actor)
	}
	w.write(alice, "a.md", "later")
	if es, err := vhistory.TreeAt(t.Context(), w.store, 3); err != nil || actorAt(es, "a.md") != agent {
		t.Errorf("the tree at change 3: %+v, %v", es, err)
	}
}

// What a folder held when its history began can't be undone, unless an agent's call explains it.
func TestAFirstScanCanBeUndoneWhereItIsAttributed(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	w.outside("a.md", "text")
	w.open()
	defer func() { w.check(); w.close() }()
	w.sync()
	undo := func() error {
		_, err := plan.Make(t.Context(), w.store, plan.UndoChange(1))
		return err
	}
	if err := undo(); !errors.Is(err, versions.ErrFound) {
		t.Errorf("of nobody: %v", err)
	}
	at := time.Now()
	w.tell(wrote("S1", "t1", "a.md", "text", at))
	if err := undo(); err != nil {
		t.Errorf("of an agent: %v", err)
	}
	w.tell(wrote("S2", "t2", "a.md", "text", at))
	if err := undo(); !errors.Is(err, versions.ErrFound) {
		t.Errorf("after the inference turned out wrong: %v", err)
	}
}

func numbersOf(cs []versions.Change) (out []int64) {
	for _, c := range cs {
		out = append(out, c.Number)
	}
	return out
}

func TestADeletedStoreLeavesNoAttribution(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "text")
	w.sync()
	w.tell(wrote("S1", "t1", "a.md", "text", time.Now()))
	other := w.second()
	must(w, w.store.Close())
	_, err := stores.Delete(t.Context(), w.trail, alice, w.store.Info().ID, versions.Scrub{})
	must(w, err)
	if n, err := db.Values[int64](db.On(t.Context(), w.trail.DB.W).Rows(`SELECT id FROM attribution`)); err != nil || len(n) != 0 {
		t.Errorf("attributions of the deleted store: %v, %v", n, err)
	}
	w.store = other
}
