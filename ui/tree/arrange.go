package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Request is what is to be shown, as a command takes it along: a copy.
type Request struct {
	id     int // of the wish; another one makes it stale
	order  order
	filter filter
	facts  facts
	first  bool
	old    *Data
}

// Reading is the store's tree as it was read and arranged.
type Reading struct {
	Changed []versions.Entry // since the reading before, whoever changed them

	asked Request
	data  *Data
	shown *shown // nil: everything
	kept  []byte // of the first one: how it was shown last
}

// shown is what a filter leaves.
type shown struct {
	keep    []bool // by index of the node; folders above what matches are kept too
	matches int
}

// Read reads the store. It is called by commands, with what Ask gave.
func Read(ctx context.Context, store Store, asked Request) (*Reading, error) {
	r := &Reading{asked: asked}
	var from source
	var err error
	if from.entries, err = store.Tree(ctx); err != nil {
		return nil, err
	}
	if from.looks, err = store.Looks(ctx); err != nil {
		return nil, err
	}
	if asked.first {
		if r.kept, err = store.View(ctx); err != nil {
			return nil, err
		}
		k := decodeKept(r.kept)
		r.asked.order = k.order()
	}
	r.data, r.shown = r.asked.arrange(&from)
	r.Changed = r.data.changedSince(asked.old)
	return r, nil
}

// arrange makes what is shown of a source. The old reading is used again when only
// the filter differs.
func (a *Request) arrange(from *source) (*Data, *shown) {
	d := a.old
	a.facts.looks = from.looks
	if d == nil || d.from != from || d.order != a.order || d.reads != a.facts.readsID {
		d = build(from, a.order, &a.facts)
	}
	if a.filter.empty() {
		return d, nil
	}
	a.filter = a.filter.at(a.facts.now)
	s := &shown{keep: make([]bool, d.count())}
	for i := range d.Entries {
		if e := &d.Entries[i]; a.filter.matches(&a.facts, e) {
			s.matches++
			for n := &d.nodes[i]; n.parent != nil && !s.keep[n.index]; n = n.parent {
				s.keep[n.index] = true
			}
		}
	}
	return d, s
}

// tellNews counts one memory more or less that is news, in all folders above it.
func (n *node) tellNews(by int) {
	for f := n.parent; f != nil; f = f.parent {
		f.news += by
	}
}

// rearrange shows what is wanted by now.
func (t *Pane) rearrange() tea.Cmd {
	t.wish++
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

// source is the newest that was read; nil before the first reading.
func (t *Pane) source() *source {
	switch {
	case t.waiting != nil:
		return t.waiting
	case t.data != nil:
		return t.data.from
	}
	return nil
}

// arranged shows what was arranged, unless it is stale: something else is wanted
// by now, or the store was read again.
func (t *Pane) arranged(r *Reading) tea.Cmd {
	if r.asked.id == t.wish && r.data.from == t.source() {
		t.install(r)
		if t.input.On() && t.shown != nil {
			t.toMatch()
		}
	}
	return nil
}

// toMatch moves from a folder to what the filter found in it, or first of all.
func (t *Pane) toMatch() {
	if n := t.current(); n == nil || !n.folder() {
		return
	}
	for d := range len(t.rows) {
		if i := (t.cur + d) % len(t.rows); !t.rows[i].folder() {
			t.move(i - t.cur)
			return
		}
	}
}
