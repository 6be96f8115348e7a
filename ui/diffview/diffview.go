package diffview

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

const (
	defaultContext = 3
	// besideFrom is from how many columns on the texts stand side by side unless
	// asked otherwise; besideLeast is how few are enough when asked.
	besideFrom, besideLeast = 110, 40
	wheelRows               = 3
	columnStep              = 8
)

// layout is how the texts stand.
type layout uint8

const (
	auto   layout = iota // by the width
	below                // one below the other
	beside               // side by side
)

// View is the pane. New makes one.
type View struct {
	keys    *keys.Map[*View]
	theme   *theme.Theme
	doc     *Document
	layout  layout
	context int

	w, h  int
	top   int // row at the top of the window
	left  int // columns scrolled out of sight
	parts []part
	hunks []int // which of the parts are hunks
	rows  int
	frame string // what View gives; drawn again when anything changes
}

// part is a run of rows of one kind.
type part struct {
	row, rows int
	kind      partKind
	hunk      versions.Hunk
	note      string
	hidden    int // lines that a fold hides
}

type partKind uint8

const (
	notePart partKind = iota
	foldPart
	hunkPart
)

// New makes an empty view.
func New(th *theme.Theme, own keys.Bindings) *View {
	v := &View{keys: viewKeys(own), theme: th, context: defaultContext, doc: &Document{diff: versions.DiffLines(nil, nil)}}
	v.arrange()
	return v
}

// Show replaces what is shown and goes to its beginning.
func (v *View) Show(d *Document) {
	v.doc, v.top, v.left = d, 0, 0
	v.arrange()
}

// SetTheme changes the looks.
func (v *View) SetTheme(th *theme.Theme) {
	v.theme = th
	v.draw()
}

// SetSize says how many columns and rows View has.
func (v *View) SetSize(w, h int) {
	if v.w == w && v.h == h {
		return
	}
	v.keepPlace(func() { v.w, v.h = w, h })
}

// View is the frame: exactly the rows and columns of SetSize.
func (v *View) View() string { return v.frame }

// Beside reports whether the texts stand side by side.
func (v *View) Beside() bool {
	switch v.layout {
	case below:
		return false
	case beside:
		return v.w >= besideLeast
	}
	return v.w >= besideFrom
}

// Update takes the mouse's wheel.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.MouseWheelMsg); ok {
		v.wheel(msg.Mouse())
	}
	return nil
}

func (v *View) wheel(m tea.Mouse) {
	switch m.Button {
	case tea.MouseWheelUp:
		v.scroll(-wheelRows)
	case tea.MouseWheelDown:
		v.scroll(wheelRows)
	case tea.MouseWheelLeft:
		v.sideways(-columnStep)
	case tea.MouseWheelRight:
		v.sideways(columnStep)
	}
}

func (v *View) scroll(n int) {
	v.top += n
	v.draw()
}

func (v *View) sideways(n int) {
	v.left = max(0, min(v.left+n, v.longest()))
	v.draw()
}

// longest is how many bytes the longest line in sight has: no line is wider by
// much, and nobody scrolls to where nothing is.
func (v *View) longest() int {
	n := 0
	for y := v.top; y < min(v.top+v.h, v.rows); y++ {
		l, r := v.lines(y)
		n = max(n, len(l.Text), len(r.Text))
	}
	return max(0, n-1)
}

// lines are the one or two lines of a row, none of a fold.
func (v *View) lines(y int) (l, r versions.Line) {
	p := v.partAt(y)
	switch {
	case p.kind != hunkPart:
		return l, r
	case v.Beside():
		return v.doc.diff.Split(p.hunk.Split + y - p.row)
	}
	l = v.doc.diff.Row(p.hunk.Row + y - p.row)
	return l, l
}

// partAt is the part that row y is in.
func (v *View) partAt(y int) part {
	n := sort.Search(len(v.parts), func(i int) bool { return v.parts[i].row > y })
	return v.parts[max(n-1, 0)]
}

// arrange makes the parts anew, after the document, the context or the layout
// changed.
func (v *View) arrange() {
	v.parts, v.hunks, v.rows = v.parts[:0], v.hunks[:0], 0
	add := func(p part) {
		p.row = v.rows
		v.rows += p.rows
		v.parts = append(v.parts, p)
	}
	for _, n := range v.doc.notes {
		for _, row := range wrapped(n, v.w) {
			add(part{kind: notePart, rows: 1, note: row})
		}
	}
	d := v.doc.diff
	at := 0 // lines of the new text that are passed
	fold := func(to int) {
		if to > at {
			add(part{kind: foldPart, rows: 1, hidden: to - at})
		}
	}
	hunks := d.Hunks(v.context)
	for _, h := range hunks {
		first := h.NewStart - 1
		if h.NewLines == 0 {
			first++
		}
		fold(first)
		at = first + h.NewLines
		rows := h.Rows
		if v.Beside() {
			rows = h.Splits
		}
		v.hunks = append(v.hunks, len(v.parts))
		add(part{kind: hunkPart, rows: rows, hunk: h})
	}
	if len(hunks) > 0 {
		fold(d.NewLines())
	}
	if len(v.parts) == 0 {
		add(part{kind: notePart}) // so that there is always a part
	}
	v.draw()
}

// wrapped is s cut into rows of w columns.
func wrapped(s string, w int) []string {
	at := text.Wrap(nil, s, w, 0, 0)
	rows := make([]string, len(at))
	for i, from := range at {
		to := len(s)
		if i+1 < len(at) {
			to = at[i+1]
		}
		rows[i] = s[from:to]
	}
	return rows
}

// keepPlace changes how the rows are arranged and leaves the edit nearest to the
// window's top where it is on the screen.
func (v *View) keepPlace(change func()) {
	edits := v.doc.diff.Edits()
	n := sort.Search(len(edits), func(i int) bool { return v.rowOf(edits[i]) >= v.top })
	n = min(n, len(edits)-1)
	off := 0
	if n >= 0 {
		off = v.rowOf(edits[n]) - v.top
	}
	change()
	v.arrange()
	if n >= 0 && v.top > 0 {
		v.top = v.rowOf(edits[n]) - off
		v.draw()
	}
}

// rowOf is the row where an edit begins.
func (v *View) rowOf(e versions.Edit) int {
	n := sort.Search(len(v.hunks), func(i int) bool { return v.parts[v.hunks[i]].hunk.Row > e.Row() })
	p := v.parts[v.hunks[n-1]]
	if v.Beside() {
		return p.row + e.Split() - p.hunk.Split
	}
	return p.row + e.Row() - p.hunk.Row
}

// jump goes to the next hunk below the window's top, or the one before it, and
// shows the fold above it.
func (v *View) jump(dir int) {
	at := func(i int) int { return max(0, v.parts[v.hunks[i]].row-1) }
	n := sort.Search(len(v.hunks), func(i int) bool { return at(i) > v.top })
	if dir < 0 {
		n = sort.Search(len(v.hunks), func(i int) bool { return at(i) >= v.top }) - 1
	}
	if n >= 0 && n < len(v.hunks) {
		v.top = at(n)
		v.draw()
	}
}

func (v *View) toggleLayout() {
	v.keepPlace(func() {
		if v.Beside() {
			v.layout = below
		} else {
			v.layout = beside
		}
	})
}

func (v *View) changeContext(by int) {
	v.keepPlace(func() { v.context = max(0, v.context+by) })
}
