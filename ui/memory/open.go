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
	if before := m.visits.before; before != nil {
		from, m.visits.before = *before, nil
	}
	at, back := m.visits.arrive(from, p)
	if back && m.showsFile(p) {
		m.text.restore(at)
		return m.Reload()
	}
	cmd := m.show(p, line, nil)
	if back {
		m.visits.left[p] = at
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
	m.find.last, m.then.query = by, by
	return open
}

// ShowEdited shows a memory again after it was edited. The cursor is on a byte of a line, from
// 1, which begins in a row of the screen, as it did in the editor.
func (m *Pane) ShowEdited(p memfs.Path, line, column, row int) tea.Cmd {
	open := m.Show(p, 0)
	m.reviews.jump = false
	m.then.edited = &edited{spot{line - 1, column}, row}
	return open
}

// arrival is where to go in a memory once it is read, instead of the last position.
type arrival struct {
	line   int    // from 1; 0 for none
	query  string // to search for
	edited *edited
}

// edited is where an editor had its cursor, and the row of the screen of that line.
type edited struct {
	cur spot
	row int
}

// ShowSince shows a memory at a line while following another session: differences from old
// are highlighted, unless old is nil. It is not added to the visited memories.
func (m *Pane) ShowSince(p memfs.Path, line int, old []byte) tea.Cmd {
	m.visits.before = nil
	return m.show(p, line, old)
}

// showsFile reports whether the file at p is shown, and no other one is being opened.
func (m *Pane) showsFile(p memfs.Path) bool {
	return m.text.doc != nil && m.text.doc.path == p && m.opening.IsRoot()
}

func (m *Pane) show(p memfs.Path, line int, since []byte) tea.Cmd {
	m.reviews.jump = line == 0
	switch {
	case m.showsFile(p):
		if line > 0 {
			m.text.goTo(line - 1)
		}
		return m.reload(since)
	case m.text.doc != nil && m.Path() == p: // it is being read
		if line > 0 {
			m.then.line = line
		}
		return m.reload(since)
	}
	m.leave()
	m.opening, m.err, m.gone, m.head, m.then = p, nil, nil, nil, arrival{line: line}
	return m.load(p, nil, "", since)
}

// Reload reads the open file again; the position on the screen is kept.
func (m *Pane) Reload() tea.Cmd { return m.reload(nil) }

func (m *Pane) reload(since []byte) tea.Cmd {
	p := m.Path()
	if p.IsRoot() || m.ShowsFolder() {
		return nil
	}
	var old []byte
	if d := m.text.doc; d != nil && d.path == p && d.why == "" && !d.partial {
		old = d.text
	}
	var id versions.MemoryID
	if m.head != nil {
		id = m.head.Memory
	}
	return m.load(p, old, id, since)
}

// load opens a file together with its review, so that the first frame of a changed memory
// shows the changes. Differences from since are highlighted, unless since is nil.
func (m *Pane) load(p memfs.Path, old []byte, id versions.MemoryID, since []byte) tea.Cmd {
	store, reviews, of := m.store, m.reviews, m.reviews.of(p)
	return m.opens.Begin(m.env.Ctx, func(ctx context.Context) (opening, error) {
		o := openFile(ctx, store, p, old, id)
		if d := o.doc; d != nil && d.why == "" {
			if of != nil {
				d.review = reviews.read(ctx, *of, d.text, d.partial)
			}
			if since != nil && !d.partial {
				d.marks = diff.Lines(since, d.text).Edits()
			}
		}
		return o, nil
	}, func(o opening, _ error) tea.Cmd { return m.opened(o) })
}

// leave saves the position in the open memory, which stays on the screen until the next one
// is loaded.
func (m *Pane) leave() {
	if m.text.doc != nil {
		m.visits.left[m.text.doc.path] = m.text.position()
	}
	m.find.stop()
	m.following.Stop()
	m.checks.Stop()
}

// setDocument shows another document, or none.
func (m *Pane) setDocument(d *document) {
	m.text.open(d)
	m.pointer.forget()
	m.link, m.flash = nil, false
}

func (m *Pane) opened(msg opening) tea.Cmd {
	if !msg.now.IsRoot() && msg.now != msg.path {
		return m.env.Do(screen.Moved{From: msg.path, To: msg.now})
	}
	old, d := m.text.doc, msg.doc
	m.err, m.gone, m.opening = msg.err, msg.gone, memfs.Root
	if d == nil {
		m.opening = msg.path
		m.setDocument(nil)
		return nil
	}
	m.head = msg.head
	same := old != nil && old.path == d.path
	if same {
		m.reopened(old, d)
	} else {
		m.setDocument(d)
		m.text.restore(m.visits.left[d.path])
		m.flash = len(d.marks) > 0
	}
	m.reviews.asks.Stop() // its result would be about the previous reading
	return tea.Batch(m.arrive(same), m.askBlame(), m.checkText(old), m.UpdateReview(), m.toNextHunk())
}

// arrive goes where it was requested to, now that a memory is read. In the same one as before the search goes on.
func (m *Pane) arrive(same bool) (search tea.Cmd) {
	to := m.then
	m.then = arrival{}
	switch {
	case to.line > 0:
		m.text.goTo(to.line - 1)
	case to.query == "":
		m.jumpToReview()
	}
	switch {
	case to.query != "":
		m.find.typing = true
		search = m.searchFor(to.query, m.text.cur.line)
	case m.find.query != "" && same:
		m.find.typing = true
		search = m.searchFor(m.find.query, -1)
	}
	if m.text.scroll(0); to.edited != nil {
		m.text.place(to.edited.cur, to.edited.row)
	}
	return search
}

// reopened shows a file that was read again. It stays where it is on the screen.
func (m *Pane) reopened(old, d *document) {
	m.pointer.forget()
	m.link = nil
	switch {
	case d.shift == nil:
	case m.past:
		d.marks = nil
	case len(d.marks) == 0: // unchanged: keep the highlighting
		d.marks = old.marks
	default:
		m.flash = true
	}
	m.text.reopen(d)
}
