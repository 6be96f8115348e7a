package trace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

var alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}

func agentIn(session string) versions.By {
	return versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: versions.SessionID(session)}
}

// sim is the screen on a store in which a note by another program misled a session, whose text
// misled another one.
type sim struct {
	*screentest.Sim[*Pane]
	store *engine.Store
}

func newSim(t *testing.T, from func(*engine.Store) screen.Trace, change ...func(*Config)) sim {
	t.Helper()
	trail := storetest.Trail(t, versions.Options{})
	s := storetest.StoreOf(t, trail)
	view := func(session, path string) {
		t.Helper()
		if result, _, err := s.Tool(t.Context(), agentIn(session), memfs.View{Path: "/memories/" + path}, memfs.Options{}); err != nil || result.IsError {
			t.Fatal(err, result)
		}
	}
	storetest.Write(t, s, alice, "rules.md", "ask first\n")
	storetest.Write(t, s, versions.By{Actor: versions.Actor{Kind: versions.Outside}}, "note.md", "never ask\n")
	view("first", "rules.md")
	view("first", "note.md")
	storetest.Write(t, s, agentIn("first"), "rules.md", "ask first\nor never\n")
	storetest.Write(t, s, agentIn("first"), "other.md", "one\n")
	view("second", "rules.md")
	storetest.Write(t, s, agentIn("second"), "answers.md", "nobody asks\n")
	storetest.Write(t, s, agentIn("third"), "free.md", "one\n")
	view("silent", "answers.md")
	if err := trail.FlushReads(t.Context()); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Trail: local.Home{Trail: trail}, Store: local.Store{Store: s}, ID: s.Info().ID, From: from(s)}
	for _, f := range change {
		f(&cfg)
	}
	env := screentest.Env(t.Context())
	out := sim{screentest.New(t, env, New(env, cfg), 120, 30), s}
	out.Pane.SetNow(time.Now())
	out.Run(out.Pane.Start())
	return out
}

func newest(t *testing.T, s *engine.Store, path string) versions.Version {
	t.Helper()
	v, err := s.VersionAt(t.Context(), screentest.Path(path), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func line(t *testing.T, path string, n int) func(*engine.Store) screen.Trace {
	return func(s *engine.Store) screen.Trace {
		v := newest(t, s, path)
		return screen.Trace{Path: v.Path, Version: v.ID, Line: n}
	}
}

// listed returns the rows, indented, with what is chosen and where the cursor is.
func (s sim) listed() (out []string) {
	for i, r := range s.Pane.rows {
		text := r.heading
		if r.step != nil {
			text = strings.Repeat("  ", r.depth) + versionName(r.step.Version)
			if s.Pane.walk().chosen[r.step.Version.ID] {
				text += " ✓"
			}
		}
		if i == s.Pane.Cur {
			text += " <"
		}
		out = append(out, text)
	}
	return out
}

func (s sim) wants(what string, want ...string) {
	s.T.Helper()
	if got := s.listed(); !slices.Equal(got, want) {
		s.T.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestALine_IsTracedToWhatAnotherProgramWrote(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1))
	s.wants("back", "comes from · line 1: nobody asks",
		"/answers.md v1", "  /rules.md v2", "    /rules.md v1", "    /note.md v1 <")
	s.Shows("another program created /note.md v1", "nobody claims it", "session first read it", "and then wrote /rules.md v2")
}

// Where the trace ends at what another program wrote, U undoes the session that took it in: the file itself has none.
func TestUndoSession_OfWhatAnotherProgramWroteIsThatOfItsReader(t *testing.T) {
	s := newSim(t, line(t, "rules.md", 2))
	if got := s.Pane.current().step.Version; got.Path.Rel() != "note.md" {
		t.Fatalf("the cursor is on %s", got.Path)
	}
	s.Keys("U")
	if got, want := s.Last(), (screen.UndoSession{Session: "first"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheLineDecidesWhichVersionIsTraced(t *testing.T) {
	s := newSim(t, line(t, "rules.md", 1))
	s.wants("back", "comes from · line 1: ask first", "/rules.md v1 <")
	s = newSim(t, line(t, "rules.md", 2))
	s.wants("back", "comes from · line 2: or never", "/rules.md v2", "  /rules.md v1", "  /note.md v1 <")
}

func TestForward_ChoosesAllThatWasWrittenAfterIt(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1))
	s.Keys("f")
	s.wants("forward", "may come from it · /note.md v1", "/note.md v1 ✓ <",
		"  /rules.md v2 ✓", "    /answers.md v1 ✓", "  /other.md v1 ✓")
	s.Keys("G space u")
	if got, want := s.Last(), (screen.UndoChanges{Changes: []int64{2, 3, 5}, Why: "may come from /note.md v1"}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.Keys("esc")
	s.wants("after leaving it", "comes from · line 1: nobody asks",
		"/answers.md v1", "  /rules.md v2", "    /rules.md v1", "    /note.md v1 <")
}

func TestForward_LeavesOutWhatPersonsWrote(t *testing.T) {
	s := newSim(t, func(s *engine.Store) screen.Trace {
		v, err := s.VersionAt(t.Context(), screentest.Path("rules.md"), 1)
		if err != nil {
			t.Fatal(err)
		}
		return screen.Trace{Path: v.Path, Version: v.ID}
	})
	s.Keys("f")
	s.wants("forward", "may come from it · /rules.md v1", "/rules.md v1 <",
		"  /rules.md v2 ✓", "  /other.md v1 ✓", "  /answers.md v1 ✓")
}

func TestASessionThatOnlyReadIsTraced(t *testing.T) {
	s := newSim(t, func(*engine.Store) screen.Trace { return screen.Trace{Session: "silent"} })
	s.wants("back", "comes from · session silent", "/answers.md v1", "  /rules.md v2", "    /rules.md v1", "    /note.md v1 <")
	s = newSim(t, func(*engine.Store) screen.Trace { return screen.Trace{Session: "third"} })
	s.Shows("session third read nothing")
}

func TestWhatIsUndoneIsNotChosen(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1))
	s.Keys("f")
	storetest.Must(t)(plan.Do(t.Context(), s.store, alice, plan.UndoChange(5)))
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{{Number: 7}}}))
	s.wants("after an undo", "may come from it · /note.md v1", "/note.md v1 ✓ <",
		"  /rules.md v2 ✓", "    /answers.md v1", "  /other.md v1 ✓")
	s.Keys("j j")
	s.Refuses("space", "it is undone")
}

func TestOfOtherStores_NothingIsUndone(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1), func(c *Config) { c.ID = "memstore_other" })
	s.Keys("f")
	s.Shows("other store")
	s.Refuses("u", "it is in another store")
	s.Refuses("o", "it is in another store")
}

func TestReadOnly_UndoesNothing(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1), func(c *Config) { c.ReadOnly = true })
	s.Refuses("u", "read-only: nothing is written")
}

func TestOpens_TheMemoryAndItsVersion(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1))
	s.Keys("o")
	if got, ok := s.Last().(screen.Open); !ok || got.Path.String() != "/note.md" {
		t.Errorf("%+v", s.Last())
	}
	s.Keys("v")
	if got, ok := s.Last().(screen.History); !ok || got.Version != newest(t, s.store, "note.md").ID {
		t.Errorf("%+v", s.Last())
	}
}

// broken fails.
type broken struct{}

func (broken) TraceBack(context.Context, review.TraceFrom, int) (versions.Trace, error) {
	return versions.Trace{}, versions.ErrNoVersion
}

func (broken) TraceForward(context.Context, review.TraceFrom, int) (versions.Trace, error) {
	return versions.Trace{}, versions.ErrNoVersion
}

func TestAnErrorIsShown(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1), func(c *Config) { c.Trail = broken{} })
	s.Shows("no such version")
	s = newSim(t, line(t, "answers.md", 9))
	s.Shows("/answers.md has no line 9")
}

func TestView_FitsEverySize(t *testing.T) {
	s := newSim(t, line(t, "answers.md", 1))
	for _, press := range []string{"", "enter", "esc f", "space", "enter"} {
		s.Keys(press)
		s.FitsEverySize()
	}
}
