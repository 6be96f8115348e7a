package similar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/screentest"
	"github.com/memend/memend/versions"
)

var alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}

const rule = "# Rules\n\nNever deploy on Friday. Ask the owner of the service first,\nand wait for the answer before you go on.\n"

// sim is the screen on the store "notes", beside a store "team".
type sim struct {
	*screentest.Sim[*Pane]
	trail      *versions.Trail
	here, team *versions.Store
	shown      screen.Pane // opened in front of it
	err        error       // of the last act
	did        string
}

func newSim(t *testing.T, change ...func(*Config)) *sim {
	t.Helper()
	s := &sim{trail: screentest.Trail(t, versions.Options{})}
	s.here, s.team = screentest.StoreNamed(t, s.trail, "notes"), screentest.StoreNamed(t, s.trail, "team")
	screentest.Write(t, s.here, alice, "deploy.md", rule)
	screentest.Write(t, s.here, alice, "other.md", "The tests of the parser need the fixtures of the corpus, which the script fetches.\n")
	screentest.Write(t, s.team, alice, "rules/deploy.md", strings.Replace(rule, "Friday", "Monday", 1)+"Nobody is asked twice.\n")
	cfg := Config{Home: s.trail, Here: s.here.Info(), By: alice}
	for _, f := range change {
		f(&cfg)
	}
	env := screentest.Env(t.Context())
	s.Sim = screentest.New(t, env, New(env, cfg), 120, 30)
	s.Root = s.root
	s.Pane.SetNow(time.Now())
	s.Run(s.Pane.Start())
	return s
}

// root does what the root does with acts and screens.
func (s *sim) root(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case request.Act:
		return func() tea.Msg {
			c, err := msg.Do(s.T.Context())
			s.did, s.err = msg.Did, err
			return msg.Done(c, err)
		}
	case screen.Show:
		s.shown = msg.Pane
		s.shown.SetSize(120, 30)
		if start, ok := msg.Pane.(screen.Starter); ok {
			return start.Start()
		}
	case screen.Drop:
		s.shown = nil
	}
	return nil
}

// inFront presses keys in the screen in front.
func (s *sim) inFront(names string) {
	s.T.Helper()
	for _, k := range strings.Fields(names) {
		cmd, r := s.shown.Press([]string{k}, 0)
		if r == keys.None {
			s.T.Fatalf("nothing obeys %q", k)
		}
		s.Run(cmd)
	}
}

// choose answers the last question.
func (s *sim) choose(key string) {
	s.T.Helper()
	q, ok := s.Last().(screen.Choose)
	if !ok {
		s.T.Fatalf("no question was asked, but %+v", s.Last())
	}
	for _, o := range q.Options {
		if o.Key == key && o.Then != nil {
			s.Run(o.Then())
		}
	}
}

func (s *sim) text(store *versions.Store, path string) string {
	s.T.Helper()
	e, err := store.Entry(s.T.Context(), screentest.Path(path))
	if errors.Is(err, versions.ErrNoMemory) || err != nil {
		return "(none)"
	}
	b, err := store.Content(s.T.Context(), e.Version)
	if err != nil {
		s.T.Fatal(err)
	}
	return string(b)
}

func TestSimilar_ListsPairsOfAllStoresWithTheirDifference(t *testing.T) {
	s := newSim(t)
	s.Shows("near-duplicates 1/1", "notes:/deploy.md  team:/rules/deploy.md", "5 lines", "team:/rules/deploy.md · now, the newer · 5 lines · ", "- Never deploy on Friday", "+ Never deploy on Monday")
	s.Hides("other.md")
	s.Keys("D")
	if _, ok := s.shown.(*compare.Pane); !ok {
		t.Fatalf("shown is %T", s.shown)
	}
	if title, _ := s.shown.Title(); title != "compare notes:/deploy.md → team:/rules/deploy.md" {
		t.Errorf("the comparison is called %q", title)
	}
	s.inFront("O")
	if o, ok := s.Last().(request.OpenStore); !ok || o.Name != "team" || o.At.Path != screentest.Path("rules/deploy.md") {
		t.Errorf("the comparison opens %+v", s.Last())
	}
}

func TestSimilar_OpensEitherInItsStore(t *testing.T) {
	s := newSim(t)
	s.Keys("o")
	if o, ok := s.Last().(screen.Open); !ok || o.Path != screentest.Path("deploy.md") {
		t.Errorf("the first: %+v", s.Last())
	}
	s.Keys("O")
	if o, ok := s.Last().(request.OpenStore); !ok || o.ID != s.team.Info().ID || o.At.Path != screentest.Path("rules/deploy.md") {
		t.Errorf("the second: %+v", s.Last())
	}
	s.Keys("l esc")
	if s.Left {
		t.Error("esc in the difference leaves the screen")
	}
	if s.Keys("esc"); !s.Left {
		t.Error("esc does not leave")
	}
}

func TestSimilar_MergesTheTwoAndListsThemNoLonger(t *testing.T) {
	s := newSim(t)
	s.Keys("m")
	s.choose("s") // team's stays
	if _, ok := s.shown.(*merge.Pane); !ok {
		t.Fatalf("shown is %T", s.shown)
	}
	screentest.Shows(t, func() string { return s.shown.View() }, "kept", "other", "team:/rules/deploy.md", "notes:/deploy.md")
	s.inFront("+ a")
	if s.err != nil || s.shown != nil || s.did != "merged notes:/deploy.md into team:/rules/deploy.md" {
		t.Fatalf("%q: %v; shown is %T", s.did, s.err, s.shown)
	}
	want := "# Rules\n\nNever deploy on Monday. Ask the owner of the service first,\nNever deploy on Friday. Ask the owner of the service first,\nand wait for the answer before you go on.\nNobody is asked twice.\n"
	if got, gone := s.text(s.team, "rules/deploy.md"), s.text(s.here, "deploy.md"); got != want || gone != "(none)" {
		t.Fatalf("merged is %q, and %q", got, gone)
	}
	s.Shows("No two memories are 70% similar.")
	n, err := s.here.LastChange(t.Context())
	if err == nil {
		_, err = s.here.Undo(t.Context(), alice, n)
	}
	if err != nil || s.text(s.here, "deploy.md") != rule || strings.Contains(s.text(s.team, "rules/deploy.md"), "Friday") {
		t.Fatalf("the undo: %v", err)
	}
	s.Keys("g r")
	s.Shows("1/1", "notes:/deploy.md")
}

// What was decided is not lost by a key, and nothing is written over what another program wrote.
func TestSimilar_AMergeThatCanNotBeWrittenStays(t *testing.T) {
	s := newSim(t)
	s.Keys("m")
	s.choose("f")
	s.inFront("n")
	screentest.Write(t, s.team, alice, "rules/deploy.md", "changed\n")
	s.inFront("a")
	if c := (*versions.ConflictError)(nil); !errors.As(s.err, &c) || s.shown == nil {
		t.Fatalf("%v; shown is %v", s.err, s.shown)
	}
	if s.text(s.here, "deploy.md") != rule || s.text(s.team, "rules/deploy.md") != "changed\n" {
		t.Fatal("something was written")
	}
	s.inFront("esc")
	if q, ok := s.Last().(screen.Choose); !ok || !strings.Contains(q.Text, "notes:/deploy.md + team:/rules/deploy.md") {
		t.Fatalf("leaving asks %+v", s.Last())
	}
	if s.choose("l"); s.shown != nil {
		t.Error("it was not left")
	}
}

// A merge in which nothing was decided is left at once.
func TestSimilar_AnUndecidedMergeIsLeftWithoutAQuestion(t *testing.T) {
	s := newSim(t)
	s.Keys("m")
	s.choose("f")
	s.inFront("esc")
	if _, ok := s.Last().(screen.Back); !ok {
		t.Errorf("it asks %+v", s.Last())
	}
}

// The list begins at the memory that was open, and can be of it alone.
func TestSimilar_OfTheMemoryThatWasOpen(t *testing.T) {
	s := newSim(t)
	s.Refuses("tab", "no memory was open")
	screentest.Write(t, s.here, alice, "one.md", "Ana leads billing, and answers before ten in the morning, or never at all.\n")
	screentest.Write(t, s.here, alice, "two.md", "Ana leads billing, and answers before ten in the morning, or never at all.\n")
	e, err := s.here.Entry(t.Context(), screentest.Path("deploy.md"))
	if err != nil {
		t.Fatal(err)
	}
	env := screentest.Env(t.Context())
	open := screentest.New(t, env, New(env, Config{Home: s.trail, Here: s.here.Info(), By: alice, Memory: e.Memory, Path: e.Path}), 120, 30)
	open.Run(open.Pane.Start())
	open.Shows("near-duplicates 2/2", "one.md", "- Never deploy on Friday")
	open.Keys("tab")
	open.Shows("similar to /deploy.md 1/1", "notes:/deploy.md  team:/rules/deploy.md")
	open.Hides("one.md")
	screentest.Write(t, s.team, alice, "rules/deploy.md", "nothing like it any more\n")
	open.Keys("g r")
	open.Shows("No other memory is 50% similar.")
	open.Refuses("m", "nothing is listed")
	open.Keys("tab")
	open.Shows("near-duplicates 1/1")
}

func TestSimilar_RefusesToMergeWhatCanNotBeWritten(t *testing.T) {
	s := newSim(t, func(c *Config) { c.ReadOnly = true })
	s.Refuses("m", "read-only")
	s = newSim(t)
	if _, err := s.trail.ArchiveStore(t.Context(), alice, s.team.Info().ID); err != nil {
		t.Fatal(err)
	}
	s.Keys("g r")
	s.Refuses("m", "store team is archived")
	s = newSim(t, func(c *Config) { c.Home = hostedTeam{c.Home} })
	s.Refuses("m", "store team is hosted, so copy the memory to the other store and merge there")
}

// hostedTeam is a home in which a service keeps the store "team".
type hostedTeam struct{ Home }

func (h hostedTeam) Stores(ctx context.Context) ([]versions.StoreInfo, error) {
	all, err := h.Home.Stores(ctx)
	for i := range all {
		if all[i].Name == "team" {
			all[i].Upstream = versions.Remote{URL: "http://there", Store: "memstore_there"}
		}
	}
	return all, err
}

func TestSimilar_SaysThatMemoriesChangedAndWhatWasNotScanned(t *testing.T) {
	s := newSim(t)
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{{Number: 2}}}))
	s.Hides("changed since") // it was compared
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{{Number: 3}}}))
	s.Shows("memories changed since")
	folder := s.team.Info().Folder
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Rename(folder+".away", folder) })
	s.Keys("g r")
	s.Shows("team: not scanned: ", "notes:/deploy.md")
	s.Hides("changed since")
}

func TestSimilar_SaysThatAnotherStoreChanged(t *testing.T) {
	s := newSim(t)
	s.Run(s.Pane.Look())
	s.Hides("changed since")
	screentest.Write(t, s.team, alice, "new.md", "A memory that another process wrote.\n") // the open store reports no event
	s.Run(s.Pane.Look())
	s.Shows("memories changed since", "notes:/deploy.md")
	s.Keys("g r")
	s.Hides("changed since")
	screentest.Write(t, screentest.StoreNamed(t, s.trail, "third"), alice, "new.md", "A memory of a new store.\n")
	s.Run(s.Pane.Look())
	s.Shows("memories changed since")
}

// Esc cancels the comparison, and keeps what is listed.
func TestSimilar_CanBeCancelled(t *testing.T) {
	s := newSim(t)
	s.Pane.load()
	work, ok := screentest.Requests(s.Pane.env)[0].(screen.Work)
	if !ok {
		t.Fatal("no job")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	msg, err := work.Do(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	s.Run(work.Cancelled(msg))
	s.Shows("notes:/deploy.md", "compares again")
	s.Keys("g r")
	s.Hides("compares again")
}

func TestSimilar_FitsEverySize(t *testing.T) {
	s := newSim(t)
	for i := range 30 {
		screentest.Write(t, s.here, alice, fmt.Sprintf("佐藤/%03d a long name of a memory.md", i), rule+fmt.Sprint(i)+"\n")
	}
	s.Keys("g r")
	s.Keys("G")
	s.FitsEverySize()
	s.Keys("l")
	s.FitsEverySize()
}
