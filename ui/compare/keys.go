package compare

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("compare", bindings, []keys.Action[*Pane]{
		{ID: "open-first", Name: "open the first", Short: "open −", Keys: []string{"o"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(0) }},
		{ID: "open-second", Name: "open the second", Short: "open +", Keys: []string{"O"}, Do: func(p *Pane, _ int) tea.Cmd { return p.open(1) }},
		{ID: "diff", In: "copy", Name: "copy the diff", Keys: []string{"y d"}, Do: (*Pane).copyDiff},
		{ID: "back", In: "change", Name: "leave it", Short: "back", Keys: []string{"esc", "q"}, Do: (*Pane).back},
	})
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return paneKeys(bindings).All() }

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
	return p.env.Ask(screen.Back{})
}
