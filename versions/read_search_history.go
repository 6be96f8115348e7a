package versions

import (
	"context"
	"errors"

	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/search"
)

// HistoryHit is a run of consecutive versions of one memory whose texts all match a query.
type HistoryHit struct {
	First, Last Version      // equal for one version; their changed lines are not counted
	Stands      bool         // Last is the memory's current version
	Count       int          // number of matches in the text of Last
	Lines       []match.Line // matching lines of Last
}

// SearchHistory searches the texts of all versions of all memories, except redacted ones. It passes
// each run of matching versions to each, the run with the newest version first, until each returns
// false. All words must occur in the text; the path does not count. q.In selects memories that were
// ever there, with all their versions.
//
// SearchHistory reads each content once, however many versions have it. A damaged content does not
// match, and is reported as an error after all hits. A content that is marked as lost is skipped.
func (s *Store) SearchHistory(ctx context.Context, q Query, each func(HistoryHit) bool) error {
	terms, err := q.text().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return err
	}
	past := search.NewPast(s.id, q.In, terms, q.excerpt())
	given := 0
	for page := search.Newest; page > 0; {
		var hits []HistoryHit
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err := s.t.view(ctx, func(r reader) (err error) {
			var runs []search.Run
			if runs, page, err = past.Page(r, page); err != nil {
				return err
			}
			for _, run := range runs {
				hit, err := historyHit(r, run)
				if errors.Is(err, ErrDamaged) {
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
func historyHit(q reader, run search.Run) (HistoryHit, error) {
	hit := HistoryHit{Stands: run.Current, Count: run.Count, Lines: run.Lines}
	for _, end := range []struct {
		row int64
		to  *Version
	}{{run.Last, &hit.Last}, {run.First, &hit.First}} {
		st, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, end.row))
		if err != nil {
			return hit, err
		}
		*end.to = st.Version
	}
	return hit, nil
}
