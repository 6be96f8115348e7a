package memory

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// ReviewStore is what the pane needs of a store to show what is to be reviewed.
type ReviewStore interface {
	// Reviewed returns the version that a person reviewed last.
	Reviewed(ctx context.Context, m versions.MemoryID, upTo int64, me versions.Actor) (versions.Version, error)
	// Content returns the content of a version.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// reviews provides what is to be reviewed. The pane itself marks nothing as reviewed: a
// memory that was only shown is still to be reviewed.
type reviews struct {
	store ReviewStore // nil: there are no reviews here
	of    func(memfs.Path) (request.Review, bool)
	asks  screen.Load[*review]
	jump  bool // go to the first changed line, as soon as it is known
}

// review is the difference of the open memory from the version that was reviewed last.
type review struct {
	of     request.Review
	number int // of that version; 0: the memory is new
	text   []byte
	marks  lineMarks
	plus   int
	minus  int
	err    error // why it is unknown
}

// SetReviews sets the source of what is to be reviewed.
func (m *Pane) SetReviews(store ReviewStore, of func(memfs.Path) (request.Review, bool)) {
	m.reviews.store, m.reviews.of = store, of
}

// toReview returns what is to be reviewed of the memory at p, or nil.
func (m *Pane) toReview(p memfs.Path) *request.Review {
	if m.reviews.store == nil {
		return nil
	}
	r, ok := m.reviews.of(p)
	if !ok {
		return nil
	}
	return &r
}

// compareReviewed compares a text with the version that was reviewed last.
func compareReviewed(ctx context.Context, store ReviewStore, of request.Review, text []byte, whole bool) *review {
	r := &review{of: of}
	if !whole {
		r.err = errors.New("too large to compare")
		return r
	}
	v, err := store.Reviewed(ctx, of.Memory, of.UpTo, of.Me)
	switch {
	case errors.Is(err, versions.ErrNoVersion):
	case err != nil:
		r.err = err
	case v.Operation == versions.Deleted:
		r.number = v.Number
	default:
		r.number = v.Number
		r.text, r.err = store.Content(ctx, v.ID)
	}
	if r.err == nil {
		r.marks = diff.Lines(r.text, text).Edits()
		for _, e := range r.marks {
			r.plus, r.minus = r.plus+e.NewLines, r.minus+e.OldLines
		}
	}
	return r
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
		}
		return nil
	case d.review != nil && d.review.of == *of:
		return nil
	}
	store, text, whole := m.reviews.store, d.text, d.whole
	return m.reviews.asks.Begin(m.env.Ctx, func(ctx context.Context) (*review, error) {
		return compareReviewed(ctx, store, *of, text, whole), nil
	}, m.reviewRead)
}

func (m *Pane) reviewRead(r *review, _ error) tea.Cmd {
	if !m.shown() {
		return nil
	}
	m.doc.review = r
	m.jumpToReview()
	return m.Fetch()
}

// jumpToReview goes to the first line to review, once after the memory was opened.
func (m *Pane) jumpToReview() {
	r := m.doc.review
	if !m.reviews.jump || r == nil {
		return
	}
	m.reviews.jump = false
	if len(r.marks) > 0 {
		m.resume = position{}
		m.goTo(m.doc.lineOf(r.marks[0]))
	}
}

// lineOf returns the line at which an edit is shown; for lines removed at the end, the last
// line.
func (d *document) lineOf(e diff.Edit) int { return min(e.New, max(d.index.lines-1, 0)) }

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
	case r.number == 0:
		return "● new"
	}
	return fmt.Sprintf("● +%d −%d since v%d", r.plus, r.minus, r.number)
}

func (m *Pane) reviewDisabled() string {
	switch {
	case !m.shown():
		return "open a memory first"
	case m.doc.review == nil:
		return "nobody else has changed it since you reviewed it"
	}
	return ""
}

func (m *Pane) reviewDiffDisabled() string {
	if why := m.reviewDisabled(); why != "" {
		return why
	}
	if err := m.doc.review.err; err != nil {
		return err.Error()
	}
	return ""
}

// markReviewed marks the memory as reviewed in the version shown; later changes by others
// are to be reviewed again.
func (m *Pane) markReviewed(int) tea.Cmd {
	of := m.doc.review.of
	return m.env.Ask(request.MarkReviewed{UpTo: map[versions.MemoryID]int64{of.Memory: of.Change}})
}

// reviewDiff shows what changed since the memory was reviewed last.
func (m *Pane) reviewDiff(int) tea.Cmd {
	d, env := m.doc, m.env
	from := compare.Text{Path: d.path, Content: d.review.text, Name: fmt.Sprintf("v%d", d.review.number)}
	if d.review.number == 0 {
		from.Name = "nothing"
	}
	to := compare.Text{Path: d.path, Content: d.text, Name: "now"}
	return func() tea.Msg { return screen.Show{Pane: compare.New(env, from, to)} }
}
