package history

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// Event handles an event of the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	if len(ev.Changes) == 0 && len(ev.Attributed) == 0 && !ev.Reload {
		return nil
	}
	defer p.Resize()
	var cmds []tea.Cmd
	if ev.Reload { // perhaps after a redaction
		clear(p.all.details)
		p.chosen.clear(p.list()) // it may refer to redacted versions
		p.inside.Stop()
		p.below.Stop()
		p.forgetShown()
		for n := range p.all.open {
			cmds = append(cmds, p.listBelow(n))
		}
	}
	for _, l := range []*list{&p.of, &p.all} {
		switch {
		case l.err != nil && len(l.items) == 0: // the store may be readable now
			l.err = nil
			cmds = append(cmds, p.more(l))
		case !l.begun(), l == &p.of && p.memory == "":
		case l == &p.of:
			cmds = append(cmds, p.refresh(l, ev.Reload || len(ev.Attributed) > 0 || slices.ContainsFunc(ev.Changes, undoes)))
		default:
			cmds = append(cmds, p.newChanges(ev))
		}
	}
	if ev.Reload {
		cmds = append(cmds, p.compare())
	}
	return tea.Batch(cmds...)
}

// newChanges inserts the changes of an event at the top. It requests them from the store
// instead if the event is not sufficient: if it left out changes, if the changes undo several
// others, an undo or a part of a bulk edit (only the store knows what is in effect then), if the
// filter rejects some of them, or if others made them, so that they are new.
func (p *Pane) newChanges(ev versions.Event) tea.Cmd {
	l := &p.all
	ofMore := func(c versions.Change) bool { // it undid a part of a bulk edit, which splits the edit, or another undo
		it := l.numbered(c.Undoes)
		return c.Undoes != 0 && it != nil && (it.act != nil || undoes(*it.change))
	}
	switch {
	case ev.Reload, len(ev.Attributed) > 0, slices.ContainsFunc(ev.Changes, ofSeveral), slices.ContainsFunc(ev.Changes, ofMore):
		return p.refresh(l, true)
	case !l.query.any(), slices.ContainsFunc(ev.Changes, func(c versions.Change) bool {
		return c.Kind == versions.KindAdopt || p.viewer().change(&c, nil)
	}):
		l.markUndone(ev.Changes)
		return p.refresh(l, false)
	case l.stale, l.newer.Waiting(), l.pages.Waiting() && len(l.items) == 0, ev.Changes[0].Number > l.known+1:
		return p.refresh(l, false)
	}
	var items []item
	for i := len(ev.Changes) - 1; i >= 0; i-- {
		if c := ev.Changes[i]; c.Number > l.known {
			items = append(items, item{change: &c})
		}
	}
	if len(items) > 0 {
		after := l.known
		l.known = items[0].number()
		l.replace(p.Page(), items, after)
		p.names.add(items)
	}
	l.markUndone(ev.Changes)
	return p.compare()
}

// undoes reports whether a change changed which versions are in effect.
func undoes(c versions.Change) bool {
	return c.Kind == versions.KindUndo || c.Kind == versions.KindRedo
}

// ofSeveral reports whether a change undid or redid several others, those of a session for
// example.
func ofSeveral(c versions.Change) bool {
	return undoes(c) && c.Undoes == 0
}

// markUndone updates the state of loaded changes that by undid or redid. It expects the oldest
// change first.
func (l *list) markUndone(by []versions.Change) {
	for _, b := range by {
		it := l.numbered(b.Undoes)
		if b.Undoes == 0 || it == nil {
			continue
		}
		c := *it.change // commands may still read the old one
		switch b.Kind {
		case versions.KindUndo:
			c.UndoneBy = b.Number
		case versions.KindRedo:
			c.UndoneBy = 0
		}
		it.change = &c
	}
}
