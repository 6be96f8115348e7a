package loads

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/split"
)

func loadsKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	act := func(id, name, short string, why func(*Pane) string, do func(*Pane) tea.Cmd, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Short: short, Keys: seqs, Why: why, Do: func(p *Pane, _ int) tea.Cmd { return do(p) }}
	}
	toText := list.Move("right", func(p *Pane, _ int) tea.Cmd { // in the text, the same key scrolls it
		p.Focus(p.current() != nil)
		return nil
	})
	toText.Short, toText.Hide = "to the text", false
	previous := act("previous-tool", "previous tool", "", (*Pane).toolDisabled, func(p *Pane) tea.Cmd { return p.nextTool(-1) }, "shift+tab")
	previous.Hide = true
	return keys.New("loaded-files", bindings, append([]keys.Action[*Pane]{
		act("next-tool", "next tool", "next tool", (*Pane).toolDisabled, func(p *Pane) tea.Cmd { return p.nextTool(1) }, "tab"),
		act("open", "open the memory", "open", (*Pane).openDisabled, (*Pane).open, "enter", "o").Of("change"),
		toText, previous,
		act("back", "leave it", "leave", nil, (*Pane).leave, "esc", "q").Of("change"),
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
