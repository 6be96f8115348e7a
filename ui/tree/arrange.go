package tree

import (
	"context"
	"maps"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Request is what to show: a copy for a command.
type Request struct {
	id      int // number of the request; a newer one makes it stale
	order   order
	filter  filter
	facts   facts
	unsaved map[versions.MemoryID]int64 // of what facts say is reviewed
	first   bool
	old     *Data
}

// Reading is the store's tree as it was read and arranged.
type Reading struct {
	Changed []versions.Entry // since the previous reading, by anyone

	asked Request
	saved map[versions.MemoryID]int64 // marks that the store had before it was read
	data  *Data
	shown *shown // nil: everything
	view  []byte // of the first reading: the saved view
}

// shown is the result of a filter.
type shown struct {
	visible []bool // by index of the node, including parent folders of matches
	matches int
}

// Read reads the store. Commands call it with the result of Ask.
func Read(ctx context.Context, store Store, asked Request) (*Reading, error) {
	// What the store says of a memory whose marks it has is true, even if a later change brought back what had been decided.
	r := &Reading{saved: maps.Clone(asked.facts.seen)}
	maps.DeleteFunc(r.saved, func(m versions.MemoryID, _ int64) bool { return asked.unsaved[m] > 0 })
	asked.facts.seen = asked.unsaved
	r.asked = asked
	var from source
	var err error
	if from.entries, err = store.Tree(ctx); err != nil {
		return nil, err
	}
	if from.reviewed, err = store.ReviewState(ctx); err != nil {
		return nil, err
	}
	deleted, err := store.UnreviewedDeletions(ctx, asked.facts.me)
	if err != nil {
		return nil, err
	}
	from.entries = withDeleted(from.entries, deleted)
	if from.ownChanges, err = readOwn(ctx, store, &asked, &from); err != nil {
		return nil, err
	}
	if asked.first {
		if r.view, err = store.View(ctx); err != nil {
			return nil, err
		}
		r.asked.order = decodeViewState(r.view).order()
	}
	r.data, r.shown = r.asked.arrange(&from)
	r.Changed = r.data.changedSince(asked.old)
	return r, nil
}

// withDeleted adds deleted memories to a tree, in its order, unless a file that is not a memory has taken the place of one.
func withDeleted(entries, deleted []versions.Entry) []versions.Entry {
	if len(deleted) == 0 {
		return entries
	}
	out := make([]versions.Entry, 0, len(entries)+len(deleted))
	for _, e := range entries {
		for ; len(deleted) > 0 && comparePaths(deleted[0].Path, e.Path) < 0; deleted = deleted[1:] {
			out = append(out, deleted[0])
		}
		if len(deleted) > 0 && deleted[0].Path == e.Path {
			deleted = deleted[1:]
		}
		out = append(out, e)
	}
	return append(out, deleted...)
}

// readOwn finds the memories that others changed before the person did, and that are not reviewed.
// What the last reading found is used again.
func readOwn(ctx context.Context, store Store, asked *Request, from *source) (map[versions.MemoryID]ownChange, error) {
	var was map[versions.MemoryID]ownChange
	if asked.old != nil {
		was = asked.old.from.ownChanges
	}
	found := map[versions.MemoryID]ownChange{}
	known := asked.facts
	known.reviewed = from.reviewed
	for i := range from.entries {
		e := &from.entries[i]
		if e.Actor != known.me || !known.since(e) {
			continue
		}
		o := ownChange{change: e.Change, upTo: known.reviewedUpTo(e.Memory)}
		if w, ok := was[e.Memory]; ok && w.change == o.change && w.upTo == o.upTo {
			o.beneath = w.beneath
		} else {
			var err error
			if o.beneath, err = store.HasUnreviewedChanges(ctx, e, o.upTo, known.me); err != nil {
				return nil, err
			}
		}
		found[e.Memory] = o
	}
	return found, nil
}

// arrange computes what is shown of a source. The old arrangement is reused if only the
// filter differs.
func (a *Request) arrange(from *source) (*Data, *shown) {
	d := a.old
	a.facts.reviewed, a.facts.ownChanges = from.reviewed, from.ownChanges
	if d == nil || d.from != from || d.order != a.order || d.reads != a.facts.readsID {
		d = build(from, a.order, &a.facts)
	}
	if a.filter.empty() {
		return d, nil
	}
	a.filter = parseFilter(a.filter.query, a.facts.now) // times are those of now
	s := &shown{visible: make([]bool, d.count())}
	for i := range d.Entries {
		if e := &d.Entries[i]; a.filter.matches(&a.facts, e) {
			s.matches++
			for n := &d.nodes[i]; n.parent != nil && !s.visible[n.index]; n = n.parent {
				s.visible[n.index] = true
			}
		}
	}
	return d, s
}

// addChanged adds by to the number of changed memories in all parent folders.
func (n *node) addChanged(by int) {
	for f := n.parent; f != nil; f = f.parent {
		f.changed += by
	}
}

// rearrange applies a changed request.
func (t *Pane) rearrange() tea.Cmd {
	t.requestID++
	return t.arrangeCmd()
}

func (t *Pane) arrangeCmd() tea.Cmd {
	from := t.source()
	if from == nil {
		return nil
	}
	asked := t.Ask()
	return screen.Run(func() *Reading {
		r := &Reading{asked: asked}
		r.data, r.shown = r.asked.arrange(from)
		return r
	}, t.arranged)
}

// source returns the newest reading, or nil before the first one.
func (t *Pane) source() *source {
	switch {
	case t.waiting != nil:
		return t.waiting
	case t.data != nil:
		return t.data.from
	}
	return nil
}

// arranged shows an arrangement, unless it is stale: the request changed, or the store was
// read again.
func (t *Pane) arranged(r *Reading) tea.Cmd {
	if r.asked.id == t.requestID && r.data.from == t.source() {
		t.install(r)
		if t.TakesText() && t.shown != nil {
			t.toMatch()
		}
	}
	return nil
}
