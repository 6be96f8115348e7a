package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/versions"
)

// sessions is a window on the sessions of the store. Its first row is for all sessions
// together.
type sessions struct {
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

// chosen returns the session under the cursor; the row of everybody has none.
func (p *Pane) chosen() (versions.Session, bool) { return p.sessions.at(p.Cur) }

// take merges sessions into the list and keeps the cursor on its session.
func (s *sessions) take(list []versions.Session, height int) {
	was, chosen := s.at(s.Cur)
	for _, x := range list {
		if x.Actor.Kind == versions.Person { // what persons do is in the stream of everybody
			continue
		}
		if i := slices.IndexFunc(s.list, func(y versions.Session) bool { return y.ID == x.ID }); i >= 0 {
			s.list[i] = x
		} else {
			s.list = append(s.list, x)
		}
	}
	slices.SortStableFunc(s.list, func(a, b versions.Session) int { return b.Seen.Compare(a.Seen) })
	if chosen {
		at := s.Cur
		s.Cur = 1 + slices.IndexFunc(s.list, func(y versions.Session) bool { return y.ID == was.ID })
		if s.Top > 0 {
			s.Top += s.Cur - at
		}
		s.Go(s.Cur, s.rows(), height)
	}
	s.Clamp(s.rows(), height)
}

// moreSessions loads the next page when the window comes near the end of what is loaded.
func (p *Pane) moreSessions() tea.Cmd {
	s, h := &p.sessions, p.Page()
	if p.loads.sessions.Waiting() || s.done || s.err != nil || max(s.Top+h, s.Cur) < len(s.list)-h {
		return nil
	}
	store, before := p.store, s.next
	return p.loads.sessions.Begin(p.env.Ctx, func(ctx context.Context) (someSessions, error) {
		list, next, err := store.Sessions(ctx, versions.SessionFilter{}, before, sessionsPage)
		return someSessions{list, next}, err
	}, p.olderSessions)
}

// seenSessions requests the sessions that were active since the last request.
func (p *Pane) seenSessions() tea.Cmd {
	if p.sessions.newest.IsZero() {
		p.loads.sessions.Stop()
		p.sessions.done, p.sessions.err = false, nil
		return p.moreSessions()
	}
	if p.loads.seen.After(p.seenSessions) {
		return nil
	}
	store, since := p.store, p.sessions.newest.Add(-maxReadDelay)
	return p.loads.seen.Begin(p.env.Ctx, func(ctx context.Context) ([]versions.Session, error) {
		list, _, err := store.Sessions(ctx, versions.SessionFilter{Since: since}, "", maxInserted)
		return list, err
	}, p.takeSessions)
}

// olderSessions appends the next page.
func (p *Pane) olderSessions(found someSessions, err error) tea.Cmd {
	p.sessions.err = err
	if err == nil {
		p.sessions.next, p.sessions.done = found.next, found.next == ""
	}
	return p.takeSessions(found.list, err)
}

// takeSessions merges sessions into the list.
func (p *Pane) takeSessions(list []versions.Session, err error) tea.Cmd {
	s := &p.sessions
	if err != nil {
		return nil
	}
	for _, x := range list {
		if x.Seen.After(s.newest) {
			s.newest = x.Seen
		}
	}
	s.take(list, p.Page())
	p.fit()
	return p.moreSessions()
}

// choose moves to a row of the sessions.
func (p *Pane) choose(row int) tea.Cmd {
	p.Step(row - p.Cur)
	return p.Moved()
}

// Moved shows the activity of the session under the cursor, or of all sessions.
func (p *Pane) Moved() tea.Cmd {
	x, _ := p.chosen()
	more := p.moreSessions()
	if x.ID == p.stream.session {
		return more
	}
	p.stream.session, p.shows = x.ID, false
	return tea.Batch(more, p.begin(), p.openTalk())
}

// begin loads the stream from the newest activity after its session or filter changed.
func (p *Pane) begin() tea.Cmd {
	p.stream.follow, p.stream.unseen, p.stream.Cur, p.stream.Top = true, 0, 0, 0
	return p.restart(0)
}
