package memory

import (
	"sort"

	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
)

// layout is a text in rows of one width. Each row begins at a byte of a line, and none before the row above it.
type layout interface {
	Len() int
	Source(row int) (line, at int)
	RowOf(line, at int) int // the row that shows a byte of a line
}

// rows are the rows of the open memory: of its text as it is or, rendered, of its Markdown. Positions, line numbers, hits and
// links are those of the text in both.
type rows struct {
	layout
	md   *markdown.Layout // if it is rendered
	cut  int              // the row in which the rule of a MEMORY.md is drawn; -1 for none
	from shownAs
}

// shownAs is what the rows depend on.
type shownAs struct {
	doc      *document
	width    int
	rendered bool
	fold     bool // front matter is one row
	wrap     bool
}

// lines are the rows of a text as it is.
type lines struct {
	window.Rows         // of each line
	starts      []int32 // where each row begins in its line
}

// linesOf wraps the lines of a text; a width of 0 does not wrap them.
func linesOf(of []string, width int) *lines {
	l := &lines{starts: make([]int32, 0, len(of))}
	var buf []int
	l.Rows = window.Measure(make(window.Rows, 0, len(of)+1), len(of), func(i int) int {
		buf = breaks(buf[:0], of[i], width)
		for _, at := range buf {
			l.starts = append(l.starts, int32(at))
		}
		return len(buf)
	})
	return l
}

// breaks appends where the rows of a line begin.
func breaks(dst []int, s string, width int) []int {
	if width == 0 || len(s) <= width && text.Plain(s) {
		return append(dst, 0)
	}
	return text.Wrap(dst, s, width, 0, 0)
}

// Source returns where a row begins.
func (l *lines) Source(row int) (line, at int) {
	if len(l.starts) == 0 {
		return 0, 0
	}
	row = min(max(row, 0), len(l.starts)-1)
	return l.Item(row), int(l.starts[row])
}

// RowOf returns the row that shows a byte of a line.
func (l *lines) RowOf(line, at int) int {
	first, end := l.First(line), l.First(line+1)
	n := sort.Search(end-first, func(i int) bool { return int(l.starts[first+i]) > at })
	return first + max(n-1, 0)
}

// layOut lays out a document.
func layOut(as shownAs) rows {
	d, r := as.doc, rows{cut: -1, from: as}
	switch {
	case as.rendered:
		r.md = d.md.Layout(as.width, as.fold)
		r.layout = r.md
	case as.wrap:
		r.layout = linesOf(d.lines, as.width)
	default:
		r.layout = linesOf(d.lines, 0)
	}
	if d.cut >= 0 {
		r.cut = sort.Search(r.layout.Len(), func(i int) bool { line, _ := r.layout.Source(i); return line >= d.cut })
	}
	return r
}

// len returns the number of rows, including the rule.
func (r *rows) len() int {
	switch {
	case r.layout == nil:
		return 0
	case r.cut >= 0:
		return r.layout.Len() + 1
	}
	return r.layout.Len()
}

// row returns the row of the layout at i, or that it is the rule.
func (r *rows) row(i int) (row int, rule bool) {
	if r.cut < 0 || i < r.cut {
		return i, false
	}
	return max(i-1, 0), i == r.cut
}

// source returns where row i begins; the rule, where the row below it does.
func (r *rows) source(i int) spot {
	if r.layout == nil {
		return spot{}
	}
	row, rule := r.row(i)
	if rule {
		row++
	}
	line, at := r.layout.Source(row)
	return spot{line, at}
}

func (r *rows) lineOf(i int) int { return r.source(i).line }

// first returns the first row of a line, or of the next line that has one.
func (r *rows) first(line int) int {
	return sort.Search(r.len(), func(i int) bool { return r.lineOf(i) >= line })
}

// begins returns the first row that begins with text of a line or, if the line only
// continues a row, that row.
func (r *rows) begins(line int) int {
	if i := r.first(line); i < r.len() && r.lineOf(i) == line {
		if i == r.cut { // the rule is drawn before it
			i++
		}
		return i
	}
	return r.of(spot{line: line})
}

// of returns the row that shows a byte of a line.
func (r *rows) of(s spot) int {
	if r.len() == 0 {
		return 0
	}
	i := r.layout.RowOf(s.line, s.at)
	if r.cut >= 0 && i >= r.cut {
		i++
	}
	return i
}

// end returns where row i ends in its line.
func (r *rows) end(i int, line string) int {
	if at := r.source(i + 1); i+1 < r.len() && at.line == r.lineOf(i) {
		return at.at
	}
	return len(line)
}
