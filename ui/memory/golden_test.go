package memory

import (
	"flag"
	"strings"
	"testing"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/local"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// TestViews_MatchGoldens compares views, with their titles above them, with golden
// files. Escape is written as ␛.
func TestViews_MatchGoldens(t *testing.T) {
	store, write := realStore(t)
	write(dana, "projects/plan.md", strings.Replace(plan, "freeze the schema", "freeze", 1))
	write(claude, "projects/plan.md", plan)
	write(claude, "people/dana.md", "# Dana\n")
	write(claude, "MEMORY.md", numbered(230))
	write(claude, "raw.bin", "\x89PNG\x00\x01"+strings.Repeat("some bytes that are text ", 40))
	for name, play := range map[string]struct{ open, keys, find string }{
		"rendered": {"projects/plan.md", "m }", "notes"}, "blame": {"projects/plan.md", "B 1 2 G j", ""},
		"cut": {"MEMORY.md", "2 0 3 G", ""}, "selected": {"projects/plan.md", "V j j", ""},
	} {
		for _, size := range [][2]int{{78, 20}, {40, 9}} {
			s := newSim(t, local.Store{Store: store}, size[0], size[1])
			s.open(play.open)
			if play.find != "" {
				s.keys("/")
				s.answers(play.find)
			}
			s.keys(play.keys)
			check := func(name string) {
				title, info := s.pane.Title()
				drawtest.Styled(t, *update, name, strings.Join([]string{title, info, s.pane.View()}, "\n"))
			}
			check(name + "-" + map[int]string{78: "wide", 40: "narrow"}[size[0]])
			if size[0] == 78 && (name == "rendered" || name == "blame") {
				s.pane.SetTheme(theme.New(false, theme.Many))
				check(name + "-light")
				s.pane.SetTheme(theme.New(true, theme.Mono))
				check(name + "-mono")
			}
		}
	}
}
