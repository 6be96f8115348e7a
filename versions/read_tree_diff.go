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
// to, by path. to may be the earlier one. Its cost depends on the number of changes between the
// two. A memory that was changed and changed back is TreeSame. Binary and Hidden are not set. A
// memory with a redacted version counts as different, because its content is unknown.
func (s *Store) DiffTrees(ctx context.Context, from, to int64) (ds []TreeDiff, err error) {
	err = s.t.view(ctx, func(q reader) error {
		earlier, later := min(from, to), max(from, to)
		r, err := s.lookBack(q, earlier)
		if err != nil {
			return err
		}
		if _, err := s.changeAt(q, later); err != nil {
			return err
		}
		before, after, err := r.between(q, earlier, later)
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

// between returns the entries of the memories that have different versions in two trees.
func (r pastReader) between(q reader, earlier, later int64) (before, after []Entry, err error) {
	var e Entry
	var isAfter bool
	rows := q.Rows(`WITH span AS MATERIALIZED `+spans+` SELECT `+pastColumns+`,0 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.first-1 JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'
		UNION ALL SELECT `+pastColumns+`,1 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.last JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'`,
		r.s.id, earlier, later)
	for range rows.Each(append(r.columns(&e), &isAfter)...) {
		if isAfter {
			after = append(after, e)
		} else {
			before = append(before, e)
		}
	}
	return before, after, rows.Err()
}

// spans selects each memory's first and last version between two changes (parameters: store, first
// change exclusive, last change inclusive).
const spans = `(SELECT v.memory AS memory, min(v.number) AS first, max(v.number) AS last FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number>? AND c.number<=? GROUP BY v.memory)`

func pairEntries(before, after []Entry) []TreeDiff {
	old := make(map[MemoryID]int, len(before)) // index in before
	for i := range before {
		old[before[i].Memory] = i
	}
	out := make([]TreeDiff, 0, max(len(before), len(after)))
	for _, e := range after {
		i, ok := old[e.Memory]
		if !ok {
			out = append(out, TreeDiff{Kind: TreeCreated, After: e})
			continue
		}
		delete(old, e.Memory)
		b := before[i]
		d := TreeDiff{Kind: TreeModified, Before: b, After: e}
		switch {
		case b.Redacted == nil && e.Redacted == nil && b.Path != e.Path:
			d.Kind = TreeRenamed
		case b.Redacted == nil && e.Redacted == nil && b.SHA256 == e.SHA256:
			d.Kind = TreeSame
		}
		out = append(out, d)
	}
	for _, i := range old {
		out = append(out, TreeDiff{Kind: TreeDeleted, Before: before[i]})
	}
	slices.SortFunc(out, func(a, b TreeDiff) int {
		return cmp.Or(cmp.Compare(a.path(), b.path()), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Memory(), b.Memory()))
	})
	return out
}
