package tree

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

func (t *Pane) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	i := t.at.Top + m.Y
	onRow := m.Y >= 0 && m.Y < t.page() && i < len(t.rows)
	t.beyond = false
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		t.move(list.Wheel(msg))
	case tea.MouseClickMsg:
		if onRow {
			return t.click(m, i)
		}
	case tea.MouseMotionMsg:
		switch {
		case m.Button != tea.MouseLeft:
		case onRow && i != t.at.Cur:
			t.extend(i - t.at.Cur)
		case t.ranging && m.Y < 0:
			t.beyond = true
			t.extend(-1)
		case t.ranging && m.Y >= t.page():
			t.beyond = true
			t.extend(1)
		}
	}
	return nil
}

// Beyond reports whether a selecting drag is held above or below the rows.
func (t *Pane) Beyond() bool { return t.ranging && t.beyond }

// click opens a memory beside the tree, and a second click moves the focus to it; it folds
// or unfolds a folder. With ctrl it selects; the right button opens a menu.
func (t *Pane) click(m tea.Mouse, i int) tea.Cmd {
	again := i == t.at.Cur
	t.ranging = false
	t.move(i - t.at.Cur)
	n := t.rows[i]
	switch {
	case anyPath(t) != "":
		return nil
	case m.Button == tea.MouseRight:
		return t.menu(n)
	case m.Button != tea.MouseLeft:
		return nil
	case m.Mod.Contains(tea.ModCtrl):
		cmd := t.choose(1)
		t.move(i - t.at.Cur)
		return cmd
	case t.ToggleFold():
		return t.saveSoon()
	}
	return t.env.Do(screen.Open{Path: n.path(), Stay: !again || n.path() != t.Draw.open})
}

// menuActions are the actions in the menu of the right button.
var menuActions = []string{"list.open", "list.new", "list.rename", "tree.move", "change.reviewed", "copy.path", "tree.delete", "change.redact"}

func (t *Pane) menu(n *node) tea.Cmd {
	ask := screen.Choose{Title: n.path().String()}
	for _, id := range menuActions {
		for _, e := range t.keys.Entries(t) {
			if e.ID == id && e.Why == "" {
				key := ""
				if len(e.Keys) > 0 {
					key = e.Keys[0]
				}
				ask.Options = append(ask.Options, screen.Option{Key: key, Label: e.Name, Then: func() tea.Cmd { return e.Do(0) }})
			}
		}
	}
	ask.Options = append(ask.Options, screen.Option{Key: "q", Label: "nothing"})
	return t.env.Do(ask)
}
