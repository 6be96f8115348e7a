package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
)

// lister is a dialog with a list.
type lister interface {
	step(d int)             // by rows
	pageBy(d int)           // by pages
	selectCurrent() closing // selects the row under the cursor
	leave() closing         // without a selection
}

// closing is the result of a key in a dialog: whether the dialog closes, and its command.
type closing struct {
	cmd  tea.Cmd
	over bool
}

// listKeys returns the keys of dialogs with a list. Letters are not among them, because some
// of these dialogs have a text input.
func listKeys(take string) *keys.Map[*dialogList] {
	act := func(f func(lister) closing) func(*dialogList, int) tea.Cmd {
		return func(d *dialogList, _ int) tea.Cmd { d.end = f(d.lister); return nil }
	}
	step := func(f func(lister)) func(*dialogList, int) tea.Cmd {
		return func(d *dialogList, _ int) tea.Cmd { f(d.lister); return nil }
	}
	return keys.New("dialog", nil, []keys.Action[*dialogList]{
		{ID: "take", Name: take, Keys: []string{"enter"}, Do: act(lister.selectCurrent)},
		{ID: "leave", Name: "leave", Keys: []string{"esc", "ctrl+c"}, Do: act(lister.leave)},
		{ID: "down", Name: "down", Keys: []string{"down", "ctrl+n", "ctrl+j", "tab"}, Do: step(func(l lister) { l.step(1) })},
		{ID: "up", Name: "up", Keys: []string{"up", "ctrl+p", "ctrl+k", "shift+tab"}, Do: step(func(l lister) { l.step(-1) })},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown"}, Do: step(func(l lister) { l.pageBy(1) }), Hide: true},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup"}, Do: step(func(l lister) { l.pageBy(-1) }), Hide: true},
	})
}

// dialogList is a lister while one of its keys is handled.
type dialogList struct {
	lister
	end closing
}

// pressList handles a key of a list; known reports whether the key is one.
func pressList(m *keys.Map[*dialogList], l lister, key string) (end closing, known bool) {
	d := &dialogList{lister: l}
	_, r := m.Press(d, []string{key}, 0)
	return d.end, r == keys.Done
}
