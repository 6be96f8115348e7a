package history

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// questionOf returns the request that a list sends.
func (p *Pane) questionOf(l *list) question {
	q := question{store: p.store, query: l.query, viewer: p.viewer(), sessions: p.sessions}
	if l == &p.of {
		q.memory = p.memory
	}
	return q
}

// more loads the next page of a list if the window comes near its end.
func (p *Pane) more(l *list) tea.Cmd {
	if l == &p.of && p.memory == "" {
		l.done = true // without a memory there is nothing to load
	}
	if !l.wants(p.Page()) {
		return nil
	}
	q := p.questionOf(l)
	q.before, q.limit = l.before, pageSize
	return l.pages.Begin(p.env.Ctx, q.ask, func(a answer, err error) tea.Cmd { return p.page(l, a, err) })
}

// refresh requests new items, or everything that is loaded; one request at a time.
func (p *Pane) refresh(l *list, everything bool) tea.Cmd {
	l.everything = l.everything || everything
	again := func() tea.Cmd { return p.refresh(l, false) }
	if l.newer.After(again) || (len(l.items) == 0 || l.stale) && l.pages.After(again) {
		return nil
	}
	q := p.questionOf(l)
	q.after = l.known
	if l.everything {
		q.after = l.oldest() - 1
	}
	l.everything = false
	return l.newer.Begin(p.env.Ctx, q.ask, func(a answer, err error) tea.Cmd { return p.insertNew(l, q.after, a, err) })
}

// page appends older items.
func (p *Pane) page(l *list, a answer, err error) tea.Cmd {
	defer p.Resize()
	if l.err = err; err != nil {
		return p.compare()
	}
	l.before, l.done = a.before, a.done
	l.known = max(l.known, a.newest)
	if l.stale {
		l.stale = false
		l.keep(p.Page(), func() { l.items, l.rows = a.items, nil; p.layOut(l, 0) })
	} else {
		n := len(l.items)
		l.items = append(l.items, a.items...)
		p.layOut(l, n)
	}
	p.rememberNames(a.items)
	p.join(l, a.acts)
	p.goToWanted(l)
	return tea.Batch(p.more(l), p.compare())
}

// goToWanted puts the cursor on the requested item if it is loaded now.
func (p *Pane) goToWanted(l *list) {
	if l.want == 0 || l.stale || !l.done && (len(l.items) == 0 || l.want < l.oldest()) {
		return
	}
	if len(l.rows) > 0 {
		l.Go(l.find(key{number: l.want}), len(l.rows), p.Page())
	}
	l.want = 0
}

// insertNew replaces the items newer than after by those of the answer.
func (p *Pane) insertNew(l *list, after int64, a answer, err error) tea.Cmd {
	defer p.Resize()
	if l.err = err; err != nil {
		return p.compare()
	}
	l.known = max(l.known, a.newest)
	p.replace(l, a.items, after)
	p.rememberNames(a.items)
	p.join(l, a.acts)
	return tea.Batch(p.more(l), p.compare())
}

// replace replaces the items newer than after.
func (p *Pane) replace(l *list, items []item, after int64) {
	l.keep(p.Page(), func() {
		n := 0
		for n < len(l.items) && l.items[n].number() > after {
			n++
		}
		l.items = append(items[:len(items):len(items)], l.items[n:]...)
		l.rows = nil
		p.layOut(l, 0)
	})
}

// maxSessions is the maximum number of sessions that the filter completes.
const maxSessions = 200

// rememberNames remembers actors and sessions, to complete the filter.
func (p *Pane) rememberNames(items []item) {
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
			p.sessions = append(p.sessions[:len(p.sessions):len(p.sessions)], s) // commands read the old slice
		}
	}
}

func contains[T comparable](list []T, x T) bool {
	for i := len(list) - 1; i >= 0; i-- { // the last ones are the most likely
		if list[i] == x {
			return true
		}
	}
	return false
}
