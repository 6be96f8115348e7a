package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

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

func (s *stream) question() question {
	f := s.query.store
	f.Session = s.session
	return question{s.store, s.query, f}
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

// begin loads the stream from the newest activity after its session or filter changed.
func (s *stream) begin() tea.Cmd {
	s.follow, s.unseen, s.Cur, s.Top = true, 0, 0, 0
	return s.load(func(found activities, err error) tea.Cmd {
		if err != nil { // what is listed is of another session or filter
			s.recent, s.past = nil, nil
			s.changed()
		}
		return s.replaceAll(found, err)
	})
}

// restart loads the stream again.
func (s *stream) restart() tea.Cmd { return s.load(s.replaceAll) }

// load loads the newest activities, as far as the cursor at least.
func (s *stream) load(then func(activities, error) tea.Cmd) tea.Cmd {
	s.newer.Stop()
	q, limit := s.question(), min(max(pageSize, s.Cur+s.height), maxInserted)
	return s.page.Begin(s.ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, "", limit)
	}, then)
}

// more loads the next page when the window comes near the end of what is loaded.
func (s *stream) more() tea.Cmd {
	if s.page.Waiting() || s.done || s.err != nil || max(s.Top+s.height, s.Cur) < s.len()-s.height {
		return nil
	}
	q, at := s.question(), s.next
	return s.page.Begin(s.ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, at, pageSize)
	}, s.older)
}

// replaceAll replaces everything loaded by the newest page.
func (s *stream) replaceAll(found activities, err error) tea.Cmd {
	if s.err = err; err != nil {
		return nil
	}
	s.keep(func() {
		s.past, s.recent = nil, found.items
		slices.Reverse(s.recent)
	})
	return s.loaded(found.next)
}

// older appends the next page.
func (s *stream) older(found activities, err error) tea.Cmd {
	if s.err = err; err != nil {
		return nil
	}
	s.past = append(s.past, found.items...)
	return s.loaded(found.next)
}

// loaded stores the cursor of the first activity that is not loaded.
func (s *stream) loaded(next versions.Cursor) tea.Cmd {
	s.next, s.done = next, next == ""
	s.changed()
	return s.more()
}

// refresh requests new activity, one request at a time.
func (s *stream) refresh() tea.Cmd {
	newest, ok := s.at(0)
	switch {
	case s.newer.After(s.refresh), !ok && s.page.After(s.refresh):
		return nil
	case !ok:
		return s.restart()
	}
	q := s.question()
	if since := newest.Time.Add(-maxReadDelay); since.After(q.filter.Since) {
		q.filter.Since = since
	}
	return s.newer.Begin(s.ctx, func(ctx context.Context) (activities, error) {
		return q.ask(ctx, "", maxInserted)
	}, s.insertNew)
}

// insertNew inserts new activity at the top. If there is too much, it loads everything again.
func (s *stream) insertNew(found activities, err error) tea.Cmd {
	switch {
	case err != nil:
		return nil // the next event sends the request again
	case found.next != "":
		return s.restart()
	}
	s.keep(func() {
		if came := s.take(found.items); !s.follow || s.inDiff {
			s.unseen += came
		}
	})
	s.err = nil // the store can be read again
	s.changed()
	return s.more()
}
