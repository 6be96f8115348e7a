package timeline

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw/drawtest"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var seed = flag.Uint64("timeline.seed", 0, "seed of the random past; 0 takes one from the clock")

func by(name string) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: name}, Session: versions.SessionID("sesn_" + name)}
}

func at(t testing.TB, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newStore(t testing.TB) *versions.Store {
	t.Helper()
	ctx := context.Background()
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.Local)
	trail, err := versions.Open(ctx, t.TempDir(), versions.Options{Now: func() time.Time {
		clock = clock.Add(time.Hour)
		return clock
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	info, err := trail.CreateStore(ctx, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func must(t testing.TB, _ versions.Change, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// story is a store with three sessions: 1 and 2 of ada, 3 of bob, 4 and 5 of eve.
func story(t testing.TB) *versions.Store {
	s, ctx := newStore(t), context.Background()
	write := func(who, p, text string) {
		c, err := s.Write(ctx, by(who), at(t, p), []byte(text), versions.Pre{})
		must(t, c, err)
	}
	write("ada", "a.md", "one\n")
	write("ada", "b.md", "b\n")
	write("bob", "a.md", "one\ntwo\n")
	c, err := s.Rename(ctx, by("eve"), at(t, "b.md"), at(t, "c.md"))
	must(t, c, err)
	c, err = s.Delete(ctx, by("eve"), at(t, "c.md"))
	must(t, c, err)
	return s
}

type sim struct {
	t    *testing.T
	pane *Pane
	sent []tea.Msg
}

func newSim(t *testing.T, s *versions.Store, change int64, open string, w, h int) *sim {
	t.Helper()
	p := memfs.Root
	if open != "" {
		p = at(t, open)
	}
	sm := &sim{t: t, pane: New(context.Background(), theme.New(true, theme.Many), nil, s, change, p)}
	sm.pane.SetNow(time.Date(2026, 3, 5, 9, 0, 0, 0, time.Local))
	sm.pane.SetSize(w, h)
	sm.run(sm.pane.Start())
	return sm
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, stepMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Answer:
		s.run(s.pane.Update(msg))
	case screen.Prompt:
		s.sent = append(s.sent, msg)
	default:
		s.sent = append(s.sent, msg)
	}
}

func (s *sim) keys(names string) {
	for _, k := range strings.Fields(names) {
		cmd, _ := s.pane.Press(strings.Split(k, "_"), 0)
		s.run(cmd)
	}
}

func (s *sim) screen() string {
	name, info := s.pane.Title()
	return name + " " + info + "\n" + ansi.Strip(s.pane.View())
}

func (s *sim) shows(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.screen(), w) {
			s.t.Fatalf("the screen does not show %q:\n%s", w, s.screen())
		}
	}
}

func TestTimeline_FollowsWhatChanges(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	s.shows("following · 5 of 5 · 1 memory", "#5", "eve", "delete", "deleted /c.md", "here: −1", "session sesn_eve, 2 changes")
	s.keys("h")
	s.shows("4 of 5", "renamed /b.md → /c.md", "The text is the same", "here: →1")
	s.keys("h")
	s.shows("#3", "bob", "modified /a.md", "+ two", "here: ~1")
	s.keys("home")
	s.shows("before the first change", "0 memories")
	s.keys("l")
	s.shows("created /a.md", "1 of 5")
	s.keys("end")
	s.shows("5 of 5")
}

func TestTimeline_StaysOnTheMemoryThatWasOpen(t *testing.T) {
	s := newSim(t, story(t), 0, "a.md", 100, 24)
	s.shows("/a.md as it was then", "two")
	s.keys("h h d") // to the change of a.md, its text instead of what changed
	s.shows("/a.md as it was then", "one")
	s.keys("h")
	if !strings.Contains(s.screen(), "one") || strings.Contains(s.screen(), "two") {
		t.Errorf("it shows another text:\n%s", s.screen())
	}
	s.keys("home")
	s.shows("It did not stand then")
	s.keys("end d {")
	s.shows("#3", "modified /a.md")
	s.keys("{")
	s.shows("#1", "created /a.md")
	s.keys("{")
	if n, ok := s.sent[len(s.sent)-1].(screen.Notice); !ok || !strings.Contains(n.Text, "no earlier") {
		t.Errorf("sent %v", s.sent)
	}
	s.keys("}")
	s.shows("#3")
}

func TestSessions_AreSteppedThrough(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	for _, c := range []struct {
		key  string
		want int64
	}{{"[", 4}, {"[", 3}, {"[", 2}, {"[", 1}, {"[", 0}, {"]", 1}, {"]", 3}, {"]", 4}, {"]", 5}, {"]", 5}} {
		s.keys(c.key)
		if s.pane.at != c.want {
			t.Fatalf("%s goes to %d, want %d", c.key, s.pane.at, c.want)
		}
	}
}

func TestRestore_IsAskedForWhatIsShown(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	s.keys("h h R")
	if r, ok := s.sent[0].(screen.RestoreAt); !ok || r.At.Change != 3 || !r.Path.IsRoot() || r.At.Time.IsZero() {
		t.Errorf("asked for %+v", s.sent[0])
	}
	s.keys("r x U o")
	if r, ok := s.sent[1].(screen.RestoreAt); !ok || r.Path != at(t, "a.md") {
		t.Errorf("asked for %+v", s.sent[1])
	}
	if s.sent[2] != (screen.Undo{Change: 3}) || s.sent[3] != (screen.UndoSession{Session: "sesn_bob"}) {
		t.Errorf("asked for %+v", s.sent[2:])
	}
	s.keys("end r") // the memory that the change deleted
	if r, ok := s.sent[len(s.sent)-1].(screen.RestoreAt); !ok || r.Path != at(t, "c.md") {
		t.Errorf("asked for %+v", s.sent[len(s.sent)-1])
	}
}

func TestGoTo_TakesChangesTimesAndAges(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	last, _ := s.pane.marks.at(5)
	third, _ := s.pane.marks.at(3)
	for text, want := range map[string]int64{
		"2": 2, "#4": 4, "99": 5, "2026-02-01": 0, "2026-12-01": 5, "1w": 0,
		time.UnixMicro(third.micros).Format("2006-01-02 15:04:05"):            2, // the clock ticks within the second
		time.UnixMicro(last.micros).Add(time.Hour).Format("2006-01-02 15:04"): 5,
	} {
		n, ok := s.pane.parse(text)
		if n = min(max(n, 0), 5); !ok || n != want && !(strings.Contains(text, ":") && n == want+1) {
			t.Errorf("%s is change %d, want %d", text, n, want)
		}
	}
	for _, text := range []string{"", "soon", "3y", "d"} {
		if n, ok := s.pane.parse(text); ok {
			t.Errorf("%q is change %d", text, n)
		}
	}
}

func TestEvent_MovesOnWhoStandsAtTheEnd(t *testing.T) {
	st := story(t)
	s := newSim(t, st, 0, "", 100, 24)
	early := newSim(t, st, 2, "", 100, 24)
	c, err := st.Write(context.Background(), by("kim"), at(t, "new.md"), []byte("new\n"), versions.Pre{})
	must(t, c, err)
	s.run(s.pane.Event(versions.Event{Changes: []versions.Change{c}}))
	s.shows("6 of 6", "created /new.md")
	early.run(early.pane.Event(versions.Event{Changes: []versions.Change{c}}))
	early.shows("2 of 6")
}

// However one comes to a moment, it is the tree that the engine says.
func TestMoments_AreTheSameWhicheverWayOneComes(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("-timeline.seed=%d", n)
	r := rand.New(rand.NewPCG(n, 0))
	st, ctx := newStore(t), context.Background()
	for i := range 60 {
		p := at(t, fmt.Sprintf("d%d/m%d.md", r.IntN(3), r.IntN(6)))
		switch r.IntN(5) {
		case 0:
			st.Delete(ctx, by("ada"), p)
		case 1:
			st.Rename(ctx, by("bob"), p, at(t, fmt.Sprintf("d%d/m%d.md", r.IntN(3), r.IntN(6))))
		default:
			st.Write(ctx, by("eve"), p, fmt.Appendf(nil, "text %d\n", i), versions.Pre{})
		}
	}
	s := newSim(t, st, 0, "", 100, 24)
	for range 40 {
		to := r.Int64N(s.pane.marks.last() + 1)
		s.run(s.pane.goTo(to))
		want, err := st.TreeAt(ctx, to)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.EqualFunc(want, s.pane.entries, func(a, b versions.Entry) bool {
			return a.Path == b.Path && a.Memory == b.Memory && a.Version == b.Version && a.SHA256 == b.SHA256
		})
		if !same {
			t.Fatalf("the tree of change %d differs:\n%v\nwant\n%v", to, s.pane.entries, want)
		}
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, story(t), 3, "", 100, 24)
	for _, view := range []bool{false, true} {
		s.pane.focus(view)
		for w := 1; w < 140; w += 3 {
			for h := 1; h < 40; h += 2 {
				s.pane.SetSize(w, h)
				if wrong := drawtest.Problem(s.pane.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d: %s", w, h, wrong)
				}
			}
		}
	}
}

func TestWords_KeepTheChangeAndTheEndOfItsPathWhereThereIsLittleRoom(t *testing.T) {
	store := story(t)
	c, err := store.Write(context.Background(), by("eve"), at(t, "a/folder/with/a/long/name/end.md"), []byte("x\n"), versions.Pre{})
	must(t, c, err)
	for w, want := range map[int][]string{40: {"#6", "eve", "end.md"}, 80: {"#6", "2026-03-01", "eve", "end.md"}, 160: {"2026-03-01", "name/end.md", "session", "3 changes"}} {
		s := newSim(t, store, 0, "", w, 20)
		words, _, _ := strings.Cut(ansi.Strip(s.pane.View()), "\n")
		for _, part := range want {
			if !strings.Contains(words, part) {
				t.Errorf("%d columns do not tell %s: %q", w, part, words)
			}
		}
	}
}
