package stores

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw/drawtest"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var (
	update = flag.Bool("update", false, "write the golden frames anew")
	clock  = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
)

// sim is the screen on a home of the engine; its commands are run at once.
type sim struct {
	t    *testing.T
	home *versions.Trail
	*Pane
	asks []tea.Msg
}

func newSim(t *testing.T) *sim {
	t.Helper()
	trail, err := versions.Open(t.Context(), filepath.Join(t.TempDir(), "home"), versions.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	s := &sim{t: t, home: trail}
	var first versions.StoreID
	for _, name := range []string{"assistant", "work", "garden"} {
		info, err := trail.CreateStore(t.Context(), name, map[string]string{"work": "what the coding agents keep"}[name], "")
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = info.ID
		}
	}
	s.Pane = New(t.Context(), theme.New(true, theme.Many), nil, trail, first, false)
	s.SetSize(100, 24)
	s.SetNow(clock)
	s.run(s.Load())
	return s
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Answer:
		s.run(s.Update(msg))
	default:
		s.asks = append(s.asks, msg)
	}
}

func (s *sim) asked() tea.Msg {
	if len(s.asks) == 0 {
		return nil
	}
	return s.asks[len(s.asks)-1]
}

func (s *sim) press(names string) {
	var seq []string
	for _, k := range strings.Fields(names) {
		if s.TakesText() {
			msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
			switch k {
			case "enter":
				msg = tea.KeyPressMsg{Code: tea.KeyEnter}
			case "esc":
				msg = tea.KeyPressMsg{Code: tea.KeyEscape}
			}
			s.run(s.Update(msg))
			continue
		}
		seq = append(seq, k)
		cmd, r := s.Press(seq, 0)
		if r != keys.Partial {
			seq = nil
			s.run(cmd)
		}
	}
}

// answer answers the prompt that was asked last.
func (s *sim) answer(text string) {
	s.t.Helper()
	p, ok := s.asked().(screen.Prompt)
	if !ok {
		s.t.Fatalf("no prompt but %+v", s.asked())
	}
	s.run(p.Then(text))
}

func (s *sim) names() (out []string) {
	for _, i := range s.rows {
		out = append(out, s.all[i].Name)
	}
	return out
}

func (s *sim) on(name string) *sim {
	s.step(slices.Index(s.names(), name) - s.cur)
	return s
}

func TestList_OpensTheStoreUnderTheCursor(t *testing.T) {
	s := newSim(t)
	if s.current().Name != "assistant" {
		t.Errorf("the cursor is on %s", s.current().Name)
	}
	s.press("enter")
	if _, ok := s.asked().(screen.Back); !ok {
		t.Errorf("the store that is shown: %+v", s.asked())
	}
	s.on("work").press("enter")
	if o, ok := s.asked().(screen.OpenStore); !ok || o.ID != s.current().ID || o.Name != "work" {
		t.Errorf("%+v", s.asked())
	}
	s.press("/ c o d i n g")
	if !slices.Equal(s.names(), []string{"work"}) {
		t.Errorf("%q", s.names())
	}
	s.press("x esc")
	if len(s.names()) != 3 || s.TakesText() {
		t.Errorf("%q", s.names())
	}
	s.press("/ z z z enter q")
	if len(s.names()) != 3 {
		t.Error("leaving does not show all again first")
	}
	s.press("q")
	if _, ok := s.asked().(screen.Back); !ok {
		t.Errorf("%+v", s.asked())
	}
}

func TestActs_MakeRenameDescribeAndArchive(t *testing.T) {
	s := newSim(t)
	s.press("n")
	s.answer("fresh")
	s.answer("")
	if s.current().Name != "fresh" || !strings.HasPrefix(s.current().Folder, s.home.Home()) {
		t.Errorf("%+v", s.current())
	}
	folder := t.TempDir()
	s.press("n")
	s.answer("elsewhere")
	s.answer(folder)
	if s.current().Name != "elsewhere" {
		t.Errorf("%+v", s.current())
	}
	s.press("r")
	s.answer("renamed")
	s.press("e")
	s.answer("for a test")
	if c := s.current(); c.Name != "renamed" || c.Description != "for a test" {
		t.Errorf("%+v", c)
	}
	s.press("r")
	s.answer("work")
	if n, ok := s.asked().(screen.Notice); !ok || !n.Bad || s.current().Name != "renamed" {
		t.Errorf("a taken name: %+v", s.asked())
	}
	s.press("A")
	ask, ok := s.asked().(screen.Choose)
	if !ok || ask.Options[len(ask.Options)-1].Then != nil {
		t.Fatalf("%+v", s.asked())
	}
	s.run(ask.Options[0].Then())
	if s.current().Name != "renamed" || s.current().Archived.IsZero() || s.names()[len(s.names())-1] != "renamed" {
		t.Errorf("%q, %+v", s.names(), s.current())
	}
	s.press("e")
	if r, ok := s.asked().(keys.Refused); !ok || !strings.Contains(r.Why, "archived") {
		t.Errorf("%+v", s.asked())
	}
	s.readOnly = true
	s.press("n")
	if r, ok := s.asked().(keys.Refused); !ok || !strings.Contains(r.Why, "read-only") {
		t.Errorf("%+v", s.asked())
	}
}

func TestStale_AnswersAreDropped(t *testing.T) {
	s := newSim(t)
	first, second := s.Load(), s.Load()
	msg := first().(loadedMsg)
	s.run(second)
	msg.all, msg.err = nil, errors.New("late")
	s.Update(msg)
	if s.err != nil || len(s.names()) != 3 {
		t.Errorf("%v, %q", s.err, s.names())
	}
}

// fakeHome is a home of made-up stores.
type fakeHome struct {
	Home
	all   []versions.StoreInfo
	sizes map[versions.StoreID]versions.StoreSize
}

func (f fakeHome) Stores(context.Context) ([]versions.StoreInfo, error) { return f.all, nil }
func (f fakeHome) Sizes(context.Context) (map[versions.StoreID]versions.StoreSize, error) {
	return f.sizes, nil
}

func home(hostile bool) fakeHome {
	f := fakeHome{all: []versions.StoreInfo{
		{ID: "memstore_1", Name: "assistant", Folder: "/home/dana/.local/share/memtrail/stores/assistant", Description: "what the assistant keeps of people and projects", Created: clock},
		{ID: "memstore_2", Name: "serena", Folder: "/home/dana/src/api/.serena/memories", Created: clock, Metadata: map[string]string{"team": "api", "owner": "lee"}},
		{ID: "memstore_3", Name: "last year", Folder: "/home/dana/old", Created: clock, Archived: clock},
	}, sizes: map[versions.StoreID]versions.StoreSize{
		"memstore_1": {Memories: 1240, Bytes: 3 << 20, Changes: 8123, Changed: clock.Add(-time.Hour)},
		"memstore_2": {Memories: 12, Bytes: 9000, Changes: 40, Changed: clock.Add(-50 * time.Hour)},
	}}
	if hostile {
		f.all[0].Name, f.all[0].Folder = "a\x1b[31m\u202e中文中文中文中文", "/x/\u009b中文\u200b/\x07"
		f.all[0].Description, f.all[0].Metadata = strings.Repeat("\x1b]0;t\a \u2066中文 ", 40), map[string]string{"\x1b[2J": "\u202e"}
	}
	return f
}

func TestFrames_AreAsTheyWereLookedAt(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		s := &sim{t: t, Pane: New(t.Context(), theme.New(true, theme.Many), nil, home(false), "memstore_2", false)}
		s.SetSize(size.w, size.h)
		s.SetNow(clock)
		s.run(s.Load())
		s.press("k")
		drawtest.Golden(t, *update, fmt.Sprintf("stores-%dx%d", size.w, size.h), s.View())
		s.press("/ l a")
		drawtest.Golden(t, *update, fmt.Sprintf("filter-%dx%d", size.w, size.h), s.View())
	}
}

func TestGeometry_HoldsAtEverySize(t *testing.T) {
	for w := 0; w <= 130; w += 1 + w/14 {
		for h := 0; h <= 40; h += 1 + h/6 {
			for _, hostile := range []bool{false, true} {
				s := &sim{t: t, Pane: New(t.Context(), theme.New(true, theme.Many), nil, home(hostile), "memstore_1", false)}
				s.SetSize(w, h)
				for _, k := range []string{"", "j", "G", "/ a", "enter"} {
					s.press(k)
					if k == "j" {
						s.run(s.Load())
					}
					rows := strings.Split(s.View(), "\n")
					if len(rows) != max(h, 1) {
						t.Fatalf("%dx%d: %d rows", w, h, len(rows))
					}
					for _, row := range rows {
						if h > 0 && ansi.StringWidth(row) != w || strings.ContainsFunc(ansi.Strip(row), func(c rune) bool { return c < 0x20 || c >= 0x7f && c < 0xa0 || memfs.HiddenRune(c) }) {
							t.Fatalf("%dx%d after %q: %q", w, h, k, row)
						}
					}
					if x, y, ok := s.Cursor(); ok && (x >= max(w, 1) || y >= h) {
						t.Fatalf("%dx%d: the cursor is at %d, %d", w, h, x, y)
					}
				}
			}
		}
	}
}

func TestKeys_AreNotBoundTwice(t *testing.T) {
	for _, p := range keys.Check(nil, Keys(nil)) {
		t.Error(p)
	}
}
