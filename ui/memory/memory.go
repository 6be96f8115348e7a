package memory

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/ui/syntax"
)

func paneKeys(own keys.Bindings) *keys.Map[*Pane] {
	doc := func(m *Pane) string {
		if m.doc == nil {
			return "no memory is open"
		}
		return ""
	}
	text := func(m *Pane) string {
		if m.doc == nil || m.doc.why != "" {
			return "open a memory first"
		}
		return ""
	}
	moves := func(id, name string, do func(*Pane, int), seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Why: doc, Hide: true, Do: func(m *Pane, n int) tea.Cmd {
			m.atEnd, m.resume = false, place{}
			do(m, n)
			return m.Fetch()
		}}
	}
	return keys.New("memory", own, []keys.Action[*Pane]{
		{ID: "edit", Name: "edit", Keys: []string{"e"}, Why: text, Do: func(m *Pane, _ int) tea.Cmd { return screen.Ask(screen.Edit{Path: m.Path(), Line: m.lineHere() + 1}) }},
		{ID: "find", Name: "find", Keys: []string{"/"}, Why: doc, Do: (*Pane).askFind},
		{ID: "external-editor", Name: "$EDITOR", Keys: []string{"E"}, Why: text, Do: func(m *Pane, _ int) tea.Cmd {
			return screen.Ask(screen.External{Path: m.Path(), Line: m.lineHere() + 1})
		}},
		{ID: "wrap", Name: "wrap", Keys: []string{"w"}, Why: doc, Do: (*Pane).toggleWrap},
		{ID: "go-to", Name: "go to line", Keys: []string{":"}, Why: doc, Do: (*Pane).askGoTo},
		{ID: "next-hit", Name: "next hit", Keys: []string{"n"}, Why: doc, Do: func(m *Pane, n int) tea.Cmd { m.step(max(n, 1)); return m.Fetch() }},
		{ID: "previous-hit", Name: "previous hit", Keys: []string{"N"}, Why: doc, Do: func(m *Pane, n int) tea.Cmd { m.step(-max(n, 1)); return m.Fetch() }},
		moves("down", "down", func(m *Pane, n int) { m.scroll(max(n, 1)) }, "j", "down"),
		moves("up", "up", func(m *Pane, n int) { m.scroll(-max(n, 1)) }, "k", "up"),
		moves("page-down", "page down", func(m *Pane, n int) { m.scroll(max(n, 1) * max(m.h-1, 1)) }, "pgdown", "space", "ctrl+f"),
		moves("page-up", "page up", func(m *Pane, n int) { m.scroll(-max(n, 1) * max(m.h-1, 1)) }, "pgup", "b", "ctrl+b"),
		moves("half-down", "half a page down", func(m *Pane, n int) { m.scroll(max(n, 1) * max(m.h/2, 1)) }, "ctrl+d"),
		moves("half-up", "half a page up", func(m *Pane, n int) { m.scroll(-max(n, 1) * max(m.h/2, 1)) }, "ctrl+u"),
		moves("top", "to the top", func(m *Pane, n int) { m.toLine(max(n, 1)) }, "g g", "home"),
		moves("bottom", "to the end", (*Pane).toLine, "G", "end"),
		moves("right", "scroll right", func(m *Pane, n int) { m.aside(8 * max(n, 1)) }, "l", "right"),
		moves("left", "scroll left", func(m *Pane, n int) { m.aside(-8 * max(n, 1)) }, "h", "left"),
		{ID: "back", Name: "to the tree", Keys: []string{"esc"}, Do: (*Pane).back, Hide: true},
	})
}

// place is a position in a text: a line and, where lines are wrapped, a row of it.
type place struct{ line, row int }

// Pane shows one file with line numbers. It reads the file by windows, so
// that its size costs nothing.
type Pane struct {
	ctx     context.Context
	store   Store
	th      *theme.Theme
	styles  *syntax.Styles
	keys    *keys.Map[*Pane]
	w, h    int
	focused bool

	open    screen.Question // of the file
	doc     *document
	opening memfs.Path // while a first reading is under way
	err     error

	top     place
	col     int // columns scrolled out on the left, when lines are not wrapped
	wrap    bool
	atEnd   bool  // stay at the end while the index grows
	resume  place // where the memory was left, until that much of it is known
	want    int   // line to go to once it is known, from 0; -1 for none
	now     int   // the line gone to or found last, from 0; -1 for none
	fetched screen.Question
	fetches bool // a window is on its way

	search screen.Question
	query  string
	fold   bool // case does not matter
	hits   []hit
	hitNow int // in hits, -1 for none
	hunts  bool
	from   int // line from which the first hit is wanted

	flash bool
	left  map[memfs.Path]place // where memories were left
}

// New makes a pane that shows nothing yet. Its commands end with ctx.
func New(ctx context.Context, th *theme.Theme, store Store, own keys.Bindings) *Pane {
	return &Pane{ctx: ctx, store: store, th: th, styles: syntax.NewStyles(th), keys: paneKeys(own), wrap: true, want: -1, now: -1, hitNow: -1, left: map[memfs.Path]place{}}
}

// Keys lists the actions of the pane.
func Keys(own keys.Bindings) []keys.Entry { return paneKeys(own).All() }

// SetFocused says whether the pane has the keys.
func (m *Pane) SetFocused(on bool) { m.focused = on }

// Calm ends the flash of what has just changed.
func (m *Pane) Calm() { m.flash = false }

// Moved tells that what stood at from stands at to.
func (m *Pane) Moved(from, to memfs.Path) {
	if m.doc != nil && m.doc.path.In(from) {
		m.doc.path = m.doc.path.Move(from, to)
	}
}

func (m *Pane) SetWrap(on bool)          { m.wrap = on }
func (m *Pane) SetTheme(th *theme.Theme) { m.th, m.styles = th, syntax.NewStyles(th) }

func (m *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return m.keys.Press(m, seq, n)
}
func (m *Pane) Entries() []keys.Entry       { return m.keys.Entries(m) }
func (m *Pane) TakesText() bool             { return false }
func (m *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }
func (m *Pane) SetNow(time.Time)            {}

// Path is what is shown, or being opened.
func (m *Pane) Path() memfs.Path {
	if m.doc != nil && m.opening.IsRoot() {
		return m.doc.path
	}
	return m.opening
}

func (m *Pane) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.scroll(0)
}

// Show opens a memory at a line (from 1; 0 is where it was left).
func (m *Pane) Show(p memfs.Path, line int) tea.Cmd {
	if m.doc != nil && m.Path() == p {
		if line > 0 {
			m.goTo(line - 1)
		}
		return m.Reload()
	}
	m.leave()
	m.opening, m.err = p, nil
	m.want = line - 1
	ctx, id := m.open.Begin(m.ctx)
	return openFile(ctx, id, m.store, p, nil)
}

// Reload reads the open file again; what is on the screen stays in its place.
func (m *Pane) Reload() tea.Cmd {
	p := m.Path()
	if p.IsRoot() {
		return nil
	}
	ctx, id := m.open.Begin(m.ctx)
	return openFile(ctx, id, m.store, p, m.doc)
}

// leave remembers the place in the open memory and forgets what was done in it.
func (m *Pane) leave() {
	if m.doc != nil {
		m.left[m.doc.path] = m.top
	}
	m.stopSearch()
	m.col, m.now, m.want, m.atEnd, m.flash = 0, -1, -1, false, false
	m.top, m.resume = place{}, place{}
}

func (m *Pane) opened(msg fileOpenedMsg) tea.Cmd {
	if !m.open.Current(msg.id) {
		return closeFile(msg.doc)
	}
	old := m.doc
	m.fetched.Stop()
	m.fetches = false
	m.doc, m.err = msg.doc, msg.err
	m.opening = memfs.Root
	var cmds []tea.Cmd
	if old != nil && old != m.doc {
		cmds = append(cmds, closeFile(old))
	}
	if m.doc == nil {
		m.opening = msg.path
		return tea.Batch(cmds...)
	}
	same := old != nil && old.path == m.doc.path
	switch {
	case same && m.doc.shift != nil:
		m.top.line = m.doc.shift(m.top.line)
		if m.now >= 0 {
			m.now = m.doc.shift(m.now)
		}
		m.flash = len(m.doc.marks) > 0
	case !same:
		m.resume = m.left[m.doc.path]
		m.goBack()
	}
	if m.query != "" && same {
		cmds = append(cmds, m.searchFor(m.query, false))
	}
	if m.want >= 0 {
		m.goTo(m.want)
	}
	m.scroll(0)
	if !m.doc.index.done {
		cmds = append(cmds, m.indexOn())
	}
	cmds = append(cmds, m.Fetch())
	return tea.Batch(cmds...)
}

// goBack goes to where the memory was left, as soon as its index reaches there.
func (m *Pane) goBack() {
	if m.resume != (place{}) && m.want < 0 && (m.resume.line < m.doc.index.lines || m.doc.index.done) {
		m.top, m.resume = m.resume, place{}
		m.scroll(0)
	}
}

// indexOn asks for the next piece of the line index.
func (m *Pane) indexOn() tea.Cmd { return readPiece(m.open.ID(), m.doc.file, m.doc.index) }

func (m *Pane) indexed(msg pieceMsg) tea.Cmd {
	if !m.open.Current(msg.id) || m.doc == nil {
		return nil
	}
	if msg.err != nil {
		m.err = msg.err
		return nil
	}
	m.doc.index.add(msg.piece)
	if m.want >= 0 && m.want < m.doc.index.lines || m.want >= 0 && m.doc.index.done {
		m.goTo(m.want)
	}
	m.goBack()
	if m.atEnd {
		m.toEnd()
	}
	var cmd tea.Cmd
	if !m.doc.index.done {
		cmd = m.indexOn()
	}
	return tea.Batch(cmd, m.Fetch())
}

func (m *Pane) windowed(msg windowMsg) tea.Cmd {
	if !m.fetched.Current(msg.id) || m.doc == nil {
		return nil
	}
	m.fetches = false
	if msg.err != nil {
		m.err = msg.err
		return nil
	}
	m.doc.window = msg.window
	if m.atEnd {
		m.toEnd()
	}
	m.scroll(0)
	return m.Fetch()
}

// margin is how many lines a window holds above and below the screen.
const margin = 400

// Fetch asks for the lines around the screen when the window does not hold them,
// or holds too few to scroll on.
func (m *Pane) Fetch() tea.Cmd {
	d := m.doc
	if d == nil || d.whole || d.file == nil || m.fetches {
		return nil
	}
	last := max(d.index.lines-1, 0)
	from, to := max(m.top.line-m.h, 0), min(m.top.line+2*m.h, last)
	if d.window.holds(from) && d.window.holds(to) {
		return nil
	}
	first := max(m.top.line-margin, 0)
	m.fetches = true
	_, id := m.fetched.Begin(context.Background())
	line, offset := d.index.near(first)
	return readLines(id, d.file, line, offset, first, margin*2+m.h, d.index.crlf)
}

func (m *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case fileOpenedMsg:
		return m.opened(msg)
	case pieceMsg:
		return m.indexed(msg)
	case windowMsg:
		return m.windowed(msg)
	case foundMsg:
		return m.found(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
		return m.Fetch()
	}
	return nil
}

func (m *Pane) wheel(msg tea.MouseWheelMsg) {
	m.atEnd = false
	switch msg.Button {
	case tea.MouseWheelDown:
		m.scroll(3)
	case tea.MouseWheelUp:
		m.scroll(-3)
	case tea.MouseWheelRight:
		m.aside(8)
	case tea.MouseWheelLeft:
		m.aside(-8)
	}
}

// aside scrolls sideways.
func (m *Pane) aside(d int) {
	if !m.wrap {
		m.col = min(max(m.col+d, 0), maxLineBytes)
	}
}

// back ends a search, else gives the keys to the tree.
func (m *Pane) back(int) tea.Cmd {
	if m.query != "" {
		m.stopSearch()
		return nil
	}
	return screen.Ask(screen.FocusTree{})
}

// toLine goes to a line, counted from 1; to the end when none is named.
func (m *Pane) toLine(n int) {
	switch n {
	case 0:
		m.toEnd()
	case 1:
		m.top = place{}
	default:
		m.goTo(n - 1)
	}
}

func (m *Pane) toggleWrap(int) tea.Cmd {
	m.wrap = !m.wrap
	m.col = 0
	m.top.row = 0
	m.scroll(0)
	return m.Fetch()
}

func (m *Pane) askGoTo(int) tea.Cmd {
	return screen.Ask(screen.Prompt{Label: "go to line", Then: func(s string) tea.Cmd {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return screen.Ask(screen.Notice{Text: "go to line: not a line number", Bad: true})
		}
		m.goTo(n - 1)
		return m.Fetch()
	}})
}

func (m *Pane) askFind(int) tea.Cmd {
	return screen.Ask(screen.Prompt{Label: "find", Value: m.query, Then: func(s string) tea.Cmd { return m.searchFor(s, true) }})
}

// lineHere is the line that an editor would open at.
func (m *Pane) lineHere() int {
	if m.now >= m.top.line && m.now < m.top.line+m.h {
		return m.now
	}
	return m.top.line
}
