package versions

import (
	"cmp"
	"context"
	"slices"
)

// TreeKind describes how a memory differs between two trees.
type TreeKind string

const (
	TreeCreated  TreeKind = "created"
	TreeDeleted  TreeKind = "deleted"
	TreeRenamed  TreeKind = "renamed" // modified too when the hashes differ
	TreeModified TreeKind = "modified"
	TreeSame     TreeKind = "same" // at the same path with the same content, by newer versions
)

// TreeDiff is a memory that has different versions in two trees of a store. The entry of a tree
// that does not have the memory is zero.
type TreeDiff struct {
	Kind          TreeKind
	Before, After Entry
}

// Memory returns the id of the memory.
func (d TreeDiff) Memory() MemoryID {
	if d.Kind == TreeCreated {
		return d.After.Memory
	}
	return d.Before.Memory
}

// path returns the path that the memory is shown at: its current one, or its last one.
func (d TreeDiff) path() string {
	if d.Kind == TreeDeleted {
		return key(d.Before.Path)
	}
	return key(d.After.Path)
}

// DiffTrees returns the differences between the tree after change from and the tree after change
// to, by path. to may be the earlier one. Its cost depends on the number of versions between the
// two. A memory that was changed and changed back is TreeSame. Binary and Hidden are not set. A
// memory with a redacted version counts as different, because its content is unknown.
func (s *Store) DiffTrees(ctx context.Context, from, to int64) (ds []TreeDiff, err error) {
	err = s.t.view(ctx, func(q reader) error {
		earlier, later := min(from, to), max(from, to)
		r, err := s.lookBack(q, earlier)
		if err != nil {
			return err
		}
		end, err := s.lookBack(q, later)
		if err != nil {
			return err
		}
		before, err := r.entries(q, `SELECT `+pastColumns+` FROM `+spans+
			` JOIN version v ON v.memory=span.memory AND v.number=span.first-1 JOIN memory m ON m.id=v.memory`+
			pastTables+`WHERE v.op<>'deleted'`, s.id, earlier, later)
		if err != nil {
			return err
		}
		after, err := end.entries(q, `SELECT `+pastColumns+` FROM `+spans+
			` JOIN version v ON v.memory=span.memory AND v.number=span.last JOIN memory m ON m.id=v.memory`+
			pastTables+`WHERE v.op<>'deleted'`, s.id, earlier, later)
		if err != nil {
			return err
		}
		if from > to {
			before, after = after, before
		}
		ds = pairEntries(before, after)
		return nil
	})
	return ds, err
}

// spans selects each memory's first and last version between two changes (parameters: store, first
// change exclusive, last change inclusive).
const spans = `(SELECT v.memory AS memory, min(v.number) AS first, max(v.number) AS last FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number>? AND c.number<=? GROUP BY v.memory) span`

func pairEntries(before, after []Entry) []TreeDiff {
	old := map[MemoryID]Entry{}
	for _, e := range before {
		old[e.Memory] = e
	}
	var out []TreeDiff
	for _, e := range after {
		b, ok := old[e.Memory]
		delete(old, e.Memory)
		d := TreeDiff{Kind: TreeModified, Before: b, After: e}
		switch {
		case !ok:
			d.Kind = TreeCreated
		case b.Redacted == nil && e.Redacted == nil && b.Path != e.Path:
			d.Kind = TreeRenamed
		case b.Redacted == nil && e.Redacted == nil && b.SHA256 == e.SHA256:
			d.Kind = TreeSame
		}
		out = append(out, d)
	}
	for _, e := range before {
		if _, gone := old[e.Memory]; gone {
			out = append(out, TreeDiff{Kind: TreeDeleted, Before: e})
		}
	}
	slices.SortFunc(out, func(a, b TreeDiff) int {
		return cmp.Or(cmp.Compare(a.path(), b.path()), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
