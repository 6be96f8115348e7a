package agents

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// sessions is a window on the sessions of the store. Its first row stands for all.
type sessions struct {
	list        []versions.Session // seen last first
	cursor, top int
	oldest      versions.Session // the last one that the store told of
	newest      time.Time        // when the one was seen that it told of as seen last
	done        bool
	err         error
}

// rows counts the one that stands for all.
func (s *sessions) rows() int { return len(s.list) + 1 }

// at is the session of a row; none for the first.
func (s *sessions) at(i int) (versions.Session, bool) {
	if i < 1 || i > len(s.list) {
		return versions.Session{}, false
	}
	return s.list[i-1], true
}

func (s *sessions) move(to, height int) {
	s.cursor = max(0, min(to, s.rows()-1))
	s.top = max(min(s.top, s.cursor), s.cursor-max(height, 1)+1)
	s.clamp(height)
}

func (s *sessions) clamp(height int) { s.top = max(0, min(s.top, s.rows()-max(height, 1))) }

// take puts sessions in their places and leaves the cursor on its session.
func (s *sessions) take(list []versions.Session, height int) {
	was, chosen := s.at(s.cursor)
	for _, x := range list {
		if i := slices.IndexFunc(s.list, func(y versions.Session) bool { return y.ID == x.ID }); i >= 0 {
			s.list[i] = x
		} else {
			s.list = append(s.list, x)
		}
	}
	slices.SortStableFunc(s.list, func(a, b versions.Session) int { return b.Seen.Compare(a.Seen) })
	if chosen {
		at := s.cursor
		s.cursor = 1 + slices.IndexFunc(s.list, func(y versions.Session) bool { return y.ID == was.ID })
		if s.top > 0 {
			s.top += s.cursor - at
		}
		s.move(s.cursor, height)
	}
	s.clamp(height)
}

// moreSessions reads the next page when the window comes near the end of what is
// loaded.
func (p *Pane) moreSessions() tea.Cmd {
	s, h := &p.sessions, p.arrange().sessions.H
	if p.loads.listing || s.done || s.err != nil || max(s.top+h, s.cursor) < len(s.list)-h {
		return nil
	}
	p.loads.listing = true
	before := s.oldest
	ctx, id := p.loads.sessions.Begin(p.env.Ctx)
	store := p.store
	return func() tea.Msg {
		list, err := store.Sessions(ctx, versions.SessionFilter{}, before, sessionsPage)
		return sessionsMsg{screen.Answered{}, id, false, list, err}
	}
}

// seenSessions asks for the sessions that did something since it was asked last.
func (p *Pane) seenSessions() tea.Cmd {
	if p.sessions.newest.IsZero() {
		p.loads.listing, p.sessions.done, p.sessions.err = false, false, nil
		return p.moreSessions()
	}
	if p.loads.seeing {
		p.loads.seeAgain = true
		return nil
	}
	p.loads.seeing = true
	ctx, id := p.loads.seen.Begin(p.env.Ctx)
	store, since := p.store, p.sessions.newest.Add(-late)
	return func() tea.Msg {
		list, err := store.Sessions(ctx, versions.SessionFilter{Since: since}, versions.Session{}, maxFresh)
		return sessionsMsg{screen.Answered{}, id, true, list, err}
	}
}

func (p *Pane) takeSessions(msg sessionsMsg) tea.Cmd {
	s := &p.sessions
	if !msg.fresh {
		p.loads.listing = false
		s.err, s.done = msg.err, msg.err == nil && len(msg.list) < sessionsPage
	}
	var again tea.Cmd
	if msg.fresh {
		p.loads.seeing = false
		if p.loads.seeAgain {
			p.loads.seeAgain = false
			again = p.seenSessions()
		}
	}
	if msg.err != nil {
		return again
	}
	for _, x := range msg.list {
		if x.Seen.After(s.newest) {
			s.newest = x.Seen
		}
	}
	if n := len(msg.list); n > 0 && !msg.fresh {
		s.oldest = msg.list[n-1]
	}
	s.take(msg.list, p.arrange().sessions.H)
	p.fit()
	return tea.Batch(again, p.moreSessions())
}

// choose shows what the session of a row did, or what all did.
func (p *Pane) choose(row int) tea.Cmd {
	p.sessions.move(row, p.arrange().sessions.H)
	x, _ := p.sessions.at(p.sessions.cursor)
	more := p.moreSessions()
	if x.ID == p.stream.session {
		return more
	}
	p.stream.session, p.shows = x.ID, false
	return tea.Batch(more, p.begin(), p.openTalk())
}

// begin shows the stream from its newest, as something else is asked for.
func (p *Pane) begin() tea.Cmd {
	p.stream.follow, p.stream.unseen, p.stream.cursor, p.stream.top = true, 0, 0, 0
	return p.restart(0)
}
