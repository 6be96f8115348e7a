package welcome

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/versions"
)

// finder finds what it is told.
type finder struct {
	found places.Found
	err   error
	added []string
	fails string
}

func (f *finder) Discover(context.Context) (places.Found, error) { return f.found, f.err }

func (f *finder) AddPlace(_ context.Context, p places.Place) (versions.StoreInfo, error) {
	if p.Folder == f.fails {
		return versions.StoreInfo{}, errors.New("no room for " + p.Folder)
	}
	f.added = append(f.added, p.Folder)
	return versions.StoreInfo{ID: versions.StoreID("memstore_" + p.Folder)}, nil
}

func some() *finder {
	return &finder{found: places.Found{Places: []places.Place{
		{Kind: "codex", Folder: "/codex", Memories: 5},
		{Kind: places.ClaudeAuto, Folder: "/a", Memories: 40},
		{Kind: places.ClaudeAuto, Folder: "/b", Memories: 2},
		{Kind: "qwen", Folder: "/unknown", Memories: 3, Unknown: "version 7"},
		{Kind: "serena", Folder: "/empty"},
		{Kind: "kiro", Folder: "/store", Memories: 9, Store: versions.StoreInfo{ID: "memstore_1"}},
	}}}
}

// sim is the screen as Bubble Tea runs it.
type sim struct {
	t    *testing.T
	m    *Model
	quit bool
}

func newSim(t *testing.T, f *finder, w, h int) *sim {
	s := &sim{t: t, m: New(t.Context(), f, func(dark bool, _ colorprofile.Profile) *theme.Theme { return theme.New(dark, theme.Mono) }, false)}
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	s.run(s.m.Init())
	return s
}

func (s *sim) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.run(cmd)
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		s.quit = true
	default:
		s.send(msg)
	}
}

func (s *sim) press(key rune) { s.send(tea.KeyPressMsg{Code: key, Text: string(key)}) }

func (s *sim) screen() string { return ansi.Strip(string(s.m.draw())) }

func (s *sim) shows(want ...string) {
	s.t.Helper()
	screen := strings.Join(strings.Fields(s.screen()), " ")
	for _, w := range want {
		if !strings.Contains(screen, w) {
			s.t.Errorf("the screen does not show %q:\n%s", w, s.screen())
		}
	}
}

func TestShowsHowMuchEachToolKeeps(t *testing.T) {
	s := newSim(t, some(), 80, 24)
	s.shows("auto memory of Claude Code 2 folders 42 memories memories of Codex 1 folder 5 memories", "a add all 3")
	if strings.Contains(s.screen(), "Qwen") || strings.Contains(s.screen(), "Kiro") || s.quit {
		t.Errorf("what can't be added is offered:\n%s", s.screen())
	}
}

func TestOneKeyAddsAll(t *testing.T) {
	f := some()
	s := newSim(t, f, 80, 24)
	for _, key := range "xyn " {
		s.press(key)
	}
	if len(f.added) > 0 || s.quit {
		t.Fatalf("%v", f.added)
	}
	s.press('a')
	choice, err := s.m.Result()
	if choice != All || err != nil || !s.quit || !slices.Equal(f.added, []string{"/codex", "/a", "/b"}) {
		t.Errorf("%v, %v, %v", choice, err, f.added)
	}
}

func TestAStoreThatCanNotBeMadeKeepsNoOtherFromBeingMade(t *testing.T) {
	f := some()
	f.fails = "/codex"
	s := newSim(t, f, 80, 24)
	s.press('a')
	if choice, err := s.m.Result(); choice != All || err == nil || len(f.added) != 2 {
		t.Errorf("%v, %v, %v", choice, err, f.added)
	}
}

func TestChoosesAndLeavesWithoutAddingAnything(t *testing.T) {
	for key, want := range map[rune]Choice{'c': Choose, 'q': None} {
		f := some()
		s := newSim(t, f, 80, 24)
		s.press(key)
		if choice, err := s.m.Result(); choice != want || err != nil || !s.quit || len(f.added) > 0 {
			t.Errorf("%c: %v, %v", key, choice, err)
		}
	}
}

func TestLeavesItToTheListIfThereIsNothingToAdd(t *testing.T) {
	for _, f := range []*finder{{}, {err: errors.New("the disk is on fire")}, {found: places.Found{Places: some().found.Places[3:]}}} {
		s := newSim(t, f, 80, 24)
		if choice, err := s.m.Result(); choice != Choose || !errors.Is(err, f.err) || !s.quit {
			t.Errorf("%v, %v", choice, err)
		}
	}
}

func TestFitsEverySize(t *testing.T) {
	f := some()
	for i := range 30 {
		f.found.Places = append(f.found.Places, places.Place{Kind: places.Kind(fmt.Sprintf("kind %d 漢字", i)), Folder: fmt.Sprint("/", i), Memories: 1, More: i%2 == 0})
	}
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 45; h++ {
			s := newSim(t, f, w, h)
			if problem := drawtest.Problem(string(s.m.draw()), w, h); problem != "" {
				t.Fatalf("%dx%d: %s", w, h, problem)
			}
			if w >= 40 && h >= 10 {
				s.shows("a add all 33 c choose q leave", "tools keep")
			}
		}
	}
}
