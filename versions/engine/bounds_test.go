package engine_test

import (
	"testing"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
)

func TestCountsOfLines_AreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1\n2\n")
	w.write(robot, "a", "1\n")
	const most = 10_000
	for i := range int64(most) {
		w.store.Counts[-i-1] = [2]int{}
	}
	v := w.versionOf("a", 2)
	if v.Added != 0 || v.Removed != 1 {
		t.Errorf("+%d −%d", v.Added, v.Removed)
	}
	if n := len(w.store.Counts); n > most {
		t.Errorf("%d counts are kept, at most %d should be", n, most)
	}
}

// countingReader counts the queries that are asked through it.
type countingReader struct {
	db.Queryer
	queries int
}

func (r *countingReader) Rows(query string, args ...any) *db.Rows {
	r.queries++
	return r.Queryer.Rows(query, args...)
}

func (r *countingReader) Row(query string, args ...any) db.Row {
	r.queries++
	return r.Queryer.Row(query, args...)
}

// Every undo asks for its conflicts while it holds the home's lock.
func TestConflicts_AskNothingWhereNothingClashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	w.write(robot, "a.md", "two\n")
	n, err := w.store.LastChange(t.Context())
	w.must(err)
	w.must(core.View(t.Context(), w.trail, func(q tables.Reader) error {
		counting := &countingReader{Queryer: q}
		p := &plan.Planner{Store: w.store, Reader: counting, Dir: core.Folder(w.store), Goal: plan.UndoChange(n)}
		if err := p.Compute(); err != nil {
			return err
		}
		before := counting.queries
		if err := p.Conflicts(); err != nil {
			return err
		}
		if before == 0 || counting.queries != before {
			t.Errorf("%d queries to work the plan out, then %d for its conflicts", before, counting.queries-before)
		}
		return nil
	}))
}
