package diffview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
	"github.com/memend/memend/versions/diff"
)

const (
	defaultContext = 3
	// besideFrom is the width from which the texts are shown side by side by default;
	// minSideBySide is the least width for it on request.
	besideFrom, minSideBySide = 110, 40
	columnStep                = 8
)

// layout is the arrangement of the texts.
type layout uint8

const (
	auto   layout = iota // depends on the width
	below                // one below the other
	beside               // side by side
)

// View is the pane. Create it with New.
type View struct {
	keys    *keys.Map[*View]
	marking *keys.Map[*View] // while lines are selected, before keys
	theme   *theme.Theme
	styles  *syntax.Styles
	doc     *Document
	layout  layout
	context int
	whole   bool // all lines are shown, whatever the context
	wrap    bool // long lines are wrapped
	lenient bool // lines that differ only in white space are dimmed
	focused bool

	// MarkFocused is set where nothing is done to the current hunk without the focus: it is marked only with it.
	MarkFocused bool

	w     int
	win   window.Window
	left  int // columns scrolled out on the left
	parts []section
	hunks []int // indexes of the parts that are hunks
	rows  int
	at    window.Rows // of each row
	frame string      // the result of View; redrawn on every change

	cur    int        // the current hunk
	sel    *selection // of rows in it
	beyond bool       // a drag is held above or below
	point  int        // the row of the hunk where a selection begins
	press  int        // the row of the hunk where the mouse button was pressed, -1 for none
}

// section is a run of rows of one kind.
type section struct {
	row, rows int
	kind      partKind
	hunk      diff.Hunk
	note      string
	hidden    int // lines that a fold hides
}

type partKind uint8

const (
	notePart partKind = iota
	headPart
	foldPart
	hunkPart
)

// New returns an empty view.
func New(th *theme.Theme, bindings keys.Bindings) *View {
	v := &View{keys: viewKeys(bindings), marking: selectionKeys(bindings), theme: th, styles: languageStyles(th), context: defaultContext, press: -1, doc: &Document{diff: diff.Lines(nil, nil)}}
	v.arrange()
	return v
}

// Show replaces the document and scrolls to its beginning or, if the whole text is shown or
// little of it is visible, to the first hunk.
func (v *View) Show(d *Document) {
	v.doc, v.win.Top, v.left, v.cur, v.sel, v.press, v.point = d, 0, 0, -d.heads(), nil, -1, 0
	v.arrange()
	if v.whole || v.win.H > 0 && !v.inSight(0) {
		v.reveal()
	}
	v.showDifference()
	v.draw()
}

// SetTheme changes the theme.
func (v *View) SetTheme(th *theme.Theme) {
	v.theme, v.styles = th, languageStyles(th)
	v.draw()
}

// SetFocused sets whether the diff has the focus: the current hunk is then marked more
// clearly.
func (v *View) SetFocused(on bool) {
	if v.focused != on {
		v.focused = on
		v.draw()
	}
}

// SetSize sets the columns and rows of View. Selected lines stay selected as long as their rows are the same, and the current
// hunk stays in sight: news beside the diff may change its size, and the next key is meant for these lines.
func (v *View) SetSize(w, h int) {
	if v.w == w && v.win.H == h {
		return
	}
	sel, beside, began := v.sel, v.Beside(), v.win.H == 0 || v.begins()
	v.keepPlace(func() { v.w, v.win.H = w, h })
	if began && !v.begins() {
		v.reveal()
		v.draw()
	}
	if sel != nil && v.Beside() == beside {
		v.sel = sel
		v.showEnd()
	}
}

// View returns exactly the rows and columns of SetSize.
func (v *View) View() string { return v.frame }

// Beside reports whether the texts are shown side by side. If one of them is empty, as
// after a creation or deletion, the other gets all columns.
func (v *View) Beside() bool {
	switch {
	case v.onlyText(), v.layout == below:
		return false
	case v.layout == beside:
		return v.w >= minSideBySide
	}
	return v.w >= besideFrom
}

// onlyText reports whether one of the texts has no lines.
func (v *View) onlyText() bool { return v.doc.diff.OldLines() == 0 || v.doc.diff.NewLines() == 0 }

func (v *View) besideDisabled() string {
	if v.onlyText() {
		return "there is only one text here"
	}
	return ""
}

// Update handles the mouse: the wheel scrolls, a click selects the hunk, a drag selects
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
			v.beyond = msg.Y < 0 || msg.Y >= v.win.H
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
	v.follow()
	v.draw()
}

func (v *View) sideways(n int) {
	if v.wrap {
		return
	}
	half := v.w - v.gutter()
	if v.Beside() {
		half = (half - 1) / 2
	}
	v.left = text.Aside(v.left, n, half-v.indent(), func(yield func(string) bool) {
		for y := v.rowAt(0); y < min(v.rowAt(0)+v.win.H, v.rows); y++ {
			if v.partAt(y).kind != hunkPart {
				continue
			}
			if cells, _ := v.cellsAt(y); !yield(cells[0].s+cells[0].note) || !yield(cells[1].s+cells[1].note) {
				return
			}
		}
	})
	v.draw()
}

func (v *View) toggleLayout() {
	v.rearrange(func() {
		if v.Beside() {
			v.layout = below
		} else {
			v.layout = beside
		}
	})
}

func (v *View) toggleWhole() { v.rearrange(func() { v.whole = !v.whole }) }

func (v *View) toggleLenient() { v.keepPlace(func() { v.lenient = !v.lenient }) }

func (v *View) changeContext(by int) {
	v.rearrange(func() { v.context, v.whole = max(0, v.context+by), false })
}
