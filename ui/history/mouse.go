package history

import (
	tea "charm.land/bubbletea/v2"

	lists "github.com/memend/memend/ui/list"
)

// click selects a row, a hunk or the filter, or starts to drag the border between list and
// diff.
func (p *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	a := p.arrange()
	switch {
	case a.list.Holds(msg.X, msg.Y):
		if p.inDiff {
			p.leaveDiff()
		}
		return p.clickRow(p.list().Top + msg.Y - a.list.Y)
	case a.diff.Holds(msg.X, msg.Y):
		cmd := p.toDiff()
		msg.X, msg.Y = msg.X-a.diff.X, msg.Y-a.diff.Y
		return tea.Batch(cmd, p.diff.Update(msg))
	case a.single && a.head.Holds(msg.X, msg.Y):
		p.leaveDiff()
	case p.border(a, msg.X, msg.Y):
		p.drag = true
	}
	return nil
}

// clickRow selects a row; a second click on a row that folds works like Enter.
func (p *Pane) clickRow(i int) tea.Cmd {
	l := p.list()
	if i >= len(l.rows) {
		return nil
	}
	again := i == l.Cur
	cmd := p.move(i)
	if r := l.rows[i]; again && (r.heads() || r.kind == changeRow && l.items[r.at].change.Versions > 1) {
		return tea.Batch(cmd, p.enter())
	}
	return cmd
}

// border reports whether a cell is on the border between list and diff.
func (p *Pane) border(a places, x, y int) bool {
	if a.beside {
		return x == a.head.X-1
	}
	return !a.single && y == a.head.Y
}

func (p *Pane) motion(msg tea.MouseMotionMsg) tea.Cmd {
	a := p.arrange()
	switch {
	case p.drag && a.beside:
		p.split.cols = max(1, msg.X)
		p.resize()
	case p.drag:
		p.split.rows = max(1, msg.Y)
		p.resize()
	case p.inDiff:
		msg.X, msg.Y = msg.X-a.diff.X, msg.Y-a.diff.Y
		return p.diff.Update(msg)
	}
	return nil
}

// Beyond reports whether the mouse is dragged above or below the diff.
func (p *Pane) Beyond() bool { return p.inDiff && !p.drag && p.diff.Beyond() }

func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	a := p.arrange()
	if a.diff.Holds(msg.X, msg.Y) {
		return p.diff.Update(msg)
	}
	p.list().Scroll(lists.Wheel(msg), len(p.list().rows), a.list.H)
	return p.more(p.list())
}
