package compare

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

type action = keys.Action[*Pane]

// opening are the actions of a comparison of two memories.
func opening() []action {
	return []action{
		{ID: "open-first", Name: "open the first", Short: "open first", Keys: []string{"o"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(0) }},
		{ID: "open-second", Name: "open the second", Short: "open second", Keys: []string{"O"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(1) }},
	}
}

// reviewing are the actions of a comparison of a memory with what was reviewed of it.
func reviewing() []action {
	return []action{
		{ID: "change.reviewed", Short: "reviewed", Do: func(p *Pane, _ int) tea.Cmd {
			return p.leave(func(int) tea.Cmd { return p.acts.Reviewed() })
		}},
		{ID: "change.restore", Writes: true, Do: func(p *Pane, _ int) tea.Cmd { return p.leave(p.acts.Restore) }},
		{ID: "change.edit", Writes: true, Do: func(p *Pane, _ int) tea.Cmd { return p.leave(p.acts.Edit) }},
	}
}

func leaving() []action {
	return []action{
		{ID: "screen.back", Short: "back", Do: (*Pane).back},
		{ID: "copy.diff", Do: (*Pane).copyDiff},
	}
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return keys.New("compare", bindings, slices.Concat(opening(), reviewing(), leaving())).All()
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	if cmd, r := p.keys.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	return p.diff.Press(seq, n)
}

// Entries returns the actions.
func (p *Pane) Entries() []keys.Entry { return slices.Concat(p.keys.Entries(p), p.diff.Entries()) }

// back ends a selection, or leaves.
func (p *Pane) back(int) tea.Cmd {
	if p.diff.Deselect() {
		return nil
	}
	return p.env.Do(screen.Back{})
}
