package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/versions/history"
)

// rests lets the tree's cursor rest.
func (s *sim) rests() *sim {
	for range 3 {
		s.elapse()
	}
	return s
}

func TestPreview_ShowsWhatIsUnderTheCursor(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.shows("─ /inbox ─", "1 memory · 60B · ≈15 tokens · 1 not versioned", "from-web.md")
	s.rests().on("people/dana.md").keys("j") // after a rest, at once
	s.shows("─ /people/lee.md ─", "on leave until May")
	s.rests().on("inbox").rests()
	s.keys("j k j k j j")
	s.shows("─ /inbox/from-web.md ─") // the first of quick moves
	if len(s.timed) != 1 {
		t.Errorf("six moves of the cursor set %d timers", len(s.timed))
	}
	s.elapse() // it was moved meanwhile
	s.shows("─ /inbox/from-web.md ─")
	s.elapse()
	s.shows("a FIFO, a socket or a device")
}

func TestPreview_OpensNothing(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30).on("people/dana.md")
	s.keys("enter esc")
	s.on("people/lee.md").keys("k j")
	s.rests().shows("─ /people/lee.md ─")
	s.keys("enter")
	s.shows("─ /people/lee.md ─")
	s.keys("ctrl+o")
	s.shows("─ /people/dana.md ─")
}

// A preview that the person goes to is the open memory.
func TestPreview_IsOpenedByGoingThere(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30).on("people/dana.md")
	s.keys("enter esc k j j tab") // before the cursor rests
	s.shows("─ /people/lee.md ─", "▸  1 # Lee")
	s.keys("ctrl+o")
	s.shows("─ /people/dana.md ─")
}

func TestPreview_LetsTheHistoryFollow(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36).on("people/dana.md")
	s.keys("enter H")
	s.shows("history of /people/dana.md")
	s.keys("esc esc")
	s.on("people/dana.md").keys("j")
	s.rests()
	s.shows("history of /people/lee.md")
}

// Another program that deletes a memory does not change what is shown.
func TestPreview_FollowsThePersonOnly(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30).on("people/dana.md")
	s.keys("enter")
	if _, err := s.store.Delete(t.Context(), agent, at("people/dana.md")); err != nil {
		t.Fatal(err)
	}
	s.deliver()
	s.rests().shows("no such memory")
}

func TestPreview_WaitsWhileATextIsEdited(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30).on("people/dana.md")
	s.keys("enter e")
	s.typed("more ")
	s.app.setFocus(0)
	s.on("people/lee.md").rests().shows("edit /people/dana.md")
}

func TestPreview_IsNoRead(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "evil", 120, 30)
	store := s.app.cfg.Store.(local.Store).Store
	before, err := history.ReadStats(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	s.keys("g g j j j j")
	s.rests().shows("a safe line")
	if err := store.Close(); err != nil { // writes reads that are noted
		t.Fatal(err)
	}
	after, err := history.ReadStats(t.Context(), store)
	if err != nil || len(after) != len(before) {
		t.Errorf("%d reads became %d: %v", len(before), len(after), err)
	}
}

// In a narrow terminal, which shows one pane at a time, the memory's tab shows what the tree has
// selected.
func TestPreview_IsBehindTheTab(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 40, 12)
	s.keys("g g j j")
	if len(s.timed) > 0 && strings.Contains(s.screen(), "reading") {
		t.Error("it is read although it is not shown")
	}
	s.on("people/dana.md").keys("j tab")
	s.shows("on leave until May")
}

func TestHistory_SaysWhyAFileHasNone(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36).on("logs/all.log")
	s.shows("7 memories, 3 not versioned")
	s.keys("enter H")
	s.shows("history of /logs/all.log", "Not versioned: it is over 8.0M. c shows all changes of the store.")
	s.app.setFocus(0)
	s.on("shared").keys("k j")
	s.rests().shows("Not versioned: it is a symbolic link")
	s.on("people/dana.md").keys("j k")
	s.rests().shows("history of /people/dana.md")
}

func TestReadOnlyFolder_IsReportedAtTheStart(t *testing.T) {
	t.Parallel()
	f := sample()
	f.unwritable = memfs.ErrNoPermission
	s := newSim(t, f, 120, 30)
	s.run(s.app.live.ScanNow())
	s.shows("read-only: memend can't write in /home/dana/memories: permission denied")
	s.keys("j")
	s.shows("assistant  read-only", "Space choose")
	s.hides("n new", "d delete") // they fail there
}

// In a narrow terminal one pane fits beside the tree: a session that runs is not about what is
// under the cursor, the history is.
func TestPreview_IsShownBesideTheTreeInANarrowTerminal(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24).on("people/dana.md")
	s.keys("A shift+tab shift+tab")
	s.on("people/lee.md").rests()
	s.shows("─ /people/lee.md ─", "on leave until May")
	s.keys("H")
	s.shows("history of /people/lee.md")
	s.keys("shift+tab shift+tab k")
	s.rests()
	s.shows("history of /people/dana.md")
}
