package history

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/keys"
)

// actKeys work in the list and in the diff.
func actKeys(own keys.Bindings) *keys.Map[*Pane] {
	row := func(p *Pane) string {
		if _, ok := p.list().current(); !ok {
			return "nothing is listed"
		}
		return ""
	}
	do := func(id, name string, f func(*Pane) tea.Cmd, why func(*Pane) string, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(p *Pane, _ int) tea.Cmd { return f(p) }}
	}
	return keys.New("history", own, []keys.Action[*Pane]{
		do("restore", "restore this version", (*Pane).restore, row, "R"),
		do("everyone", "this memory, or all changes", (*Pane).toggleEveryone, nil, "c"),
		do("undo", "undo this change", (*Pane).undo, row, "u"),
		do("redo", "redo this change", (*Pane).redo, row, "ctrl+r"),
		do("back", "back", (*Pane).back, nil, "esc"),
	})
}

// listKeys work in the list; in the diff their keys mean something else.
func listKeys(own keys.Bindings) *keys.Map[*Pane] {
	do := func(id, name string, hide bool, f func(*Pane, int) tea.Cmd, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Hide: hide, Do: f}
	}
	return keys.New("list", own, []keys.Action[*Pane]{
		do("closer", "look closer", false, func(p *Pane, _ int) tea.Cmd { return p.enter() }, "enter"),
		do("compare", "compare with this one", false, func(p *Pane, _ int) tea.Cmd { return p.toggleBase() }, "space", "v"),
		do("down", "down", true, func(p *Pane, n int) tea.Cmd { return p.moveBy(max(n, 1)) }, "j", "down"),
		do("up", "up", true, func(p *Pane, n int) tea.Cmd { return p.moveBy(-max(n, 1)) }, "k", "up"),
		do("diff", "to the diff", true, func(p *Pane, _ int) tea.Cmd { return p.toDiff() }, "l", "right"),
		do("page-down", "page down", true, func(p *Pane, n int) tea.Cmd { return p.moveBy(max(n, 1) * max(1, p.listHeight()-1)) }, "pgdown", "ctrl+f"),
		do("page-up", "page up", true, func(p *Pane, n int) tea.Cmd { return p.moveBy(-max(n, 1) * max(1, p.listHeight()-1)) }, "pgup", "ctrl+b"),
		do("newest", "newest", true, func(p *Pane, _ int) tea.Cmd { return p.move(0) }, "g g", "home"),
		do("oldest", "oldest loaded", true, func(p *Pane, _ int) tea.Cmd { return p.move(len(p.list().rows) - 1) }, "G", "end"),
	})
}

// Keys lists the actions of the history with their keys, those of its diff included.
func Keys(own keys.Bindings) []keys.Entry {
	return slices.Concat(actKeys(own).All(), listKeys(own).All(), diffview.Keys(own))
}

// through are the actions of the diff whose keys work while the list has the keys.
var through = map[string]bool{
	"diff.next-hunk": true, "diff.previous-hunk": true, "diff.more-context": true, "diff.less-context": true,
	"diff.side-by-side": true, "diff.half-down": true, "diff.half-up": true,
}

// Press obeys a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	defer p.fit()
	if cmd, r := p.acts.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if p.inDiff {
		return p.diff.Press(seq, n)
	}
	if cmd, r := p.moves.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if len(seq) == 1 && p.passes(seq[0]) {
		return p.diff.Press(seq, n)
	}
	return nil, keys.None
}

func (p *Pane) passes(key string) bool {
	for _, e := range p.diff.Entries() {
		if through[e.ID] && slices.Contains(e.Keys, key) {
			return true
		}
	}
	return false
}

// Entries are the actions that there are now.
func (p *Pane) Entries() []keys.Entry {
	if p.inDiff {
		return append(p.acts.Entries(p), p.diff.Entries()...)
	}
	out := p.moves.Entries(p)
	out = append(out[:2:2], append(p.acts.Entries(p), out[2:]...)...)
	for _, e := range p.diff.Entries() {
		if through[e.ID] {
			out = append(out, e)
		}
	}
	return out
}

// TakesText is false: every key is an action.
func (p *Pane) TakesText() bool { return false }

// Cursor is nowhere.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }
