package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// ReviewStore is what the pane needs of a store to show what is to be reviewed.
type ReviewStore interface {
	// History lists versions of a memory, newest first.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Reviewed returns the version that a person reviewed last.
	Reviewed(ctx context.Context, m versions.MemoryID, upTo int64, me versions.Actor) (versions.Version, error)
	// Content returns the content of a version.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
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

// reviews provides what is to be reviewed. The pane itself marks nothing as reviewed: a
// memory that was only shown is still to be reviewed.
type reviews struct {
	store   ReviewStore // nil: there are no reviews here
	list    ReviewList
	prompts Prompts
	asks    screen.Load[*review]
	jump    bool // go to the first changed line, as soon as it is known
}

// review is the difference of the open memory from the version that was reviewed last.
type review struct {
	of     screen.Review
	base   versions.Version // that version; zero: the memory is new
	text   []byte           // of base
	marks  lineMarks
	plus   int
	minus  int
	err    error            // why it is unknown
	last   versions.Version // the newest version that someone else made since
	others int              // how many there are
	prompt string           // the first one of the session of last
}

// SetReviews sets the source of what is to be reviewed, and that of prompts.
func (m *Pane) SetReviews(store ReviewStore, list ReviewList, prompts Prompts) {
	m.reviews.store, m.reviews.list, m.reviews.prompts = store, list, prompts
}

// toReview returns what is to be reviewed of the memory at p, or nil.
func (m *Pane) toReview(p memfs.Path) *screen.Review {
	if m.reviews.store == nil {
		return nil
	}
	r, ok := m.reviews.list.Unreviewed(p)
	if !ok {
		return nil
	}
	return &r
}

// compareReviewed compares a text with the version that was reviewed last.
func (l reviews) compareReviewed(ctx context.Context, of screen.Review, text []byte, partial bool) *review {
	r := &review{of: of}
	var err error
	if r.base, err = l.store.Reviewed(ctx, of.Memory, of.UpTo, of.Me); err != nil && !errors.Is(err, versions.ErrNoVersion) {
		r.err = err
		return r
	}
	l.readAuthor(ctx, r)
	switch {
	case partial:
		r.err = errors.New("too large to compare")
	case r.base.Number > 0 && r.base.Operation != versions.Deleted:
		r.text, r.err = l.store.Content(ctx, r.base.ID)
	}
	if r.err == nil {
		r.marks = diff.Lines(r.text, text).Edits()
		for _, e := range r.marks {
			r.plus, r.minus = r.plus+e.NewLines, r.minus+e.OldLines
		}
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
		if v.Number <= r.base.Number {
			break
		}
		if v.Actor == r.of.Me {
			continue
		}
		if r.others++; r.others == 1 {
			r.last = v
		}
	}
	if l.prompts != nil && r.last.Session != "" {
		r.prompt = strings.Join(strings.Fields(l.prompts(r.last.Session)), " ")
	}
}

// UpdateReview updates what is to be reviewed, after a change or a review.
func (m *Pane) UpdateReview() tea.Cmd {
	if !m.shown() {
		return nil
	}
	d, of := m.doc, m.toReview(m.doc.path)
	switch {
	case of == nil:
		m.reviews.asks.Stop()
		m.reviews.jump = false
		if d.review != nil {
			d.review, d.marks = nil, nil // changes made while it was open are reviewed too
			m.layout()
		}
		return nil
	case d.review != nil && d.review.of == *of:
		return nil
	}
	reviews, text, partial := m.reviews, d.text, d.partial
	return m.reviews.asks.Begin(m.env.Ctx, func(ctx context.Context) (*review, error) {
		return reviews.compareReviewed(ctx, *of, text, partial), nil
	}, m.reviewRead)
}

func (m *Pane) reviewRead(r *review, _ error) tea.Cmd {
	if !m.shown() {
		return nil
	}
	m.doc.review = r
	m.layout()
	m.jumpToReview()
	return nil
}

// jumpToReview goes to the first line to review, once after the memory was opened.
func (m *Pane) jumpToReview() {
	r := m.doc.review
	if !m.reviews.jump || r == nil {
		return
	}
	m.reviews.jump = false
	if len(r.marks) > 0 {
		m.goTo(m.doc.lineOf(r.marks[0]))
	}
}

// lineOf returns the line at which an edit is shown; for lines removed at the end, the last
// line.
func (d *document) lineOf(e diff.Edit) int { return min(e.New, max(len(d.lines)-1, 0)) }

// changes returns the lines that the gutter marks: those to review, or else those that
// changed while the memory was open.
func (d *document) changes() lineMarks {
	if d.review != nil && d.review.err == nil {
		return d.review.marks
	}
	return d.marks
}

// reviewLabel returns the note about a review for the title.
func (m *Pane) reviewLabel() string {
	r := m.doc.review
	switch {
	case r == nil:
		return ""
	case r.err != nil:
		return "● changed"
	case r.base.Number == 0:
		return "● new"
	}
	return fmt.Sprintf("● +%d −%d since v%d", r.plus, r.minus, r.base.Number)
}

// unreviewed reports whether others changed the open memory since it was reviewed.
func (m *Pane) unreviewed() bool { return m.shown() && m.doc.review != nil }

func (m *Pane) reviewDisabled() string {
	if !m.unreviewed() && (m.reviews.list == nil || m.reviews.list.Changed() == 0) {
		return "nothing to review"
	}
	return ""
}

func (m *Pane) reviewDiffDisabled() string {
	switch {
	case !m.shown():
		return "open a memory first"
	case m.doc.review == nil:
		return "nobody else has changed it since you reviewed it"
	case m.doc.review.err != nil:
		return m.doc.review.err.Error()
	}
	return ""
}

// markReviewed marks the memory as reviewed in the version shown, and goes to the next one to
// review. Later changes by others are to be reviewed again.
func (m *Pane) markReviewed(int) tea.Cmd {
	if m.unreviewed() {
		return m.reviewed(m.doc.review.of)
	}
	return m.env.Do(screen.ReviewNext{By: 1})
}

func (m *Pane) reviewed(of screen.Review) tea.Cmd {
	m.env.Do(screen.MarkReviewed{UpTo: map[versions.MemoryID]int64{of.Memory: of.Change}})
	return m.env.Do(screen.ReviewNext{By: 1})
}

// edit opens the editor at the cursor.
func (m *Pane) edit(int) tea.Cmd {
	return m.env.Do(screen.Edit{Path: m.Path(), Line: m.cur.line + 1, Column: m.cur.at, Row: m.bar + m.cursorRow()})
}

// reviewDiff shows what changed since the memory was reviewed last.
func (m *Pane) reviewDiff(int) tea.Cmd {
	d, env, of := m.doc, m.env, m.doc.review.of
	from := compare.Text{Path: d.path, Content: d.review.text, Name: fmt.Sprintf("v%d", d.review.base.Number)}
	if d.review.base.Number == 0 {
		from.Name = "nothing"
	}
	to := compare.Text{Path: d.path, Content: d.text, Name: "now"}
	acts := compare.Acts{
		Reviewed: func() tea.Cmd { return m.reviewed(of) }, // what the diff shows, and nothing newer
		Restore:  func(line int) tea.Cmd { return m.backTo(d.path, line, m.restore) },
		Edit:     func(line int) tea.Cmd { return m.backTo(d.path, line, m.edit) },
	}
	return func() tea.Msg { return screen.Show{Pane: compare.New(env, from, to).Review(acts)} }
}

// backTo goes to a line of the memory at p, counted from 1, and does something there. If another
// memory was opened meanwhile, it only opens that one.
func (m *Pane) backTo(p memfs.Path, line int, do func(int) tea.Cmd) tea.Cmd {
	if !m.shown() || m.doc.path != p {
		return m.env.Do(screen.Open{Path: p, Line: line})
	}
	m.goTo(max(line-1, 0))
	return do(0)
}
