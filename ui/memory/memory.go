package memory

import (
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/guard"
)

// Pane shows one file. Create it with New.
type Pane struct {
	screen.Plain
	env     screen.Env
	store   Store
	styles  *syntax.Styles
	page    *markdown.Styles
	keys    *keys.Map[*Pane]
	marking *keys.Map[*Pane] // while lines are selected
	focused bool
	now     time.Time
	past    bool // see NewPast

	text    viewport
	pointer pointer
	find    find
	visits  visits
	reviews reviews
	flash   bool  // recent changes are highlighted
	link    *link // the chosen one, or nil

	opens     screen.Load[opening] // of the file
	opening   memfs.Path           // during the first reading
	then      arrival
	err       error
	head      *versions.Version // the newest version; nil if unknown or there is none
	gone      *gone             // what is known about a memory that no longer exists
	checks    screen.Load[[]guard.Finding]
	following screen.Load[destination]
}

// New returns a pane that shows nothing yet.
func New(env screen.Env, store Store) *Pane {
	th, own := env.Theme, env.Keys
	return &Pane{
		env: env, store: store, styles: syntax.NewStyles(th), page: markdown.NewStyles(th), keys: paneKeys(own), marking: selectionKeys(own),
		text: viewport{wrap: true}, find: find{now: -1, from: -1}, visits: visits{left: map[memfs.Path]position{}},
	}
}

// NewPast returns a pane for a store whose texts are of different moments: it does not mark what
// differs from the text that it showed before.
func NewPast(env screen.Env, store Store) *Pane {
	m := New(env, store)
	m.past = true
	return m
}

// SetTheme changes the theme.
func (m *Pane) SetTheme(th *theme.Theme) {
	m.env.Theme, m.styles, m.page = th, syntax.NewStyles(th), markdown.NewStyles(th)
}

// SetFocused sets whether the pane has the focus.
func (m *Pane) SetFocused(on bool) { m.focused = on }

// SetNow sets the time, for ages.
func (m *Pane) SetNow(now time.Time) { m.now = now }

// SetWrap sets whether long lines are wrapped.
func (m *Pane) SetWrap(on bool) {
	if m.text.wrap != on {
		m.text.setWrap(on)
	}
}

// Wraps reports whether long lines are wrapped.
func (m *Pane) Wraps() bool { return m.text.wrap }

// SetSize sets the columns and rows of View.
func (m *Pane) SetSize(w, h int) { m.text.resize(w, h) }

// Path returns the memory that is shown or being opened.
func (m *Pane) Path() memfs.Path {
	if m.text.doc != nil && m.opening.IsRoot() {
		return m.text.doc.path
	}
	return m.opening
}

// Line returns the line of the cursor, from 1.
func (m *Pane) Line() int { return m.text.cur.line + 1 }

// ClearFlash ends the highlighting of recent changes.
func (m *Pane) ClearFlash() { m.flash = false }

// Moved updates paths after a rename.
func (m *Pane) Moved(from, to memfs.Path) {
	if m.text.doc != nil {
		follow(&m.text.doc.path, from, to)
	}
	follow(&m.opening, from, to)
	m.visits.moved(from, to)
}

// Selected returns the position of the cursor's line.
func (m *Pane) Selected() (x, y int, ok bool) {
	v := &m.text
	if !m.shown() {
		return 0, 0, v.win.H > 0
	}
	y, _ = v.rowsOfCursor()
	return v.gutter(), v.bar + y, y >= 0 && y < v.win.H
}

// shown reports whether there is something to act on; it is false while another memory is
// being opened.
func (m *Pane) shown() bool { return m.text.readable() && m.opening.IsRoot() }
