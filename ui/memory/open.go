package memory

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// Show opens a memory at a line, from 1; 0 restores the last position.
func (m *Pane) Show(p memfs.Path, line int) tea.Cmd {
	from := m.visit()
	if m.previewing {
		m.previewing, from = false, m.before
	}
	at, back := m.visits.arrive(from, p)
	if back && m.doc != nil && m.Path() == p {
		m.goToPosition(at)
		return m.Reload()
	}
	cmd := m.show(p, line, nil)
	if back {
		m.left[p] = at
	}
	return cmd
}

// ShowFound opens a memory at a line, and searches in it for the query that found it, in
// the syntax of find, unless the query is empty.
func (m *Pane) ShowFound(p memfs.Path, line int, by string) tea.Cmd {
	open := m.Show(p, line)
	if by == "" {
		return open
	}
	m.find.last = by
	m.pendingSearch = pendingSearch{by, max(line-1, 0)}
	return open
}

// ShowEdited shows a memory again after it was edited. The cursor is on a byte of a line, from
// 1, which begins in a row of the screen, as it did in the editor.
func (m *Pane) ShowEdited(p memfs.Path, line, column, row int) tea.Cmd {
	open := m.Show(p, 0)
	m.reviews.jump = false
	m.edited = &edited{spot{line - 1, column}, row}
	return open
}

// edited is where an editor had its cursor, and the row of the screen of that line.
type edited struct {
	cur spot
	row int
}

// goToEdited shows the place that was edited.
func (m *Pane) goToEdited(at edited) {
	m.cur = at.cur
	m.cur.line = min(m.cur.line, m.lastLine())
	m.top = place{line: m.cur.line}
	m.scroll(m.bar - at.row)
	m.reveal()
}

// pendingSearch is what to search for in the memory that is being opened, and from which line on.
type pendingSearch struct {
	by   string
	from int
}

// ShowSince shows a memory at a line while following another session: differences from old
// are highlighted, unless old is nil. It is not added to the visited memories.
func (m *Pane) ShowSince(p memfs.Path, line int, old []byte) tea.Cmd {
	m.previewing = false
	return m.show(p, line, old)
}

func (m *Pane) show(p memfs.Path, line int, since []byte) tea.Cmd {
	if m.doc != nil && m.Path() == p {
		if line > 0 {
			m.goTo(line - 1)
		}
		m.reviews.jump = line == 0
		return m.reload(since)
	}
	m.leave()
	m.opening, m.err, m.gone, m.head, m.pendingSearch = p, nil, nil, nil, pendingSearch{}
	m.want, m.edited = line-1, nil
	m.reviews.jump = line == 0
	return m.load(p, nil, 0, "", since)
}

// Reload reads the open file again; the position on the screen is kept.
func (m *Pane) Reload() tea.Cmd { return m.reload(nil) }

func (m *Pane) reload(since []byte) tea.Cmd {
	p := m.Path()
	if p.IsRoot() || m.doc != nil && m.doc.folder != nil {
		return nil
	}
	var old *shownText
	if d := m.doc; d != nil && d.path == p && d.whole {
		old = &shownText{d.text}
	}
	return m.load(p, old, m.top.line+2*m.h, m.memoryID(), since)
}

// load opens a file together with its review, so that the first frame of a changed memory
// shows the changes. Differences from since are highlighted, unless since is nil.
func (m *Pane) load(p memfs.Path, old *shownText, upTo int, id versions.MemoryID, since []byte) tea.Cmd {
	ctx, question := m.opens.Question.Begin(m.env.Ctx)
	store, reviews, of := m.store, m.reviews, m.toReview(p)
	return func() tea.Msg {
		o := openFile(ctx, store, p, old, upTo, id)
		if d := o.doc; d != nil && d.why == "" {
			if of != nil {
				d.review = reviews.compareReviewed(ctx, *of, d.text, d.whole)
			}
			if since != nil && d.whole {
				d.marks = diff.Lines(since, d.text).Edits()
			}
		}
		return screen.Then(func() tea.Cmd {
			if !m.opens.Current(question) {
				return closeFile(o.doc)
			}
			return m.opened(o)
		})
	}
}

// leave saves the position in the open memory, which stays on the screen until the next one
// is loaded.
func (m *Pane) leave() {
	if m.doc != nil {
		m.left[m.doc.path] = m.position()
	}
	m.stopSearch()
	m.link.asks.Stop()
	m.checks.Stop()
}

// reset clears the state of the previous memory.
func (m *Pane) reset() {
	m.blame.forget()
	m.link.forget()
	m.sel, m.drag, m.unfolded = selection{}, drag{}, false
	m.col, m.atEnd, m.flash = 0, false, false
	m.top, m.cur, m.resume = place{}, spot{}, position{}
}

func (m *Pane) opened(msg opening) tea.Cmd {
	old := m.doc
	m.windows.Stop()
	m.doc, m.err, m.gone = msg.doc, msg.err, msg.gone
	m.opening = memfs.Root
	var cmds []tea.Cmd
	if old != nil && old != m.doc {
		cmds = append(cmds, closeFile(old))
	}
	if m.doc == nil {
		m.opening = msg.path
		m.reset()
		m.divide()
		return tea.Batch(cmds...)
	}
	m.head = msg.head
	same := old != nil && old.path == m.doc.path
	if same {
		m.reopened(old)
		m.layout()
	} else {
		m.reset()
		m.divide()
		m.resume = m.left[m.doc.path]
		m.goBack()
		m.flash = len(m.doc.marks) > 0
	}
	m.render()
	seeking := m.pendingSearch.by != ""
	switch {
	case seeking:
		m.find.typing = true
		cmds = append(cmds, m.searchFor(m.pendingSearch.by, m.pendingSearch.from))
		m.pendingSearch = pendingSearch{}
	case m.find.query != "" && same:
		m.find.typing = true
		cmds = append(cmds, m.searchFor(m.find.query, -1))
	}
	m.reviews.asks.Stop() // its result would be about the previous reading
	switch {
	case m.want >= 0:
		m.goTo(m.want)
	case !seeking:
		m.jumpToReview()
	}
	if m.atEnd {
		m.toEnd()
	}
	m.scroll(0)
	if at := m.edited; at != nil {
		m.edited = nil
		m.goToEdited(*at)
	}
	if !m.doc.index.done {
		cmds = append(cmds, m.indexOn())
	}
	return tea.Batch(append(cmds, m.askBlame(), m.checkText(old), m.UpdateReview(), m.Fetch())...)
}

// reopened keeps the position on the screen after the file was read again.
func (m *Pane) reopened(old *document) {
	d := m.doc
	m.sel, m.drag = selection{}, drag{}
	m.link.forget()
	if d.shift == nil {
		return
	}
	m.top.line = d.shift(m.top.line)
	m.cur.line = min(d.shift(m.cur.line), m.lastLine())
	switch {
	case m.past:
		d.marks = nil
	case len(d.marks) == 0: // unchanged: keep the highlighting
		d.marks = old.marks
	default:
		m.flash = true
	}
}

// goBack restores the saved position as soon as the index reaches it.
func (m *Pane) goBack() {
	at := m.resume
	if at != (position{}) && m.want < 0 && (max(at.top.line, at.cur.line) < m.doc.index.lines || m.doc.index.done) {
		m.resume = position{}
		m.goToPosition(at)
	}
}

// indexOn requests the next piece of the line index.
func (m *Pane) indexOn() tea.Cmd {
	f, index := m.doc.file, m.doc.index
	return m.opens.Next(func() (piece, error) { return indexPiece(f, index, indexBytes) }, m.indexed)
}

func (m *Pane) indexed(p piece, err error) tea.Cmd {
	if m.doc == nil {
		return nil
	}
	if err != nil {
		m.err = err
		return nil
	}
	m.doc.index.add(p)
	if m.want >= 0 && (m.want < m.doc.index.lines || m.doc.index.done) {
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

func (m *Pane) windowed(w window, err error) tea.Cmd {
	if m.doc == nil {
		return nil
	}
	if err != nil {
		m.err = err
		return nil
	}
	m.doc.window = w
	if m.atEnd {
		m.toEnd()
	}
	m.scroll(0)
	return m.Fetch()
}

// margin is how many lines a window holds above and below the screen.
const margin = 400

// Fetch requests the lines around the screen if they are not loaded, or if there are too
// few to scroll.
func (m *Pane) Fetch() tea.Cmd {
	d := m.doc
	if d == nil || d.file == nil {
		return nil
	}
	if d.whole || m.windows.Waiting() {
		return nil
	}
	last := max(d.index.lines-1, 0)
	from, to := max(m.top.line-m.h, 0), min(m.top.line+2*m.h, last)
	if d.window.holds(from) && d.window.holds(to) {
		return nil
	}
	first := max(m.top.line-margin, 0)
	line, offset := d.index.near(first)
	f, n, crlf := d.file, margin*2+m.h, d.index.crlf
	return m.windows.Begin(m.env.Ctx, func(context.Context) (window, error) {
		return readWindow(f, line, offset, first, n, crlf)
	}, m.windowed)
}
