package versions

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Bulk is what one program did to many memories at once: an agent that consolidates its notes, or a
// script that removes them. It may be several changes, because outside changes are recorded as they
// are detected. These are undone together.
type Bulk struct {
	Changes  []int64 // oldest first
	Actor    Actor
	Session  SessionID
	Versions int
	Effect         // of all of them together
	Loss     bool  // it is a mass deletion: somebody should be notified
	OneAct   bool  // all of it was found in the folder, and all of its changes are of one call
	UndoneBy int64 // the change that undid all of it; 0 while it is in effect
	From     time.Time
	Until    time.Time
}

// inPieces reports whether it is several changes only because a watcher recorded it while it went
// on.
func (b Bulk) inPieces() bool { return b.OneAct && len(b.Changes) > 1 }

// These define a bulk: the longest time between two of its changes, and how many memories make it one.
const (
	bulkGap      = time.Minute
	bulkVersions = 10
)

// Loss says how many memories a bulk deletes to be a mass deletion: so many, or such a part of the store.
type Loss struct {
	Memories int // at least 1
	Percent  int // of the memories of the store; fewer than leastLoss are never a mass deletion by their part
}

// DefaultLoss is the mass deletion if the options name none.
var DefaultLoss = Loss{Memories: 20, Percent: 25}

const leastLoss = 3

// by reports whether so many deletions are a mass deletion in a store that had so many memories.
func (l Loss) by(deleted, had int) bool {
	return deleted >= l.Memories || deleted >= leastLoss && deleted*100 >= had*l.Percent
}

// markLosses sets which bulks are mass deletions. The memories that the store had are those that it has now and those
// that the bulk deleted.
func (s *Store) markLosses(ctx context.Context, bulks []Bulk) error {
	if !slices.ContainsFunc(bulks, func(b Bulk) bool { return b.Deleted > 0 }) {
		return nil
	}
	var now int
	if err := s.t.db.Row(ctx, `SELECT count(*) FROM head WHERE store=?`, s.id).Scan(&now); err != nil {
		return err
	}
	loss := s.t.loss()
	for i := range bulks {
		had := now
		if bulks[i].UndoneBy == 0 {
			had += bulks[i].Deleted
		}
		bulks[i].Loss = loss.by(bulks[i].Deleted, had)
	}
	return nil
}

// First returns the number of its oldest change.
func (b Bulk) First() int64 { return b.Changes[0] }

// Last returns the number of its newest change.
func (b Bulk) Last() int64 { return b.Changes[len(b.Changes)-1] }

// Bulks lists the bulks since a time that were not undone, oldest first. It leaves out changes by
// people.
func (s *Store) Bulks(ctx context.Context, since time.Time) ([]Bulk, error) {
	all, err := s.bulks(ctx, since.Add(-bulkGap), time.Time{})
	var out []Bulk
	for _, b := range all {
		if b.large() && b.UndoneBy == 0 && !b.Until.Before(since) {
			out = append(out, b)
		}
	}
	return out, err
}

// large reports whether it has too many versions to review one by one.
func (b Bulk) large() bool { return b.Versions >= bulkVersions || b.Loss }

// maxAct is how far Acts looks for the ends of a bulk. What goes on for longer, such as the work of
// a program that never stops writing, is not one act.
const maxAct = time.Hour

// Acts lists the bulks that a watcher recorded in pieces and that include a change from oldest to
// newest, both inclusive, oldest first. It includes bulks that were undone as a whole. A list of
// changes shows each bulk as one.
func (s *Store) Acts(ctx context.Context, oldest, newest Change) ([]Bulk, error) {
	for margin := 2 * bulkGap; ; margin *= 2 {
		since, until := oldest.Time.Add(-margin), newest.Time.Add(margin)
		all, err := s.bulks(ctx, since, until)
		all = slices.DeleteFunc(all, func(b Bulk) bool { return b.Until.Before(oldest.Time) || b.From.After(newest.Time) })
		goesOn := func(b Bulk) bool { // outside of what was read
			return b.OneAct && (b.From.Sub(since) <= bulkGap || until.Sub(b.Until) <= bulkGap)
		}
		if err == nil && margin <= maxAct && slices.ContainsFunc(all, goesOn) {
			continue
		}
		return slices.DeleteFunc(all, func(b Bulk) bool { return !b.large() || !b.inPieces() || goesOn(b) }), err
	}
}

// BulkOf returns the bulk that change n belongs to.
func (s *Store) BulkOf(ctx context.Context, n int64) (Bulk, error) {
	c, _, err := s.Change(ctx, n)
	if err != nil {
		return Bulk{}, err
	}
	for since := c.Time; ; {
		all, err := s.bulks(ctx, since.Add(-bulkGap), time.Time{})
		if err != nil {
			return Bulk{}, err
		}
		i := slices.IndexFunc(all, func(b Bulk) bool { return b.UndoneBy == 0 && slices.Contains(b.Changes, n) })
		switch {
		case i < 0:
			return Bulk{}, fmt.Errorf("change %d: %w: another program must have made it, and it must stand", n, ErrNothing)
		case !all[i].From.Before(since): // no part of it is older
			return all[i], nil
		}
		since = all[i].From
	}
}

// bulks groups the changes between two times by who made them and by what undid them. A zero time
// sets no limit.
func (s *Store) bulks(ctx context.Context, since, until time.Time) (out []Bulk, err error) {
	last := int64(math.MaxInt64)
	first, err := s.ChangesUntil(ctx, since.Add(-time.Microsecond))
	if err == nil && !until.IsZero() {
		last, err = s.ChangesUntil(ctx, until)
	}
	if err != nil {
		return nil, err
	}
	type maker struct {
		By
		undoneBy int64
	}
	at := map[maker]int{} // the newest bulk of each
	var calls []string    // the call of each bulk in out
	var number int64
	var now time.Time
	var nVersions int
	var did Effect
	var by maker
	var kind ChangeKind
	var call string
	rows := s.t.db.Rows(ctx, `SELECT c.number,c.ts,c.versions,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),c.kind,coalesce(`+callOf+`,''),
			CASE WHEN c.undone_by IS NULL THEN 0 WHEN `+inEffect+` THEN 0 ELSE c.undone_by END,`+effectColumn+changeTables+`
		WHERE c.store=? AND c.number>? AND c.number<=? AND c.number>(SELECT coalesce(began,0) FROM store WHERE id=c.store) AND a.kind<>'person' AND c.kind NOT IN ('undo','redo','restore','import')
		ORDER BY c.number`, s.id, first, last)
	for range rows.Each(&number, timeTo(&now), &nVersions, &by.Actor.Kind, &by.Actor.Name, &by.Actor.Title, &by.Session, &kind, &call, &by.undoneBy,
		parsedTo(&did, func(text string) (Effect, error) { return effectOf(text, nVersions) })) {
		i, ok := at[by]
		if !ok || now.Sub(out[i].Until) > bulkGap {
			i = len(out)
			at[by], out = i, append(out, Bulk{Actor: by.Actor, Session: by.Session, UndoneBy: by.undoneBy, From: now, OneAct: true})
			calls = append(calls, call)
		}
		b := &out[i]
		b.Changes, b.Until = append(b.Changes, number), now
		b.OneAct = b.OneAct && kind == KindAdopt && call == calls[i]
		b.Versions, b.Effect = b.Versions+nVersions, b.Effect.Add(did)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return out, s.markLosses(ctx, out)
}
