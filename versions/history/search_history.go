package history

import (
	"cmp"
	"context"
	"database/sql"
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
			hits, err = hitsOf(r, runs)
			if errors.Is(err, versions.ErrDamaged) { // maybe in one of them only
				var damaged error
				hits, damaged, err = readableHits(r, runs)
				past.Damaged = cmp.Or(damaged, past.Damaged)
			}
			if err != nil {
				return err
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

// hitsOf reads the versions at both ends of runs.
func hitsOf(q tables.Reader, runs []search.Run) ([]versions.HistoryHit, error) {
	var ends []int64
	for _, run := range runs {
		if ends = append(ends, run.Last); run.First != run.Last {
			ends = append(ends, run.First)
		}
	}
	type end struct {
		versions.Version
		newest bool
	}
	read := make(map[int64]end, len(ends))
	var v tables.Stored
	var newest bool
	rows := q.Rows(`SELECT `+tables.VersionColumns+`,NOT EXISTS(SELECT 1 FROM version WHERE memory=v.memory AND number>v.number)`+
		tables.VersionTables+`WHERE v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(ends))
	for range rows.Each(append(v.To(), &newest)...) {
		read[v.Row] = end{v.Version, newest}
	}
	if err := rows.Err(); err != nil || len(read) < len(ends) {
		return nil, cmp.Or(err, sql.ErrNoRows)
	}
	hits := make([]versions.HistoryHit, len(runs))
	for i, run := range runs {
		first, last := read[run.First], read[run.Last]
		hits[i] = versions.HistoryHit{First: first.Version, Last: last.Version, Stands: last.newest, Count: run.Count, Lines: run.Lines}
	}
	return hits, nil
}

// readableHits reads the versions of each run alone, and returns which of them is damaged.
func readableHits(q tables.Reader, runs []search.Run) (hits []versions.HistoryHit, damaged, err error) {
	for _, run := range runs {
		switch hit, err := hitsOf(q, []search.Run{run}); {
		case errors.Is(err, versions.ErrDamaged):
			damaged = err
		case err != nil:
			return nil, nil, err
		default:
			hits = append(hits, hit...)
		}
	}
	return hits, damaged, nil
}
