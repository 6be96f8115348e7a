package diffview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
)

func viewKeys(bindings keys.Bindings) *keys.Map[*View] {
	type action = keys.Action[*View]
	do := func(id, name string, f func(*View), seqs ...string) action {
		return action{ID: id, Name: name, Keys: seqs, Do: func(v *View, _ int) tea.Cmd { f(v); return nil }}
	}
	times := func(id, name string, f func(*View, int), seqs ...string) action {
		return action{ID: id, Name: name, Keys: seqs, Do: func(v *View, n int) tea.Cmd { f(v, max(1, min(n, maxCount))); return nil }}
	}
	acts := []action{
		times("list.next", "next hunk", func(v *View, n int) { v.jump(n) }),
		times("list.previous", "previous hunk", func(v *View, n int) { v.jump(-n) }),
		do("list.range", "select lines", (*View).ToggleSelection),
		do("side-by-side", "side by side", (*View).toggleLayout, "s").While((*View).Beside, "unified"),
		do("text.wrap", "wrap", (*View).toggleWrap).While(func(v *View) bool { return v.wrap }, "unwrap"),
		do("whole", "the whole text", (*View).toggleWhole, "f").While(func(v *View) bool { return v.whole }, "only changes"),
		do("white-space", "white space", (*View).toggleLenient, "W").As("skip white space").While(func(v *View) bool { return v.lenient }, "white space too"),
		times("more-context", "more context", func(v *View, n int) { v.changeContext(n) }, "}"),
		times("less-context", "less context", func(v *View, n int) { v.changeContext(-n) }, "{"),
	}
	acts = append(acts, list.TextMoves(
		func(v *View, by int) tea.Cmd { v.down(by); return nil },
		func(v *View) int { return v.win.H },
		func(v *View, by int) tea.Cmd { v.sideways(by); return nil },
	)...)
	for i := range acts {
		switch acts[i].ID {
		case "side-by-side":
			acts[i].Why = (*View).besideDisabled
		case "move.right", "move.left":
			acts[i].Why = (*View).asideDisabled
		case "list.next", "list.previous", "list.range":
			acts[i].Why = func(v *View) string {
				if _, n := v.Hunk(); n == 0 {
					return "there are no differences"
				}
				return ""
			}
		}
	}
	return keys.New("diff", bindings, acts)
}

// selectionKeys apply while lines are selected.
func selectionKeys(bindings keys.Bindings) *keys.Map[*View] {
	return keys.New("selection", bindings, []keys.Action[*View]{
		{ID: "other-end", Do: func(v *View, _ int) tea.Cmd { v.otherEnd(); return nil }},
	})
}

// Keys lists the actions of diffs with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(viewKeys(bindings).All(), selectionKeys(bindings).All()...)
}

// maxCount limits how often a count repeats an action.
const maxCount = 10_000

// Press handles a sequence of keys.
func (v *View) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	if v.Selecting() {
		if cmd, r := v.marking.Press(v, seq, n); r != keys.None {
			return cmd, r
		}
	}
	return v.keys.Press(v, seq, n)
}

// Entries returns the actions, those of a selection first.
func (v *View) Entries() []keys.Entry {
	if v.Selecting() {
		return append(v.marking.Entries(v), v.keys.Entries(v)...)
	}
	return v.keys.Entries(v)
}
