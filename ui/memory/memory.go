package memory

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/window"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/guard"
)

// position is where the person reads: what is at the top of the window, and the cursor.
type position struct{ top, cur spot }

// Pane shows one file. Create it with New.
type Pane struct {
	screen.Plain
	env     screen.Env
	store   Store
	styles  *syntax.Styles
	page    *markdown.Styles
	keys    *keys.Map[*Pane]
	marking *keys.Map[*Pane] // while lines are selected
	w, rows int
	bar     int // rows of the line about the review or a finding: 0 or 1
	text    rows
	win     window.Window // on the rows
	focused bool
	now     time.Time
	past    bool // see NewPast

	opens   screen.Question // of the file
	doc     *document
	opening memfs.Path // during the first reading
	err     error
	checks  screen.Load[[]guard.Finding]
	head    *versions.Version // the newest version; nil if unknown or there is none
	gone    *gone             // what is known about a memory that no longer exists

	cur      spot // the cursor
	col      int  // columns scrolled out on the left, if lines are not wrapped
	wrap     bool
	want     int     // line to go to when the memory is read, from 0; -1 for none
	seek     string  // what to search for then
	edited   *edited // where the editor was, until the memory is read again
	unfolded bool    // front matter is shown whole in the rendered view, for this memory
	rendered bool    // Markdown is shown rendered

	find   find
	blame  blameState
	link   linkState
	visits visits

	previewing bool  // what is shown was not opened
	before     visit // what was open
	sel        selection
	drag       drag
	clicks     screen.Clicks[spot]

	reviews reviews

	flash bool
	left  map[memfs.Path]position // the last position in each memory
}

// New returns a pane that shows nothing yet.
func New(env screen.Env, store Store) *Pane {
	th, own := env.Theme, env.Keys
	return &Pane{
		env: env, store: store, styles: syntax.NewStyles(th), page: markdown.NewStyles(th), keys: paneKeys(own), marking: selectionKeys(own),
		wrap: true, want: -1, find: find{now: -1, from: -1}, left: map[memfs.Path]position{},
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
	if m.wrap == on {
		return
	}
	m.wrap, m.col = on, 0
	m.scroll(0)
	m.reveal()
}

// Wraps reports whether long lines are wrapped.
func (m *Pane) Wraps() bool { return m.wrap }

// SetSize sets the columns and rows of View.
func (m *Pane) SetSize(w, h int) {
	m.w, m.rows = max(w, 0), max(h, 0)
	m.layout()
}

// layout divides the rows between the line over the text and the text. The text keeps its
// place on the screen, unless it begins there.
func (m *Pane) layout() {
	was, begin := m.bar, m.win.Top == 0
	m.divide()
	m.scroll(m.bar - was)
	if begin { // the line over the text must not cover its first row
		m.win.Top = 0
	}
	m.reveal()
}

func (m *Pane) divide() {
	m.bar = 0
	if (m.unreviewed() || m.shown() && (m.doc.partial || len(m.doc.findings) > 0)) && m.rows >= minRowsWithBar {
		m.bar = 1
	}
	m.win.H = m.rows - m.bar
}

// Path returns the memory that is shown or being opened.
func (m *Pane) Path() memfs.Path {
	if m.doc != nil && m.opening.IsRoot() {
		return m.doc.path
	}
	return m.opening
}

// Line returns the line of the cursor, from 1.
func (m *Pane) Line() int { return m.cur.line + 1 }

// ClearFlash ends the highlighting of recent changes.
func (m *Pane) ClearFlash() { m.flash = false }

// Moved updates paths after a rename.
func (m *Pane) Moved(from, to memfs.Path) {
	if m.doc != nil && m.doc.path.In(from) {
		m.doc.path = m.doc.path.Move(from, to)
	}
	m.visits.moved(from, to)
}

// Update handles results and the mouse.
func (m *Pane) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.MouseMsg); ok {
		return m.mouse(msg)
	}
	return nil
}

// shown reports whether there is something to act on; it is false while another memory is
// being opened.
func (m *Pane) shown() bool {
	return m.doc != nil && m.doc.why == "" && m.doc.folder == nil && m.opening.IsRoot()
}
