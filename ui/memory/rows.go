package memory

import (
	"sort"
	"strconv"

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

// arrange lays out the open memory. It must be called whenever what the rows depend on may have changed. The text at the top of
// the window stays there.
func (m *Pane) arrange() {
	d := m.doc
	if d == nil {
		m.text = rows{cut: -1}
		return
	}
	as := shownAs{doc: d, width: m.textWidth(), rendered: m.rendered && d.md != nil}
	as.fold, as.wrap = as.rendered && d.front > 0 && !m.unfolded, !as.rendered && m.wrap
	if m.text.from == as {
		return
	}
	top, same := m.topSpot(), m.text.from.doc == d
	m.text = rows{cut: -1, from: as}
	switch {
	case as.rendered:
		m.text.md = d.md.Layout(as.width, as.fold)
		m.text.layout = m.text.md
	case as.wrap:
		m.text.layout = linesOf(d.lines, as.width)
	default:
		m.text.layout = linesOf(d.lines, 0)
	}
	if d.cut >= 0 {
		m.text.cut = sort.Search(m.text.layout.Len(), func(i int) bool { line, _ := m.text.layout.Source(i); return line >= d.cut })
	}
	if same {
		m.win.Top = m.text.of(top)
	}
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

// showFrom puts the row with a byte of a line at the top of the window.
func (m *Pane) showFrom(top spot) {
	m.arrange()
	m.win.Top = 0
	if top != (spot{}) {
		m.win.Top = m.text.of(top)
	}
	m.scroll(0)
}

// topSpot returns the place at the top of the window.
func (m *Pane) topSpot() spot {
	if m.win.Top == 0 {
		return spot{}
	}
	return m.text.source(m.win.Top)
}

// gutter returns the width of everything left of the text.
func (m *Pane) gutter() int { return m.blameWidth() + m.numberWidth() }

// numberWidth returns the width of the line numbers, including the blank after them.
func (m *Pane) numberWidth() int {
	if m.doc == nil || m.w < 24 {
		return 0
	}
	return max(len(strconv.Itoa(max(len(m.doc.lines), 1))), 3) + 2
}

func (m *Pane) textWidth() int { return max(m.w-m.gutter(), 1) }

// scroll moves the window by d rows and keeps it full. It reports whether it moved.
func (m *Pane) scroll(d int) bool {
	m.arrange()
	return m.win.Scroll(d, m.text.len())
}

// goTo shows a line, from 0, near the middle.
func (m *Pane) goTo(line int) {
	m.want = -1
	m.cur = spot{line: min(max(line, 0), m.lastLine())}
	m.unfolded = m.unfolded || m.cur.line > 0 && m.cur.line < m.doc.front
	m.arrange()
	if !m.shows(m.cur.line) {
		m.win.Near(m.text.begins(m.cur.line), m.text.len())
	}
}

// reach shows a character: its row, and its column if lines are not wrapped.
func (m *Pane) reach(at spot) {
	m.goTo(at.line)
	s := m.doc.line(at.line)
	m.cur.at = min(max(at.at, 0), len(s))
	if row := m.text.of(m.cur); !m.win.Holds(row) {
		m.win.Near(row, m.text.len())
	}
	if !m.wrap && m.text.md == nil {
		if col := text.Column(s, m.cur.at, text.TabWidth); col < m.col || col >= m.col+m.textWidth() {
			m.col = max(col-m.textWidth()/2, 0)
		}
	}
}

// shows reports whether the beginning of a line is on the screen, and not in its last row
// unless the text ends there.
func (m *Pane) shows(line int) bool {
	row := m.text.begins(line)
	return m.win.Holds(row) && (row < m.win.Top+m.win.H-1 || m.win.Top+m.win.H >= m.text.len())
}

func (m *Pane) toEnd() {
	m.cur = spot{line: m.lastLine()}
	m.scroll(m.text.len())
}

// lineAt returns the line that is drawn in row y.
func (m *Pane) lineAt(y int) (line int, ok bool) {
	if y += m.win.Top; y < 0 || y >= m.text.len() {
		return 0, false
	}
	return m.text.lineOf(y), true
}
