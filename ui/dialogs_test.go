package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

func TestPalette_ShrinksInPlace(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 40)
	s.keys("ctrl+k")
	all := s.app.overlay.Place(100, 40)
	if all.H > 32 {
		t.Errorf("the palette takes %d of 40 rows", all.H)
	}
	s.typed("undo")
	found := s.app.overlay.Place(100, 40)
	if found.X != all.X || found.Y != all.Y || found.W != all.W {
		t.Errorf("it went from %v to %v", all, found)
	}
	if found.H >= all.H {
		t.Errorf("it has %d rows for few and %d for all", found.H, all.H)
	}
}

// Letters that are far apart match only if no action contains what was typed.
func TestPalette_PrefersWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 40)
	s.keys("ctrl+k")
	s.typed("restore")
	s.shows("restore as of a moment")
	s.hides("rename")
	s.keys("ctrl+u")
	s.typed("rstore")
	s.shows("restore as of a moment")
}

func TestMenu_ShowsTheCurrentEntryWhole(t *testing.T) {
	t.Parallel()
	const long = "in the bar of a context: from here on results are cleared, it is compacted"
	for _, size := range [][2]int{{120, 36}, {40, 12}, {24, 9}} {
		s := newSim(t, sample(), size[0], size[1])
		s.keys("?")
		s.typed("bar of a context")
		m := s.app.overlay.(*dialog.Menu)
		shown := ""
		rows, _ := m.View(s.app.th, m.Place(size[0], size[1]).W-2, m.Place(size[0], size[1]).H-2)
		for _, row := range rows {
			shown += " " + strings.TrimPrefix(strings.TrimSpace(ansi.Strip(row)), "t c")
		}
		if shown = strings.Join(strings.Fields(shown), " "); size[0] > 30 && !strings.Contains(shown, long) {
			t.Errorf("at %v it says %q", size, shown)
		}
		m.Input.Value = ""
		m.Filter()
		for range 80 { // and it stays visible
			s.keys("down")
			at := m.Place(size[0], size[1])
			rows, _ := m.View(s.app.th, at.W-2, at.H-2)
			lines := m.Lines(m.Cur, at.W-2)
			if n := len(lines); n < min(m.Height, dialog.MaxMenuRows) && !strings.Contains(ansi.Strip(strings.Join(rows, "\n")), lines[n-1]) {
				t.Errorf("at %v %q does not show:\n%s", size, lines, s.screen())
			}
			if p := drawtest.Problem(s.app.View(), size[0], size[1]); p != "" {
				t.Fatal(p)
			}
		}
	}
}

func TestMenu_ClickBelowALongEntrySelectsTheRightRow(t *testing.T) {
	t.Parallel()
	ran := ""
	entry := func(name string) dialog.Row {
		return dialog.Row{Group: "g", Entry: keys.Entry{Name: name, Keys: []string{"x"}, Do: func(int) tea.Cmd { ran = name; return nil }}}
	}
	m := dialog.NewMenu("m", []dialog.Row{entry("an entry that has so much to say that it takes some rows of a narrow screen"), entry("second"), entry("third")})
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 20})
	rows, _ := m.View(theme.New(true, theme.Mono), m.Place(40, 20).W-2, 10)
	for y, row := range rows {
		for _, name := range []string{"second", "third"} {
			if strings.Contains(ansi.Strip(row), name) {
				m.Update(tea.MouseClickMsg{X: 3, Y: y, Button: tea.MouseLeft})
				if ran != name {
					t.Errorf("a click on %s runs %q", name, ran)
				}
			}
		}
	}
	if ran != "third" {
		t.Errorf("the rows are %q", rows)
	}
}

func TestHelp_WrapsBetweenKeys(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 60, func(c *Config) {
		c.Keys = map[string][]string{"editor.save": {"ctrl+s", "shift+backspace", "ctrl+backspace"}}
	})
	s.on("/people/dana.md").keys("enter e f1")
	s.shows("^S … ")
	s.hides("Shift+Ba")
}

func TestHelp_ListsSharedActionsOnce(t *testing.T) {
	t.Parallel()
	rows := appendGroup(nil, "plan", []keys.Entry{
		{Name: "down", Keys: []string{"j", "down"}}, {Name: "down", Keys: []string{"j", "down"}}, {Name: "down", Keys: []string{"tab"}},
	}, true)
	if len(rows) != 3 {
		t.Errorf("listed are %v", rows)
	}
}

// What a screen and its diff both have is one action, and what no key does is not in the help.
func TestHelp_OfTheQueueHasEachActionOnceAndWithItsKey(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	for _, open := range []string{"!", "enter"} {
		q.keys(open)
		for _, m := range []*dialog.Menu{q.app.help(), q.app.palette()} {
			n := 0
			for _, r := range m.All {
				if r.Entry.ID == "list.next" && !r.Far {
					n++
				}
				if r.Entry.ID != "" && len(r.Entry.Keys) == 0 && strings.HasPrefix(m.Name, "keys") {
					t.Errorf("after %s, %q has %q without a key", open, m.Name, r.Entry.Name)
				}
			}
			if n != 1 {
				t.Errorf("after %s, %q has the next hunk %d times", open, m.Name, n)
			}
		}
	}
}

func TestTitle_OfAScreenTakesPrecedence(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 40, 12)
	for title, want := range map[string]string{
		"restore everything as of #54":   "─ restore everything as of #54 ─────────",
		"a":                              "─ a ─────────────── 4 clean · 1 other ──",
		"/a/folder/and/another/notes.md": "─ …ther/notes.md ── 4 clean · 1 other ──",
	} {
		if got := ansi.Strip(string(s.app.canvas().TitleRow(nil, 40, true, title, "4 clean · 1 other"))); strings.TrimRight(got, " ─") != strings.TrimRight(want, " ─") {
			t.Errorf("drawn as %q, want %q", got, want)
		}
	}
}

func TestDialogs_CloseOnAClickOutside(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 40)
	s.keys("ctrl+k")
	r := s.app.overlay.Place(100, 40)
	s.send(tea.MouseClickMsg{X: r.X + 1, Y: r.Y + 1, Button: tea.MouseLeft})
	if s.app.overlay == nil {
		t.Fatal("a click in it closed it")
	}
	s.send(tea.MouseClickMsg{X: r.X - 1, Y: r.Y, Button: tea.MouseLeft})
	if s.app.overlay != nil {
		t.Error("a click beside it does not close it")
	}
}

func TestHints_OmitHelpWhileTyping(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.shows("? help")
	s.keys("n")
	s.hides("? help")
	s.keys("esc ctrl+k")
	s.hides("? help")
}

func TestPendingKeys_AreShownInTheCorner(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("g")
	s.elapse()
	s.shows("g …")
	r := s.app.overlay.Place(100, 30)
	if r.X+r.W != 100 || r.Y+r.H != 28 {
		t.Errorf("they stand at %v", r)
	}
	s.keys("g")
	s.hides("g …")
}

func TestPrompt_RecallsEarlierInput(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	ask := func() { s.send(screen.Prompt{Label: "go to", Then: func(string) tea.Cmd { return nil }}) }
	for _, answer := range []string{"one", "two", "one"} {
		ask()
		s.typed(answer)
		s.keys("enter")
	}
	ask()
	s.typed("now")
	s.keys("up")
	s.shows("go to: one")
	s.keys("up up up")
	s.shows("go to: two")
	s.keys("down down down")
	s.shows("go to: now")
	s.keys("esc")
	s.send(screen.Prompt{Label: "another", Value: "v", Then: func(string) tea.Cmd { return nil }})
	s.keys("up")
	s.shows("another: v")
}

func TestPrompt_ReportsRecalledInput(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	var seen []string
	ask := func() {
		s.send(screen.Prompt{Label: "find", Then: func(string) tea.Cmd { return nil }, Changed: func(v string) tea.Cmd {
			seen = append(seen, v)
			return nil
		}})
	}
	ask()
	s.typed("a")
	s.keys("enter")
	ask()
	s.keys("up down")
	if got := strings.Join(seen, ","); got != "a,a," {
		t.Errorf("it was told %q", got)
	}
}

func TestPrompt_ShowsAnExampleUntilSomethingIsTyped(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 60, 20)
	s.send(screen.Prompt{Label: "go to", Example: "412 · 3d", Then: func(string) tea.Cmd { return nil }})
	s.shows("go to: 412 · 3d")
	s.typed("7")
	s.shows("go to: 7")
	s.hides("412")
}

func TestThemes_ArePreviewed(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.app.colors = theme.Many
	s.keys("ctrl+k")
	s.typed("theme")
	s.keys("enter")
	s.shows("dusk", "warm, amber and sand", "Enter keep")
	s.keys("down down")
	if got := s.app.th.Name; got != "dusk" {
		t.Fatalf("the theme is %s while dusk is selected", got)
	}
	s.keys("esc")
	if got := s.app.th.Name; got != "night" {
		t.Errorf("the theme is %s after Esc", got)
	}
	s.app.show(s.app.themes())
	s.typed("dusk")
	if got := s.app.th.Name; got != "dusk" {
		t.Fatalf("the theme is %s while dusk is the only one found", got)
	}
	s.keys("enter")
	if got := s.app.th.Name; got != "dusk" {
		t.Errorf("the theme is %s after Enter", got)
	}
	s.shows("config.toml")
}

func TestMessage_WrapsAboveTheHints(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 40, 14)
	s.send(screen.Notice{Text: "restored version 3 of /projects/release/plan.md · u undoes"})
	s.shows("u undoes", "Enter open")
	s.send(screen.Notice{Text: "saved /customers/of-hana-tea.md · u undoes"})
	s.shows("u undoes") // not split over rows
	s.keys("M")
	s.shows("u undoes")
}

func TestRestore_OfTheCurrentVersionOffersNoUndo(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 100, 30)
	v, err := s.app.cfg.Store.VersionAt(context.Background(), at("safe.md"), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.send(screen.Restore{Version: v})
	s.shows("version 1 is already current")
	s.hides("u undoes")
}

func TestMessages_AreWrappedInTheLogAndErrorsMarked(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 60, 20)
	s.send(screen.Notice{Text: strings.Repeat("a folder that is gone ", 8) + "everywhere", Bad: true})
	s.keys("M")
	s.shows("! a folder", "everywhere")
}
