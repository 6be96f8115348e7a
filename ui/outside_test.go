package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

func TestOutsideChange_IsMarkedUntilReviewed(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("_")
	s.store.write(agent, "people/kim.md", "# Kim\n")
	s.deliver()
	s.shows("● 1 to review", "●▸ people")
	s.elapse()
	s.keys("]")
	s.shows("●    kim.md")
	s.keys("enter j k G g g")
	s.shows("●    kim.md", "● 1 to review", "● new", ". keep", "d diff")
	s.keys(".")
	s.hides("●", ". keep")
}

func TestOutsideChange_KeepsThePlaceInTheOpenMemory(t *testing.T) {
	t.Parallel()
	f := newFake()
	lines := strings.Split(strings.TrimSpace(strings.Repeat("x ", 300)), " ")
	for i := range lines {
		lines[i] = "line " + string(rune('a'+i%26)) + " " + strings.Repeat("z", i%7)
	}
	lines[200] = "here we are"
	f.write(agent, "long.md", strings.Join(lines, "\n")+"\n")
	s := newSim(t, f, 100, 30)
	s.keys("enter")
	s.keys("2 0 1 G")
	row := rowOf(s, "here we are")
	f.write(agent, "long.md", "new 1\nnew 2\nnew 3\n"+strings.Join(lines, "\n")+"\nlast\n")
	s.deliver()
	if got := rowOf(s, "here we are"); got != row {
		t.Errorf("the line moved from row %d to %d:\n%s", row, got, s.screen())
	}
	s.shows("204 here we are")
	s.keys("g g")
	s.shows("1▌new 1", "3▌new 3", "4 line a")
}

func rowOf(s *sim, text string) int {
	for y, row := range strings.Split(s.screen(), "\n") {
		if strings.Contains(row, text) {
			return y
		}
	}
	return -1
}

func TestOutsideDelete_OfTheOpenMemoryIsReported(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.store.Delete(context.Background(), agent, at("people/dana.md"))
	s.deliver()
	s.shows("no such memory")
	s.store.Do(context.Background(), agent, plan.UndoLast{By: agent.Actor})
	s.deliver()
	s.shows("prefers short notes")
}

func TestConflict_LosesNeitherText(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) *sim {
		s := newSim(t, sample(), 100, 30)
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		s.store.write(agent, "people/dana.md", "theirs\n")
		s.keys("ctrl+s")
		s.shows("changed meanwhile", "texts are kept")
		if content(s, "people/dana.md") != "theirs\n" {
			t.Fatal("saving overwrote what somebody else wrote")
		}
		return s
	}
	mine := "mine # Dana\n\nprefers short notes\n"
	t.Run("overwrite", func(t *testing.T) {
		s := begin(t)
		s.keys("o")
		if content(s, "people/dana.md") != mine {
			t.Errorf("the memory holds %q", content(s, "people/dana.md"))
		}
		if s.app.editing.Pane().Dirty() {
			t.Error("the editor thinks it is not saved")
		}
	})
	t.Run("beside", func(t *testing.T) {
		s := begin(t)
		s.keys("b")
		if content(s, "people/dana.md") != "theirs\n" || content(s, "people/dana (mine).md") != mine {
			t.Errorf("%q and %q", content(s, "people/dana.md"), content(s, "people/dana (mine).md"))
		}
		s.shows("dana (mine).md")
	})
	t.Run("theirs", func(t *testing.T) {
		s := begin(t)
		s.keys("n")
		if got := string(s.app.editing.Pane().Content()); got != "theirs\n" {
			t.Errorf("the editor holds %q", got)
		}
		s.keys("ctrl+z")
		if got := string(s.app.editing.Pane().Content()); got != mine {
			t.Errorf("undo brings back %q", got)
		}
	})
	t.Run("back", func(t *testing.T) {
		s := begin(t)
		s.keys("esc")
		if got := string(s.app.editing.Pane().Content()); got != mine || s.app.overlay != nil {
			t.Errorf("the editor holds %q", got)
		}
	})
}

func TestEdit_ReloadsUneditedText(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.store.write(agent, "people/dana.md", "theirs\n")
	s.deliver()
	if got := string(s.app.editing.Pane().Content()); got != "theirs\n" {
		t.Errorf("the editor holds %q", got)
	}
	s.typed("x")
	s.store.write(agent, "people/dana.md", "again\n")
	s.deliver()
	s.shows("changed meanwhile: saving will ask")
}

func TestWatch_ReportsAMissingFolder(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.shows("follow: o")
	s.happens(versions.Event{Err: errors.New("folder is gone")})
	s.shows("folder is gone")
	s.keys("j")
	s.shows("out of reach")
	s.happens(versions.Event{Polling: true, Others: true})
	s.shows("polling")
}

func TestProblem_IsShownOnceIfTheTreeShowsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w, h, times int
		away        bool // the tree is hidden
	}{{120, 30, 1, false}, {40, 12, 1, false}, {40, 12, 1, true}, {120, 8, 1, false}} {
		s := newSim(t, sample(), c.w, c.h)
		if c.away {
			s.send(screen.Open{Path: at("people/dana.md")})
		}
		s.happens(versions.Event{Err: errors.New("folder is gone")})
		if n := strings.Count(s.screen(), "folder is gone"); n != c.times {
			t.Errorf("at %dx%d it is shown %d times:\n%s", c.w, c.h, n, s.screen())
		}
		if n := len(s.app.notices.All()); n == 0 || !strings.Contains(s.app.notices.All()[n-1].Text, "folder is gone") {
			t.Errorf("the messages are %v", s.app.notices.All())
		}
	}
}

func TestFirstScan_ReadsTheTreeAgainOnlyIfItMayHaveChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		synced versions.SyncReport
		others int64 // a change by somebody else meanwhile
		want   int
	}{
		"nothing was taken in":   {want: 1},
		"something was taken in": {synced: versions.SyncReport{Changed: true}, want: 2},
		"somebody wrote":         {others: 1, want: 2},
	} {
		f := newFake()
		f.write(agent, "a.md", "a")
		f.synced = c.synced
		a := New(t.Context(), Config{Store: unwatched{f}, By: me, Now: func() time.Time { return clock }})
		a.later = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		a.Update(a.live.Reload()())
		if c.others > 0 {
			f.write(agent, "b.md", "b")
		}
		s := &sim{t: t, app: a, store: f}
		s.run(a.live.ScanNow())
		if f.listed != c.want {
			t.Errorf("%s: the tree was read %d times, want %d", name, f.listed, c.want)
		}
	}
}

// The highlight of a changed memory must end even if others write continuously.
func TestFlash_EndsDuringContinuousWrites(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	highlighted := func(name string) bool {
		for _, row := range strings.Split(s.app.tree.View(), "\n") {
			if strings.Contains(row, name) {
				return strings.Contains(row, s.app.th.Flash.On)
			}
		}
		return false
	}
	s.store.write(agent, "people/dana.md", "# Dana\n")
	s.deliver()
	first := s.timed
	s.timed = nil
	s.store.write(agent, "people/lee.md", "# Lee\n")
	s.deliver()
	if !highlighted("dana.md") || !highlighted("lee.md") {
		t.Fatalf("what changed is not lit:\n%q", s.app.tree.View())
	}
	for _, msg := range first {
		s.send(msg)
	}
	if highlighted("dana.md") || !highlighted("lee.md") {
		t.Errorf("dana.md is lit: %v, lee.md is lit: %v", highlighted("dana.md"), highlighted("lee.md"))
	}
}
