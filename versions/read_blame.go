package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/versions/blame"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
)

// Blame is the content of a version with the origin of each line.
type Blame struct {
	Version Version
	Content []byte
	Runs    []BlameRun // in order; together they cover all lines
}

// BlameRun is a run of adjacent lines that came from one version, where they were adjacent too.
type BlameRun struct {
	Start int      // number of its first line in the content, from 1
	Lines int      // number of lines
	By    *Version // the version that wrote them, under any path of the memory; its changed lines are not counted
	At    int      // number of its first line in By, from 1
	Store string   // the name of By's store, if the memory was copied from another store

	// Since is the number of the oldest version that may have written the lines instead. It equals
	// By's number, unless the versions right before By were redacted or are damaged.
	Since int
	// Coarse means that By or a version before it wrote the lines: the texts were too large for a
	// comparison line by line.
	Coarse bool
}

// Blame reports which version wrote each line of a version: the one where the line first appeared
// and from which on it stayed, according to the differences between consecutive versions. A line
// includes its line ending, so a line that gained or lost one counts as new. Content that is not
// UTF-8 is split into lines as well.
//
// A restore or an undo writes no lines: the lines that it brought back keep their original writers,
// and only lines that differ from the version it brought back are compared with the version before
// it. Undoing a deletion also leaves the lines to their writers.
func (s *Store) Blame(ctx context.Context, id VersionID) (*Blame, error) {
	b := &Blame{}
	err := s.t.view(ctx, func(q reader) error {
		row, err := s.findVersion(q, id)
		if err != nil {
			return err
		}
		v, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, row))
		switch {
		case err != nil:
			return notFound(err, ErrNoVersion, string(id))
		case !v.Redacted.IsZero():
			return fmt.Errorf("blame: %w", erased(q, id))
		case v.Operation == Deleted:
			return fmt.Errorf("blame version %s: %w", id, ErrDeletion)
		}
		past, rows, err := ancestors(q, v.row)
		if err != nil {
			return err
		}
		b.Version = v.Version
		if b.Content, err = blobs.Get(q, v.blob); err != nil {
			return err
		}
		found, err := blame.Runs(past, b.Content, func(id int64) ([]byte, bool, error) {
			text, err := blobs.Get(q, id)
			if errors.Is(err, ErrDamaged) {
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

// ancestors lists the versions of a memory up to the one at row, oldest first, and their rows. If the memory was
// copied from another store, the versions that led to the copy come first.
func ancestors(q reader, row int64) (past []blame.Version, rows []int64, err error) {
	var origin int64
	err = q.Row(`SELECT f.source FROM version v JOIN version f ON f.memory=v.memory AND f.number=1 JOIN version o ON o.id=f.source
		WHERE v.id=? AND f.source<f.id AND o.memory<>f.memory`, row).Scan(&origin)
	if unlessNone(err) != nil {
		return nil, nil, err
	}
	if err == nil {
		if past, rows, err = ancestors(q, origin); err != nil {
			return nil, nil, err
		}
	}
	at := map[int64]int{}
	for i, row := range rows {
		at[row] = i
	}
	for row, err := range q.Each(`SELECT v.id,v.number,coalesce(v.blob,0),coalesce(v.source,0),v.redacted IS NOT NULL AND v.op<>'deleted'
		FROM version v JOIN version w ON w.memory=v.memory WHERE w.id=? AND v.number<=w.number ORDER BY v.number`, row) {
		if err != nil {
			return nil, nil, err
		}
		var id, source int64
		v := blame.Version{Source: -1}
		if err := row.Scan(&id, &v.Number, &v.Text, &source, &v.Erased); err != nil {
			return nil, nil, err
		}
		if v.Erased {
			v.Text = 0
		}
		if i, ok := at[source]; ok {
			v.Source = i
		}
		at[id] = len(past)
		past, rows = append(past, v), append(rows, id)
	}
	return past, rows, nil
}

// blameRuns adds to each run the version that wrote it, which is in the row of rows.
func blameRuns(q reader, found []blame.Run, rows []int64) ([]BlameRun, error) {
	writers := map[int]*Version{}
	var runs []BlameRun
	for _, r := range found {
		by := writers[r.Version]
		if by == nil {
			v, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, rows[r.Version]))
			if err != nil {
				return nil, err
			}
			by = &v.Version
			writers[r.Version] = by
		}
		runs = append(runs, BlameRun{Start: r.Start, Lines: r.Lines, By: by, At: r.At, Since: r.Since, Coarse: r.Coarse})
	}
	return runs, nil
}

// nameOrigins names the stores of the versions that came with a copy.
func nameOrigins(q reader, b *Blame) error {
	names := map[MemoryID]string{b.Version.Memory: ""}
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
