package history

import (
	"context"
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/search"
)

// SearchHistory searches the texts of all versions of all memories, except redacted ones. It passes
// each run of matching versions to each, the run with the newest version first, until each returns
// false. All words must occur in the text; the path does not count. q.In selects memories that were
// ever there, with all their versions.
//
// SearchHistory reads each content once, however many versions have it. A damaged content does not
// match, and is reported as an error after all hits. A content that is marked as lost is skipped.
func SearchHistory(ctx context.Context, s *core.Store, q versions.Query, each func(versions.HistoryHit) bool) error {
	terms, err := q.TextPart().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return err
	}
	past := search.NewPast(s.Row, q.In, terms, excerpt(q))
	given := 0
	for page := search.Newest; page > 0; {
		var hits []versions.HistoryHit
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err := core.View(ctx, s.Trail, func(r tables.Reader) (err error) {
			var runs []search.Run
			if runs, page, err = past.Page(r, page); err != nil {
				return err
			}
			for _, run := range runs {
				hit, err := historyHit(r, run)
				if errors.Is(err, versions.ErrDamaged) {
					past.Damaged = err
					continue
				}
				if err != nil {
					return err
				}
				hits = append(hits, hit)
			}
			return ctx.Err() // a canceled search may have missed hits
		})
		if err != nil {
			return err
		}
		for _, hit := range hits {
			if !each(hit) {
				return nil
			}
			if given++; given == q.Limit {
				return nil
			}
		}
	}
	return past.Damaged
}

// historyHit reads the versions at both ends of a run.
func historyHit(q tables.Reader, run search.Run) (versions.HistoryHit, error) {
	hit := versions.HistoryHit{Stands: run.Current, Count: run.Count, Lines: run.Lines}
	for _, end := range []struct {
		row int64
		to  *versions.Version
	}{{run.Last, &hit.Last}, {run.First, &hit.First}} {
		st, err := tables.ScanVersion(q.Row(`SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE v.id=?`, end.row))
		if err != nil {
			return hit, err
		}
		*end.to = st.Version
	}
	return hit, nil
}
