package tree

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// listHeight returns the number of rows of the list: problems with the folder and the
// filter are below it.
func (t *Pane) listHeight() int {
	if t.page != nil {
		return t.page()
	}
	return max(t.h-t.filterRows()-len(t.problemLines())-t.folderProblemRows(), 0)
}

// filterRows returns one row for a filter, and one more for its completions.
func (t *Pane) filterRows() int {
	switch {
	case t.h <= 1 || !t.input.On() && t.filter.none():
		return 0
	case t.input.On() && t.filter.problem == "" && t.h >= minWords:
		return typing.Rows
	}
	return 1
}

// minWords is the height from which completions are shown.
const minWords = 8

// View returns exactly the rows and columns of SetSize.
func (t *Pane) View() string {
	dst := make([]byte, 0, t.h*(t.w*2+32))
	list := t.listHeight()
	var help []string
	if len(t.rows) == 0 {
		help = t.help(list)
	}
	trouble := t.folderProblemLines()
	problem := t.problemLines()
	filter := t.filterRows()
	for y := range t.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := t.at.Top + y
		switch {
		case y >= t.h-filter:
			dst = t.filterRow(dst, t.h-1-y)
		case y >= t.h-filter-len(problem):
			dst = t.line(dst, problem[y-t.h+filter+len(problem)], t.env.Theme.Warn)
		case y >= list && y-list < len(trouble):
			dst = t.line(dst, trouble[y-list], t.env.Theme.Warn)
		case y < list && i < len(t.rows):
			dst = t.row(dst, i)
		case y < len(help):
			dst = t.line(dst, help[y], t.helpStyle(y))
		default:
			dst = text.Spaces(dst, t.w)
		}
	}
	return string(dst)
}

// line draws a line of text over the whole width.
func (t *Pane) line(dst []byte, s string, st theme.Style) []byte {
	p := draw.NewRow(dst, t.w)
	p.Space(1)
	p.Put(s, st)
	return p.End()
}

// problemLines returns what is wrong with the filter, which is shown above it, because
// there is no room beside it in a narrow frame.
func (t *Pane) problemLines() []string {
	const most = 4
	if t.filter.problem == "" || t.h < minWords {
		return nil
	}
	return text.Rows(t.filter.problem, max(t.w-2, 1), most)
}

// filterRow draws the filter, and in row 1 above it the completions of its last word.
func (t *Pane) filterRow(dst []byte, y int) []byte {
	if t.input.On() {
		return t.input.Append(text.Spaces(dst, min(t.w, 1)), y, max(t.w-1, 0), "", t.env.Theme)
	}
	p := draw.NewRow(dst, t.w)
	p.Space(1)
	p.Put("/ ", t.env.Theme.HintKey)
	p.Put(t.filter.query, t.env.Theme.Input)
	return p.End()
}

// row draws row i.
func (t *Pane) row(dst []byte, i int) []byte {
	n := t.rows[i]
	st := theme.Style{}
	switch {
	case i == t.at.Cur && t.focused:
		st = t.env.Theme.Selected
	case i == t.at.Cur:
		st = t.env.Theme.SelectedDim
	case t.flash[n.path()] > 0:
		st = t.env.Theme.Flash
	}
	return t.DrawRow(draw.StyledRow(dst, t.w, st), i)
}

// DrawRow draws row i in p: mark, indentation, fold, name, badges, and the columns that there is
// room for.
func (t *Pane) DrawRow(p draw.Row, i int) []byte {
	n := t.rows[i]
	t.mark(&p, i)
	table := t.table()
	end := max(table.Rest(p.W, 0)-1, min(p.W, 1)) // the columns follow after a blank
	var buf [6]badge
	badges, to := t.badges(buf[:0], n, p.W), end
	for _, b := range badges {
		to -= 1 + text.Width(b.sign)
	}
	if !t.data.order.flat {
		p.Space(min(int(n.depth)*2, max(to-7, 0)))
	}
	t.name(&p, n, to)
	p.To(to)
	for _, b := range badges {
		p.Space(1)
		p.Put(b.sign, b.style)
	}
	p.To(end + 1)
	p = table.Put(p, t, n)
	return p.End()
}

// mark draws the first column: selected, or to be reviewed.
func (t *Pane) mark(p *draw.Row, i int) {
	n := t.rows[i]
	chosen, above := t.chosenRow(i)
	switch {
	case above:
		p.Put("✓", t.env.Theme.Dim)
		return
	case chosen:
		p.Put("✓", t.env.Theme.Marked)
		return
	case t.facts.changed(n.entry), n.folder() && n.changed > 0 && !t.isOpen(n):
		p.Put("●", t.env.Theme.Changed)
		return
	}
	p.Space(1)
}

// name draws the name up to column to, with the matches of the filter highlighted.
func (t *Pane) name(p *draw.Row, n *node, to int) {
	style := theme.Style{}
	switch {
	case n.folder():
		sign := "▸ "
		if t.isOpen(n) {
			sign = "▾ "
		}
		p.Clip(sign, to-p.Used, t.env.Theme.Dim)
		style = t.env.Theme.Folder
	default:
		p.Space(min(2, to-p.Used))
		if n.deleted() {
			style = t.env.Theme.Deleted
		} else if !n.memory() {
			style = t.env.Theme.Dim
		} else if n.path() == t.open {
			style = t.env.Theme.TitleFocused
		}
	}
	t.matched(p, n, to, style)
	switch {
	case n.folder() && n.count > 0:
		p.Clip(" "+strconv.Itoa(n.count), to-p.Used, t.env.Theme.Dim)
	case n.entry != nil && n.entry.Kind == versions.LinkEntry:
		p.Clip(" → "+n.entry.Note, to-p.Used, t.env.Theme.Dim)
	}
}

func (t *Pane) matched(p *draw.Row, n *node, to int, style theme.Style) {
	if t.data.order.flat {
		t.path(p, n, to, style)
		return
	}
	spans := t.spans(n.name())
	if len(spans) == 0 || text.Width(n.name()) > to-p.Used {
		p.Clip(n.name(), to-p.Used, style)
		return
	}
	p.Line(text.Line{Width: to - p.Used, Base: style.On}, n.name(), spans)
}

// path draws the whole path, cut at the left if there is no room; its folders are dimmed.
func (t *Pane) path(p *draw.Row, n *node, to int, style theme.Style) {
	s := n.rel()
	skip := max(text.Width(s)-(to-p.Used), 0)
	if skip > 0 {
		p.Clip("…", to-p.Used, t.env.Theme.Dim)
		skip++
	}
	var dim []text.Span
	if !p.Plain() {
		dim = []text.Span{{From: 0, To: len(s) - len(n.name()), On: t.env.Theme.Dim.On}}
	}
	p.Line(text.Line{Width: to - p.Used, Skip: skip, Base: style.On}, s, dim, t.spans(s))
}

// spans returns the matches of the filter's words in a name.
func (t *Pane) spans(s string) []text.Span {
	if t.shown == nil || len(t.filter.words) == 0 {
		return nil
	}
	folded := strings.ToLower(s)
	var out []text.Span
	for _, w := range t.filter.words {
		in := folded
		if strings.ToLower(w) != w || len(folded) != len(s) {
			in = s
		}
		if i := strings.Index(in, w); i >= 0 && !overlaps(out, i, i+len(w)) {
			out = append(out, text.Span{From: i, To: i + len(w), On: t.env.Theme.Match.On})
		}
	}
	sortSpans(out)
	return out
}

func overlaps(spans []text.Span, from, to int) bool {
	for _, s := range spans {
		if from < s.To && s.From < to {
			return true
		}
	}
	return false
}
