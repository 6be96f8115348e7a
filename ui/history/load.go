package history

import tea "charm.land/bubbletea/v2"

// questionOf returns the request that a list sends.
func (p *Pane) questionOf(l *list) question {
	q := question{store: p.store, query: l.query, viewer: p.viewer(), sessions: p.names.sessions}
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
		l.keep(p.Page(), func() { l.items = a.items; l.layOut(0) })
	} else {
		n := len(l.items)
		l.items = append(l.items, a.items...)
		l.layOut(n)
	}
	p.names.add(a.items)
	l.join(p.Page(), a.acts)
	l.goToWanted(p.Page())
	return tea.Batch(p.more(l), p.compare())
}

// insertNew replaces the items newer than after by those of the answer.
func (p *Pane) insertNew(l *list, after int64, a answer, err error) tea.Cmd {
	defer p.Resize()
	if l.err = err; err != nil {
		return p.compare()
	}
	l.known = max(l.known, a.newest)
	l.replace(p.Page(), a.items, after)
	p.names.add(a.items)
	l.join(p.Page(), a.acts)
	return tea.Batch(p.more(l), p.compare())
}
