package loads

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/split"
)

func loadsKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	toText := list.Move("right", func(p *Pane, _ int) tea.Cmd { // in the text, the same key scrolls it
		p.Focus(p.current() != nil)
		return nil
	})
	toText.Short, toText.Hide = "to the text", false
	previous := keys.Act("previous-tool", "previous tool", func(p *Pane) tea.Cmd { return p.nextTool(-1) }, (*Pane).toolDisabled, "shift+tab")
	previous.Hide = true
	return keys.New("loaded-files", bindings, append([]keys.Action[*Pane]{
		keys.Act("next-tool", "next tool", func(p *Pane) tea.Cmd { return p.nextTool(1) }, (*Pane).toolDisabled, "tab").As("next tool"),
		keys.Act("open", "open the memory", (*Pane).open, (*Pane).openDisabled, "enter", "o").As("open").Of("change"),
		toText, previous,
		keys.Act("back", "leave it", (*Pane).leave, nil, "esc", "q").As("leave").Of("change"),
	}, list.Moves((*Pane).MoveBy, (*Pane).Page)...))
}

// Keys lists the actions with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return slices.Concat(loadsKeys(bindings).All(), textKeys(bindings).All())
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	own := p.keys.Entries(p)
	if p.current() == nil {
		return own
	}
	return p.Split.Entries(own)
}

func (p *Pane) openDisabled() string {
	if p.current() == nil {
		return "nothing is listed"
	}
	return ""
}

func (p *Pane) toolDisabled() string {
	if len(p.found.sessions) < 2 {
		return "there is no other tool here"
	}
	return ""
}
