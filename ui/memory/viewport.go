package memory

import (
	"strconv"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
)

// viewport is the text of a document laid out in rows of one width, the window on them, the cursor, and the selection, which
// extends with the cursor. The line over the text, about a review or a finding, takes a row of the window. A viewport requests
// nothing and draws nothing.
type viewport struct {
	doc  *document // nil if there is none
	rows rows
	win  window.Window // on the rows
	w, h int           // columns and rows, with the line over the text
	bar  int           // rows of the line over the text: 0 or 1

	cur      spot // the cursor
	col      int  // columns scrolled out on the left, if lines are not wrapped
	sel      selection
	wrap     bool
	rendered bool // Markdown is shown rendered
	unfolded bool // front matter is shown whole in the rendered view, for this document
	blame    blameGutter
}

// minRowsWithBar is the height from which the line over the text is shown.
const minRowsWithBar = 6

// position is where the person reads: what is at the top of the window, and the cursor.
type position struct{ top, cur spot }

func (v *viewport) position() position { return position{v.top(), v.cur} }

// top returns the place at the top of the window.
func (v *viewport) top() spot {
	if v.win.Top == 0 {
		return spot{}
	}
	return v.rows.source(v.win.Top)
}

// readable reports whether there is a text, if only an empty one.
func (v *viewport) readable() bool { return v.doc != nil && v.doc.why == "" && v.doc.folder == nil }

// open shows a document, or none, from its beginning.
func (v *viewport) open(d *document) {
	v.doc = d
	v.blame.forget()
	v.sel, v.unfolded, v.col, v.cur, v.win.Top = selection{}, false, 0, spot{}, 0
	v.divide()
	v.arrange()
}

// reopen shows a document that was read again. The window and the cursor stay at their text.
func (v *viewport) reopen(d *document) {
	top := v.top()
	v.doc, v.sel = d, selection{}
	if d.shift != nil {
		top.line, v.cur.line = d.shift(top.line), d.shift(v.cur.line)
	}
	v.cur.line = min(v.cur.line, d.lastLine())
	v.showFrom(top)
	v.layout()
}

// resize sets the columns and rows.
func (v *viewport) resize(w, h int) {
	v.w, v.h = max(w, 0), max(h, 0)
	v.layout()
}

// layout divides the rows between the line over the text and the text. The text keeps its
// place on the screen, unless it begins there.
func (v *viewport) layout() {
	was, begin := v.bar, v.win.Top == 0
	v.divide()
	v.scroll(v.bar - was)
	if begin { // the line over the text must not cover its first row
		v.win.Top = 0
	}
	v.reveal()
}

func (v *viewport) divide() {
	v.bar = 0
	if v.readable() && (v.doc.review != nil || v.doc.partial || len(v.doc.findings) > 0) && v.h >= minRowsWithBar {
		v.bar = 1
	}
	v.win.H = v.h - v.bar
}

// arrange lays out the document. It must be called whenever what the rows depend on may have changed. The text at the top of
// the window stays there.
func (v *viewport) arrange() {
	d := v.doc
	if d == nil {
		v.rows = rows{cut: -1}
		return
	}
	as := shownAs{doc: d, width: v.textWidth(), rendered: v.rendered && d.md != nil}
	as.fold, as.wrap = as.rendered && d.front > 0 && !v.unfolded, !as.rendered && v.wrap
	if v.rows.from == as {
		return
	}
	top, same := v.top(), v.rows.from.doc == d
	if v.rows = layOut(as); same {
		v.win.Top = v.rows.of(top)
	}
}

// gutter returns the width of everything left of the text.
func (v *viewport) gutter() int { return v.blame.width(v.w) + v.numberWidth() }

// minGutter is the width from which anything is shown left of the text.
const minGutter = 24

// numberWidth returns the width of the line numbers, including the blank after them.
func (v *viewport) numberWidth() int {
	if v.w < minGutter {
		return 0
	}
	var buf [20]byte
	return max(len(strconv.AppendInt(buf[:0], int64(len(v.doc.lines)), 10)), 3) + 2
}

func (v *viewport) textWidth() int { return max(v.w-v.gutter(), 1) }

// setWrap sets whether long lines are wrapped.
func (v *viewport) setWrap(on bool) {
	v.wrap, v.col = on, 0
	if v.scroll(0); v.readable() {
		v.reach(v.cur)
	}
}

// setRendered sets whether Markdown is shown rendered.
func (v *viewport) setRendered(on bool) {
	v.rendered, v.sel = on, selection{}
	v.scroll(0)
	v.cur = spot{line: v.rows.lineOf(v.rows.begins(v.cur.line))}
	v.reveal()
}

// setBlame sets whether blame is shown. It is loaded by the pane.
func (v *viewport) setBlame(on bool) {
	v.blame.forget()
	v.blame.on = on
	v.scroll(0)
}

// lineAt returns the line that is drawn in row y.
func (v *viewport) lineAt(y int) (line int, ok bool) {
	if y += v.win.Top; y < 0 || y >= v.rows.len() {
		return 0, false
	}
	return v.rows.lineOf(y), true
}

// spotAt returns the character under a cell; left of the text it is the first of the line.
func (v *viewport) spotAt(x, y int) (spot, bool) {
	i := v.win.Top + y
	if y < 0 || i >= v.rows.len() {
		return spot{}, false
	}
	at := v.rows.source(i)
	if _, rule := v.rows.row(i); rule || v.rows.md != nil || x < v.gutter() {
		return spot{line: at.line}, true
	}
	s := v.doc.line(at.line)
	to := v.rows.end(i, s)
	return spot{at.line, at.at + text.Offset(s[at.at:to], x-v.gutter()+v.col, text.TabWidth)}, true
}

// linkAt returns the link under a cell, where the character at is, or nil.
func (v *viewport) linkAt(x, y int, at spot) *link {
	if x < v.gutter() {
		return nil
	}
	if md := v.rows.md; md != nil {
		row, rule := v.rows.row(v.win.Top + y)
		if i, ok := md.LinkAt(row, x-v.gutter()); ok && !rule {
			l := v.doc.linkOf(i)
			return &l
		}
		return nil
	}
	for _, l := range v.doc.linksOf(at.line) {
		if at.at >= l.From && at.at < l.To {
			return &l
		}
	}
	return nil
}
