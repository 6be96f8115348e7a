package diffview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/keys"
)

func viewKeys(own keys.Bindings) *keys.Map[*View] {
	do := func(id, name string, hide bool, f func(*View), seqs ...string) keys.Action[*View] {
		return keys.Action[*View]{ID: id, Name: name, Keys: seqs, Hide: hide, Do: func(v *View, n int) tea.Cmd {
			for range max(min(n, maxCount), 1) {
				f(v)
			}
			return nil
		}}
	}
	acts := []keys.Action[*View]{
		do("down", "down", true, func(v *View) { v.down(1) }, "j", "down"),
		do("up", "up", true, func(v *View) { v.down(-1) }, "k", "up"),
		do("next-hunk", "next hunk", false, func(v *View) { v.jump(1) }, "]", "n"),
		do("previous-hunk", "previous hunk", false, func(v *View) { v.jump(-1) }, "[", "N"),
		do("select", "select lines", false, (*View).toggleSelection, "V"),
		do("side-by-side", "side by side", false, (*View).toggleLayout, "s"),
		do("words", "words", false, (*View).toggleWords, "w"),
		do("whole", "the whole text", false, (*View).toggleWhole, "f"),
		do("white-space", "white space", false, (*View).toggleLenient, "W"),
		do("more-context", "more context", false, func(v *View) { v.changeContext(1) }, "}"),
		do("less-context", "less context", false, func(v *View) { v.changeContext(-1) }, "{"),
		do("right", "scroll right", true, func(v *View) { v.sideways(columnStep) }, "l", "right"),
		do("left", "scroll left", true, func(v *View) { v.sideways(-columnStep) }, "h", "left"),
		do("page-down", "page down", true, func(v *View) { v.down(max(1, v.h-1)) }, "pgdown", "ctrl+f"),
		do("page-up", "page up", true, func(v *View) { v.down(-max(1, v.h-1)) }, "pgup", "ctrl+b"),
		do("half-down", "half a page down", true, func(v *View) { v.down(max(1, v.h/2)) }, "ctrl+d"),
		do("half-up", "half a page up", true, func(v *View) { v.down(-max(1, v.h/2)) }, "ctrl+u"),
		do("top", "beginning", true, func(v *View) { v.down(-v.rows) }, "g g", "home"),
		do("bottom", "end", true, func(v *View) { v.down(v.rows) }, "G", "end"),
	}
	for i := range acts {
		switch acts[i].ID {
		case "next-hunk", "previous-hunk", "select":
			acts[i].Why = func(v *View) string {
				if _, ok := v.current(); !ok {
					return "nothing differs here"
				}
				return ""
			}
		}
	}
	return keys.New("diff", own, acts)
}

// Keys lists the actions of diffs with their keys.
func Keys(own keys.Bindings) []keys.Entry { return viewKeys(own).All() }

// maxCount bounds how often a count repeats an action.
const maxCount = 10_000

// Press obeys a sequence of keys.
func (v *View) Press(seq []string, n int) (tea.Cmd, keys.Result) { return v.keys.Press(v, seq, n) }

// Entries are the actions that there are.
func (v *View) Entries() []keys.Entry { return v.keys.Entries(v) }
