package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/dialog"
)

// A menu that begins at a row further down shows those before it where there is room.
func TestThemes_AllShowWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24, func(c *Config) { c.Theme = "day" })
	s.app.show(s.app.themes())
	s.shows("auto ", "night ", "day ", "mono ")
}

// Where an action belongs is told whole or not at all, but of the one under the cursor,
// that takes the rows it needs.
func TestPalette_CutsNoPlaceThatAnActionBelongsTo(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 44, 60, 80} {
		s := newSim(t, sample(), w, 24)
		s.keys("ctrl+k")
		s.typed("a")
		m := s.app.overlay.(*dialog.Menu)
		told := 0
		for i := range m.Matches {
			row := strings.TrimRight(ansi.Strip(m.DrawRow(s.app.th, i, m.Cols(w))), " ")
			r := &m.All[m.Matches[i]]
			if r.Entry.Why == "" && strings.Contains(row, " · ") && !strings.HasSuffix(row, " · "+r.Group) {
				t.Errorf("%d columns: %q", w, row)
			}
			if strings.HasSuffix(row, " · "+r.Group) {
				told++
			}
		}
		if told == 0 {
			t.Errorf("%d columns: it is told of none", w)
		}
	}
}

// In the smallest frame keys give way to the names of actions: each is shown whole, with
// one key at least, whichever row the cursor is on.
func TestMenus_CutNoNameOfAnAction(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, scene := range actionScenes() {
		s := engineSim(t, "evil", 40, 12)
		scene.play(s, "two")
		for _, m := range []*dialog.Menu{s.app.palette(), s.app.help()} {
			for i := range m.All {
				e := &m.All[i].Entry
				if e.Do == nil || named[m.Name+e.ID] {
					continue
				}
				named[m.Name+e.ID] = true
				row := ansi.Strip(m.DrawRow(s.app.th, i, m.Cols(40)))
				if !strings.Contains(row, e.Name+" ") || !strings.Contains(row, " "+e.Hint()) {
					t.Errorf("%s, %s: %s is shown as %q", scene.name, m.Name, e.ID, row)
				}
			}
		}
	}
	if len(named) < 300 {
		t.Errorf("%d names were looked at", len(named))
	}
}
