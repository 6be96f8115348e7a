// Package preview shows what is under the tree's cursor in the memory pane. That is no read of the
// ledger, and does not count as opening it.
package preview

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
)

// rest is how long the cursor must rest before the next move shows a preview at once. A held key
// repeats faster: it costs one preview at the beginning and one at the end.
const rest = 50 * time.Millisecond

// Room follows the tree's cursor.
type Room struct {
	env    screen.Env
	tree   *tree.Pane
	memory *memory.Pane

	under tree.Under
	moved int  // counts its moves
	due   bool // the memory pane does not show it yet
	timer bool // runs until the cursor has rested
}

// New returns a room for the panes of one store.
func New(env screen.Env, tree *tree.Pane, memory *memory.Pane) *Room {
	return &Room{env: env, tree: tree, memory: memory}
}

// Follow is called after every message. It shows what is under the tree's cursor: at once if the
// cursor had rested or the person goes to another pane, else as soon as the cursor rests. Nothing
// is shown while the memory pane is covered; visible reports whether a pane would show it. Follow
// reports whether it shows another memory.
func (r *Room) Follow(focus frame.Slot, covered, visible bool) (cmd tea.Cmd, shown bool) {
	if here := r.tree.Under(); here != r.under {
		opened := r.under.Path.IsRoot() && !r.memory.Path().IsRoot() // before the first reading
		r.under, r.due = here, focus == frame.Tree && !opened
		r.moved++
	}
	r.due = r.due && (r.memory.ShowsFolder() || !r.under.Is(r.memory.Path()))
	if covered {
		return nil, false
	}
	switch {
	case !r.due:
	case focus != frame.Tree:
		cmd, shown = r.show()
	case !r.timer && visible:
		cmd, shown = r.show()
		cmd = tea.Batch(cmd, r.awaitRest())
	}
	if focus == frame.Memory && r.memory.Previewing() {
		r.memory.EndPreview()
		r.tree.Showing(r.memory.Path())
	}
	return cmd, shown
}

// awaitRest starts the timer. If the cursor was moved when it ends, it starts again.
func (r *Room) awaitRest() tea.Cmd {
	r.timer = true
	moved := r.moved
	return r.env.Later(rest, screen.Then(func() tea.Cmd {
		if r.moved != moved {
			return r.awaitRest()
		}
		r.timer = false // and Follow shows what is due
		return nil
	}))
}

// show shows a folder, or a memory, and reports which.
func (r *Room) show() (cmd tea.Cmd, memory bool) {
	r.due = false
	if about := r.tree.Describe(r.under); about != nil {
		return r.memory.PreviewFolder(r.under.Path, about), false
	}
	return r.memory.Preview(r.under.Path), true
}

// Opened is called when what is under the cursor was opened otherwise.
func (r *Room) Opened() { r.under, r.due = r.tree.Under(), false }

// Refresh shows a folder's content again after the tree was read.
func (r *Room) Refresh() tea.Cmd {
	if !r.memory.ShowsFolder() || r.under.Path != r.memory.Path() {
		return nil
	}
	if about := r.tree.Describe(r.under); about != nil {
		return r.memory.PreviewFolder(r.under.Path, about)
	}
	return nil
}
