package history

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What commands bring back.
type (
	// pageMsg brings older items, to add at the end of a list.
	pageMsg struct {
		screen.Answered
		all bool // the list is that of all changes
		id  int
		answer
		err error
	}
	// freshMsg brings the items newer than after: new ones, or old ones that are not
	// as they were.
	freshMsg struct {
		screen.Answered
		all   bool
		id    int
		after int64
		answer
		err error
	}
)

// question is what a list asks.
func (p *Pane) questionOf(l *list) question {
	q := question{store: p.store, query: l.query, viewer: p.viewer(), sessions: p.sessions}
	if l == &p.of {
		q.memory = p.memory
	}
	return q
}

// more loads the next page of a list, if the window comes near its end.
func (p *Pane) more(l *list) tea.Cmd {
	if l == &p.of && p.memory == "" {
		l.done = true // of none there is nothing to read
	}
	if !l.wants(p.listHeight()) {
		return nil
	}
	l.loading = true
	q, id, all, ctx := p.questionOf(l), l.id, l == &p.all, l.context(p.env.Ctx)
	q.before, q.limit = l.before, pageSize
	return func() tea.Msg {
		a, err := q.ask(ctx)
		return pageMsg{screen.Answered{}, all, id, a, err}
	}
}

// freshen asks for what is new, or for everything that is loaded; once at a time.
func (p *Pane) freshen(l *list, everything bool) tea.Cmd {
	if l.fresh || l.loading && (len(l.items) == 0 || l.stale) {
		l.again, l.everything = true, l.everything || everything
		return nil
	}
	l.fresh = true
	q, id, all, ctx := p.questionOf(l), l.id, l == &p.all, p.env.Ctx
	q.after = l.known
	if everything {
		q.after = l.oldest() - 1
	}
	return func() tea.Msg {
		a, err := q.ask(ctx)
		return freshMsg{screen.Answered{}, all, id, q.after, a, err}
	}
}

// listFor is the list that an answer is for; nil when nobody waits for it any more.
func (p *Pane) listFor(all bool, id int) *list {
	l := &p.of
	if all {
		l = &p.all
	}
	if l.id != id {
		return nil
	}
	return l
}

// page takes older items.
func (p *Pane) page(l *list, msg pageMsg) tea.Cmd {
	l.loading = false
	if l.err = msg.err; msg.err != nil {
		return p.compare()
	}
	l.before, l.done = msg.before, msg.done
	l.known = max(l.known, msg.newest)
	if l.stale {
		l.stale = false
		l.keep(p.listHeight(), func() { l.items, l.rows = msg.items, nil; p.lay(l, 0) })
	} else {
		n := len(l.items)
		l.items = append(l.items, msg.items...)
		p.lay(l, n)
	}
	p.learn(msg.items)
	p.join(l, msg.acts)
	p.goToWanted(l)
	return tea.Batch(p.catchUp(l), p.more(l), p.compare())
}

// catchUp asks for what came while it could not be asked for.
func (p *Pane) catchUp(l *list) tea.Cmd {
	if !l.again {
		return nil
	}
	everything := l.everything
	l.again, l.everything = false, false
	return p.freshen(l, everything)
}

// goToWanted puts the cursor on the item that was asked for, if it is loaded now.
func (p *Pane) goToWanted(l *list) {
	if l.want == 0 || l.stale || !l.done && (len(l.items) == 0 || l.want < l.oldest()) {
		return
	}
	if len(l.rows) > 0 {
		l.move(l.find(key{number: l.want}), p.listHeight())
	}
	l.want = 0
}

// takeFresh puts the items that are newer than what was asked from in the place of
// those that the list had.
func (p *Pane) takeFresh(l *list, msg freshMsg) tea.Cmd {
	l.fresh = false
	if msg.err != nil {
		l.err = msg.err
		return p.compare()
	}
	l.err = nil
	l.known = max(l.known, msg.newest)
	p.replace(l, msg.items, msg.after)
	p.learn(msg.items)
	p.join(l, msg.acts)
	return tea.Batch(p.catchUp(l), p.more(l), p.compare())
}

// replace puts items in the place of those that are newer than after.
func (p *Pane) replace(l *list, items []item, after int64) {
	l.keep(p.listHeight(), func() {
		n := 0
		for n < len(l.items) && l.items[n].number() > after {
			n++
		}
		l.items = append(items[:len(items):len(items)], l.items[n:]...)
		l.rows = nil
		p.lay(l, 0)
	})
}

// maxSessions bounds how many sessions are offered to filter by.
const maxSessions = 200

// learn remembers who there is to filter by.
func (p *Pane) learn(items []item) {
	for _, it := range items {
		var a versions.Actor
		var s versions.SessionID
		if it.change != nil {
			a, s = it.change.Actor, it.change.Session
		} else {
			a, s = it.version.Actor, it.version.Session
		}
		if len(p.actors) < maxSessions && !contains(p.actors, a) {
			p.actors = append(p.actors, a)
		}
		if s != "" && len(p.sessions) < maxSessions && !contains(p.sessions, s) {
			p.sessions = append(p.sessions[:len(p.sessions):len(p.sessions)], s) // commands read it
		}
	}
}

func contains[T comparable](list []T, x T) bool {
	for i := len(list) - 1; i >= 0; i-- { // the last ones are the likely ones
		if list[i] == x {
			return true
		}
	}
	return false
}
