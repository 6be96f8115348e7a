package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Store is the part of a store that the pane uses. Its methods may block.
type Store interface {
	// Activity lists reads and changes, newest first.
	Activity(ctx context.Context, f versions.ActivityFilter, before versions.Cursor, limit int) ([]versions.Activity, versions.Cursor, error)
	// Sessions lists sessions, last seen first.
	Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error)
	// MomentAt returns the moment of a time.
	MomentAt(ctx context.Context, t time.Time) (versions.Moment, error)
	// Change returns a change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// History lists versions of a memory, newest first, before the version with the number
	// before.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Content returns the text of a version.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

const (
	pageSize     = 100
	sessionsPage = 50
	// maxQueries is how often one request queries the store if few activities pass the filter.
	maxQueries = 10
	// maxInserted is how much new activity is inserted at once; if there is more, the list is
	// loaded again.
	maxInserted = 1000
	// maxReadDelay is the maximum delay between a read and its record in the ledger.
	maxReadDelay = 15 * time.Second
)

// loads are the pending requests to the store: for older activity and sessions, and for new
// ones.
type loads struct {
	page, newer screen.Load[activities]
	sessions    screen.Load[someSessions]
	seen        screen.Load[[]versions.Session]
	diffs       screen.Load[*diffview.Document]
}

// activities is the result of one request, newest first, and the cursor of the next older
// page.
type activities struct {
	items []versions.Activity
	next  versions.Cursor
}

// question is a request for activity.
type question struct {
	store  Store
	query  query
	filter versions.ActivityFilter
}

func (p *Pane) question() question {
	f := p.query.store
	f.Session = p.stream.session
	return question{p.store, p.query, f}
}

// ask returns about limit activities that pass the filter and are older than at.
func (q question) ask(ctx context.Context, at versions.Cursor, limit int) (activities, error) {
	var out []versions.Activity
	size := limit
	if q.query.picks() {
		size = max(limit, 500)
	}
	for range maxQueries {
		page, next, err := q.store.Activity(ctx, q.filter, at, size)
		if err != nil {
			return activities{out, at}, err
		}
		for i := range page {
			if q.query.through(&page[i]) {
				out = append(out, page[i])
			}
		}
		at = next
		if at == "" || len(out) >= limit {
			break
		}
	}
	return activities{out, at}, nil
}

// restart loads the stream again, with at least that many activities.
func (p *Pane) restart(least int) tea.Cmd {
	p.loads.newer.Stop()
	q, limit := p.question(), min(max(pageSize, least), maxInserted)
	return p.loads.page.Begin(p.env.Ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, "", limit)
	}, p.replaceAll)
}

// more loads the next page when the window comes near the end of what is loaded.
func (p *Pane) more() tea.Cmd {
	s, h := &p.stream, p.stream.height
	if p.loads.page.Waiting() || s.done || s.err != nil || max(s.Top+h, s.Cur) < s.len()-h {
		return nil
	}
	q, at := p.question(), s.next
	return p.loads.page.Begin(p.env.Ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, at, pageSize)
	}, p.older)
}

// replaceAll replaces everything loaded by the newest page.
func (p *Pane) replaceAll(found activities, err error) tea.Cmd {
	s := &p.stream
	if s.err = err; err != nil {
		return nil
	}
	s.keep(func() {
		s.clear()
		s.recent = found.items
		slices.Reverse(s.recent)
	})
	return p.loaded(found.next)
}

// older appends the next page.
func (p *Pane) older(found activities, err error) tea.Cmd {
	if p.stream.err = err; err != nil {
		return nil
	}
	p.stream.add(found.items)
	return p.loaded(found.next)
}

// loaded stores the cursor of the first activity that is not loaded.
func (p *Pane) loaded(next versions.Cursor) tea.Cmd {
	p.stream.next, p.stream.done = next, next == ""
	p.fit()
	return p.more()
}

// refresh requests new activity, one request at a time.
func (p *Pane) refresh() tea.Cmd {
	newest, ok := p.stream.at(0)
	switch {
	case p.loads.newer.After(p.refresh), !ok && p.loads.page.After(p.refresh):
		return nil
	case !ok:
		return p.restart(0)
	}
	q := p.question()
	if since := newest.Time.Add(-maxReadDelay); since.After(q.filter.Since) {
		q.filter.Since = since
	}
	return p.loads.newer.Begin(p.env.Ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, "", maxInserted)
	}, p.insertNew)
}

// insertNew inserts new activity at the top. If there is too much, it loads everything again.
func (p *Pane) insertNew(found activities, err error) tea.Cmd {
	switch {
	case err != nil:
		return nil // the next event sends the request again
	case found.next != "":
		return p.restart(p.stream.Cur + p.H)
	}
	s := &p.stream
	s.keep(func() {
		if came := s.take(found.items); !s.follow {
			s.unseen += came
		}
	})
	p.fit()
	return nil
}

// Event handles an event of the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	switch {
	case ev.Reload, len(ev.Attributed) > 0, slices.ContainsFunc(ev.Changes, p.stream.undoesMore):
		return tea.Batch(p.restart(p.stream.Cur+p.H), p.seenSessions())
	case len(ev.Changes) == 0 && !ev.Reads:
		return nil
	}
	for _, c := range ev.Changes {
		if c.Undoes != 0 {
			p.stream.markUndone(c)
		}
	}
	return tea.Batch(p.refresh(), p.seenSessions())
}
