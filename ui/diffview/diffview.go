package diffview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions/diff"
)

const (
	defaultContext = 3
	// besideFrom is from how many columns on the texts stand side by side unless
	// asked otherwise; besideLeast is how few are enough when asked.
	besideFrom, besideLeast = 110, 40
	columnStep              = 8
)

// layout is how the texts stand.
type layout uint8

const (
	auto   layout = iota // by the width
	below                // one below the other
	beside               // side by side
	words                // a line that changed is one row, with the words of both
)

// View is the pane. New makes one.
type View struct {
	keys    *keys.Map[*View]
	theme   *theme.Theme
	styles  *syntax.Styles
	doc     *Document
	layout  layout
	other   layout // what the words go back to
	context int
	whole   bool // all lines show, whatever the context
	wrap    bool // long lines are broken into rows
	lenient bool // lines that differ in white space only are dim
	focused bool

	w, h  int
	top   int // row at the top of the window
	sub   int // how many of its rows are above it, when it is wrapped
	left  int // columns scrolled out of sight
	parts []part
	hunks []int // which of the parts are runs of lines
	rows  int
	frame string // what View gives; drawn again when anything changes

	cur    int        // the current hunk
	sel    *selection // of rows in it
	beyond bool       // a drag is held above or below
	press  int        // the row of the hunk where the mouse's button went down, -1 for none
}

// part is a run of rows of one kind.
type part struct {
	row, rows int
	kind      partKind
	hunk      diff.Hunk
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
func New(th *theme.Theme, bindings keys.Bindings) *View {
	v := &View{keys: viewKeys(bindings), theme: th, styles: languageStyles(th), context: defaultContext, press: -1, doc: &Document{diff: diff.Lines(nil, nil)}}
	v.arrange()
	return v
}

// Show replaces what is shown and goes to its beginning, or where the whole text
// shows, to the first hunk.
func (v *View) Show(d *Document) {
	v.doc, v.top, v.sub, v.left, v.cur, v.sel, v.press = d, 0, 0, 0, 0, nil, -1
	v.arrange()
	if v.whole {
		v.reveal()
		v.draw()
	}
}

// SetTheme changes the looks.
func (v *View) SetTheme(th *theme.Theme) {
	v.theme, v.styles = th, languageStyles(th)
	v.draw()
}

// SetFocused says whether the diff has the keys: then the current hunk is marked
// so that it can't be overlooked.
func (v *View) SetFocused(on bool) {
	if v.focused != on {
		v.focused = on
		v.draw()
	}
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

// Beside reports whether the texts stand side by side. A text beside nothing, as
// of what was created or deleted, has all of the columns.
func (v *View) Beside() bool {
	switch {
	case v.alone(), v.layout == below, v.layout == words:
		return false
	case v.layout == beside:
		return v.w >= besideLeast
	}
	return v.w >= besideFrom
}

// alone reports whether one of the texts has no lines.
func (v *View) alone() bool { return v.doc.diff.OldLines() == 0 || v.doc.diff.NewLines() == 0 }

func (v *View) besideDisabled() string {
	if v.alone() {
		return "there is only one text here"
	}
	return ""
}

// splits reports whether the two sides of an edit share its rows.
func (v *View) splits() bool { return v.layout == words || v.Beside() }

// Update takes the mouse: the wheel scrolls, a click chooses the hunk, a drag
// lines of it.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		v.wheel(msg.Mouse())
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			v.click(msg.Y)
		}
	case tea.MouseMotionMsg:
		if msg.Button == tea.MouseLeft {
			v.beyond = msg.Y < 0 || msg.Y >= v.h
			v.drag(msg.Y)
		}
	case tea.MouseReleaseMsg:
		v.press = -1
	}
	return nil
}

// Beyond reports whether a drag is held above or below the rows.
func (v *View) Beyond() bool { return v.press >= 0 && v.beyond }

func (v *View) wheel(m tea.Mouse) {
	switch m.Button {
	case tea.MouseWheelUp:
		v.scroll(-list.WheelRows)
	case tea.MouseWheelDown:
		v.scroll(list.WheelRows)
	case tea.MouseWheelLeft:
		v.sideways(-columnStep)
	case tea.MouseWheelRight:
		v.sideways(columnStep)
	}
}

func (v *View) scroll(n int) {
	v.move(n)
	v.settle()
	v.follow()
	v.draw()
}

func (v *View) sideways(n int) {
	if v.wrap {
		return
	}
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
func (v *View) lines(y int) (l, r diff.Line) {
	p := v.partAt(y)
	switch {
	case p.kind != hunkPart:
		return l, r
	case v.splits():
		return v.doc.diff.Split(p.hunk.Split + y - p.row)
	}
	l = v.doc.diff.Row(p.hunk.Row + y - p.row)
	return l, l
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

func (v *View) toggleWords() {
	v.keepPlace(func() {
		if v.layout == words {
			v.layout = v.other
		} else {
			v.layout, v.other = words, v.layout
		}
	})
}

func (v *View) toggleWhole() { v.keepPlace(func() { v.whole = !v.whole }) }

func (v *View) toggleLenient() { v.keepPlace(func() { v.lenient = !v.lenient }) }

func (v *View) changeContext(by int) {
	v.keepPlace(func() { v.context, v.whole = max(0, v.context+by), false })
}
