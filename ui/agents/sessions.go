package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// sessions is a window on the sessions of the store. Its first row is for all sessions
// together. It loads itself as stream does.
type sessions struct {
	ctx     context.Context
	store   Store
	changed func()     // called when there are more rows
	page    func() int // how many rows are visible

	older screen.Load[someSessions]
	seen  screen.Load[[]versions.Session]

	list.List
	list   []versions.Session // last seen first
	next   versions.Cursor    // cursor of the next page
	newest time.Time          // last seen time of the newest session that the store returned
	done   bool
	err    error
}

// someSessions is a page of sessions and the cursor of the next one.
type someSessions struct {
	list []versions.Session
	next versions.Cursor
}

// rows returns the number of rows, including the row for all sessions.
func (s *sessions) rows() int { return len(s.list) + 1 }

// at returns the session of a row; the first row has none.
func (s *sessions) at(i int) (versions.Session, bool) {
	if i < 1 || i > len(s.list) {
		return versions.Session{}, false
	}
	return s.list[i-1], true
}

// take merges sessions into the list and keeps the cursor on its session.
func (s *sessions) take(list []versions.Session) {
	was, chosen := s.at(s.Cur)
	for _, x := range list {
		if x.Actor.Kind == versions.Person { // what persons do is in the stream of everybody
			continue
		}
		if i := s.index(x.ID); i >= 0 {
			s.list[i] = x
		} else {
			s.list = append(s.list, x)
		}
	}
	slices.SortStableFunc(s.list, func(a, b versions.Session) int { return b.Seen.Compare(a.Seen) })
	if chosen {
		at := s.Cur
		s.Cur = 1 + s.index(was.ID)
		if s.Top > 0 {
			s.Top += s.Cur - at
		}
		s.Go(s.Cur, s.rows(), s.page())
	}
	s.Clamp(s.rows(), s.page())
}

// index returns where a session is in the list, or -1.
func (s *sessions) index(id versions.SessionID) int {
	return slices.IndexFunc(s.list, func(x versions.Session) bool { return x.ID == id })
}

// more loads the next page when the window comes near the end of what is loaded.
func (s *sessions) more() tea.Cmd {
	h := s.page()
	if s.older.Waiting() || s.done || s.err != nil || max(s.Top+h, s.Cur) < len(s.list)-h {
		return nil
	}
	store, before := s.store, s.next
	return s.older.Begin(s.ctx, func(ctx context.Context) (someSessions, error) {
		list, next, err := store.Sessions(ctx, versions.SessionFilter{}, before, sessionsPage)
		return someSessions{list, next}, err
	}, func(found someSessions, err error) tea.Cmd {
		s.err = err
		if err == nil {
			s.next, s.done = found.next, found.next == ""
		}
		return s.loaded(found.list, err)
	})
}

// refresh requests the sessions that were active since the last request.
func (s *sessions) refresh() tea.Cmd {
	if s.newest.IsZero() {
		s.older.Stop()
		s.done, s.err = false, nil
		return s.more()
	}
	if s.seen.After(s.refresh) {
		return nil
	}
	store, since := s.store, s.newest.Add(-maxReadDelay)
	return s.seen.Begin(s.ctx, func(ctx context.Context) ([]versions.Session, error) {
		list, _, err := store.Sessions(ctx, versions.SessionFilter{Since: since}, "", maxInserted)
		return list, err
	}, s.loaded)
}

// loaded merges sessions that the store returned.
func (s *sessions) loaded(list []versions.Session, err error) tea.Cmd {
	if err != nil {
		return nil
	}
	s.err = nil
	for _, x := range list {
		if x.Seen.After(s.newest) {
			s.newest = x.Seen
		}
	}
	s.take(list)
	s.changed()
	return s.more()
}

// add inserts the sessions that are missing. For the others it updates when they were last
// seen, if list is newer.
func (s *sessions) add(list []versions.Session) {
	var fresh []versions.Session
	for _, x := range list {
		i := s.index(x.ID)
		if i < 0 {
			fresh = append(fresh, x)
			continue
		}
		y := s.list[i]
		if named := y.Actor.Name == "" && x.Actor.Name != ""; named || x.Seen.After(y.Seen) { // it was listed before its actor's name was known
			if named {
				y.Actor = x.Actor
			}
			if x.Seen.After(y.Seen) {
				y.Seen = x.Seen
			}
			fresh = append(fresh, y)
		}
	}
	s.take(fresh)
}
