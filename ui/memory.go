package ui

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

func memoryKeys(own keys.Bindings) *keys.Map[*memoryPane] {
	doc := func(m *memoryPane) string {
		if m.doc == nil {
			return "no memory is open"
		}
		return ""
	}
	moves := func(id, name string, do func(*memoryPane, int), seqs ...string) keys.Action[*memoryPane] {
		return keys.Action[*memoryPane]{ID: id, Name: name, Keys: seqs, Why: doc, Hide: true, Do: func(m *memoryPane, n int) tea.Cmd {
			m.atEnd, m.resume = false, place{}
			do(m, n)
			return m.fetch()
		}}
	}
	return keys.New("memory", own, []keys.Action[*memoryPane]{
		{ID: "edit", Name: "edit", Keys: []string{"e"}, Why: doc, Do: func(*memoryPane, int) tea.Cmd { return screen.Ask(editMsg{}) }},
		{ID: "find", Name: "find", Keys: []string{"/"}, Why: doc, Do: (*memoryPane).askFind},
		{ID: "external-editor", Name: "$EDITOR", Keys: []string{"E"}, Why: doc, Do: func(m *memoryPane, _ int) tea.Cmd { return screen.Ask(externalMsg{line: m.lineHere() + 1}) }},
		{ID: "wrap", Name: "wrap", Keys: []string{"w"}, Why: doc, Do: (*memoryPane).toggleWrap},
		{ID: "go-to", Name: "go to line", Keys: []string{":"}, Why: doc, Do: (*memoryPane).askGoTo},
		{ID: "next-hit", Name: "next hit", Keys: []string{"n"}, Why: doc, Do: func(m *memoryPane, n int) tea.Cmd { m.step(max(n, 1)); return m.fetch() }},
		{ID: "previous-hit", Name: "previous hit", Keys: []string{"N"}, Why: doc, Do: func(m *memoryPane, n int) tea.Cmd { m.step(-max(n, 1)); return m.fetch() }},
		moves("down", "down", func(m *memoryPane, n int) { m.scroll(max(n, 1)) }, "j", "down"),
		moves("up", "up", func(m *memoryPane, n int) { m.scroll(-max(n, 1)) }, "k", "up"),
		moves("page-down", "page down", func(m *memoryPane, n int) { m.scroll(max(n, 1) * max(m.h-1, 1)) }, "pgdown", "space", "ctrl+f"),
		moves("page-up", "page up", func(m *memoryPane, n int) { m.scroll(-max(n, 1) * max(m.h-1, 1)) }, "pgup", "b", "ctrl+b"),
		moves("half-down", "half a page down", func(m *memoryPane, n int) { m.scroll(max(n, 1) * max(m.h/2, 1)) }, "ctrl+d"),
		moves("half-up", "half a page up", func(m *memoryPane, n int) { m.scroll(-max(n, 1) * max(m.h/2, 1)) }, "ctrl+u"),
		moves("top", "to the top", func(m *memoryPane, n int) { m.toLine(max(n, 1)) }, "g g", "home"),
		moves("bottom", "to the end", (*memoryPane).toLine, "G", "end"),
		moves("right", "scroll right", func(m *memoryPane, n int) { m.aside(8 * max(n, 1)) }, "l", "right"),
		moves("left", "scroll left", func(m *memoryPane, n int) { m.aside(-8 * max(n, 1)) }, "h", "left"),
		{ID: "back", Name: "to the tree", Keys: []string{"esc"}, Do: (*memoryPane).back, Hide: true},
	})
}

// place is a position in a text: a line and, where lines are wrapped, a row of it.
type place struct{ line, row int }

// memoryPane shows one file with line numbers. It reads the file by windows, so
// that its size costs nothing.
type memoryPane struct {
	th      *theme.Theme
	styles  *syntax.Styles
	keys    *keys.Map[*memoryPane]
	w, h    int
	focused bool

	open    request // of the file
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
	fetched request
	fetches bool // a window is on its way

	search request
	query  string
	fold   bool // case does not matter
	hits   []hit
	hitNow int // in hits, -1 for none
	hunts  bool
	from   int // line from which the first hit is wanted

	flash bool
	left  map[memfs.Path]place // where memories were left
}

func newMemoryPane(th *theme.Theme, own keys.Bindings) *memoryPane {
	return &memoryPane{th: th, styles: syntax.NewStyles(th), keys: memoryKeys(own), wrap: true, want: -1, now: -1, hitNow: -1, left: map[memfs.Path]place{}}
}

func (m *memoryPane) SetTheme(th *theme.Theme) { m.th, m.styles = th, syntax.NewStyles(th) }

func (m *memoryPane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return m.keys.Press(m, seq, n)
}
func (m *memoryPane) Entries() []keys.Entry       { return m.keys.Entries(m) }
func (m *memoryPane) TakesText() bool             { return false }
func (m *memoryPane) Cursor() (x, y int, ok bool) { return 0, 0, false }
func (m *memoryPane) SetNow(time.Time)            {}

// path is what is shown, or being opened.
func (m *memoryPane) path() memfs.Path {
	if m.doc != nil && m.opening.IsRoot() {
		return m.doc.path
	}
	return m.opening
}

func (m *memoryPane) SetSize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	m.scroll(0)
}

// show opens a memory at a line (from 1; 0 is where it was left).
func (m *memoryPane) show(ctx context.Context, store Store, p memfs.Path, line int) tea.Cmd {
	if m.doc != nil && m.path() == p {
		if line > 0 {
			m.goTo(line - 1)
		}
		return m.reload(ctx, store)
	}
	m.leave()
	m.opening, m.err = p, nil
	m.want = line - 1
	ctx, id := m.open.begin(ctx)
	return openFile(ctx, id, store, p, nil)
}

// reload reads the open file again; what is on the screen stays in its place.
func (m *memoryPane) reload(ctx context.Context, store Store) tea.Cmd {
	p := m.path()
	if p.IsRoot() {
		return nil
	}
	ctx, id := m.open.begin(ctx)
	return openFile(ctx, id, store, p, m.doc)
}

// leave remembers the place in the open memory and forgets what was done in it.
func (m *memoryPane) leave() {
	if m.doc != nil {
		m.left[m.doc.path] = m.top
	}
	m.stopSearch()
	m.col, m.now, m.want, m.atEnd, m.flash = 0, -1, -1, false, false
	m.top, m.resume = place{}, place{}
}

func (m *memoryPane) opened(msg fileOpenedMsg) tea.Cmd {
	if !m.open.current(msg.id) {
		return closeFile(msg.doc)
	}
	old := m.doc
	m.fetched.stop()
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
	cmds = append(cmds, m.fetch())
	return tea.Batch(cmds...)
}

// goBack goes to where the memory was left, as soon as its index reaches there.
func (m *memoryPane) goBack() {
	if m.resume != (place{}) && m.want < 0 && (m.resume.line < m.doc.index.lines || m.doc.index.done) {
		m.top, m.resume = m.resume, place{}
		m.scroll(0)
	}
}

// indexOn asks for the next piece of the line index.
func (m *memoryPane) indexOn() tea.Cmd { return readPiece(m.open.id, m.doc.file, m.doc.index) }

func (m *memoryPane) indexed(msg pieceMsg) tea.Cmd {
	if !m.open.current(msg.id) || m.doc == nil {
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
	return tea.Batch(cmd, m.fetch())
}

func (m *memoryPane) windowed(msg windowMsg) tea.Cmd {
	if !m.fetched.current(msg.id) || m.doc == nil {
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
	return m.fetch()
}

// margin is how many lines a window holds above and below the screen.
const margin = 400

// fetch asks for the lines around the screen when the window does not hold them,
// or holds too few to scroll on.
func (m *memoryPane) fetch() tea.Cmd {
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
	_, id := m.fetched.begin(context.Background())
	line, offset := d.index.near(first)
	return readLines(id, d.file, line, offset, first, margin*2+m.h, d.index.crlf)
}

func (m *memoryPane) Update(msg tea.Msg) tea.Cmd {
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
		return m.fetch()
	}
	return nil
}

func (m *memoryPane) wheel(msg tea.MouseWheelMsg) {
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
func (m *memoryPane) aside(d int) {
	if !m.wrap {
		m.col = min(max(m.col+d, 0), maxLineBytes)
	}
}

// back ends a search, else gives the keys to the tree.
func (m *memoryPane) back(int) tea.Cmd {
	if m.query != "" {
		m.stopSearch()
		return nil
	}
	return screen.Ask(focusMsg{slotTree})
}

// toLine goes to a line, counted from 1; to the end when none is named.
func (m *memoryPane) toLine(n int) {
	switch n {
	case 0:
		m.toEnd()
	case 1:
		m.top = place{}
	default:
		m.goTo(n - 1)
	}
}

func (m *memoryPane) toggleWrap(int) tea.Cmd {
	m.wrap = !m.wrap
	m.col = 0
	m.top.row = 0
	m.scroll(0)
	return m.fetch()
}

func (m *memoryPane) askGoTo(int) tea.Cmd {
	return screen.Ask(screen.Prompt{Label: "go to line", Then: func(s string) tea.Cmd {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return screen.Ask(screen.Notice{Text: "go to line: not a line number", Bad: true})
		}
		m.goTo(n - 1)
		return m.fetch()
	}})
}

func (m *memoryPane) askFind(int) tea.Cmd {
	return screen.Ask(screen.Prompt{Label: "find", Value: m.query, Then: func(s string) tea.Cmd { return m.searchFor(s, true) }})
}

// lineHere is the line that an editor would open at.
func (m *memoryPane) lineHere() int {
	if m.now >= m.top.line && m.now < m.top.line+m.h {
		return m.now
	}
	return m.top.line
}
