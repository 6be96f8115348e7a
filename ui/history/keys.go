package history

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

type action struct {
	key      key.Binding
	listOnly bool // in the diff the key means something else
	do       func(*Pane) tea.Cmd
}

type keyMap struct {
	actions []action
	through key.Binding // keys of the diff that work while the list has the keys
}

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

func defaultKeys() keyMap {
	moved := func(help, desc string, do func(*Pane) tea.Cmd, keys ...string) action {
		return action{bind(help, desc, keys...), true, do}
	}
	always := func(help, desc string, do func(*Pane) tea.Cmd, keys ...string) action {
		return action{bind(help, desc, keys...), false, do}
	}
	return keyMap{
		actions: []action{
			moved("Enter", "look closer", (*Pane).enter, "enter"),
			always("R", "restore this version", (*Pane).restore, "R"),
			moved("Space v", "compare with this one", (*Pane).toggleBase, "space", "v"),
			always("c", "this memory, or all changes", (*Pane).toggleEveryone, "c"),
			always("u", "undo this change", (*Pane).undo, "u"),
			always("^R", "redo this change", (*Pane).redo, "ctrl+r"),
			moved("j ↓", "down", func(p *Pane) tea.Cmd { return p.moveBy(1) }, "j", "down"),
			moved("k ↑", "up", func(p *Pane) tea.Cmd { return p.moveBy(-1) }, "k", "up"),
			moved("l →", "to the diff", (*Pane).toDiff, "l", "right"),
			moved("PgDn ^F", "page down", func(p *Pane) tea.Cmd { return p.moveBy(max(1, p.listHeight()-1)) }, "pgdown", "ctrl+f"),
			moved("PgUp ^B", "page up", func(p *Pane) tea.Cmd { return p.moveBy(-max(1, p.listHeight()-1)) }, "pgup", "ctrl+b"),
			moved("g Home", "newest", func(p *Pane) tea.Cmd { return p.move(0) }, "g", "home"),
			moved("G End", "oldest loaded", func(p *Pane) tea.Cmd { return p.move(len(p.list().rows) - 1) }, "G", "end"),
			always("Esc", "back", (*Pane).back, "esc"),
		},
		through: key.NewBinding(key.WithKeys("]", "[", "}", "{", "s", "ctrl+d", "ctrl+u")),
	}
}

// Keys are the keys that work now, for the help.
func (p *Pane) Keys() []key.Binding {
	var out []key.Binding
	for _, a := range p.keys.actions {
		if !a.listOnly || !p.inDiff {
			out = append(out, a.key)
		}
	}
	taken := map[string]bool{}
	for _, b := range out {
		for _, k := range b.Keys() {
			taken[k] = true
		}
	}
	for _, b := range p.diff.Keys() {
		if k := b.Keys()[0]; !taken[k] && (p.inDiff || p.passes(k)) {
			out = append(out, b)
		}
	}
	return out
}

func (p *Pane) passes(k string) bool {
	for _, t := range p.keys.through.Keys() {
		if t == k {
			return true
		}
	}
	return false
}
