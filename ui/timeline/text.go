package timeline

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
)

// pastText is the text of a memory as the detail. Nothing in it sends a request: those act on the present.
type pastText struct{ *memory.Pane }

// textMoves are the actions of the text that work here.
var textMoves = []string{"move.down", "move.up", "move.page-down", "move.page-up", "move.half-down", "move.half-up",
	"move.top", "move.bottom", "text.wrap", "text.find", "text.next-hit", "text.previous-hit", "memory.go-to", "memory.rendered"}

// Press handles a sequence of keys.
func (t pastText) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	if !keys.Bound(t.Entries(), textMoves, seq) {
		return nil, keys.None
	}
	return t.Pane.Press(seq, n)
}

// Update scrolls with the wheel.
func (t pastText) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.MouseWheelMsg); ok {
		return t.Pane.Update(msg)
	}
	return nil
}
