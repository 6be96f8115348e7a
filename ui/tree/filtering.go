package tree

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/keys"
)

// none reports whether nothing is typed.
func (f *filter) none() bool { return f.query == "" }

// filterKeys are what the filter obeys while it is typed; all other keys are text.
var filterKeys = keys.New("filter", nil, []keys.Action[*Pane]{
	{ID: "done", Name: "done", Keys: []string{"enter", "tab"}, Do: func(t *Pane, _ int) tea.Cmd { t.typing = false; return nil }},
	{ID: "clear", Name: "show all", Keys: []string{"esc", "ctrl+c"}, Do: func(t *Pane, _ int) tea.Cmd { t.typing = false; return t.setFilter("") }},
	{ID: "down", Name: "down", Keys: []string{"down", "ctrl+n"}, Do: func(t *Pane, _ int) tea.Cmd { t.move(1); return nil }},
	{ID: "up", Name: "up", Keys: []string{"up", "ctrl+p"}, Do: func(t *Pane, _ int) tea.Cmd { t.move(-1); return nil }},
})

// TakesText reports whether the filter is being typed.
func (t *Pane) TakesText() bool { return t.typing }

// Entries are the actions of the tree, or of the filter while it is typed.
func (t *Pane) Entries() []keys.Entry {
	if t.typing {
		return filterKeys.Entries(t)
	}
	return t.keys.Entries(t)
}

// Cursor is where the filter is typed.
func (t *Pane) Cursor() (x, y int, ok bool) {
	if !t.typing || t.h < 1 {
		return 0, 0, false
	}
	_, x = t.input.Append(nil, t.inputWidth(), t.th.Input)
	return min(filterPrompt+x, max(t.w-1, 0)), t.h - 1, true
}

// filterPrompt is how many columns stand before what is typed.
const filterPrompt = 3

func (t *Pane) inputWidth() int { return max(t.w-filterPrompt-1, 1) }

// startFilter lets the filter be typed, what it was to begin with.
func (t *Pane) startFilter(int) tea.Cmd {
	t.typing = true
	t.input = draw.NewInput(t.filter.query)
	t.scrollToCursor()
	return nil
}

// filterTo is an action that shows only what a word says, or everything again.
func filterTo(query string) func(*Pane, int) tea.Cmd {
	return func(t *Pane, _ int) tea.Cmd {
		if t.filter.query == query {
			return t.setFilter("")
		}
		return t.setFilter(query)
	}
}

func (t *Pane) setFilter(query string) tea.Cmd {
	t.filter = parseFilter(query)
	clear(t.folded)
	t.scrollToCursor()
	return t.rearrange()
}

// typed takes a key or pasted text for the filter.
func (t *Pane) typed(msg tea.Msg) tea.Cmd {
	if !t.typing {
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if cmd, r := filterKeys.Press(t, []string{k.String()}, 0); r == keys.Done {
			return cmd
		}
	}
	if t.input.Update(msg) {
		return t.setFilter(t.input.Value)
	}
	return nil
}
