package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/dialog"
)

// If a menu starts at a row further down, it shows the rows before it too if there is room.
func TestThemes_AllFitTheMenu(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24, func(c *Config) { c.Theme = "day" })
	s.app.show(s.app.themes())
	s.shows("auto ", "night ", "day ", "mono ")
}

// The group of an action is shown in full or not at all, except for the action under the
// cursor, which takes as many rows as it needs.
func TestPalette_ShowsWholeGroupNames(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 44, 60, 80} {
		s := newSim(t, sample(), w, 24)
		s.keys("ctrl+k")
		s.typed("a")
		m := s.app.overlay.(*dialog.Menu)
		shown := 0
		for i := range m.Matches {
			row := strings.TrimRight(ansi.Strip(m.DrawRow(s.app.th, i, m.Cols(w))), " ")
			r := &m.All[m.Matches[i]]
			if r.Entry.Why == "" && strings.Contains(row, " · ") && !strings.HasSuffix(row, " · "+r.Group) {
				t.Errorf("%d columns: %q", w, row)
			}
			if strings.HasSuffix(row, " · "+r.Group) {
				shown++
			}
		}
		if shown == 0 {
			t.Errorf("%d columns: it is told of none", w)
		}
	}
}

// wholeNames are the actions whose names were looked at. In the smallest frame, names of actions take precedence over keys:
// each is shown in full, with at least one key, whichever row the cursor is on.
type wholeNames map[string]bool

func (named wholeNames) check(t *testing.T, a *App, scene string) {
	t.Helper()
	for _, m := range []*dialog.Menu{a.palette(), a.help()} {
		for i := range m.All {
			e := &m.All[i].Entry
			if e.Do == nil || named[m.Name+e.ID] {
				continue
			}
			named[m.Name+e.ID] = true
			row := ansi.Strip(m.DrawRow(a.th, i, m.Cols(40)))
			if !strings.Contains(row, e.Name+" ") || !strings.Contains(row, " "+e.Hint()) {
				t.Errorf("%s, %s: %s is shown as %q", scene, m.Name, e.ID, row)
			}
		}
	}
}
