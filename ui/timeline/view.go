package timeline

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

const (
	stripRows  = 4  // description, bars, bands, caret
	barsFrom   = 14 // rows of the screen from which there are bars
	besideFrom = 60 // columns from which tree and text are side by side
	besideRows = 3  // rows below the strip from which they are
	bothFrom   = 14 // rows below the strip from which the tree is above the text in fewer columns
)

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	if p.Whole = bothFrom; w >= besideFrom {
		p.Whole = besideRows
	}
	p.Split.SetSize(w, h)
}

// RowsAbove returns the rows of the strip.
func (p *Pane) RowsAbove() int {
	if p.H < barsFrom {
		return stripRows - 1
	}
	return stripRows
}

// AppendAbove draws a row of the strip.
func (p *Pane) AppendAbove(dst []byte, y, _ int) []byte {
	if y > 0 && p.RowsAbove() < stripRows {
		y++ // there are no bars
	}
	switch y {
	case 0:
		return p.appendWords(dst)
	case 1:
		return p.appendBars(dst)
	case 2:
		return p.appendBands(dst)
	}
	return p.appendCaret(dst)
}

// Title returns the position on the timeline.
func (p *Pane) Title() (name, info string) {
	if p.at < 0 {
		return "timeline", ""
	}
	info = fmt.Sprintf("%d of %d", p.at, p.marks.last())
	if p.err == nil {
		info += " · " + draw.Plural(len(p.entries), "memory", "memories")
	}
	if p.marks.first > 1 {
		info += " · reading older changes…"
	}
	if p.follows {
		info = "follow: on · " + info
	}
	return "timeline", info
}

// Rows, Cols, Heading, AppendRow, Facts and DetailTitle implement split.Owner.
func (p *Pane) Rows() int           { return p.tree.Rows() }
func (p *Pane) Cols() int           { return min(max(p.W/3, 24), 46) } // the text needs more than half
func (p *Pane) Heading(int) bool    { return false }
func (p *Pane) Facts() []split.Fact { return nil }

// AppendRow draws a row of the tree, or in an empty one why it is.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	row, ok := p.Row(dst, i, w)
	if ok {
		return p.tree.Draw.Row(row, i)
	}
	if p.Rows() == 0 && p.at >= 0 {
		row.Space(1)
		empty := "no memories existed then"
		if p.err != nil {
			empty = "not known"
		}
		if why := text.Rows(empty, max(w-2, 1), p.Page()); i < len(why) {
			row.Put(why[i], p.env.Theme.Text)
		}
	}
	return row.End()
}

// DetailTitle names the diff or the text.
func (p *Pane) DetailTitle() string {
	switch {
	case p.title != "":
		return p.title
	case p.sel.IsRoot():
		return "no memory is selected"
	}
	return p.sel.String() + " as it was then"
}

// siblings says how many memories the change modified, if not only the selected one, and which of them that is. What does
// not fit is left out.
func (p *Pane) siblings() []split.Fact {
	n := len(p.modified)
	s := fmt.Sprintf("· %s changed %s", p.number(), draw.Plural(n, "memory", "memories"))
	switch i := slices.IndexFunc(p.modified, func(d versions.TreeDiff) bool { return pathOf(d) == p.sel }); {
	case n == 0, n == 1 && i == 0:
		return nil
	case i >= 0:
		s = fmt.Sprintf("· %d of %d changed memories", i+1, n)
	}
	if text.Width(s) > p.DetailBox().W-headCols-min(text.Width(p.DetailTitle()), titleCols) {
		return nil
	}
	return []split.Fact{{Text: s, Style: p.env.Theme.Dim}}
}

const (
	titleCols = 24 // that are left for a title beside the number
	headCols  = 8  // before, between and after them
)

// Update handles mouse events. A click on the strip or a drag along it goes to a change, and a
// click on a folder folds it.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.Resize()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if _, ok := p.RowAt(msg); ok {
			cmd := p.Split.Update(msg)
			p.tree.ToggleFold()
			return tea.Batch(cmd, p.Moved())
		}
		if msg.Button == tea.MouseLeft && msg.Y < p.RowsAbove() && !p.reading {
			p.drags = true
			return p.goTo(p.changeAt(msg.X))
		}
	case tea.MouseMotionMsg:
		if p.drags {
			return p.goTo(p.changeAt(msg.X))
		}
	case tea.MouseReleaseMsg:
		p.drags = false
	case tea.MouseWheelMsg:
		if msg.Y < p.RowsAbove() {
			return p.wheel(msg)
		}
	}
	return p.Split.Update(msg)
}

// wheel moves along the strip.
func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	d := int64(1)
	if msg.Button == tea.MouseWheelUp || msg.Button == tea.MouseWheelLeft {
		d = -1
	}
	return p.move(func(p *Pane) int64 { return p.marks.step(p.want, d) })
}
