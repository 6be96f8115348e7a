package ui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/gitsync"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
)

// slowStore is a store of the engine with one method that blocks until it is cancelled or
// released. One that has begun to write ignores cancellation.
type slowStore struct {
	Store
	stores.Home
	name          string // of the method
	ignoresCancel bool
	gate          chan struct{}

	mu        sync.Mutex
	entered   bool
	cancelled bool // it was cancelled
}

func (s *slowStore) stuck(ctx context.Context, name string) (context.Context, error) {
	if name != s.name {
		return ctx, nil
	}
	s.note(&s.entered)
	cancelled := ctx.Done()
	if s.ignoresCancel {
		cancelled = nil
	}
	select {
	case <-cancelled:
		s.note(&s.cancelled)
		return ctx, ctx.Err()
	case <-s.gate:
		return context.WithoutCancel(ctx), nil
	}
}

func (s *slowStore) note(what *bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*what = true
}

func (s *slowStore) is(what *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *what
}

// slowly calls a method that may be the blocked one.
func slowly[T any](s *slowStore, ctx context.Context, name string, do func(context.Context) (T, error)) (out T, err error) {
	if ctx, err = s.stuck(ctx, name); err != nil {
		return out, err
	}
	return do(ctx)
}

type change = versions.Change

func (s *slowStore) Do(ctx context.Context, by versions.By, g plan.Goal) (change, error) {
	return slowly(s, ctx, "Do", func(ctx context.Context) (change, error) { return s.Store.Do(ctx, by, g) })
}
func (s *slowStore) Rename(ctx context.Context, by versions.By, from, to memfs.Path, edits ...versions.Edit) (change, error) {
	return slowly(s, ctx, "Rename", func(ctx context.Context) (change, error) { return s.Store.Rename(ctx, by, from, to, edits...) })
}
func (s *slowStore) Move(ctx context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (change, error) {
	return slowly(s, ctx, "Move", func(ctx context.Context) (change, error) { return s.Store.Move(ctx, by, into, paths...) })
}
func (s *slowStore) Delete(ctx context.Context, by versions.By, paths ...memfs.Path) (change, error) {
	return slowly(s, ctx, "Delete", func(ctx context.Context) (change, error) { return s.Store.Delete(ctx, by, paths...) })
}
func (s *slowStore) Write(ctx context.Context, by versions.By, p memfs.Path, b []byte, pre versions.Pre) (change, error) {
	return slowly(s, ctx, "Write", func(ctx context.Context) (change, error) { return s.Store.Write(ctx, by, p, b, pre) })
}
func (s *slowStore) SyncAndWatch(ctx context.Context) (<-chan versions.Event, versions.SyncReport, error) {
	if ctx, err := s.stuck(ctx, "SyncAndWatch"); err != nil {
		return nil, versions.SyncReport{}, err
	} else {
		return s.Store.SyncAndWatch(ctx)
	}
}
func (s *slowStore) Apply(ctx context.Context, by versions.By, p *plan.Plan, c map[versions.MemoryID]planning.Choice) (change, error) {
	return slowly(s, ctx, "Apply", func(ctx context.Context) (change, error) { return s.Store.Apply(ctx, by, p, c) })
}
func (s *slowStore) Sync(ctx context.Context) (versions.SyncReport, error) {
	return slowly(s, ctx, "Sync", s.Store.Sync)
}
func (s *slowStore) Plan(ctx context.Context, g plan.Goal) (*plan.Plan, error) {
	return slowly(s, ctx, "Plan", func(ctx context.Context) (*plan.Plan, error) { return s.Store.Plan(ctx, g) })
}
func (s *slowStore) PlanRedact(ctx context.Context, t versions.RedactTarget) (redact.Plan, error) {
	return slowly(s, ctx, "PlanRedact", func(ctx context.Context) (redact.Plan, error) { return s.Store.PlanRedact(ctx, t) })
}
func (s *slowStore) Redact(ctx context.Context, by versions.By, p redact.Plan, c versions.RedactChoice) (versions.Receipt, error) {
	return slowly(s, ctx, "Redact", func(ctx context.Context) (versions.Receipt, error) { return s.Store.Redact(ctx, by, p, c) })
}
func (s *slowStore) TreeAt(ctx context.Context, n int64) ([]versions.Entry, error) {
	return slowly(s, ctx, "TreeAt", func(ctx context.Context) ([]versions.Entry, error) { return s.Store.TreeAt(ctx, n) })
}
func (s *slowStore) Blame(ctx context.Context, v versions.VersionID) (*versions.Blame, error) {
	return slowly(s, ctx, "Blame", func(ctx context.Context) (*versions.Blame, error) { return s.Store.Blame(ctx, v) })
}
func (s *slowStore) Content(ctx context.Context, v versions.VersionID) ([]byte, error) {
	return slowly(s, ctx, "Content", func(ctx context.Context) ([]byte, error) { return s.Store.Content(ctx, v) })
}

func (s *slowStore) Search(ctx context.Context, q versions.Query, each func(versions.Hit) bool) (versions.Found, error) {
	return slowly(s, ctx, "Search", func(ctx context.Context) (versions.Found, error) { return s.Store.Search(ctx, q, each) })
}
func (s *slowStore) SearchHistory(ctx context.Context, q versions.Query, each func(versions.HistoryHit) bool) error {
	_, err := slowly(s, ctx, "SearchHistory", func(ctx context.Context) (any, error) { return nil, s.Store.SearchHistory(ctx, q, each) })
	return err
}

// The methods of Stores:
func (s *slowStore) CreateStore(ctx context.Context, name, about, folder string) (versions.StoreInfo, error) {
	return slowly(s, ctx, "CreateStore", func(ctx context.Context) (versions.StoreInfo, error) {
		return s.Home.CreateStore(ctx, name, about, folder)
	})
}

type slowStores struct{ *slowStore }

func (s slowStores) BranchStates(context.Context) (map[versions.StoreID]branches.State, error) {
	return nil, nil
}

func (s slowStores) SyncStore(ctx context.Context, _ screen.Sync) (gitsync.Result, error) {
	return slowly(s.slowStore, ctx, "SyncStore", func(context.Context) (gitsync.Result, error) { return gitsync.Result{}, nil })
}

func (s slowStores) Transfer(context.Context, versions.By, versions.StoreID, versions.StoreID, bool, ...versions.Transfer) (here, there versions.Change, err error) {
	return here, there, nil
}

func (s slowStores) OpenStore(ctx context.Context, id versions.StoreID) (*engine.Store, error) {
	return s.Home.(search.Home).OpenStore(ctx, id)
}

func (s slowStores) UseStore(context.Context, versions.StoreID) error { return nil }

func (s slowStores) Open(ctx context.Context, id versions.StoreID) (Store, editing.Drafts, error) {
	st, err := slowly(s.slowStore, ctx, "Open", func(context.Context) (Store, error) { return s.Store, nil })
	return st, nil, err
}

// slowProgram runs the screens on a store with a blocked method.
func slowProgram(t *testing.T, method string, ignoresCancel bool) (*program, *slowStore) {
	from := engineSim(t, "robot", 100, 24)
	slow := &slowStore{Store: from.app.cfg.Store, Home: from.app.cfg.Stores.(fakeStores).Home, name: "none", ignoresCancel: ignoresCancel, gate: make(chan struct{})}
	cfg := Config{Store: slow, By: me, Now: func() time.Time { return clock }, Background: Dark, Stores: slowStores{slow}, Progress: true}
	p := &program{t: t, m: newModel(t.Context(), cfg), msgs: make(chan tea.Msg, 1000)}
	p.m.app.later = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(jobs.SlowMsg); ok { // work counts as slow immediately
			return func() tea.Msg { return msg }
		}
		return nil
	}
	p.start(p.m.Init())
	p.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	p.until("it is watched", func(a *App) bool { return a.watch() == live.Watching && shows("safe.md")(a) })
	slow.mu.Lock()
	slow.name = method
	slow.mu.Unlock()
	return p, slow
}

func (p *program) keys(names string) {
	for _, k := range strings.Fields(names) {
		p.send(screentest.Key(k))
	}
}

func (p *program) typed(s string) { p.send(tea.PasteMsg{Content: s}) }

func newest(t *testing.T, s Store) versions.Change {
	list, err := s.Changes(context.Background(), versions.Filter{}, 0, 1)
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	return list[0]
}

func firstOf(t *testing.T, s Store, path string) versions.Version {
	v, err := s.VersionAt(context.Background(), at(path), 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// robotsIn returns the session of the agent in the store.
func robotsIn(t *testing.T, s Store) versions.SessionID {
	list, err := s.Changes(context.Background(), versions.Filter{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Actor.Kind == versions.Agent {
			return c.Session
		}
	}
	t.Fatal("no agent wrote")
	return ""
}

// longActs are the operations that the root runs: how each is started, and its name.
var longActs = []struct {
	name, method, doing string
	begin               func(p *program, s *slowStore)
	reads               bool // it changes nothing in the store
}{
	{name: "undo", method: "Do", doing: "undo the last change", begin: func(p *program, s *slowStore) {
		if _, err := s.Store.Write(context.Background(), me, at("mine.md"), []byte("mine\n"), versions.Pre{}); err != nil {
			p.t.Fatal(err)
		}
		p.keys("u")
	}},
	{name: "undo a change", method: "Do", doing: "undo change #7", begin: func(p *program, _ *slowStore) { p.send(screen.Undo{Change: 7}) }},
	{name: "redo", method: "Do", doing: "redo the last change undone", begin: func(p *program, s *slowStore) {
		if _, err := s.Store.Do(context.Background(), me, plan.UndoLast{By: me.Actor}); err != nil {
			p.t.Fatal(err)
		}
		p.send(screen.Redo{})
	}},
	{name: "restore a version", method: "Do", doing: "restore version 1 of /d/robot", begin: func(p *program, s *slowStore) {
		p.send(screen.Restore{Version: firstOf(p.t, s, "d/robot")})
	}},
	{name: "rename", method: "Rename", doing: "rename /safe.md", begin: func(p *program, _ *slowStore) {
		p.send(screen.Rename{Path: at("safe.md")})
		p.typed("2")
		p.keys("enter")
	}},
	{name: "move", method: "Move", doing: "move /safe.md", begin: func(p *program, _ *slowStore) {
		p.send(screen.Move{Paths: []memfs.Path{at("safe.md")}, Folder: at("d")})
		p.keys("enter")
	}},
	{name: "save", method: "Write", doing: "save /safe.md", begin: func(p *program, _ *slowStore) {
		p.send(screen.Edit{Path: at("safe.md")})
		p.until("it is edited", func(a *App) bool { return a.editing.Pane() != nil })
		p.typed("more\n")
		p.keys("ctrl+s")
	}},
	{name: "delete", method: "Delete", doing: "delete /safe.md", begin: func(p *program, _ *slowStore) {
		p.send(screen.Delete{Paths: []memfs.Path{at("safe.md")}})
	}},
	{name: "apply a plan", method: "Apply", doing: "restore /safe.md as of #2", begin: func(p *program, _ *slowStore) {
		p.send(screen.RestoreAt{At: versions.Moment{Change: 2}, Path: at("safe.md")})
		p.until("the plan shows", shows("− delete"))
		p.keys("a")
	}},
	{name: "scan for changes", method: "Sync", doing: "scan for outside changes", reads: true, begin: func(p *program, _ *slowStore) { p.keys("f5") }},
	{name: "open a store", method: "Open", doing: "open other", reads: true, begin: func(p *program, _ *slowStore) {
		p.send(screen.OpenStore{ID: "memstore_other", Name: "other"})
	}},
	{name: "make a store", method: "CreateStore", doing: "make the store garden", reads: true, begin: func(p *program, _ *slowStore) {
		p.keys("@")
		p.until("the stores show", shows("stores"))
		p.keys("n")
		p.until("a name is asked for", func(a *App) bool { return a.prompt != nil })
		p.typed("garden")
		p.keys("enter")
		p.until("a folder is asked for", shows("its folder"))
		p.keys("enter")
	}},
}

func TestLongActions_AreShownAndCancelledByEsc(t *testing.T) {
	t.Parallel()
	for _, c := range longActs {
		t.Run(c.name, func(t *testing.T) {
			p, slow := slowProgram(t, c.method, false)
			c.begin(p, slow)
			p.until("it goes on", func(*App) bool { return slow.is(&slow.entered) })
			before := newest(t, slow.Store)
			p.until("it shows", shows(c.doing+"…"))
			p.until("how to cancel it shows", shows("Esc cancels"))
			if bar := p.m.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarIndeterminate {
				t.Errorf("the terminal's bar is %+v", bar)
			}
			screens := len(p.m.app.screens)
			p.keys("esc")
			p.until("it is cancelled", func(*App) bool { return slow.is(&slow.cancelled) })
			p.until("that is told", shows("cancelled: "+c.doing+" · nothing was changed"))
			a := p.m.app
			if now := newest(t, slow.Store); now.Number != before.Number {
				t.Errorf("change #%d was made all the same", now.Number)
			}
			if a.jobs.CanCancel() || a.jobs.Running() > 0 || a.progress() != nil || len(a.screens) != screens {
				t.Errorf("%d works are left, and %d of %d screens", a.jobs.Running(), len(a.screens), screens)
			}
			p.send(screen.Delete{Paths: []memfs.Path{at("moved.md")}}) // the next operation must work
			if c.method != "Delete" {
				p.until("it is obeyed", shows("deleted /moved.md"))
			}
		})
	}
}

func TestSave_CancelledKeepsTheTextInTheEditor(t *testing.T) {
	t.Parallel()
	p, slow := slowProgram(t, "Write", false)
	p.send(screen.Edit{Path: at("safe.md")})
	p.until("it is edited", func(a *App) bool { return a.editing.Pane() != nil })
	p.typed("more\n")
	p.keys("esc") // to save and close
	p.until("it asks", func(a *App) bool { return a.overlay != nil })
	p.keys("s")
	p.until("it goes on", func(*App) bool { return slow.is(&slow.entered) })
	p.until("it shows", shows("Esc cancels"))
	p.keys("esc")
	p.until("that is told", shows("cancelled: save /safe.md"))
	a := p.m.app
	if a.editing.Pane() == nil || !a.editing.Pane().Dirty() {
		t.Fatal("the text is lost")
	}
	slow.mu.Lock()
	slow.name = "none"
	slow.mu.Unlock()
	p.keys("ctrl+s") // the next attempt must work
	p.until("it is saved", shows("saved /safe.md"))
	if a.editing.Pane() == nil || a.editing.Pane().Dirty() {
		t.Error("it is not saved")
	}
}

func TestFirstScan_IsCancelledByEscAndRepeatedByF5(t *testing.T) {
	t.Parallel()
	from := engineSim(t, "robot", 100, 24)
	slow := &slowStore{Store: from.app.cfg.Store, name: "SyncAndWatch", gate: make(chan struct{})}
	p := &program{t: t, m: newModel(t.Context(), Config{Store: slow, By: me, Now: func() time.Time { return clock }, Background: Dark}), msgs: make(chan tea.Msg, 1000)}
	p.m.app.later = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		if _, ok := msg.(jobs.SlowMsg); ok {
			return func() tea.Msg { return msg }
		}
		return nil
	}
	p.start(p.m.Init())
	p.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	p.until("it looks", shows("scan the folder…"))
	p.until("it goes on", func(*App) bool { return slow.is(&slow.entered) })
	p.keys("esc")
	p.until("that is told", shows("F5 scans it"))
	p.keys("j")
	p.m.app.notices = jobs.NewNotices(p.m.app.later)
	p.until("that stays", shows("folder not scanned"))
	slow.mu.Lock()
	slow.name = "none"
	slow.mu.Unlock()
	p.keys("f5")
	p.until("it is watched", func(a *App) bool { return a.watch() == live.Watching })
	if _, err := slow.Store.Write(context.Background(), versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "late"}, Session: "sesn_late"}, at("late.md"), []byte("late\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	p.until("what comes then shows", shows("late.md"))
}

func TestLongActions_ReportThatItIsTooLateToCancel(t *testing.T) {
	t.Parallel()
	for _, c := range longActs {
		if c.method == "Open" { // a store that was opened too late needs no message
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p, slow := slowProgram(t, c.method, true)
			c.begin(p, slow)
			p.until("it goes on", func(*App) bool { return slow.is(&slow.entered) })
			before := newest(t, slow.Store)
			p.until("it shows", shows("Esc cancels"))
			p.keys("esc")
			p.until("Esc is heard", shows("cancelling "+c.doing+"…"))
			if p.m.app.jobs.Cancel() {
				t.Error("a second Esc does not get through to the screen")
			}
			close(slow.gate)
			p.until("it is told that it was done", shows("too late to cancel"))
			if now := newest(t, slow.Store); !c.reads && now.Number == before.Number {
				t.Error("it was not done")
			}
			if p.m.app.jobs.Running() > 0 {
				t.Error("it is still under way")
			}
		})
	}
}

// longScreens are the screens that load something when they are opened: leaving them cancels
// that.
var longScreens = []struct {
	name, method string
	begin        func(p *program, s *slowStore)
	shows        string // while it is loading
	leave        string // keys
	says         string // afterwards
}{
	{"the plan of a session", "Plan", func(p *program, s *slowStore) { p.send(screen.UndoSession{Session: robotsIn(p.t, s)}) },
		"planning…", "esc", "robot · nothing was changed"},
	{"the plan of a moment", "Plan", func(p *program, _ *slowStore) { p.send(screen.RestoreAt{At: versions.Moment{Change: 2}}) },
		"planning…", "esc", "cancelled: restore everything as of #2 · nothing was changed"},
	{"the plan of a redaction", "PlanRedact", func(p *program, _ *slowStore) { p.send(screen.Redact{Match: "line"}) },
		"searching for what contains it…", "esc", "cancelled: redact a text · nothing was changed"},
	{"the time line", "TreeAt", func(p *program, _ *slowStore) { p.send(screen.Timeline{Change: 3}) }, "", "esc", ""},
	{"the search", "Search", func(p *program, _ *slowStore) { p.send(screen.Search{Text: "two"}) }, "", "esc", ""},
	{"the search of every version", "SearchHistory", func(p *program, _ *slowStore) {
		p.send(screen.Search{Text: "two"})
		p.until("memories are searched", shows("two"))
		p.keys("tab")
	}, "", "esc", ""},
	{"a diff", "Content", func(p *program, _ *slowStore) { p.send(screen.ShowChange{Change: 7}) }, "", "j", ""},
	{"blame", "Blame", func(p *program, _ *slowStore) { p.send(screen.Blame{Path: at("safe.md")}) }, "", "B", ""},
}

func TestLongScreens_AreCancelledByLeavingThem(t *testing.T) {
	t.Parallel()
	for _, c := range longScreens {
		t.Run(c.name, func(t *testing.T) {
			p, slow := slowProgram(t, c.method, false)
			before := newest(t, slow.Store)
			c.begin(p, slow)
			p.until("it goes on", func(*App) bool { return slow.is(&slow.entered) })
			p.until("it shows", shows(c.shows))
			p.keys(c.leave)
			p.until("it is cancelled", func(*App) bool { return slow.is(&slow.cancelled) })
			p.until("that is told", shows(c.says))
			p.until("the screen is left", func(a *App) bool { return len(a.screens) == 0 })
			if now := newest(t, slow.Store); now.Number != before.Number {
				t.Errorf("change #%d was made", now.Number)
			}
		})
	}
}

func TestErasing_CanNotBeLeft(t *testing.T) {
	t.Parallel()
	p, slow := slowProgram(t, "Redact", false)
	p.send(screen.Redact{Match: "a safe line"})
	p.until("the plan shows", shows("Redacted text can't be recovered"))
	p.keys("d X y")
	p.until("it is erased", func(*App) bool { return slow.is(&slow.entered) })
	p.keys("esc")
	p.until("it says why it stays", shows("it has begun and can't be cancelled"))
	if slow.is(&slow.cancelled) || len(p.m.app.screens) != 1 {
		t.Fatal("what has begun to be erased was cancelled, or is out of sight")
	}
	close(slow.gate)
	p.until("the receipt shows", shows("gone"))
}

func TestWork_AnimatesOnlyWhileShown(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24)
	s.timed = nil
	if s.send(jobs.StepMsg{}); len(s.timed) > 0 {
		t.Error("it turns while nothing goes on")
	}
	w := s.begin(screen.Work{Doing: "sleep"})
	if strings.Contains(ansi.Strip(s.app.View()), "sleep") {
		t.Error("what takes no longer than a moment shows")
	}
	w.slow()
	first := ansi.Strip(s.app.View())
	s.elapse()
	if second := ansi.Strip(s.app.View()); !strings.Contains(first, "| sleep…") || !strings.Contains(second, "/ sleep…") {
		t.Errorf("it does not turn:\n%s\n%s", first, second)
	}
	s.app.cfg.NoAnimation = true
	if got := ansi.Strip(s.app.View()); strings.Contains(got, "/ sleep…") || !strings.Contains(got, "sleep… Esc cancels") {
		t.Errorf("where nothing is to move it shows\n%s", got)
	}
}
