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
// two, or outside of them if these are fewer. A memory that was changed and changed back is TreeSame. Binary and Hidden are not set. A
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
		before, after, err := s.entriesOfBoth(q, r, end, earlier, later)
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

// entriesOfBoth returns the entries of the memories that have different versions in two trees.
func (s *Store) entriesOfBoth(q reader, r, end pastReader, earlier, later int64) (before, after []Entry, err error) {
	x, err := s.extent(q)
	if err != nil {
		return nil, nil, err
	}
	_, costEarlier := x.cheapest(earlier)
	_, costLater := x.cheapest(later)
	if costEarlier+costLater < x.between(later-earlier) {
		return entriesFromTrees(q, r, end, earlier, later)
	}
	return entriesBetween(q, r, earlier, later)
}

// entriesFromTrees computes entriesOfBoth from the two trees. It is faster if most memories were
// changed between them, or if each is near one end of the history.
func entriesFromTrees(q reader, r, end pastReader, earlier, later int64) (before, after []Entry, err error) {
	if before, err = r.treeOf(q, earlier); err == nil {
		after, err = end.treeOf(q, later)
	}
	return withoutShared(before, after), withoutShared(after, before), err
}

// entriesBetween computes entriesOfBoth from the changes between two trees.
func entriesBetween(q reader, r pastReader, earlier, later int64) (before, after []Entry, err error) {
	for row, err := range q.Each(`WITH span AS MATERIALIZED `+spans+` SELECT `+pastColumns+`,0 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.first-1 JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'
		UNION ALL SELECT `+pastColumns+`,1 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.last JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'`,
		r.s.id, earlier, later) {
		if err != nil {
			return nil, nil, err
		}
		var isAfter bool
		e, err := r.scan(row, &isAfter)
		if err != nil {
			return nil, nil, err
		}
		if isAfter {
			after = append(after, e)
		} else {
			before = append(before, e)
		}
	}
	return before, after, nil
}

// withoutShared returns the entries of a tree whose versions another tree does not have, without
// what is known only of current ones.
func withoutShared(tree, other []Entry) []Entry {
	shared := make(map[VersionID]bool, len(other))
	for i := range other {
		shared[other[i].Version] = true
	}
	var out []Entry
	for _, e := range tree {
		if !shared[e.Version] {
			e.Binary, e.Hidden = false, 0
			out = append(out, e)
		}
	}
	return out
}

// spans selects each memory's first and last version between two changes (parameters: store, first
// change exclusive, last change inclusive).
const spans = `(SELECT v.memory AS memory, min(v.number) AS first, max(v.number) AS last FROM change c JOIN version v ON v.change=c.id
	WHERE c.store=? AND c.number>? AND c.number<=? GROUP BY v.memory)`

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
