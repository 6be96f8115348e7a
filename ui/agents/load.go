package agents

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Store is what the pane needs of a store. Its methods may block.
type Store interface {
	// Activity lists what was read and changed, newest first.
	Activity(ctx context.Context, f versions.ActivityFilter, before versions.Cursor, limit int) ([]versions.Activity, versions.Cursor, error)
	// Sessions lists sessions, the one seen last first.
	Sessions(ctx context.Context, f versions.SessionFilter, before versions.Session, limit int) ([]versions.Session, error)
	// MomentAt is the moment that a time fell in.
	MomentAt(ctx context.Context, t time.Time) (versions.Moment, error)
	// Change is one change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// History lists versions of a memory, newest first, before the one numbered before.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Content is what a version holds.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

const (
	pageSize     = 100
	sessionsPage = 50
	// lookFor is how often one question asks the store where little gets through.
	lookFor = 10
	// maxFresh is how much can come at once; where more came the list begins anew.
	maxFresh = 1000
	// late is how much later than it was made a read can come to the ledger.
	late = 15 * time.Second
)

// loads are the questions under way.
type loads struct {
	page, fresh, sessions, seen screen.Question
	freshening, again           bool // what is new is being asked for, and will be once more
	seeing, seeAgain            bool // the same of sessions
	listing                     bool
}

// What commands bring back.
type (
	// pageMsg brings what is older, or everything anew.
	pageMsg struct {
		screen.Answered
		id    int
		anew  bool
		items []versions.Activity
		next  versions.Cursor
		err   error
	}
	// freshMsg brings what came; anew where too much did.
	freshMsg struct {
		screen.Answered
		id    int
		items []versions.Activity
		anew  bool
		err   error
	}
	// sessionsMsg brings sessions: older ones, or those seen since.
	sessionsMsg struct {
		screen.Answered
		id    int
		fresh bool
		list  []versions.Session
		err   error
	}
)

// question is what the stream asks the store.
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

// ask brings about limit of what gets through and is older than a place.
func (q question) ask(ctx context.Context, at versions.Cursor, limit int) (out []versions.Activity, next versions.Cursor, err error) {
	size := limit
	if q.query.picks() {
		size = max(limit, 500)
	}
	for range lookFor {
		page, next, err := q.store.Activity(ctx, q.filter, at, size)
		if err != nil {
			return out, at, err
		}
		for i := range page {
			if q.query.through(&page[i]) {
				out = append(out, page[i])
			}
		}
		at = next
		if at == (versions.Cursor{}) || len(out) >= limit {
			break
		}
	}
	return out, at, nil
}

// restart reads the stream anew, at least so much of it.
func (p *Pane) restart(least int) tea.Cmd {
	p.stream.loading = true
	p.loads.fresh.Stop()
	p.loads.freshening = false
	ctx, id := p.loads.page.Begin(p.env.Ctx)
	q, limit := p.question(), min(max(pageSize, least), maxFresh)
	return func() tea.Msg {
		items, next, err := q.ask(ctx, versions.Cursor{}, limit)
		return pageMsg{screen.Answered{}, id, true, items, next, err}
	}
}

// more reads the next page when the window comes near the end of what is loaded.
func (p *Pane) more() tea.Cmd {
	s, h := &p.stream, p.arrange().stream.H
	if s.loading || s.done || s.err != nil || max(s.top+h, s.cursor) < s.height()-h {
		return nil
	}
	s.loading = true
	ctx, id := p.loads.page.Begin(p.env.Ctx)
	q, at := p.question(), s.next
	return func() tea.Msg {
		items, next, err := q.ask(ctx, at, pageSize)
		return pageMsg{screen.Answered{}, id, false, items, next, err}
	}
}

// page takes what is older, or everything anew.
func (p *Pane) page(msg pageMsg) tea.Cmd {
	s := &p.stream
	s.loading = false
	if s.err = msg.err; msg.err != nil {
		return nil
	}
	height := p.arrange().stream.H
	if msg.anew {
		s.keep(height, func() {
			s.clear()
			n := len(msg.items)
			s.recent = make([]versions.Activity, n)
			for i := range msg.items {
				s.recent[n-1-i] = msg.items[i]
			}
			s.lay()
		})
	} else {
		s.add(msg.items)
	}
	s.next, s.done = msg.next, msg.next == versions.Cursor{}
	return tea.Batch(p.catchUp(), p.more())
}

// freshen asks for what is new; once at a time.
func (p *Pane) freshen() tea.Cmd {
	if p.loads.freshening || p.stream.loading && p.stream.len() == 0 {
		p.loads.again = true
		return nil
	}
	newest, ok := p.stream.at(0)
	if !ok {
		return p.restart(0)
	}
	p.loads.freshening = true
	ctx, id := p.loads.fresh.Begin(p.env.Ctx)
	q := p.question()
	if since := newest.Time.Add(-late); since.After(q.filter.Since) {
		q.filter.Since = since
	}
	return func() tea.Msg {
		items, next, err := q.ask(ctx, versions.Cursor{}, maxFresh)
		return freshMsg{screen.Answered{}, id, items, next != versions.Cursor{}, err}
	}
}

// takeFresh puts what is new on top.
func (p *Pane) takeFresh(msg freshMsg) tea.Cmd {
	p.loads.freshening = false
	if msg.err != nil {
		return nil // the next event asks again
	}
	if msg.anew {
		return p.restart(p.stream.cursor + p.h)
	}
	s := &p.stream
	s.keep(p.arrange().stream.H, func() {
		if came := s.take(msg.items); !s.follow {
			s.unseen += came
		}
	})
	return p.catchUp()
}

// catchUp asks for what came while it could not be asked for.
func (p *Pane) catchUp() tea.Cmd {
	if !p.loads.again {
		return nil
	}
	p.loads.again = false
	return p.freshen()
}

// Event takes what is new in the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	switch {
	case ev.Reload, len(ev.Attributed) > 0, p.undoneBySession(ev.Changes):
		return tea.Batch(p.restart(p.stream.cursor+p.h), p.seenSessions())
	case len(ev.Changes) == 0 && !ev.Reads:
		return nil
	}
	for _, c := range ev.Changes {
		if c.Undoes != 0 {
			p.stream.markUndone(c)
		}
	}
	return tea.Batch(p.freshen(), p.seenSessions())
}

// undoneBySession reports whether a change took several back, or brought them back:
// which ones, only the store knows.
func (p *Pane) undoneBySession(changes []versions.Change) bool {
	for _, c := range changes {
		if (c.Kind == versions.KindUndo || c.Kind == versions.KindRedo) && c.Undoes == 0 {
			return true
		}
	}
	return false
}
