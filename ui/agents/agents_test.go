package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var (
	claude = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_01claude", ToolUse: "toolu_01", Turn: 1}
	helper = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "helper"}, Session: "sesn_02helper", ToolUse: "toolu_02", Turn: 1}
	dana   = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_dana"}
)

// fixture is a pane on a store of the engine with a clock that the test sets.
type fixture struct {
	t     *testing.T
	trail *engine.Trail
	store *engine.Store
	pane  *Pane
	asked []tea.Msg // messages from the pane to the root

	mu  sync.Mutex
	now time.Time
}

func newFixture(t *testing.T, w, h int) *fixture {
	f := &fixture{t: t, now: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)}
	trail, err := engine.Open(t.Context(), storetest.Home(t), versions.Options{Now: f.time})
	f.must(err)
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "test", "", "")
	f.must(err)
	s, err := trail.OpenStore(t.Context(), info.ID)
	f.must(err)
	t.Cleanup(func() { s.Close(); trail.Close() })
	f.trail, f.store = trail, s
	f.pane = New(screentest.Env(t.Context()), local.Store{Store: s})
	f.pane.SetSize(w, h)
	f.pane.SetFocused(true)
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) time() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	f.now = f.now.Add(d)
	f.mu.Unlock()
}

func (f *fixture) path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	f.must(err)
	return p
}

func (f *fixture) write(by versions.By, path, text string) versions.Change {
	f.t.Helper()
	f.pass(time.Second)
	c, err := f.store.Write(f.t.Context(), by, f.path(path), []byte(text), versions.Pre{})
	f.must(err)
	return c
}

func (f *fixture) read(by versions.By, path string) {
	f.t.Helper()
	f.pass(time.Second)
	f.store.NoteRead(by, f.path(path))
	f.must(f.trail.FlushReads(f.t.Context()))
}

// story records the activity of a morning: two agents and a person.
func (f *fixture) story() *fixture {
	f.write(dana, "people/kim.md", "# Kim\n")
	f.write(dana, "notes/plan.md", "# Plan\n\n- ship\n- rest\n")
	f.pass(20 * time.Minute)
	f.read(claude, "notes/plan.md")
	f.write(claude, "notes/plan.md", "# Plan\n\n- ship on Friday\n- rest\n")
	f.write(claude, "notes/ideas.md", "one\ntwo\n")
	f.read(claude, "people/kim.md")
	_, err := f.store.Rename(f.t.Context(), claude, f.path("notes/ideas.md"), f.path("notes/old/ideas.md"))
	f.must(err)
	f.pass(2 * time.Hour)
	f.read(helper, "notes/plan.md")
	c := f.write(helper, "notes/plan.md", "gone\n")
	_, err = vplan.Do(f.t.Context(), f.store, dana, vplan.UndoChange(c.Number))
	f.must(err)
	f.pass(10 * time.Second)
	_, err = f.store.Delete(f.t.Context(), helper, f.path("notes/old"))
	f.must(err)
	return f
}

func (f *fixture) start() *fixture {
	f.pane.SetNow(f.time())
	f.run(f.pane.Start())
	return f
}

// run runs a command and all commands that follow from it.
func (f *fixture) run(cmd tea.Cmd) {
	for queue := []tea.Cmd{cmd}; len(queue) > 0; {
		f.asked = append(f.asked, screentest.Requests(f.pane.env)...)
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case screen.Reply:
			queue = append(queue, msg.Take())
		default:
			f.asked = append(f.asked, msg)
		}
	}
}

// keys presses keys as the root does.
func (f *fixture) keys(seqs ...string) {
	for _, s := range seqs {
		if f.pane.TakesText() {
			k := tea.KeyPressMsg{Text: s}
			switch s {
			case "enter":
				k = tea.KeyPressMsg{Code: tea.KeyEnter}
			case "esc":
				k = tea.KeyPressMsg{Code: tea.KeyEscape}
			case "tab":
				k = tea.KeyPressMsg{Code: tea.KeyTab}
			}
			f.run(f.pane.Update(k))
			continue
		}
		cmd, r := f.pane.Press(strings.Fields(s), 0)
		if r == keys.None {
			f.t.Errorf("%s does nothing", s)
		}
		f.run(cmd)
	}
}

func (f *fixture) event(e versions.Event) { f.run(f.pane.Event(e)) }

func (f *fixture) view() string { return ansi.Strip(f.pane.View()) }

// listed returns the rows of the stream: sign and path.
func (f *fixture) listed() (out []string) {
	for i := range f.pane.stream.len() {
		a, _ := f.pane.stream.at(i)
		sign, _ := f.pane.pen().sign(a, 1)
		out = append(out, sign+" "+whatOf(a))
	}
	return out
}

func (f *fixture) wants(why string, want ...string) {
	f.t.Helper()
	if got := f.listed(); !slices.Equal(got, want) {
		f.t.Errorf("%s: listed are %q, want %q", why, got, want)
	}
}

func (f *fixture) last() tea.Msg {
	f.t.Helper()
	if len(f.asked) == 0 {
		f.t.Fatal("nothing was asked for")
	}
	return f.asked[len(f.asked)-1]
}

var story = []string{"− /notes/old", "u #6 /notes/plan.md", "~ /notes/plan.md", "r /notes/plan.md", "→ /notes/ideas.md → /notes/old/ideas.md",
	"r /people/kim.md", "+ /notes/ideas.md", "~ /notes/plan.md", "r /notes/plan.md", "+ /notes/plan.md", "+ /people/kim.md"}

func TestFramesMatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{160, 24}, {120, 36}, {80, 24}, {79, 17}, {53, 21}, {40, 12}, {40, 9}} {
		f := newFixture(t, size.w, size.h).story().start()
		f.keys("j", "j")
		at := fmt.Sprintf("-%dx%d", size.w, size.h)
		drawtest.Golden(t, *update, "stream"+at, f.pane.View())
		f.keys("d")
		drawtest.Golden(t, *update, "diff"+at, f.pane.View())
		f.keys("esc", "h", "j", "j")
		drawtest.Golden(t, *update, "sessions"+at, f.pane.View())
		f.keys("l", "/")
		drawtest.Golden(t, *update, "filter"+at, f.pane.View())
	}
	drawtest.Golden(t, *update, "empty-79x17", newFixture(t, 79, 17).start().pane.View())
}

func TestEveryFrameFillsItsArea(t *testing.T) {
	f := newFixture(t, 80, 20).story()
	odd := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "\x1b]52;c;ZXZpbA==\a\u202eevil 佐藤👩‍👩‍👧"}, Session: "sesn_\x1b[31m\u200b\u202e", ToolUse: "toolu_\r\n\x9b31m\u2066"}
	f.write(odd, "notes/\u202eevil 佐藤 👩‍👩‍👧‍👦.md", "\x1b]0;x\a\n")
	f.read(odd, "notes/\u202eevil 佐藤 👩‍👩‍👧‍👦.md")
	f.start()
	for _, play := range [][]string{{}, {"j"}, {"d"}, {"esc", "h", "j"}, {"l"}, {"/"}, {"x\u202e"}, {"esc", "G"}} {
		f.keys(play...)
		for _, w := range []int{0, 1, 2, 3, 5, 9, 14, 20, 33, 40, 55, 56, 79, 109, 110, 111, 160, 240} {
			for _, h := range []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 16, 30} {
				f.pane.SetSize(w, h)
				if p := drawtest.Problem(f.pane.View(), w, h); p != "" {
					t.Fatalf("after %q at %dx%d: %s", play, w, h, p)
				}
				if x, y, ok := f.pane.Cursor(); ok && (x >= w || y >= h) {
					t.Fatalf("at %dx%d the cursor is at %d,%d", w, h, x, y)
				}
			}
		}
	}
}

func TestActivityIsListedNewestFirst(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	f.wants("everybody", story...)
	var ids []versions.SessionID
	for _, s := range f.pane.sessions.list {
		ids = append(ids, s.ID)
	}
	if want := []versions.SessionID{helper.Session, claude.Session}; !slices.Equal(ids, want) {
		t.Errorf("sessions %q, want %q", ids, want)
	}
	if !strings.Contains(f.view(), "undone") || !strings.Contains(f.view(), "• ◇ helper") || strings.Contains(f.view(), "• ◇ claude") {
		t.Error(f.view())
	}
}

func TestASessionShowsItsActivity(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	f.keys("h", "j", "j", "j")
	f.wants("of claude", story[4:9]...)
	f.keys("enter", "j", "h", "g g")
	f.wants("of everybody again", story...)
}

func TestFiltersApplyWhileTyping(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	for filter, want := range map[string][]string{
		"reads":                               {story[3], story[5], story[8]},
		"writes by:helper":                    {story[0], story[2]},
		"kind:person":                         {story[1], story[9], story[10]},
		"session:02hel":                       {story[0], story[2], story[3]},
		"in:/people":                          {story[5], story[10]},
		"since:1h":                            story[:4],
		"kim":                                 {story[5], story[10]},
		"toolu_01 old":                        {story[4]},
		"by:nobody":                           nil,
		"in:/notes/ideas.md":                  {story[4], story[6]},
		"!writes":                             {story[3], story[5], story[8]},
		"kim !reads":                          {story[10]},
		"reads !in:/notes":                    {story[5]},
		"!since:1h !by:claude !session:02hel": {story[9], story[10]},
		"!kind:agent !kim":                    {story[1], story[9]},
		"kim ! !by: !kind:":                   {story[5], story[10]},
	} {
		f.keys("/")
		f.run(f.pane.Update(tea.PasteMsg{Content: filter}))
		f.wants(filter, want...)
		f.keys("enter")
		f.wants(filter+" kept", want...)
		f.keys("esc")
		f.wants(filter+" left", story...)
	}
	f.keys("/")
	f.run(f.pane.Update(tea.PasteMsg{Content: "since:never"}))
	if !strings.Contains(f.view(), "since: takes") {
		t.Errorf("nothing says what is wrong: %s", f.view())
	}
	f.keys("esc", "/")
	f.run(f.pane.Update(tea.PasteMsg{Content: "by:cla"}))
	f.keys("tab")
	if f.pane.typed.Value() != "by:claude " {
		t.Errorf("completed to %q", f.pane.typed.Value())
	}
}

// New activity is inserted at the top: a cursor that follows moves to it, any other cursor
// stays where it is and a count of the new activity is shown.
// A change of several memories names them; its keys open the first one and the list of all.
func TestChangeOfSeveralMemories_NamesAndOpensThem(t *testing.T) {
	f := newFixture(t, 100, 20)
	for _, name := range []string{"b.md", "a.md", "d.md", "c.md"} {
		f.must(os.WriteFile(filepath.Join(f.store.Info().Folder, name), []byte(name), 0o600))
	}
	_, err := f.store.Sync(t.Context())
	f.must(err)
	f.start()
	if v := f.view(); !strings.Contains(v, "/a.md, /b.md, /c.md and 1 more") || !strings.Contains(v, "4 memories") {
		t.Error(v)
	}
	f.keys("enter")
	if o, ok := f.last().(screen.Open); !ok || o.Path != f.path("a.md") {
		t.Errorf("Enter asks for %#v", f.last())
	}
	f.keys("v")
	if _, ok := f.last().(screen.ShowChange); !ok {
		t.Errorf("v asks for %#v", f.last())
	}
	f.keys("B")
	if r, ok := f.last().(keys.Refused); !ok || !strings.Contains(r.Why, "v lists them") {
		t.Errorf("b says %#v", f.last())
	}
}

func TestLiveInsertionKeepsTheSelection(t *testing.T) {
	f := newFixture(t, 120, 8).story().start()
	c := f.write(claude, "new.md", "x\n")
	f.event(versions.Event{Changes: []versions.Change{c}})
	if a, _ := f.pane.stream.current(); a.Path.String() != "/new.md" || f.pane.stream.unseen != 0 {
		t.Errorf("following, the cursor is on %v, %d new", a.Path, f.pane.stream.unseen)
	}
	if s, _ := f.pane.sessions.at(1); s.ID != claude.Session || s.Changes != 4 {
		t.Errorf("the session seen last is %+v", s)
	}
	f.keys("j", "j", "j")
	a, _ := f.pane.stream.current()
	was, row := *a, f.pane.stream.Cur-f.pane.stream.Top
	f.read(claude, "new.md")
	f.event(versions.Event{Reads: true})
	c = f.write(helper, "more.md", "x\n")
	f.event(versions.Event{Changes: []versions.Change{c}})
	if a, _ := f.pane.stream.current(); keyOf(a) != keyOf(&was) || f.pane.stream.Cur-f.pane.stream.Top != row {
		t.Errorf("the cursor went from %v to %v", was.Path, a.Path)
	}
	if !strings.Contains(f.view(), "2 new") {
		t.Errorf("nothing tells of what is new: %s", f.view())
	}
	f.keys("F")
	f.wants("all", append([]string{"+ /more.md", "r /new.md", "+ /new.md"}, story...)...)
	if f.pane.stream.Cur != 0 || f.pane.stream.unseen != 0 || !f.pane.stream.follow {
		t.Errorf("not following: row %d, %d new", f.pane.stream.Cur, f.pane.stream.unseen)
	}
}

// A read can be recorded in the ledger after a later change.
func TestALateReadIsInsertedInOrder(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	f.pass(time.Second)
	f.store.NoteRead(claude, f.path("people/kim.md"))                                             // waits in memory
	c, err := f.store.Write(t.Context(), claude, f.path("new.md"), []byte("x\n"), versions.Pre{}) // at the same moment
	f.must(err)
	f.event(versions.Event{Changes: []versions.Change{c}})
	f.must(f.trail.FlushReads(t.Context()))
	f.event(versions.Event{Reads: true})
	f.event(versions.Event{Reads: true})
	f.wants("with a late read", append([]string{"+ /new.md", "r /people/kim.md"}, story...)...)
}

func TestAnUndoMarksTheUndoneChange(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	c, err := vplan.Do(t.Context(), f.store, dana, vplan.UndoChange(3))
	f.must(err)
	f.event(versions.Event{Changes: []versions.Change{c}})
	if a, _ := f.pane.stream.at(8); a.Change.UndoneBy != c.Number {
		t.Errorf("%+v is not undone", a.Change)
	}
	plan, err := vplan.Make(t.Context(), f.store, vplan.UndoSession(helper.Session))
	f.must(err)
	c, err = vplan.Apply(t.Context(), f.store, dana, plan, nil)
	f.must(err)
	f.event(versions.Event{Changes: []versions.Change{c}})
	for i := range f.pane.stream.len() {
		if a, _ := f.pane.stream.at(i); !a.Read && a.Session == helper.Session && a.Change.UndoneBy == 0 {
			t.Errorf("%s stands", whatOf(a))
		}
	}
}

func TestKeysActOnTheRowUnderTheCursor(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	at := func(row int) {
		f.keys("g g")
		for range row {
			f.keys("j")
		}
	}
	at(7) // claude's edit of the plan
	f.keys("enter")
	if m := f.last().(screen.Late).Request.(screen.Open); m.Path.String() != "/notes/plan.md" || m.Line != 3 {
		t.Errorf("%+v", m)
	}
	f.keys("v")
	if m := f.last().(screen.History); m.Path.String() != "/notes/plan.md" || m.Version == "" || m.Memory == "" {
		t.Errorf("%+v", m)
	}
	f.keys("B")
	if m := f.last().(screen.Blame); m.Version == "" {
		t.Errorf("%+v", m)
	}
	f.keys("t")
	if m := f.last().(screen.Timeline); m.Change != 3 {
		t.Errorf("%+v", m)
	}
	f.keys("U")
	if m := f.last().(screen.UndoSession); m.Session != claude.Session {
		t.Errorf("%+v", m)
	}
	for key, want := range map[string]string{"y p": "/notes/plan.md", "y s": string(claude.Session)} {
		f.keys(key)
		if m := f.last().(screen.Copy); m.Text != want {
			t.Errorf("%s: %+v", key, m)
		}
	}
	at(8) // the read before
	f.keys("t")
	if m := f.last().(screen.Late).Request.(screen.Timeline); m.Change != 2 {
		t.Errorf("the store when it was read: %+v", m)
	}
	f.keys("d")
	if m := f.last().(keys.Refused); m.Why == "" || f.pane.stream.inDiff {
		t.Errorf("%+v", m)
	}
	at(0)
	f.keys("enter")
	if m := f.last().(keys.Refused); !strings.Contains(m.Why, "deleted") {
		t.Errorf("a deleted memory: %+v", m)
	}
	f.keys("h", "j", "U")
	if m := f.last().(screen.UndoSession); m.Session != helper.Session {
		t.Errorf("%+v", m)
	}
	f.keys("l", "esc")
	if _, ok := f.last().(screen.Back); !ok {
		t.Errorf("%+v", f.last())
	}
}

func TestTheDiffShowsWhatAWriteChanged(t *testing.T) {
	f := newFixture(t, 120, 30).story().start()
	for range 7 {
		f.keys("j")
	}
	f.keys("d")
	if v := f.view(); !strings.Contains(v, "- ship on Friday") || !strings.Contains(v, "/notes/plan.md · #3") {
		t.Error(v)
	}
	f.keys("esc")
	if v := f.view(); strings.Contains(v, "ship on Friday") {
		t.Error(v)
	}
}

// The cost of a key or of a live event depends on the size of the screen, not on how much is
// loaded.
func BenchmarkKeysAmongManyActs(b *testing.B) {
	p := New(screentest.Env(b.Context()), nil)
	p.SetSize(120, 36)
	began := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	act := func(i int) versions.Activity {
		return versions.Activity{Read: true, ID: int64(i), Time: began.Add(time.Duration(i) * time.Second), Session: "sesn_x", Actor: claude.Actor}
	}
	const n = 100_000
	for i := n; i > 0; i-- {
		p.stream.past = append(p.stream.past, act(i))
	}
	p.stream.done = true
	b.Run("key and frame", func(b *testing.B) {
		for b.Loop() {
			p.Press([]string{"j"}, 0)
			p.View()
		}
	})
	i := n
	b.Run("live act and frame", func(b *testing.B) {
		for b.Loop() {
			i++
			p.stream.keep(func() { p.stream.take([]versions.Activity{act(i)}) })
			p.View()
		}
	})
}

// A write that an agent made without memend is attributed to its session when its tool call is
// reported.
func TestASessionElsewhereAppearsWithItsCalls(t *testing.T) {
	f := newFixture(t, 100, 20).start()
	f.now = time.Now() // files have the system's time
	host := filepath.Join(f.store.Info().Folder, "new.md")
	f.must(os.WriteFile(host, []byte("by hand\n"), 0o644))
	_, err := f.store.Sync(t.Context())
	f.must(err)
	f.event(versions.Event{Changes: []versions.Change{{Number: 1}}})
	if view := f.view(); strings.Contains(view, "Claude Code") || !strings.Contains(view, "○ outside") {
		t.Fatalf("before:\n%s", view)
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "8d2c0a5e", ToolUse: "toolu_1"}
	at := f.path("new.md")
	f.must(f.store.Report(t.Context(), versions.Evidence{Op: versions.CallWrote, Path: at, By: by, Ended: time.Now(), SHA256: sha256.Sum256([]byte("by hand\n"))},
		versions.Evidence{Op: versions.CallRead, Path: at, By: versions.By{Actor: by.Actor, Session: by.Session, ToolUse: "toolu_2"}, Ended: time.Now()}))
	c, _, err := history.Change(t.Context(), f.store, 1)
	f.must(err)
	f.event(versions.Event{Attributed: []versions.Change{c}, Reads: true})
	view := f.view()
	for _, want := range []string{"◇ Claude Code", "≈ Claude Code", "read"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q:\n%s", want, view)
		}
	}
}

// If a client's name and version are too wide, its version is left out first.
func TestTheTitleOfAnAgentIsKeptBeforeItsVersion(t *testing.T) {
	f := newFixture(t, 54, 20).start()
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code 2.1.330"}, Session: "8d2c0a5e"}
	_, err := f.store.Write(t.Context(), by, f.path("new.md"), []byte("one\n"), versions.Pre{})
	f.must(err)
	f.event(versions.Event{Changes: []versions.Change{{Number: 1}}})
	if view := f.view(); !strings.Contains(view, "◇ Claude Code ") || strings.Contains(view, "Claude Code …") {
		t.Errorf("shown as\n%s", view)
	}
}

// Of a session elsewhere only its activity is known: the title does not say that it still works.
func TestTitle_CountsWhoWasActiveAndNotWhoWorks(t *testing.T) {
	f := newFixture(t, 100, 20).start()
	f.event(versions.Event{Changes: []versions.Change{f.write(claude, "a.md", "one\n")}})
	f.pane.SetNow(f.time())
	if _, info := f.pane.Title(); info != "1 active in the last minute" {
		t.Errorf("after its write the title says %q", info)
	}
	f.pass(2 * time.Minute)
	f.pane.SetNow(f.time())
	if _, info := f.pane.Title(); info != "" {
		t.Errorf("two minutes later the title says %q", info)
	}
}

// failing is a store that can't be read for a while.
type failing struct {
	Store
	err error
}

func (s *failing) Activity(ctx context.Context, f versions.ActivityFilter, before versions.Cursor, limit int) ([]versions.Activity, versions.Cursor, error) {
	if s.err != nil {
		return nil, "", s.err
	}
	return s.Store.Activity(ctx, f, before, limit)
}

func (s *failing) Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error) {
	if s.err != nil {
		return nil, "", s.err
	}
	return s.Store.Sessions(ctx, f, before, limit)
}

// A page that could not be read is read again once the store can be.
func TestOlderActivity_IsReadAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 120, 20)
	for i := range pageSize + 20 {
		by := claude
		by.Session = versions.SessionID(fmt.Sprintf("sesn_%03d", i))
		f.write(by, "a.md", fmt.Sprint(i))
	}
	bad := &failing{Store: f.pane.stream.store}
	f.pane.stream.store, f.pane.sessions.store = bad, bad
	f.start()
	bad.err = errors.New("the disk is asleep")
	f.keys("l", "G")
	f.shows("can't be read: the disk is asleep")
	bad.err = nil
	c := f.write(claude, "a.md", "awake")
	f.event(versions.Event{Changes: []versions.Change{c}})
	if n := f.pane.stream.len(); n != pageSize+21 || strings.Contains(f.view(), "can't be read") {
		t.Errorf("%d activities are listed:\n%s", n, f.view())
	}
	bad.err = errors.New("the disk is asleep")
	f.keys("h", "G")
	if f.shows("can't be read: the disk is asleep"); f.pane.stream.len() > 0 {
		t.Errorf("what others did is shown as of a session:\n%s", f.view())
	}
	f.shows(" Can't be read: the disk is asleep") // in the row that the sessions leave
	bad.err = nil
	f.event(versions.Event{Changes: []versions.Change{c}})
	f.keys("G")
	if n := len(f.pane.sessions.list); n != pageSize+21 || f.pane.stream.len() != 1 {
		t.Errorf("%d sessions are listed, and %d activities of one", n, f.pane.stream.len())
	}
}

// While a diff is shown, the keys act on its change, whatever comes meanwhile.
func TestDiff_KeepsItsChangeWhileMoreComes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 120, 20).story().start()
	shown := f.write(claude, "a.md", "one\n")
	f.event(versions.Event{Changes: []versions.Change{shown}})
	f.keys("l", "d")
	f.shows("/a.md")
	f.event(versions.Event{Changes: []versions.Change{f.write(helper, "b.md", "two\n")}})
	f.keys("v")
	if got, ok := f.last().(screen.History); !ok || got.Path != f.path("a.md") {
		t.Errorf("it asks for %+v", f.last())
	}
	f.keys("esc")
	f.shows("1 new")
	f.event(versions.Event{Changes: []versions.Change{f.write(helper, "b.md", "three\n")}})
	if a, _ := f.pane.stream.current(); a.Change.Number != shown.Number {
		t.Errorf("the cursor is on %+v", a)
	}
	f.keys("d", "F")
	if a, _ := f.pane.stream.current(); a.Change.Number != shown.Number+2 || strings.Contains(f.view(), "+one") {
		t.Errorf("the cursor is on %+v:\n%s", a, f.view())
	}
}
