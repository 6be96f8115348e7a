package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
)

// preview is the state of what is under the tree's cursor, which the memory pane shows. That is
// no read of the ledger, and does not count as opening it.
type preview struct {
	under tree.Under
	moved int  // counts its moves
	due   bool // the memory pane does not show it yet
	timer bool // runs until the cursor has rested
}

// previewWait is how long the cursor must rest before the next move shows a preview at once. A
// held key repeats faster: it costs one preview at the beginning and one at the end.
const previewWait = 50 * time.Millisecond

// followCursor is called after every message. It shows what is under the tree's cursor: at once
// if the cursor had rested or the person goes to another pane, else as soon as the cursor rests.
func (a *App) followCursor() tea.Cmd {
	p, focus := &a.preview, a.frame.Focus()
	if here := a.tree.Under(); here != p.under {
		opened := p.under.Path.IsRoot() && !a.memory.Path().IsRoot() // before the first reading
		p.under, p.due = here, focus == frame.Tree && !opened
		p.moved++
	}
	p.due = p.due && (a.memory.ShowsFolder() || !p.under.Is(a.memory.Path()))
	if len(a.screens) > 0 || a.editing.Pane() != nil {
		return nil
	}
	var cmd tea.Cmd
	switch {
	case !p.due:
	case focus != frame.Tree:
		cmd = a.showPreview()
	case !p.timer && (!a.frame.Panes[frame.Memory].Empty() || !a.frame.Panes[frame.History].Empty()):
		cmd = tea.Batch(a.showPreview(), a.awaitRest())
	}
	if focus == frame.Memory && a.memory.Previewing() {
		a.memory.EndPreview()
		a.tree.Showing(a.memory.Path())
	}
	return cmd
}

// awaitRest starts the timer. If the cursor was moved when it ends, it starts again.
func (a *App) awaitRest() tea.Cmd {
	a.preview.timer = true
	moved := a.preview.moved
	return a.later(previewWait, screen.Then(func() tea.Cmd {
		if a.preview.moved != moved {
			return a.awaitRest()
		}
		a.preview.timer = false // and followCursor shows what is due
		return nil
	}))
}

func (a *App) showPreview() tea.Cmd {
	under := a.preview.under
	a.preview.due = false
	if about := a.tree.Describe(under); about != nil {
		return a.memory.PreviewFolder(under.Path, about)
	}
	return tea.Batch(a.memory.Preview(under.Path), a.showHistory())
}

// refreshFolder shows a folder's content again after the tree was read.
func (a *App) refreshFolder() tea.Cmd {
	under := a.preview.under
	if !a.memory.ShowsFolder() || under.Path != a.memory.Path() {
		return nil
	}
	if about := a.tree.Describe(under); about != nil {
		return a.memory.PreviewFolder(under.Path, about)
	}
	return nil
}
