package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// listed returns the rows of the plan as they are written, without blanks around them.
func listed(p *Pane) (out []string) {
	for i := range p.rows {
		r := &p.rows[i]
		switch {
		case r.heading != "":
			out = append(out, r.heading)
		case r.item == nil:
			out = append(out, r.folder.String()+"/")
		default:
			label, _ := p.label(r)
			out = append(out, label+" "+r.name())
		}
	}
	return out
}

func TestRows_ThatDeserveAttentionComeFirst(t *testing.T) {
	s := newSim(t, 120, 30)
	want := []string{
		"conflicts", "? decide /conflict.md", "? decide /second.md",
		"changed", "~ change /clean.md", "± merge /merged.md", "deleted", "− delete /new.md",
	}
	if got := listed(s.Pane); !slices.Equal(got, want) {
		t.Errorf("it lists\n%q, want\n%q", got, want)
	}
	if r := s.Pane.current(); r == nil || !r.conflict() {
		t.Error("the cursor is not on a conflict")
	}
}

func TestRows_OfAFolderAreBelowItsPath(t *testing.T) {
	st := storetest.NewStore(t, versions.Options{})
	for _, path := range []string{"a/one.md", "a/two.md", "b/alone.md", "top.md", "above.md"} {
		storetest.Write(t, st, robot, path, "x\n")
	}
	env := screentest.Env(t.Context())
	p := New(env, local.Store{Store: st}, Task{Doing: "undo", By: dana, Goal: plan.UndoSession(robot.Session)})
	s := screentest.New(t, env, p, 100, 30)
	s.Run(p.Start())
	want := []string{"deleted", "− delete /above.md", "− delete /top.md", "/a/", "− delete one.md", "− delete two.md", "− delete /b/alone.md"}
	if got := listed(p); !slices.Equal(got, want) {
		t.Errorf("it lists\n%q, want\n%q", got, want)
	}
}

func TestRow_LosesTheMiddleOfALongPath(t *testing.T) {
	st := storetest.NewStore(t, versions.Options{})
	storetest.Write(t, st, robot, "people/"+strings.Repeat("long/", 12)+"end.md", "x\n")
	env := screentest.Env(t.Context())
	p := New(env, local.Store{Store: st}, Task{Doing: "undo", By: dana, Goal: plan.UndoSession(robot.Session)})
	s := screentest.New(t, env, p, 60, 20)
	s.Run(p.Start())
	s.Shows("/people/long/", "…/end.md")
}

func TestAnyRow_CanBeLeftOut(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Keys("N")
	s.Keys("j") // to the memory that would only be changed
	if r := s.Pane.current(); r.name() != "/second.md" {
		t.Fatalf("the cursor is on %s", r.name())
	}
	s.Keys("space space")
	s.Shows("1 deleted · 1 changed · 1 conflict · 2 left out", "· left out")
	s.Keys("k space") // it is included again
	s.Shows("1 deleted · 2 changed · 1 conflict · 1 left out")
	s.Keys("k n") // now is the same as leaving it out
	s.Shows("1 deleted · 1 changed · 1 conflict · 2 left out")
	s.Keys("a")
	if !s.Left {
		t.Fatal("the plan was not applied")
	}
	for path, want := range map[string]string{"clean.md": "ONE", "second.md": "ONE?", "merged.md": "one", "new.md": "no memory"} {
		if got := s.content(path); !strings.Contains(got, want) {
			t.Errorf("%s is %q", path, got)
		}
	}
}

func TestPlan_NeedsSomethingThatIsNotLeftOut(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Keys("S G space k space k k space")
	if why := s.Pane.disabled(); why != "everything is left out: Space includes a memory" {
		t.Errorf("it says %q", why)
	}
}

func TestPlan_SaysWhatItIsAbout(t *testing.T) {
	st := store(t)
	env := screentest.Env(t.Context())
	when := time.Date(2026, 11, 22, 14, 5, 0, 0, time.UTC)
	p := New(env, local.Store{Store: st}, Task{Doing: "undo session x", By: dana,
		Goal: plan.UndoSession(robot.Session),
		About: func(context.Context) About {
			return About{Doing: "undo session of claude", Did: "undid session of claude", When: when, Why: "Fix the refund rules"}
		}})
	p.SetNow(when.Add(48 * time.Hour))
	s := screentest.New(t, env, p, 100, 30)
	s.Run(p.Start())
	s.Shows("undo session of claude", "2026-11-22 14:05 (2d) · Fix the refund rules")
	if did := p.task.Did; did != "undid session of claude" {
		t.Errorf("afterwards it says %q", did)
	}
	s.FitsEverySize()
}

func TestDiff_DecidesWithTheKeysOfTheList(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Keys("enter n b")
	s.Shows("✓ now", "✓ before")
	if !s.Pane.InDetail {
		t.Error("the focus moved")
	}
	for _, e := range s.Pane.Entries() {
		if e.ID == "diff.next-hunk" && fmt.Sprint(e.Keys) != "[]]" {
			t.Errorf("the next hunk is %v", e.Keys)
		}
	}
}

func TestTab_GoesThroughTheConflicts(t *testing.T) {
	s := newSim(t, 120, 30)
	at := func() string { return s.Pane.current().name()[:5] }
	first := at()
	s.Keys("tab")
	if second := at(); second == first {
		t.Error("it stays")
	}
	s.Keys("tab")
	if at() != first {
		t.Error("it does not wrap around")
	}
	s.Keys("n tab") // only one is left
	if got := s.Pane.current(); got.name()[:5] == first {
		t.Error("it goes to a decided one")
	}
}

func TestConflict_OfACreatedMemoryShowsWhatWouldBeLost(t *testing.T) {
	st := storetest.NewStore(t, versions.Options{})
	storetest.Write(t, st, robot, "made.md", "by the agent\n")
	storetest.Write(t, st, dana, "made.md", "by the agent\nand by dana\n")
	env := screentest.Env(t.Context())
	p := New(env, local.Store{Store: st}, Task{Doing: "undo", By: dana, Goal: plan.UndoSession(robot.Session)})
	s := screentest.New(t, env, p, 120, 20)
	s.Run(p.Start())
	s.Shows("/made.md was changed since, by change 2: now → before", "- and by dana")
}

// Where nothing conflicts, the hints name one key to leave a row out.
func TestHints_NameTheKeysOfAConflictInAConflictOnly(t *testing.T) {
	s := newSim(t, 120, 30)
	hinted := func() (names []string) {
		for _, e := range s.Pane.Entries() {
			if !e.Hide && e.Why == "" {
				names = append(names, e.ID)
			}
		}
		return names
	}
	for _, id := range deciding {
		if !slices.Contains(hinted(), id) {
			t.Errorf("in a conflict there is no %s", id)
		}
	}
	s.Keys("G")
	for _, id := range deciding {
		if slices.Contains(hinted(), id) {
			t.Errorf("without a conflict there is %s", id)
		}
	}
	if !slices.Contains(hinted(), "list.choose") {
		t.Error("nothing leaves the row out")
	}
}

// Above the list are rows about the plan: a click is on the row that is drawn there.
func TestClick_SelectsTheRowThatIsDrawnThere(t *testing.T) {
	for _, size := range [][2]int{{120, 30}, {80, 24}} {
		s := newSim(t, size[0], size[1])
		for y, line := range strings.Split(s.Pane.View(), "\n") {
			if !strings.Contains(line, "/new.md") {
				continue
			}
			s.Run(s.Pane.Update(tea.MouseClickMsg{X: 8, Y: y, Button: tea.MouseLeft}))
			if got := s.Pane.current().name(); got != "/new.md" {
				t.Errorf("%v: a click on /new.md selects %s", size, got)
			}
			if _, at, ok := s.Pane.Selected(); !ok || at != y {
				t.Errorf("%v: the selected row is said to be %d, it is %d", size, at, y)
			}
		}
	}
}

// The list takes the columns that its paths need if there is room.
func TestRow_KeepsItsPathBesideFreeColumns(t *testing.T) {
	st := storetest.NewStore(t, versions.Options{})
	storetest.Write(t, st, robot, "customers/agreements/blue-kite-limited-2.md", "x\n")
	env := screentest.Env(t.Context())
	p := New(env, local.Store{Store: st}, Task{Doing: "undo", By: dana, Goal: plan.UndoSession(robot.Session)})
	s := screentest.New(t, env, p, 120, 20)
	s.Run(p.Start())
	s.Shows("− delete     /customers/agreements/blue-kite-limited-2.md −1")
}

// In a low window the diff has all the room, and its title says whose it is.
func TestDiff_InALowWindowNamesItsMemory(t *testing.T) {
	s := newSim(t, 60, 9)
	s.Keys("enter")
	s.Shows("/conflict.md · now → before")
	s.Keys("esc")
	s.Shows("conflicts")
}
