package history

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// Event handles an event of the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	if len(ev.Changes) == 0 && len(ev.Attributed) == 0 && !ev.Reload {
		return nil
	}
	defer p.Resize()
	if ev.Reload { // perhaps after a redaction
		clear(p.details)
		p.clearSelection() // it may refer to redacted versions
		p.inside.Stop()
		p.below.Stop()
		p.forgetShown()
	}
	var cmds []tea.Cmd
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
// others or belong to a bulk edit (only the store knows which ones), if the filter rejects
// some of them, or if others made them, so that they are new.
func (p *Pane) newChanges(ev versions.Event) tea.Cmd {
	l := &p.all
	switch {
	case ev.Reload, len(ev.Attributed) > 0, slices.ContainsFunc(ev.Changes, ofSeveral), slices.ContainsFunc(ev.Changes, p.ofAct):
		return p.refresh(l, true)
	case !l.query.any(), slices.ContainsFunc(ev.Changes, func(c versions.Change) bool {
		return c.Kind == versions.KindAdopt || p.viewer().change(&c, nil)
	}):
		p.markUndone(ev.Changes)
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
		p.replace(l, items, after)
		p.rememberNames(items)
	}
	p.markUndone(ev.Changes)
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

// ofAct reports whether a change undid a part of a bulk edit, which splits the edit.
func (p *Pane) ofAct(c versions.Change) bool {
	return c.Undoes != 0 && slices.ContainsFunc(p.all.items, func(it item) bool { return it.act != nil && it.number() == c.Undoes })
}

// markUndone updates the state of loaded changes that by undid or redid. It expects the oldest
// change first.
func (p *Pane) markUndone(by []versions.Change) {
	items := p.all.items
	for _, b := range by {
		if b.Undoes == 0 {
			continue
		}
		i := sort.Search(len(items), func(i int) bool { return items[i].number() <= b.Undoes })
		if i == len(items) || items[i].number() != b.Undoes {
			continue
		}
		c := *items[i].change // commands may still read the old one
		switch b.Kind {
		case versions.KindUndo:
			c.UndoneBy = b.Number
		case versions.KindRedo:
			c.UndoneBy = 0
		}
		items[i].change = &c
	}
}
