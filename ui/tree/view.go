package tree

import (
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// listHeight returns the number of rows of the list: problems with the folder and the
// filter are below it.
func (t *Pane) listHeight() int {
	return max(t.h-t.filter.height(t.h)-len(t.filter.problemLines(t.w, t.h))-len(folderProblem(t.problem, t.w, t.h)), 0)
}

// View returns exactly the rows and columns of SetSize.
func (t *Pane) View() string {
	dst := make([]byte, 0, t.h*(t.w*2+32))
	list := t.listHeight()
	var help []string
	if len(t.rows) == 0 {
		help = t.help(list)
	}
	trouble := folderProblem(t.problem, t.w, t.h)
	problem := t.filter.problemLines(t.w, t.h)
	filter := t.filter.height(t.h)
	for y := range t.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := t.at.Top + y
		switch {
		case y >= t.h-filter:
			dst = t.filter.draw(dst, t.h-1-y, t.w, t.env.Theme)
		case y >= t.h-filter-len(problem):
			dst = t.line(dst, problem[y-t.h+filter+len(problem)], t.env.Theme.Warn)
		case y >= list && y-list < len(trouble):
			dst = t.line(dst, trouble[y-list], t.env.Theme.Warn)
		case y < list && i < len(t.rows):
			dst = t.Draw.row(dst, t.w, i)
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
