package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	vreview "github.com/memend/memend/versions/review"
)

// ReviewStore is what the pane needs of a store to show what is to be reviewed.
type ReviewStore interface {
	// History lists versions of a memory, newest first.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Pending returns what is to be decided of a memory.
	Pending(ctx context.Context, m versions.MemoryID, me versions.Actor) (vreview.Pending, error)
}

// ReviewList knows which memories are to be reviewed.
type ReviewList interface {
	// Unreviewed returns what is to be reviewed of the memory at p.
	Unreviewed(p memfs.Path) (screen.Review, bool)
	// Changed returns how many memories are to be reviewed.
	Changed() int
}

// Prompts returns the first prompt of a session, or "" if it is unknown. It may block.
type Prompts func(versions.SessionID) string

// reviews provides what is to be reviewed. Showing a memory reviews nothing.
type reviews struct {
	store   ReviewStore // nil: there are no reviews here
	list    ReviewList
	prompts Prompts
	asks    screen.Load[*review]
	jump    bool // go to the first hunk, as soon as it is known, or with last to the last one
	last    bool
	writing bool // a decision is being written
	decided bool // a hunk was decided: go to the next one, as soon as it is known
}

// review is what is to be decided of the open memory.
type review struct {
	of      screen.Review
	pending vreview.Pending
	hunks   []vreview.Hunk
	marks   lineMarks // the lines that the hunks change
	plus    int
	minus   int
	stale   bool             // the text that is shown is not the one that is to be decided: it is read again
	err     error            // why it is unknown
	newest  versions.Version // the newest version that someone else made since the last review
	others  int              // how many there are
	prompt  string           // the first one of the session of newest
}

// SetReviews sets the source of what is to be reviewed, and that of prompts.
func (m *Pane) SetReviews(store ReviewStore, list ReviewList, prompts Prompts) {
	m.reviews.store, m.reviews.list, m.reviews.prompts = store, list, prompts
}

// of returns what is to be reviewed of the memory at p, or nil.
func (l reviews) of(p memfs.Path) *screen.Review {
	if l.store == nil {
		return nil
	}
	if r, ok := l.list.Unreviewed(p); ok {
		return &r
	}
	return nil
}

// read reads what is to be decided of a memory whose text is shown.
func (l reviews) read(ctx context.Context, of screen.Review, text []byte, partial bool) *review {
	r := &review{of: of}
	if r.pending, r.err = l.store.Pending(ctx, of.Memory, of.Me); r.err != nil {
		return r
	}
	l.readAuthor(ctx, r)
	switch {
	case partial:
		r.err = errors.New("too large to compare")
		return r
	case r.pending.Was.Redacted:
		r.err = errors.New("what you had reviewed is redacted")
		return r
	}
	r.hunks, r.stale = r.pending.Hunks(), string(r.pending.Now.Text) != string(text)
	r.marks = diff.Lines(r.pending.Was.Text, text).Edits()
	for _, e := range r.marks {
		r.plus, r.minus = r.plus+e.NewLines, r.minus+e.OldLines
	}
	return r
}

// maxOthers is how many versions are read to find those of others.
const maxOthers = 100

// readAuthor finds out who changed the memory since it was reviewed, and why.
func (l reviews) readAuthor(ctx context.Context, r *review) {
	list, err := l.store.History(ctx, r.of.Memory, 0, maxOthers)
	if err != nil {
		return // the text is shown without it
	}
	for _, v := range list {
		if v.Number <= r.pending.Since {
			break
		}
		if v.Actor == r.of.Me {
			continue
		}
		if r.others++; r.others == 1 {
			r.newest = v
		}
	}
	if l.prompts != nil && r.newest.Session != "" {
		r.prompt = strings.Join(strings.Fields(l.prompts(r.newest.Session)), " ")
	}
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

// linesOfEdits returns the lines at which edits are shown.
func (d *document) linesOfEdits(edits lineMarks) (lines []int) {
	for _, e := range edits {
		lines = append(lines, d.lineOf(e))
	}
	return slices.Compact(lines)
}

// lineOf returns the line at which an edit is shown; for lines removed at the end, the last
// line.
func (d *document) lineOf(e diff.Edit) int { return min(e.New, d.lastLine()) }

// changes returns the lines that the gutter marks: those to review, or else those that
// changed while the memory was open.
func (d *document) changes() lineMarks {
	if d.review != nil && d.review.err == nil {
		return d.review.marks
	}
	return d.marks
}

// label returns the note about a review for the title.
func (r *review) label() string {
	switch {
	case r == nil:
		return ""
	case r.err != nil:
		return "● changed"
	case !r.pending.Was.Exists:
		return "● new"
	}
	return fmt.Sprintf("● +%d −%d to review", r.plus, r.minus)
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
		return "open a memory first"
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

// whole is a decision about all of a memory.
func (d *document) whole() deciding.Part {
	return deciding.Part{Path: d.path, Of: d.review.pending, What: draw.Plural(len(d.review.hunks), "hunk", "hunks")}
}

// part returns what a decision is about: the selected lines, the hunk at the cursor, or all of a memory that was created, renamed,
// or changed back.
func (v *viewport) part() (part deciding.Part, ok bool) {
	r, line := v.doc.review, v.cur.line
	part = v.doc.whole()
	if v.sel.on {
		lines, n := v.doc.selectedParts(v.sel)
		part.What, part.Sides = draw.Plural(n, "line", "lines"), deciding.Lines(&r.pending, lines...)
		return part, n > 0
	}
	edited := false
	for _, h := range r.hunks {
		if h.Kind != vreview.Edited {
			continue
		}
		edited = true
		e := h.Part.Edit
		if line == v.doc.lineOf(e) || line >= e.New && line < e.New+e.NewLines {
			part.What = "1 hunk"
			part.Sides = func() (kept, undone vreview.Side) { return r.pending.With(h), r.pending.Without(h) }
			return part, true
		}
	}
	return part, !edited && len(r.hunks) > 0
}

// selectedParts returns the selected lines of each hunk, each with the lines that it replaced, and how many lines of the text those are. Removed
// lines are selected with the line that follows them.
func (d *document) selectedParts(sel selection) (parts []diff.Part, n int) {
	first, last := sel.ends()
	for _, e := range d.review.marks {
		part := e.Whole()
		if e.NewLines == 0 {
			if at := d.lineOf(e); at >= first.line && at <= last.line {
				parts, n = append(parts, part), n+e.OldLines
			}
			continue
		}
		part.NewFrom, part.NewTo = max(first.line-e.New, 0), min(last.line+1-e.New, e.NewLines)
		if part.NewFrom >= part.NewTo {
			continue
		}
		part.OldFrom = min(part.NewFrom, e.OldLines)
		if part.NewTo < e.NewLines {
			part.OldTo = min(part.NewTo, e.OldLines)
		}
		parts, n = append(parts, part), n+part.NewTo-part.NewFrom
	}
	return parts, n
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

// decide notes that a decision is being written. After it the next hunk is gone to, and once it is taken back the memory is shown.
func (m *Pane) decide(at memfs.Path) deciding.After {
	m.reviews.writing, m.text.sel = true, selection{}
	return deciding.After{Done: func([]deciding.Part) tea.Cmd {
		m.reviews.writing = false
		m.reviews.decided = m.shown() && m.text.doc.path == at
		return nil
	}, TakenBack: func() tea.Cmd { return m.env.Do(screen.Open{Path: at}) }}
}
