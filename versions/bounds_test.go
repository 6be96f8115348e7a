package versions

import (
	"testing"

	"github.com/memend/memend/versions/db"
)

func TestCountsOfLines_AreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1\n2\n")
	w.write(robot, "a", "1\n")
	for i := range int64(maxCounts) {
		w.store.counts[-i-1] = [2]int{}
	}
	v := w.versionOf("a", 2)
	if v.Added != 0 || v.Removed != 1 {
		t.Errorf("+%d −%d", v.Added, v.Removed)
	}
	if n := len(w.store.counts); n > maxCounts {
		t.Errorf("%d counts are kept, at most %d should be", n, maxCounts)
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
	w.must(w.trail.view(t.Context(), func(q reader) error {
		counting := &countingReader{Queryer: q}
		p := &planner{s: w.store, q: counting, dir: w.store.folder(), goal: UndoChange(n)}
		if err := p.compute(); err != nil {
			return err
		}
		before := counting.queries
		if err := p.conflicts(); err != nil {
			return err
		}
		if before == 0 || counting.queries != before {
			t.Errorf("%d queries to work the plan out, then %d for its conflicts", before, counting.queries-before)
		}
		return nil
	}))
}
