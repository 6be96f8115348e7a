package memory

import (
	"context"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/screen"
)

// SetReviews sets the source of what is to be reviewed, and that of prompts.
func (m *Pane) SetReviews(store ReviewStore, list ReviewList, prompts Prompts) {
	m.reviews.store, m.reviews.list, m.reviews.prompts = store, list, prompts
}

// UpdateReview updates what is to be reviewed, after a change.
func (m *Pane) UpdateReview() tea.Cmd {
	if m.unreviewed() && !m.text.doc.review.stale {
		if of := m.reviews.of(m.text.doc.path); of != nil && *of == m.text.doc.review.of {
			return nil
		}
	}
	return m.ReadReview()
}

// ReadReview reads what is to be reviewed, after a decision.
func (m *Pane) ReadReview() tea.Cmd {
	if !m.shown() {
		return nil
	}
	d, of := m.text.doc, m.reviews.of(m.text.doc.path)
	if of == nil {
		m.reviews.asks.Stop()
		m.reviews.jump = false
		if d.review != nil {
			d.review, d.marks = nil, nil // changes made while it was open are reviewed too
			m.text.layout()
		}
		return m.toNextHunk()
	}
	reviews, text, partial := m.reviews, d.text, d.partial
	return m.reviews.asks.Begin(m.env.Ctx, func(ctx context.Context) (*review, error) {
		return reviews.read(ctx, *of, text, partial), nil
	}, func(r *review, _ error) tea.Cmd {
		if !m.shown() {
			return nil
		}
		m.text.doc.review = r
		m.text.layout()
		m.jumpToReview()
		return m.toNextHunk()
	})
}

// jumpToReview goes to the first hunk, or the last one, once after the memory was opened.
func (m *Pane) jumpToReview() {
	d, l := m.text.doc, &m.reviews
	if !l.jump || d.review == nil {
		return
	}
	if lines := d.linesOfEdits(d.review.marks); len(lines) > 0 && l.last {
		m.text.goTo(lines[len(lines)-1])
	} else if len(lines) > 0 {
		m.text.goTo(lines[0])
	}
	l.jump, l.last = false, false
}

// toNextHunk goes to the hunk that follows one that was decided, or to the next memory.
func (m *Pane) toNextHunk() tea.Cmd {
	d := m.text.doc
	if !m.reviews.decided || d.review != nil && d.review.stale {
		return nil
	}
	m.reviews.decided = false
	if d.review == nil || len(d.review.hunks) == 0 {
		if m.reviews.list.Changed() == 0 {
			return nil
		}
		return m.env.Do(screen.ReviewNext{By: 1})
	}
	if lines := d.linesOfEdits(d.review.marks); len(lines) > 0 {
		m.text.goTo(lines[sort.SearchInts(lines, m.text.cur.line)%len(lines)])
	}
	return nil
}

// unreviewed reports whether others changed the open memory since it was reviewed.
func (m *Pane) unreviewed() bool { return m.shown() && m.text.doc.review != nil }

func (m *Pane) reviewDisabled() string {
	if !m.unreviewed() && (m.reviews.list == nil || m.reviews.list.Changed() == 0) {
		return "nothing to review"
	}
	return ""
}

// hunkDisabled is for decisions about the hunk at the cursor.
func (m *Pane) hunkDisabled() string {
	if why := m.queueDisabled(); why != "" {
		return why
	}
	if m.text.doc.review.stale {
		return "it is being read"
	}
	if m.reviews.writing {
		return "your decision is being written"
	}
	if _, ok := m.text.part(); !ok && m.text.sel.on {
		return "nothing to review is selected"
	} else if !ok {
		return "no hunk is here: " + m.keys.Hint("list.next") + " goes to the next"
	}
	return ""
}

func (m *Pane) queueDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.text.doc.review == nil:
		return "nobody else has changed it since you reviewed it"
	case m.text.doc.review.err != nil:
		return m.text.doc.review.err.Error()
	}
	return ""
}

// keepDisabled also allows to go to the next memory from one with nothing to decide.
func (m *Pane) keepDisabled() string {
	if m.unreviewed() {
		return m.hunkDisabled()
	}
	return m.reviewDisabled()
}

// keep marks the hunk at the cursor as reviewed, and goes to the next one. Later changes by others are to be reviewed again.
func (m *Pane) keep(int) tea.Cmd {
	if !m.unreviewed() {
		return m.env.Do(screen.ReviewNext{By: 1})
	}
	part, _ := m.text.part()
	return m.env.Do(deciding.Keep{Parts: []deciding.Part{part}, After: m.decide(part.Path)})
}

// undoHunk undoes the hunk at the cursor, by a new version.
func (m *Pane) undoHunk(int) tea.Cmd {
	part, _ := m.text.part()
	return m.undo(part)
}

func (m *Pane) undo(part deciding.Part) tea.Cmd {
	return m.env.Do(deciding.UndoHunks{Parts: []deciding.Part{part}, After: m.decide(part.Path)})
}

// decide notes that a decision is being written. After it the next hunk is gone to, and once it is undone the memory is shown.
func (m *Pane) decide(at memfs.Path) deciding.After {
	m.reviews.writing, m.text.sel = true, selection{}
	return deciding.After{Done: func([]deciding.Part) tea.Cmd {
		m.reviews.writing = false
		m.reviews.decided = m.shown() && m.text.doc.path == at
		return nil
	}, Undone: func() tea.Cmd { return m.env.Do(screen.Open{Path: at}) }}
}
