package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blame"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Blame reports which version wrote each line of a version: the one where the line first appeared
// and from which on it stayed, according to the differences between consecutive versions. A line
// includes its line ending, so a line that gained or lost one counts as new. Content that is not
// UTF-8 is split into lines as well.
//
// A restore or an undo writes no lines: the lines that it brought back keep their original writers,
// and only lines that differ from the version it brought back are compared with the version before
// it. Undoing a deletion also leaves the lines to their writers. So does a merge: it writes only the lines that
// neither of the two memories had.
func Blame(ctx context.Context, s *core.Store, id versions.VersionID) (*versions.Blame, error) {
	b := &versions.Blame{}
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		row, err := FindVersion(s, q, id)
		if err != nil {
			return err
		}
		v, err := tables.ScanVersion(q.Row(`SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE v.id=?`, row))
		switch {
		case err != nil:
			return tables.NotFound(err, versions.ErrNoVersion, string(id))
		case !v.Redacted.IsZero():
			return fmt.Errorf("blame: %w", tables.Erased(q, id))
		case v.Operation == versions.Deleted:
			return fmt.Errorf("blame version %s: %w", id, versions.ErrDeletion)
		}
		past, rows, err := ancestors(q, v.Row)
		if err != nil {
			return err
		}
		b.Version = v.Version
		if b.Content, err = blobs.Get(q, v.Blob); err != nil {
			return err
		}
		found, err := blame.Runs(past, b.Content, func(id int64) ([]byte, bool, error) {
			text, err := blobs.Get(q, id)
			if errors.Is(err, versions.ErrDamaged) {
				return nil, false, nil
			}
			return text, err == nil, err
		})
		if err != nil {
			return err
		}
		if b.Runs, err = blameRuns(q, found, rows); err != nil {
			return err
		}
		return nameOrigins(q, b)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ancestors lists the versions that led to the one at row, oldest first, and their rows: those of its memory, and of the
// memories that it was copied from or that were merged into it.
func ancestors(q tables.Reader, row int64) (past []blame.Version, rows []int64, err error) {
	a := &ancestry{q: q, upTo: map[int64]int{}}
	var memory int64
	var number int
	if err := q.Row(`SELECT memory,number FROM version WHERE id=?`, row).Scan(&memory, &number); err != nil {
		return nil, nil, err
	}
	if err := a.add(memory, number); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(a.found, func(x, y ancestor) int { return cmp.Compare(x.row, y.row) }) // by age
	at, last := map[int64]int{}, map[int64]int{}                                           // by row, and by memory
	for i, f := range a.found {
		v := f.Version
		v.Prev, v.Source, v.Merged = -1, -1, -1
		if prev, ok := last[f.memory]; ok {
			v.Prev = prev
		}
		switch from, ok := at[f.source]; {
		case !ok:
		case a.found[from].memory == f.memory:
			v.Source = from
		case v.Prev < 0: // a copy
			v.Prev = from
		default:
			v.Merged = from
		}
		at[f.row], last[f.memory] = i, i
		past, rows = append(past, v), append(rows, f.row)
	}
	return past, rows, nil
}

// ancestry collects ancestors.
type ancestry struct {
	q     tables.Reader
	upTo  map[int64]int // how many versions of a memory are collected
	found []ancestor
}

type ancestor struct {
	blame.Version
	row, memory, source int64
}

// add collects the versions of a memory up to a number, and those that they name.
func (a *ancestry) add(memory int64, number int) error {
	type origin struct {
		memory int64
		number int
	}
	var from []origin
	f := ancestor{memory: memory}
	var o origin
	rows := a.q.Rows(`SELECT v.id,v.number,coalesce(v.blob,0),v.redacted IS NOT NULL AND v.op<>'deleted',coalesce(o.id,0),coalesce(o.memory,0),coalesce(o.number,0)
		FROM version v LEFT JOIN version o ON o.id=v.source AND o.id<v.id AND v.op<>'deleted' WHERE v.memory=? AND v.number>? AND v.number<=? ORDER BY v.number`, memory, a.upTo[memory], number)
	for range rows.Each(&f.row, &f.Number, &f.Text, &f.Erased, &f.source, &o.memory, &o.number) {
		if f.Erased {
			f.Text = 0
		}
		a.found = append(a.found, f)
		if o.memory != 0 && o.memory != memory {
			from = append(from, o)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	a.upTo[memory] = max(a.upTo[memory], number)
	for _, o := range from {
		if o.number > a.upTo[o.memory] {
			if err := a.add(o.memory, o.number); err != nil {
				return err
			}
		}
	}
	return nil
}

// blameRuns adds to each run the version that wrote it, which is in the row of rows.
func blameRuns(q tables.Reader, found []blame.Run, rows []int64) ([]versions.BlameRun, error) {
	writers := map[int]*versions.Version{}
	var runs []versions.BlameRun
	for _, r := range found {
		by := writers[r.Version]
		if by == nil {
			v, err := tables.ScanVersion(q.Row(`SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE v.id=?`, rows[r.Version]))
			if err != nil {
				return nil, err
			}
			by = &v.Version
			writers[r.Version] = by
		}
		runs = append(runs, versions.BlameRun{Start: r.Start, Lines: r.Lines, By: by, At: r.At, Since: r.Since, Coarse: r.Coarse})
	}
	return runs, nil
}

// nameOrigins names the stores of the versions that came with a copy.
func nameOrigins(q tables.Reader, b *versions.Blame) error {
	names := map[versions.MemoryID]string{b.Version.Memory: ""}
	for i := range b.Runs {
		r := &b.Runs[i]
		name, known := names[r.By.Memory]
		if !known {
			if err := q.Row(`SELECT s.name FROM memory m JOIN store s ON s.id=m.store WHERE m.uid=?`, ids.Parse(ids.MemoryPrefix, string(r.By.Memory))).Scan(&name); err != nil {
				return err
			}
			names[r.By.Memory] = name
		}
		r.Store = name
	}
	return nil
}
