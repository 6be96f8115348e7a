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
		does("change.apply", "save", (*Pane).finish, (*Pane).noSave).Writing(),
		act("conflict.now", "", func(p *Pane) { p.pick(takeTheirs) }, (*Pane).noChange).Called(func(p *Pane) string { return p.in.TheirsIs }),
		act("conflict.before", "before, or mine", func(p *Pane) { p.pick(takeMine) }, (*Pane).noChange).As("mine").Called(func(p *Pane) string { return p.in.MineIs }),
		act("show-side", "show the other text", (*Pane).nextTab, (*Pane).noTabs, "v").As("other text"),
		act("both", "both", (*Pane).both, (*Pane).noBoth, "+"),
		act("change.edit", "", (*Pane).edit, (*Pane).noChange),
		act("conflict.next", "", func(p *Pane) { p.jump(1, isConflict) }, (*Pane).noChange).As("next"),
		does("screen.back", "leave", (*Pane).leave, nil),
		act("change.undo", "", (*Pane).undo, (*Pane).noUndo),
		act("base", "the common text", func(p *Pane) { p.pick(takeBase) }, (*Pane).noBase, "o").As("common"),
		act("conflict.previous", "", func(p *Pane) { p.jump(-1, isConflict) }, (*Pane).noChange),
		act("list.next", "next change", func(p *Pane) { p.jump(1, isChange) }, (*Pane).noChange),
		act("list.previous", "previous change", func(p *Pane) { p.jump(-1, isChange) }, (*Pane).noChange),
		act("conflict.all-now", "", func(p *Pane) { p.rest(takeTheirs) }, (*Pane).noRest),
		act("conflict.all-before", "", func(p *Pane) { p.rest(takeMine) }, (*Pane).noRest),
		act("text.wrap", "", (*Pane).toggleWrap, nil).As("wrap").While(func(p *Pane) bool { return !p.board.unwrap }, "unwrap"),
	}, list.TextMoves(
		func(p *Pane, by int) tea.Cmd { p.scroll(by); return nil },
		(*Pane).page,
		func(p *Pane, by int) tea.Cmd { p.shift(by); return nil },
		"space")...))
}
