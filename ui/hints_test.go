package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
)

// clickText clicks on a text in a row of the screen, counted from the last one.
func (s *sim) clickText(fromLast int, text string) {
	s.t.Helper()
	rows := strings.Split(s.screen(), "\n")
	y := len(rows) - fromLast
	before, _, ok := strings.Cut(rows[y], text)
	if !ok {
		s.t.Fatalf("%q does not show %q", rows[y], text)
	}
	s.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: len([]rune(before)), Y: y})
}

// A click on a hint does what its key does, in a pane, a screen and the help key.
func TestHints_CanBeClicked(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.clickText(1, "H history")
	if s.app.history == nil {
		t.Error("the history is not open")
	}
	s.clickText(1, "? help")
	if _, ok := s.app.overlay.(*dialog.Menu); !ok {
		t.Error("the help is not open")
	}
	e := engineSim(t, "evil", 120, 36)
	e.keys("t")
	if len(e.app.screens) != 1 {
		t.Fatal("the timeline is not open")
	}
	e.clickText(1, "Esc")
	if len(e.app.screens) != 0 {
		t.Error("the timeline is still open")
	}
}

// The menu of the right button has a row for each action and no other, with the labels in one
// column.
func TestContextMenu_HasOneRowForEachAction(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.send(tea.MouseClickMsg{Button: tea.MouseRight, X: 6, Y: 3})
	c, ok := s.app.overlay.(*dialog.Choice)
	if !ok {
		t.Fatal("there is no menu")
	}
	r := c.Place(120, 36)
	if r.H != len(c.Options)+2 {
		t.Errorf("%d rows for %d actions", r.H-2, len(c.Options))
	}
	rows := strings.Split(s.screen(), "\n")[r.Y+1 : r.Y+r.H-1]
	column := -1
	for i, row := range rows {
		before, _, ok := strings.Cut(row, c.Options[i].Label)
		if n := len([]rune(before)); !ok || column >= 0 && n != column {
			t.Errorf("row %d is %q", i, row)
		} else {
			column = n
		}
	}
	if shown := strings.Join(rows, "\n"); !strings.Contains(shown, "  yp ") {
		t.Errorf("the keys of several strokes are missing:\n%s", shown)
	}
	s.clickText(36-r.Y-1, c.Options[0].Label)
	if s.app.overlay != nil {
		t.Error("a click on an action does not run it")
	}
}

// The palette opens from a prompt of the last row, which is left.
func TestPalette_OpensFromAPrompt(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24)
	s.keys("n")
	if s.app.prompt == nil {
		t.Fatal("n asks nothing")
	}
	s.keys("ctrl+k")
	if m, ok := s.app.overlay.(*dialog.Menu); !ok || s.app.prompt != nil {
		t.Errorf("there are %v and %v", m, s.app.prompt)
	}
}

// namesKey matches a message that names a key and says what it does.
var namesKey = regexp.MustCompile(`(^|[ :;,(·])(Esc|Enter|Tab|Space|Del|Home|End|F[0-9]+|\^[A-Z]|Ctrl\+[A-Z]|[B-Zb-z@/*.{}\[\]<>!?]|[\[\]][a-z]|gr|A, then a|[A-Z] then [a-z])( and \S{1,2})? (` +
	`go to|[a-z]{3,}s)\b|with (Space|Enter|Tab)\b`)

// A key that a message names is configured: the message asks the map of keys for it.
func TestMessages_NameNoKeyInTheirText(t *testing.T) {
	t.Parallel()
	fixed := []string{
		"Esc cancels", "Esc stops", // the current work, in every pane
		" t clears at ", " c compacts at ", // letters of the gauge
	}
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "cli" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(l.Value)
			switch hit := namesKey.FindString(text); {
			case slices.Contains(fixed, text):
				found++
			case hit != "":
				t.Errorf("%s: %q names the key of %q: use Hint", path, text, hit)
			}
			return true
		})
		return nil
	})
	if err != nil || found != len(fixed) {
		t.Errorf("%d of %d fixed texts are found: %v", found, len(fixed), err)
	}
}

func TestMessages_NameKeysOfOtherPanesAsBound(t *testing.T) {
	t.Parallel()
	bound := func(c *Config) {
		c.By.Actor.Name = "somebody new"
		c.Keys = map[string][]string{"global.history": {"f7"}, "change.undo": {"x"}, "global.agents": {"f8"}, "agent.new": {}}
	}
	s := newSim(t, newFake(), 120, 30, bound)
	s.shows("F8, then “ask an agent” starts", "F7 history")
	s = engineSim(t, "x", 120, 30, bound)
	s.keys("u")
	s.shows("nothing of yours to undo: F7, then x undoes others' changes")
}
