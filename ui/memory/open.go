package memory

import (
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
	m.find.last, m.seek = by, by
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
	m.win.Top = m.text.begins(m.cur.line)
	m.scroll(m.bar - at.row)
	m.reveal()
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
	m.opening, m.err, m.gone, m.head, m.seek = p, nil, nil, nil, ""
	m.want, m.edited = line-1, nil
	m.reviews.jump = line == 0
	return m.load(p, nil, "", since)
}

// Reload reads the open file again; the position on the screen is kept.
func (m *Pane) Reload() tea.Cmd { return m.reload(nil) }

func (m *Pane) reload(since []byte) tea.Cmd {
	p := m.Path()
	if p.IsRoot() || m.doc != nil && m.doc.folder != nil {
		return nil
	}
	var old []byte
	if d := m.doc; d != nil && d.path == p && d.why == "" && !d.partial {
		old = d.text
	}
	return m.load(p, old, m.memoryID(), since)
}

// load opens a file together with its review, so that the first frame of a changed memory
// shows the changes. Differences from since are highlighted, unless since is nil.
func (m *Pane) load(p memfs.Path, old []byte, id versions.MemoryID, since []byte) tea.Cmd {
	ctx, question := m.opens.Begin(m.env.Ctx)
	store, reviews, of := m.store, m.reviews, m.toReview(p)
	return func() tea.Msg {
		o := openFile(ctx, store, p, old, id)
		if d := o.doc; d != nil && d.why == "" {
			if of != nil {
				d.review = reviews.read(ctx, *of, d.text, d.partial)
			}
			if since != nil && !d.partial {
				d.marks = diff.Lines(since, d.text).Edits()
			}
		}
		return screen.Then(func() tea.Cmd {
			if !m.opens.Current(question) {
				return nil
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
	m.clicks.Forget()
	m.col, m.flash = 0, false
	m.win.Top, m.cur = 0, spot{}
}

func (m *Pane) opened(msg opening) tea.Cmd {
	old, top := m.doc, m.topSpot()
	m.doc, m.err, m.gone = msg.doc, msg.err, msg.gone
	m.opening = memfs.Root
	if m.doc == nil {
		m.opening = msg.path
		m.reset()
		m.divide()
		return nil
	}
	m.head = msg.head
	same := old != nil && old.path == m.doc.path
	if same {
		m.reopened(old, top)
		m.layout()
	} else {
		m.reset()
		m.divide()
		m.goToPosition(m.left[m.doc.path])
		m.flash = len(m.doc.marks) > 0
	}
	m.arrange()
	m.reviews.asks.Stop() // its result would be about the previous reading
	switch {
	case m.want >= 0:
		m.goTo(m.want)
	case m.seek == "":
		m.jumpToReview()
	}
	var search tea.Cmd
	switch {
	case m.seek != "":
		m.find.typing = true
		search = m.searchFor(m.seek, m.cur.line)
		m.seek = ""
	case m.find.query != "" && same:
		m.find.typing = true
		search = m.searchFor(m.find.query, -1)
	}
	m.scroll(0)
	if at := m.edited; at != nil {
		m.edited = nil
		m.goToEdited(*at)
	}
	return tea.Batch(search, m.askBlame(), m.checkText(old), m.UpdateReview(), m.toNextHunk())
}

// reopened keeps the position on the screen after the file was read again.
func (m *Pane) reopened(old *document, top spot) {
	d := m.doc
	m.sel, m.drag = selection{}, drag{}
	m.clicks.Forget()
	m.link.forget()
	m.arrange()
	if d.shift == nil {
		m.showFrom(top)
		return
	}
	m.showFrom(spot{d.shift(top.line), top.at})
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
