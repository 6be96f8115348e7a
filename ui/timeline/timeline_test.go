package timeline

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
)

var (
	seed   = flag.Uint64("timeline.seed", 1, "seed of the random past; 0 takes one from the clock")
	rounds = flag.Uint64("timeline.rounds", 12, "how many times keys are pressed during pending loads")
)

func by(name string) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: name}, Session: versions.SessionID("sesn_" + name)}
}

func newStore(t testing.TB) *engine.Store {
	var hours atomic.Int64 // flushing asks for the time, too
	return storetest.NewStore(t, versions.Options{Now: func() time.Time {
		return time.Date(2026, 3, 1, 9, 0, 0, 0, time.Local).Add(time.Duration(hours.Add(1)) * time.Hour)
	}})
}

// story is a store with three sessions: changes 1 and 2 are by ada, 3 by bob, 4 and 5 by eve.
func story(t testing.TB) *engine.Store {
	s := newStore(t)
	storetest.Write(t, s, by("ada"), "a.md", "one\n")
	storetest.Write(t, s, by("ada"), "b.md", "b\n")
	storetest.Write(t, s, by("bob"), "a.md", "one\ntwo\n")
	storetest.Must(t)(s.Rename(t.Context(), by("eve"), path("b.md"), path("c.md")))
	storetest.Must(t)(s.Delete(t.Context(), by("eve"), path("c.md")))
	return s
}

var path = screentest.Path

// bulk is a store in which another program rewrote twelve memories in a bulk edit, recorded as
// changes 2 to 4; then ada wrote one.
func bulk(t testing.TB) *engine.Store {
	var seconds atomic.Int64 // flushing asks for the time, too
	s := storetest.NewStore(t, versions.Options{Now: func() time.Time {
		return time.Date(2026, 3, 1, 9, 0, int(seconds.Add(1)), 0, time.Local)
	}})
	sync := func() {
		t.Helper()
		if _, err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Write(t, s, by("ada"), "a.md", "one\n")
	sync() // the first sync imports files from before the history
	for n := range 12 {
		if err := os.WriteFile(filepath.Join(s.Info().Folder, fmt.Sprintf("%02d.md", n)), []byte("new\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if n%4 == 3 {
			sync()
		}
	}
	storetest.Write(t, s, by("ada"), "a.md", "two\n")
	return s
}

func TestTimeline_ABulkChangeIsOneStep(t *testing.T) {
	store := bulk(t)
	s := newSim(t, store, 0, "", 110, 24)
	s.Shows("5 of 5", "edited /a.md")
	s.Keys("h")
	s.Shows("4 of 5", "#2–#4", "outside", "12 created in 3 changes", "1 of 12 changed memories", "●  00.md", "●  11.md")
	s.Keys("h")
	s.Shows("1 of 5", "created /a.md")
	s.Keys("l")
	s.Shows("4 of 5", "#2–#4")
	s.Keys("l")
	s.Shows("5 of 5")
	s.Keys("g g")
	s.Shows("0 memories")
	s.Run(s.Pane.goTo(3)) // inside a bulk edit, changes are single steps
	s.Shows("3 of 5", "#3", "created 4 memories", "1 of 4 changed memories")
	s.Keys("h")
	s.Shows("2 of 5", "1 of 4 changed memories")
	s.Keys("l l")
	s.Shows("4 of 5", "#2–#4", "5 of 12 changed memories")

	// A bulk edit that was undone as a whole stays one step; one that was undone in part does
	// not.
	plan, err := vplan.Make(t.Context(), store, vplan.UndoChanges{2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Must(t)(vplan.Apply(t.Context(), store, by("ada"), plan, nil))
	s = newSim(t, store, 4, "", 110, 24)
	s.Shows("#2–#4", "12 created in 3 changes · undone since", "1 of 12 changed memories")
}

func TestTimeline_AnActGrowsWhileShown(t *testing.T) {
	store := bulk(t)
	changes, err := history.Changes(t.Context(), store, versions.Filter{}, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	s := newSim(t, store, 3, "", 110, 24)
	m := &s.Pane.marks
	m.part(4) // as if its last change were not recorded yet
	m.cells = m.cells[:m.free+3]
	m.all = m.cells[m.free:]
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{changes[1]}}))
	s.Shows("4 of 4", "#2–#4", "5 of 12 changed memories")
	s.Keys("h")
	s.Shows("1 of 4")
}

func newSim(t *testing.T, s *engine.Store, change int64, open string, w, h int) *screentest.Sim[*Pane] {
	t.Helper()
	p := memfs.Root
	if open != "" {
		p = path(open)
	}
	env := screentest.Env(t.Context())
	sm := screentest.New(t, env, New(env, local.Store{Store: s}, change, p), w, h)
	sm.Pane.SetNow(time.Date(2026, 3, 5, 9, 0, 0, 0, time.Local))
	sm.Run(sm.Pane.Start())
	return sm
}

// Before the first scan of a folder nothing is known, which is not the same as nothing, nor as the newest state.
func TestTimeline_ShowsNothingOfWhatIsNotKnown(t *testing.T) {
	store := newStore(t)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(store.Info().Folder, name), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.Write(t, store, by("ada"), "a.md", "new\n")
	s := newSim(t, store, 0, "a.md", 110, 24)
	s.Shows("2 of 2 · 2 memories", "+ new")
	s.Keys("g g")
	s.Shows("0 of 2", "not known", "nothing is known from before")
	s.Hides("memories", "+ new", "b.md", "did not exist")
	s.Keys("l")
	s.Shows("1 of 2 · 2 memories", "b.md")
	s.Hides("nothing is known")
	s.Refuses("u", "it was there when the history began")
}

// What else the change modified is not said as if the selected folder or memory were all of it.
func TestTimeline_CountsWhatTheChangeModified(t *testing.T) {
	store := newStore(t)
	storetest.Write(t, store, by("ada"), "a.md", "one\n")
	storetest.Write(t, store, by("ada"), "team/b.md", "b\n")
	s := newSim(t, store, 0, "team", 110, 24)
	s.Shows("/team · #2 changed 1 memory", "At that time this was a folder with 1 memory.")
	s.Keys("n")
	s.Hides("changed 1 memory", "1 of 1")
}

// An undo is named as the log names it, not by what it did to each memory.
func TestTimeline_NamesAnUndoAndACommit(t *testing.T) {
	st := newStore(t)
	for _, name := range []string{"a.md", "b.md"} {
		storetest.Write(t, st, by("ada"), "d/"+name, "one\n")
	}
	storetest.Must(t)(st.Delete(t.Context(), by("ada"), path("d")))
	storetest.Must(t)(vplan.Do(t.Context(), st, by("kim"), vplan.UndoChange(3)))
	s := newSim(t, st, 0, "", 110, 24)
	s.Shows("kim  undid #3 (2 memories)", "1 of 2 changed memories")
	s.Pane.words.Subject = "tidy the people up" // of a commit
	s.Shows("undid #3 (2 memories)  tidy the people up")
	s.Keys("h")
	s.Shows("deleted /d (2 memories) · undone since", "1 of 2 changed memories")
}

func TestTimeline_FollowsChanges(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	s.Shows("follow: on · 5 of 5 · 1 memory", "#5", "eve", "delete", "deleted /c.md", "session eve, 2 changes", "●  c.md ", "gone")
	s.Keys("d")
	s.Shows("It did not exist then.")
	s.Keys("d h")
	s.Shows("4 of 5", "renamed /b.md → /c.md", "The text is the same")
	s.Hides("gone")
	s.Keys("h")
	s.Shows("#3", "bob", "edited /a.md", "+ two")
	s.Keys("home")
	s.Shows("before the first change", "0 memories")
	s.Keys("l")
	s.Shows("created /a.md", "1 of 5")
	s.Keys("end")
	s.Shows("5 of 5")
}

func TestTimeline_KeepsTheOpenMemory(t *testing.T) {
	s := newSim(t, story(t), 0, "a.md", 100, 24)
	s.Shows("/a.md as it was then", "two")
	s.Keys("h h d") // to the change of a.md, its text instead of the diff
	s.Shows("/a.md as it was then", "one")
	s.Keys("h")
	s.Shows("one")
	s.Hides("two")
	s.Keys("tab")
	for _, w := range []int{26, 30, 40, 60, 100} { // no word of the line above the text is cut
		s.Pane.SetSize(w, 24)
		for _, row := range strings.Split(ansi.Strip(s.Pane.View()), "\n") {
			if strings.Contains(row, " as it was then") && strings.HasSuffix(strings.TrimSpace(row), "…") {
				t.Errorf("%d columns: %q", w, row)
			}
		}
	}
	s.Pane.SetSize(100, 24)
	s.Keys("tab home")
	s.Shows("It did not exist then")
	s.Refuses("end d", "this change did nothing here: n goes to what it changed") // only the text is there
	s.Keys("{")
	s.Shows("#3", "as it was then")
	s.Keys("d")
	s.Shows("edited /a.md")
	s.Keys("{")
	s.Shows("#1", "created /a.md")
	s.Keys("{")
	if n, ok := s.Last().(screen.Notice); !ok || !strings.Contains(n.Text, "no earlier") {
		t.Errorf("sent %v", s.Sent)
	}
	s.Keys("}")
	s.Shows("#3")
}

func TestSessions_CanBeStepped(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	for _, c := range []struct {
		key  string
		want int64
	}{{"[", 4}, {"[", 3}, {"[", 2}, {"[", 1}, {"[", 0}, {"]", 1}, {"]", 3}, {"]", 4}, {"]", 5}, {"]", 5}} {
		s.Keys(c.key)
		if s.Pane.at != c.want {
			t.Fatalf("%s goes to %d, want %d", c.key, s.Pane.at, c.want)
		}
	}
}

func TestRestore_RestoresTheShownMoment(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	asked := func() screen.AskRestore {
		t.Helper()
		r, ok := s.Last().(screen.AskRestore)
		if !ok {
			t.Fatalf("R asks for %+v", s.Last())
		}
		return r
	}
	s.Keys("left left R")
	if r := asked(); r.At.Change != 3 || r.Path != path("a.md") || r.Folder || r.At.Time.IsZero() {
		t.Errorf("asked for %+v", r)
	}
	s.Keys("u U")
	if n := len(s.Sent); s.Sent[n-2] != (screen.Undo{Change: 3}) || s.Sent[n-1] != (screen.UndoSession{Session: "sesn_bob"}) {
		t.Errorf("asked for %+v", s.Sent[n-2:])
	}
	s.Keys("end R") // the memory that the change deleted
	if r := asked(); r.Path != path("c.md") {
		t.Errorf("asked for %+v", r)
	}
}

func TestGoTo_AcceptsChangesTimesAndAges(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	last, _ := s.Pane.marks.at(5)
	third, _ := s.Pane.marks.at(3)
	for text, want := range map[string]int64{
		"2": 2, "#4": 4, "99": 5, "2026-02-01": 0, "2026-12-01": 5, "1w": 0,
		time.UnixMicro(third.micros).Format("2006-01-02 15:04:05"):            2, // the clock advances within the second
		time.UnixMicro(last.micros).Add(time.Hour).Format("2006-01-02 15:04"): 5,
	} {
		n, ok := s.Pane.parse(text)
		if n = min(max(n, 0), 5); !ok || n != want && !(strings.Contains(text, ":") && n == want+1) {
			t.Errorf("%s is change %d, want %d", text, n, want)
		}
	}
	for _, text := range []string{"", "soon", "3q", "d"} {
		if n, ok := s.Pane.parse(text); ok {
			t.Errorf("%q is change %d", text, n)
		}
	}
}

// After the undo of an undo the first change is in effect again, without a word of it in the event.
func TestEvent_OfAnUndoneUndoMarksNothingAsUndone(t *testing.T) {
	st := story(t)
	s := newSim(t, st, 3, "", 110, 24)
	undo := func(n int64) {
		t.Helper()
		c := storetest.Must(t)(vplan.Do(t.Context(), st, by("kim"), vplan.UndoChange(n)))
		s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{c}}))
	}
	undo(3)
	s.Shows("3 of 6", "undone since")
	undo(6)
	s.Shows("3 of 7")
	s.Hides("undone since")
}

func TestEvent_MovesACursorAtTheEnd(t *testing.T) {
	st := story(t)
	s := newSim(t, st, 0, "", 100, 24)
	early := newSim(t, st, 2, "", 100, 24)
	c := storetest.Write(t, st, by("kim"), "new.md", "new\n")
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{c}}))
	s.Shows("6 of 6", "created /new.md")
	early.Run(early.Pane.Event(versions.Event{Changes: []versions.Change{c}}))
	early.Shows("2 of 6")
}

// The tree at a moment equals that of the engine, however it was reached.
func TestMoments_AreTheSameFromBothDirections(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("-timeline.seed=%d", n)
	r := rand.New(rand.NewPCG(n, 0))
	st, ctx := newStore(t), t.Context()
	for i := range 60 {
		p := path(fmt.Sprintf("d%d/m%d.md", r.IntN(3), r.IntN(6)))
		switch r.IntN(5) {
		case 0:
			st.Delete(ctx, by("ada"), p)
		case 1:
			st.Rename(ctx, by("bob"), p, path(fmt.Sprintf("d%d/m%d.md", r.IntN(3), r.IntN(6))))
		default:
			st.Write(ctx, by("eve"), p, fmt.Appendf(nil, "text %d\n", i), versions.Pre{})
		}
	}
	s := newSim(t, st, 0, "", 100, 24)
	for range 40 {
		to := r.Int64N(s.Pane.marks.last() + 1)
		s.Run(s.Pane.goTo(to))
		want, err := history.TreeAt(ctx, st, to)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.EqualFunc(want, s.Pane.entries, func(a, b versions.Entry) bool {
			return a.Path == b.Path && a.Memory == b.Memory && a.Version == b.Version && a.SHA256 == b.SHA256
		})
		if !same {
			t.Fatalf("the tree of change %d differs:\n%v\nwant\n%v", to, s.Pane.entries, want)
		}
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, story(t), 3, "", 100, 24)
	for _, view := range []bool{false, true} {
		s.Pane.Focus(view)
		s.FitsEverySize()
	}
}

func TestWords_KeepTheChangeAndTheFileNameInNarrowFrames(t *testing.T) {
	store := story(t)
	storetest.Write(t, store, by("eve"), "a/folder/with/a/long/name/end.md", "x\n")
	for w, want := range map[int][]string{40: {"#6", "eve", "end.md"}, 80: {"#6", "2026-03-0", "eve", "end.md"}, 160: {"2026-03-0", "name/end.md", "session", "3 changes"}} {
		s := newSim(t, store, 0, "", w, 20)
		words, _, _ := strings.Cut(ansi.Strip(s.Pane.View()), "\n")
		for _, part := range want {
			if !strings.Contains(words, part) {
				t.Errorf("%d columns do not tell %s: %q", w, part, words)
			}
		}
	}
}

func TestText_IsRenderedByTheKeyOfTheMemoryPane(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	s.Keys("h h d tab")
	if _, r := s.Pane.Press([]string{"m"}, 0); r != keys.Done {
		t.Error("m does nothing in the text")
	}
}

func TestHead_SaysWhereAChangeWasMade(t *testing.T) {
	s := newSim(t, story(t), 0, "a.md", 100, 24)
	for n, want := range map[string]string{"1": "a.md", "2": "· #2 changed 1 memory"} {
		s.Keys("home")
		for range int(n[0] - '0') {
			s.Keys("right")
		}
		s.Shows(want)
		if n == "1" {
			s.Hides("changed 1 memory", "1 of 1")
		}
	}
}

func TestText_OfAnotherMomentIsNotMarkedAsChanged(t *testing.T) {
	st := newStore(t)
	for _, text := range []string{"one\nsame\n", "two\nsame\n"} {
		storetest.Write(t, st, by("ada"), "a.md", text)
	}
	s := newSim(t, st, 2, "a.md", 100, 24)
	s.Keys("d")
	s.Shows("a.md as it was then", "two")
	s.Keys("left")
	s.Shows("one")
	s.Hides("two", "1▌")
}

// What a key costs does not grow with the history.
func TestBars_AreReadOncePerWidthAndChange(t *testing.T) {
	s := newSim(t, bulk(t), 0, "", 110, 24)
	same := func() bool {
		was := s.Pane.bars()
		s.Keys("h")
		now := s.Pane.bars()
		return &was[0] == &now[0]
	}
	for range 2 {
		if !same() {
			t.Error("moving reads the changes again")
		}
	}
	p := s.Pane
	for x, b := range p.bars() {
		if at := p.column(b.from); at > x || b.from != p.changeAt(x) || b.end <= b.from || b.end > p.marks.last()+1 {
			t.Errorf("column %d has %+v, and %d begins in column %d", x, b, b.from, at)
		}
	}
	p.SetSize(60, 24)
	if n := len(p.bars()); n != 60 {
		t.Errorf("%d columns are drawn in 60", n)
	}
}

// Between changes of one memory, one of two stands out as much as one of many would.
func TestBars_DifferInAStoreOfSmallChanges(t *testing.T) {
	st := newStore(t)
	for i := range 4 {
		storetest.Write(t, st, by("ada"), fmt.Sprintf("d/%d.md", i), "one\n")
	}
	if _, err := st.Rename(t.Context(), by("ada"), screentest.Path("d"), screentest.Path("e")); err != nil {
		t.Fatal(err)
	}
	s := newSim(t, st, 0, "", 100, 24)
	s.Shows("▁", "█")
	for _, c := range []struct {
		n, most int32
		want    int
	}{{0, 5, 0}, {1, 1, 1}, {1, 1000, 1}, {2, 2, 8}, {1000, 1000, 8}, {30, 1000, 4}} {
		if got := height(c.n, c.most); got != c.want {
			t.Errorf("%d of %d versions: height %d, want %d", c.n, c.most, got, c.want)
		}
	}
}

func TestTimeline_ShowsThatAFolderExisted(t *testing.T) {
	store := newStore(t)
	storetest.Write(t, store, by("ada"), "b.md", "b\n")
	storetest.Write(t, store, by("ada"), "d/a.md", "one\n")
	storetest.Write(t, store, by("ada"), "b.md", "two\n")
	s := newSim(t, store, 0, "d", 100, 24)
	s.Shows("At that time this was a folder with 1 memory.")
	s.Hides("It did not exist then")
	s.Keys("h h")
	s.Shows("It did not exist then")
}
