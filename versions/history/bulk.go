package history

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// bulkGap is the longest time between two changes of a bulk.
const bulkGap = time.Minute

// markLosses sets which bulks are mass deletions. The memories that the store had are those that it has now and those
// that the bulk deleted.
func markLosses(ctx context.Context, s *core.Store, bulks []versions.Bulk) error {
	if !slices.ContainsFunc(bulks, func(b versions.Bulk) bool { return b.Deleted > 0 }) {
		return nil
	}
	var now int
	if err := s.Trail.DB.Row(ctx, `SELECT count(*) FROM head WHERE store=?`, s.Row).Scan(&now); err != nil {
		return err
	}
	loss := s.Trail.Loss()
	for i := range bulks {
		had := now
		if bulks[i].UndoneBy == 0 {
			had += bulks[i].Deleted
		}
		bulks[i].Loss = loss.By(bulks[i].Deleted, had)
	}
	return nil
}

// Bulks lists the bulks since a time that were not undone, oldest first. It leaves out changes by
// people.
func Bulks(ctx context.Context, s *core.Store, since time.Time) ([]versions.Bulk, error) {
	all, err := BulksOf(ctx, s, since.Add(-bulkGap), time.Time{})
	var out []versions.Bulk
	for _, b := range all {
		if large(b) && b.UndoneBy == 0 && !b.Until.Before(since) {
			out = append(out, b)
		}
	}
	return out, err
}

// large reports whether it has too many versions to review one by one.
func large(b versions.Bulk) bool { return b.Versions >= versions.BulkVersions || b.Loss }

// maxAct is how far Acts looks for the ends of a bulk. What goes on for longer, such as the work of
// a program that never stops writing, is not one act.
const maxAct = time.Hour

// Acts lists the bulks that a watcher recorded in pieces and that include a change from oldest to
// newest, both inclusive, oldest first. It includes bulks that were undone as a whole. A list of
// changes shows each bulk as one.
func Acts(ctx context.Context, s *core.Store, oldest, newest versions.Change) ([]versions.Bulk, error) {
	for margin := 2 * bulkGap; ; margin *= 2 {
		since, until := oldest.Time.Add(-margin), newest.Time.Add(margin)
		all, err := BulksOf(ctx, s, since, until)
		all = slices.DeleteFunc(all, func(b versions.Bulk) bool { return b.Until.Before(oldest.Time) || b.From.After(newest.Time) })
		goesOn := func(b versions.Bulk) bool { // outside of what was read
			return b.OneAct && (b.From.Sub(since) <= bulkGap || until.Sub(b.Until) <= bulkGap)
		}
		if err == nil && margin <= maxAct && slices.ContainsFunc(all, goesOn) {
			continue
		}
		return slices.DeleteFunc(all, func(b versions.Bulk) bool { return !large(b) || !b.InPieces() || goesOn(b) }), err
	}
}

// BulkOf returns the bulk that change n belongs to.
func BulkOf(ctx context.Context, s *core.Store, n int64) (versions.Bulk, error) {
	c, _, err := Change(ctx, s, n)
	if err != nil {
		return versions.Bulk{}, err
	}
	for since := c.Time; ; {
		all, err := BulksOf(ctx, s, since.Add(-bulkGap), time.Time{})
		if err != nil {
			return versions.Bulk{}, err
		}
		i := slices.IndexFunc(all, func(b versions.Bulk) bool { return b.UndoneBy == 0 && slices.Contains(b.Changes, n) })
		switch {
		case i < 0:
			return versions.Bulk{}, fmt.Errorf("undo change %d --bulk: %w", n, versions.ErrNoBulk)
		case !all[i].From.Before(since): // no part of it is older
			return all[i], nil
		}
		since = all[i].From
	}
}

// BulksOf groups the changes between two times by who made them and by what undid them. A zero time
// sets no limit.
func BulksOf(ctx context.Context, s *core.Store, since, until time.Time) (out []versions.Bulk, err error) {
	last := int64(math.MaxInt64)
	first, err := ChangesUntil(ctx, s, since.Add(-time.Microsecond))
	if err == nil && !until.IsZero() {
		last, err = ChangesUntil(ctx, s, until)
	}
	if err != nil {
		return nil, err
	}
	type maker struct {
		versions.By
		undoneBy int64
	}
	at := map[maker]int{} // the newest bulk of each
	var calls []string    // the call of each bulk in out
	var number int64
	var now time.Time
	var nVersions int
	var did versions.Effect
	var by maker
	var kind versions.ChangeKind
	var call string
	rows := s.Trail.DB.Rows(ctx, `SELECT c.number,c.ts,c.versions,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),c.kind,coalesce(`+tables.CallOf+`,''),
			CASE WHEN c.undone_by IS NULL THEN 0 WHEN `+tables.InEffect+` THEN 0 ELSE c.undone_by END,`+tables.EffectColumn+tables.ChangeTables+`
		WHERE c.store=? AND c.number>? AND c.number<=? AND c.number>(SELECT coalesce(began,0) FROM store WHERE id=c.store) AND a.kind<>'person' AND c.kind NOT IN ('undo','redo','undo_hunks','restore','import')
		ORDER BY c.number`, s.Row, first, last)
	for range rows.Each(&number, tables.TimeTo(&now), &nVersions, &by.Actor.Kind, &by.Actor.Name, &by.Actor.Title, &by.Session, &kind, &call, &by.undoneBy,
		tables.ParsedTo(&did, func(text string) (versions.Effect, error) { return tables.EffectOf(text, nVersions) })) {
		i, ok := at[by]
		if !ok || now.Sub(out[i].Until) > bulkGap {
			i = len(out)
			at[by], out = i, append(out, versions.Bulk{Actor: by.Actor, Session: by.Session, UndoneBy: by.undoneBy, From: now, OneAct: true})
			calls = append(calls, call)
		}
		b := &out[i]
		b.Changes, b.Until = append(b.Changes, number), now
		b.OneAct = b.OneAct && kind == versions.KindAdopt && call == calls[i]
		b.Versions, b.Effect = b.Versions+nVersions, b.Effect.Add(did)
		if did.Deleted > 0 {
			b.Deleting, b.Mixed = append(b.Deleting, number), b.Mixed || did.Deleted < nVersions
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return out, markLosses(ctx, s, out)
}
