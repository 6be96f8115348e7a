package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// path returns the path that the memory is shown at: its current one, or its last one.
func path(d versions.TreeDiff) string {
	if d.Kind == versions.TreeDeleted {
		return versions.Key(d.Before.Path)
	}
	return versions.Key(d.After.Path)
}

// DiffTrees returns the differences between the tree after change from and the tree after change
// to, by path. to may be the earlier one. Its cost depends on the number of changes between the
// two. A memory that was changed and changed back is TreeSame. Binary and Hidden are not set. A
// memory with a redacted version counts as different, because its content is unknown.
func DiffTrees(ctx context.Context, s *core.Store, from, to int64) (ds []versions.TreeDiff, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		earlier, later := min(from, to), max(from, to)
		r, err := lookBack(s, q, earlier)
		if err != nil {
			return err
		}
		if _, err := changeAt(s, q, later); err != nil {
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
func (r pastReader) between(q tables.Reader, earlier, later int64) (before, after []versions.Entry, err error) {
	var e versions.Entry
	var isAfter bool
	rows := q.Rows(`WITH span AS MATERIALIZED `+spans+` SELECT `+pastColumns+`,0 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.first-1 JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'
		UNION ALL SELECT `+pastColumns+`,1 FROM span
			JOIN version v ON v.memory=span.memory AND v.number=span.last JOIN memory m ON m.id=v.memory`+pastTables+`WHERE v.op<>'deleted'`,
		r.s.Row, earlier, later)
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

func pairEntries(before, after []versions.Entry) []versions.TreeDiff {
	old := make(map[versions.MemoryID]int, len(before)) // index in before
	for i := range before {
		old[before[i].Memory] = i
	}
	out := make([]versions.TreeDiff, 0, max(len(before), len(after)))
	for _, e := range after {
		i, ok := old[e.Memory]
		if !ok {
			out = append(out, versions.TreeDiff{Kind: versions.TreeCreated, After: e})
			continue
		}
		delete(old, e.Memory)
		b := before[i]
		d := versions.TreeDiff{Kind: versions.TreeModified, Before: b, After: e}
		switch {
		case b.Redacted == nil && e.Redacted == nil && b.Path != e.Path:
			d.Kind = versions.TreeRenamed
		case b.Redacted == nil && e.Redacted == nil && b.SHA256 == e.SHA256:
			d.Kind = versions.TreeSame
		}
		out = append(out, d)
	}
	for _, i := range old {
		out = append(out, versions.TreeDiff{Kind: versions.TreeDeleted, Before: before[i]})
	}
	slices.SortFunc(out, func(a, b versions.TreeDiff) int {
		return cmp.Or(cmp.Compare(path(a), path(b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Memory(), b.Memory()))
	})
	return out
}
