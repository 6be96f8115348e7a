package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/memfs"
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

// label returns the note about a review for the title.
func (r *review) label() string {
	switch {
	case r == nil:
		return ""
	case r.err != nil:
		return "● changed"
	case !r.pending.Was.Exists:
		return "● new"
	case r.pending.Renamed() && len(r.marks) == 0:
		return "● renamed"
	}
	return fmt.Sprintf("● +%d −%d to review", r.plus, r.minus)
}
