package history

import (
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/split"
)

// Columns and rows from which the diff is beside the list, and below it.
const besideFrom, belowFrom = 110, 11

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if l := p.list(); len(l.rows) == 0 && !l.pages.Waiting() {
		why, _ := p.question()
		return p.Notice(why, p.env.Theme.Dim)
	}
	return p.Split.View()
}

// Rows, Cols, Heading, AppendRow, Facts and DetailTitle implement split.Owner.
func (p *Pane) Rows() int           { return len(p.list().rows) }
func (p *Pane) Cols() int           { return 50 }
func (p *Pane) Heading(int) bool    { return false }
func (p *Pane) DetailTitle() string { return p.shown.title }

// RowsAbove returns the rows of the filter while it is typed.
func (p *Pane) RowsAbove() int {
	if !p.typed.On() {
		return 0
	}
	return min(filter.Rows, p.H-1)
}

// AppendAbove draws a row of the filter.
func (p *Pane) AppendAbove(dst []byte, i, w int) []byte {
	return p.typed.Append(dst, i, w, p.query.problem, p.env.Theme)
}

// counts returns the counts of the diff and the place in it.
func (p *Pane) counts() (out []split.Fact) {
	if p.shown.right == nil {
		return nil
	}
	add := func(s string, st theme.Style) { out = append(out, split.Fact{Text: s, Style: st}) }
	added, removed := p.shown.doc.Counts()
	if added > 0 {
		add("+"+strconv.Itoa(added), p.env.Theme.Added)
	}
	if removed > 0 {
		add("−"+strconv.Itoa(removed), p.env.Theme.Removed)
	}
	if i, n := p.Diff.Hunk(); n > 1 {
		add(strconv.Itoa(i+1)+"/"+strconv.Itoa(n), p.env.Theme.Dim)
	}
	if b := p.chosen.base(p.list()); b != nil && b.Memory != p.shown.right.Memory {
		add("✓"+versionName(*b)+" elsewhere", p.env.Theme.Marked)
	}
	return out
}
