package versions

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// MergeText is the text that a memory has elsewhere, and that a merge takes over.
type MergeText struct {
	Path memfs.Path
	Text []byte
}

// takeover is the goal of a merge: what is asked for, and its memories with the states that they replace.
type takeover struct {
	asked request
	items []storedItem
}

// PlanMerge plans to take over the texts that memories elsewhere have. A memory that exists here with another text is
// a conflict, because nothing says which text is the later one. Apply makes it one change, which can be undone.
func (s *Store) PlanMerge(ctx context.Context, texts []MergeText) (*Plan, error) {
	return s.plan(ctx, func(q reader) (goal, error) {
		m := &takeover{asked: request{kind: KindEdit}}
		var paths []memfs.Path
		for _, t := range texts {
			it := storedItem{path: t.Path, text: nonNil(t.Text)}
			err := q.Row(`SELECT m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, s.id, key(t.Path)).Scan(&it.memory)
			if err := unlessNone(err); err != nil {
				return goal{}, err
			}
			if it.memory != nil { // as if both sides had begun with nothing
				it.base = planning.WithText(t.Path, []byte{})
			} else {
				it.memory = s.freshUID()
			}
			paths = append(paths, t.Path)
			m.items = append(m.items, it)
		}
		m.asked.path = common(paths)
		return goal{merge: m}, nil
	})
}

// collectMerge adds the memories of a merge to the plan.
func (p *planner) collectMerge() error {
	p.asked = p.goal.merge.asked
	return p.collectItems(p.goal.merge.items)
}
