package merge

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
)

// Keys lists the actions of the merge with their keys.
func Keys(bindings keys.Bindings) []keys.Entry { return paneKeys(bindings).All() }

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	act := func(id, name string, do func(*Pane), why func(*Pane) string, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(p *Pane, _ int) tea.Cmd { do(p); return nil }}
	}
	does := func(id, name string, do func(*Pane) tea.Cmd, why func(*Pane) string, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(p *Pane, _ int) tea.Cmd { return do(p) }}
	}
	return keys.New("merge", bindings, append([]keys.Action[*Pane]{
		does("save", "save", (*Pane).finish, (*Pane).noSave, "ctrl+s", "a").Writing(),
		act("now", "now", func(p *Pane) { p.pick(takeTheirs) }, (*Pane).noChange, "n").Called(func(p *Pane) string { return p.in.TheirsIs }),
		act("before", "before, or mine", func(p *Pane) { p.pick(takeMine) }, (*Pane).noChange, "b", "m").As("mine").Called(func(p *Pane) string { return p.in.MineIs }),
		act("both", "both", (*Pane).both, (*Pane).noBoth, "+"),
		act("edit", "edit", (*Pane).edit, (*Pane).noChange, "e", "enter"),
		act("next-conflict", "next conflict", func(p *Pane) { p.jump(1, isConflict) }, (*Pane).noChange, "tab").As("next"),
		does("leave", "leave", (*Pane).leave, nil, "esc", "q", "ctrl+c"),
		act("undo", "undo", (*Pane).undo, (*Pane).noUndo, "u", "ctrl+z"),
		act("show-side", "show the other text", (*Pane).nextTab, (*Pane).noTabs, "v"),
		act("base", "the common text", func(p *Pane) { p.pick(takeBase) }, (*Pane).noBase, "o").As("common"),
		act("show-base", "show the common text", (*Pane).toggleBase, (*Pane).noBaseColumn, "c").While(func(p *Pane) bool { return p.withBase }, "hide the common text"),
		act("previous-conflict", "previous conflict", func(p *Pane) { p.jump(-1, isConflict) }, (*Pane).noChange, "shift+tab"),
		act("next-change", "next change", func(p *Pane) { p.jump(1, isChange) }, (*Pane).noChange, "]"),
		act("previous-change", "previous change", func(p *Pane) { p.jump(-1, isChange) }, (*Pane).noChange, "["),
		act("all-now", "now for all that are left", func(p *Pane) { p.rest(takeTheirs) }, (*Pane).noRest, "N"),
		act("all-before", "before for all that are left", func(p *Pane) { p.rest(takeMine) }, (*Pane).noRest, "B", "M"),
		act("wrap", "wrap lines, or not", (*Pane).toggleWrap, nil, "w").As("wrap").While(func(p *Pane) bool { return !p.unwrap }, "unwrap"),
	}, list.TextMoves(
		func(p *Pane, by int) tea.Cmd { p.scroll(by); return nil },
		(*Pane).page,
		func(p *Pane, by int) tea.Cmd { p.shift(by); return nil },
		"space")...))
}
