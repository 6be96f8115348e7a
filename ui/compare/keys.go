package compare

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

type action = keys.Action[*Pane]

func actions() []action {
	return []action{
		{ID: "open-first", Name: "open the first", Short: "open first", Keys: []string{"o"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(0) }},
		{ID: "open-second", Name: "open the second", Short: "open second", Keys: []string{"O"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(1) }},
		{ID: "screen.back", Short: "back", Do: (*Pane).back},
		{ID: "copy.diff", Do: (*Pane).copyDiff},
	}
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return keys.New("compare", bindings, actions()).All()
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
