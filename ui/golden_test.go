package ui

import (
	"flag"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// scenes are the states of the screen that frames are checked in.
var scenes = []struct {
	name string
	play func(*sim)
}{
	{"tree", func(s *sim) {}},
	{"memory", func(s *sim) { s.send(screen.Open{Path: at("projects/release/plan.md")}) }},
	{"hostile", func(s *sim) { s.send(screen.Open{Path: at("inbox/from-web.md")}) }},
	{"changed", func(s *sim) {
		s.send(screen.Open{Path: at("projects/release/plan.md"), Stay: true})
		s.store.write(agent, "projects/release/plan.md", strings.Replace(planText, "2026-04-02", "2026-04-09", 1))
		s.store.write(agent, "people/kim.md", "# Kim\n")
		s.deliver()
	}},
	{"find", func(s *sim) {
		s.send(screen.Open{Path: at("projects/release/plan.md")})
		s.keys("/")
		s.typed("re")
		s.keys("enter n")
	}},
	{"edit", func(s *sim) {
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("new ")
	}},
	{"finder", func(s *sim) { s.keys("ctrl+p"); s.typed("rel") }},
	{"help", func(s *sim) { s.keys("?") }},
	{"history", func(s *sim) {
		s.store.write(me, "projects/release/plan.md", strings.Replace(planText, "2026-04-02", "2026-04-09", 1))
		s.deliver()
		s.send(screen.Open{Path: at("projects/release/plan.md")})
		s.keys("H")
	}},
	{"agents", func(s *sim) { s.keys("A j j") }},
	{"delete", func(s *sim) { s.keys("d") }},
	{"conflict", func(s *sim) {
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		s.store.write(agent, "people/dana.md", "# Dana\n\nprefers long notes\n")
		s.keys("ctrl+s")
	}},
	{"merge", func(s *sim) {
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		s.store.write(agent, "people/dana.md", "# Dana P.\n\nprefers long notes\n")
		s.keys("ctrl+s m")
	}},
	{"prompt", func(s *sim) { s.keys("n"); s.typed("ideas/日本.md") }},
	{"error", func(s *sim) {
		s.send(screen.Notice{Text: "rename /people/dana.md: already exists: choose another name", Bad: true})
	}},
}

func TestFrames_MatchGoldens(t *testing.T) {
	t.Parallel()
	sizes := []struct {
		name string
		w, h int
	}{{"120x36", 120, 36}, {"80x24", 80, 24}, {"40x12", 40, 12}}
	for _, scene := range scenes {
		for _, size := range sizes {
			s := newSim(t, sample(), size.w, size.h)
			scene.play(s)
			drawtest.Styled(t, *update, scene.name+"-"+size.name, s.app.View())
		}
	}
	for _, option := range []string{"light", "mono"} {
		for _, scene := range []int{1, 3} {
			s := newSim(t, sample(), 80, 24, themeOptions[option])
			scenes[scene].play(s)
			drawtest.Styled(t, *update, scenes[scene].name+"-80x24-"+option, s.app.View())
		}
	}
}

func TestView_HasNoSideEffects(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		s := newSim(t, sample(), 80, 24)
		scene.play(s)
		a := s.app.View()
		if b := s.app.View(); a != b {
			t.Errorf("%s: two frames of one state differ", scene.name)
		}
	}
}

var _ tea.Model = (*teaModel)(nil)
