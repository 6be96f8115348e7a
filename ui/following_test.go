package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// followed is the demo's store, opened with following on, and an agent's operations in it.
type followed struct {
	*sim
	store *engine.Store
	trail *engine.Trail
}

func newFollowed(t *testing.T) *followed {
	s, trail := picturedHome(t)
	s.app.live.SetFollowing(true)
	return &followed{s, s.app.cfg.Store.(local.Store).Store, trail}
}

var scribe = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "scribe"}, Session: "sesn_scribe", ToolUse: "toolu_1"}

// does runs a tool call of an agent and delivers its event.
func (f *followed) does(c memfs.Command) {
	f.t.Helper()
	result, change, err := f.store.Tool(f.t.Context(), scribe, c, memfs.Options{})
	if err != nil || result.IsError {
		f.t.Fatal(result.Text, err)
	}
	if err := f.trail.FlushReads(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	e := versions.Event{Reads: change.Number == 0}
	if change.Number > 0 {
		e.Changes = []versions.Change{change}
	}
	f.run(f.app.live.HandleEvent(e))
}

func (f *followed) writes(name string) {
	f.does(memfs.Create{Path: "/memories/" + name, FileText: "# New\n\none\n"})
}

func (f *followed) opened(want string) {
	f.t.Helper()
	if got := f.app.memory.Path().String(); got != want {
		f.t.Fatalf("%s is open, not %s\n%s", got, want, f.screen())
	}
}

func TestFollowing_OpensAgentWritesAndHighlightsTheirLines(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.keys("A")
	f.does(memfs.Insert{Path: "/memories/support/refunds.md", InsertLine: 4, InsertText: "- of vouchers: never"})
	f.opened("/support/refunds.md")
	var highlighted []string
	for _, row := range strings.Split(f.screen(), "\n") {
		if _, row, ok := strings.Cut(row, "▌"); ok && !strings.Contains(row, "▌") {
			highlighted = append(highlighted, strings.TrimSpace(row))
		}
	}
	if len(highlighted) != 1 || !strings.HasPrefix(highlighted[0], "- of vouchers: never") {
		t.Errorf("lit is %q\n%s", highlighted, f.screen())
	}
	f.writes("people/new.md")
	f.opened("/people/new.md")
	if on := f.app.tree.Data().Entry(at("people/new.md")); on == nil {
		t.Fatal("the tree was not read again")
	}
	if f.app.frame.Focus() != frame.Agents {
		t.Error("the keys went elsewhere")
	}
	f.shows("W follow: on")
}

// Where the agents cover the memory, following does not promise to show it.
func TestFollowing_SaysWhatItShows(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.keys("W")
	s.shows("what others read or write opens")
	s.keys("W A")
	s.app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.keys("W")
	s.shows("the tree goes to what others read or write")
}

func TestFollowing_OpensAgentReads(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.does(memfs.View{Path: "/memories/support/macros.md"})
	f.opened("/support/macros.md")
}

// adopted writes files as another program would, and delivers the event.
func (f *followed) adopted(files map[string]string) {
	f.t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(f.store.Info().Folder, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := f.store.Sync(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	changes, err := history.Changes(f.t.Context(), f.store, versions.Filter{}, 0, 1)
	if err != nil {
		f.t.Fatal(err)
	}
	f.run(f.app.live.HandleEvent(versions.Event{Changes: changes}))
}

func TestFollowing_OpensWhatOtherProgramsWrite(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.adopted(map[string]string{"support/new.md": "# New\n\nby a script\n"})
	f.opened("/support/new.md")
	f.shows("by a script")
}

func TestFollowing_OpensTheFirstMemoryOfAChangeOfSeveral(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.adopted(map[string]string{"people/b.md": "two\n", "people/a.md": "one\n"})
	f.opened("/people/a.md")
	f.keys("A")
	f.shows("/people/a.md, /people/b.md")
}

func TestFollowing_ScrollsToTheChangedLine(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.does(memfs.Create{Path: "/memories/long.md", FileText: strings.Repeat("a line\n", 300)})
	f.does(memfs.View{Path: "/memories/support/macros.md"})
	f.does(memfs.Insert{Path: "/memories/long.md", InsertLine: 250, InsertText: "far down\n"})
	f.opened("/long.md")
	f.shows("far down")
}

func TestFollowing_EndsWhenThePersonOpensSomething(t *testing.T) {
	t.Parallel()
	for what, act := range map[string]func(*followed){
		"opening a memory": func(f *followed) { f.send(screen.Open{Path: at("people/mira-okafor.md")}) },
		"blame":            func(f *followed) { f.send(screen.Blame{Path: at("people/mira-okafor.md")}) },
		"a key in the memory": func(f *followed) {
			f.send(screen.Open{Path: at("people/mira-okafor.md"), Again: true})
			f.app.setFocus(frame.Memory)
			f.keys("j")
		},
		"editing":                   func(f *followed) { f.send(screen.Edit{Path: at("people/mira-okafor.md")}) },
		"the key that says to stay": func(f *followed) { f.send(screen.Open{Path: at("people/mira-okafor.md"), Again: true}); f.keys("W") },
	} {
		f := newFollowed(t)
		act(f)
		f.writes("people/new.md")
		if f.app.live.Follows() {
			t.Errorf("after %s it follows", what)
		}
		if got := f.app.memory.Path().String(); got == "/people/new.md" {
			t.Errorf("after %s %s is opened", what, got)
		}
	}
}

func TestFollowing_WaitsWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"?", "ctrl+p", "n", "t"} {
		f := newFollowed(t)
		f.does(memfs.View{Path: "/memories/support/macros.md"})
		f.keys(keys)
		f.writes("people/new.md")
		f.opened("/support/macros.md")
		f.keys("esc")
		f.writes("people/newer.md")
		f.opened("/people/newer.md")
	}
}

func TestFollowing_KeepsTheTreeCursorWhileThePersonUsesIt(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.on("people/mira-okafor.md")
	f.writes("people/new.md")
	f.opened("/people/new.md")
	f.keys("enter")
	f.opened("/people/mira-okafor.md")
}

func TestFollowing_StartsByKeyWithTheLatestActivity(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.app.live.SetFollowing(false)
	f.writes("people/new.md")
	if p := f.app.memory.Path(); p == at("people/new.md") {
		t.Fatalf("%s is opened although nobody asked for it", p)
	}
	f.keys("W")
	f.opened("/people/new.md")
}

func TestFollowing_IgnoresPeople(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.does(memfs.View{Path: "/memories/support/macros.md"})
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Session: "sesn_ann"}
	c, err := f.store.Write(t.Context(), by, at("people/mira-okafor.md"), []byte("x\n"), versions.Pre{})
	if err != nil {
		t.Fatal(err)
	}
	f.run(f.app.live.HandleEvent(versions.Event{Changes: []versions.Change{c}, Reads: true}))
	f.opened("/support/macros.md")
}

func TestBanner_IsReplacedByTheNextOne(t *testing.T) {
	t.Parallel()
	banners := make(chan Banner, 1)
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Banner, c.Banners = "a show", banners })
	s.shows("a show")
	banners <- Banner{Text: "something happened", Notice: "and this is news"}
	msg := awaitBanner(banners)()
	close(banners)
	s.send(msg)
	s.shows("and this is news")
	s.keys("j")
	s.shows("something happened")
	s.hides("a show", "and this is news")
}

// An error stays until it is read: the notice of a banner is in the list of messages then.
func TestBanner_LeavesAnErrorThatWasNotRead(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Banner = "a show" })
	s.send(bannerMsg{Text: "first", Notice: "the first news"})
	s.shows("the first news")
	s.send(bannerMsg{Text: "second", Notice: "the second news"})
	s.shows("the second news")
	s.keys("j")
	s.send(screen.Notice{Text: "that can't be undone", Bad: true})
	s.send(bannerMsg{Text: "third", Notice: "the third news"})
	s.shows("that can't be undone")
	s.hides("the third news")
	s.keys("j")
	s.shows("third")
	s.keys("M")
	s.shows("the third news")
}

func TestFollowing_KeepsTheHighlightAfterASecondRead(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.does(memfs.Insert{Path: "/memories/support/refunds.md", InsertLine: 4, InsertText: "- of vouchers: never"})
	c, err := history.Changes(t.Context(), f.store, versions.Filter{}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	f.happens(versions.Event{Changes: c}) // the event is delivered twice
	f.shows("▌- of vouchers: never")
}

func TestBanner_DropsWholePartsInNarrowFrames(t *testing.T) {
	t.Parallel()
	const banner = "U on inbox-agent (A) undoes it · it was misled"
	for w, want := range map[int]string{100: banner, 60: banner, 45: "U on inbox-agent (A) undoes it ", 30: "U on inbox-agent…"} {
		s := newSim(t, sample(), w, 12, func(c *Config) { c.Banner = banner })
		s.shows(want)
		if w == 45 {
			s.hides("·", "…")
		}
	}
}
