package history

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// MomentOf returns the moment right after change n, or ErrNoChange when there is no such change.
func MomentOf(ctx context.Context, s *core.Store, n int64) (versions.Moment, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (versions.Moment, error) { return MomentIn(s, q, n) })
}

// MomentIn returns the moment right after change n.
func MomentIn(s *core.Store, q db.Queryer, n int64) (versions.Moment, error) {
	if err := checkKnown(s, q, n); err != nil {
		return versions.Moment{}, err
	}
	return changeAt(s, q, n)
}

// changeAt returns the moment right after change n, whether or not the state of the store at that
// moment is known.
func changeAt(s *core.Store, q db.Queryer, n int64) (versions.Moment, error) {
	if n == 0 {
		return versions.Moment{}, nil
	}
	m := versions.Moment{Change: n}
	if err := q.Row(`SELECT ts FROM change WHERE store=? AND number=?`, s.Row, n).Scan(tables.TimeTo(&m.Time)); err != nil {
		return versions.Moment{}, tables.NotFound(err, versions.ErrNoChange, fmt.Sprint(n))
	}
	return m, nil
}

// checkKnown returns an error when the state after change n is unknown, because not all memories
// found in the folder were recorded by then.
func checkKnown(s *core.Store, q db.Queryer, n int64) error {
	var began int64
	if err := q.Row(`SELECT coalesce(began,0) FROM store WHERE id=?`, s.Row).Scan(&began); err != nil {
		return err
	}
	if n >= began {
		return nil
	}
	first, err := changeAt(s, q, began)
	if err != nil {
		return err
	}
	return &versions.BeforeHistoryError{Store: s.Opened.Name, Change: began, Begins: first.Time}
}

// MomentAt returns the moment that t belongs to: right after the last change at or before t. It
// returns a BeforeHistoryError when t is before the known history.
func MomentAt(ctx context.Context, s *core.Store, t time.Time) (versions.Moment, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (versions.Moment, error) { return momentAt(s, q, t) })
}

func momentAt(s *core.Store, q tables.Reader, t time.Time) (versions.Moment, error) {
	n, err := changesUntil(s, q, t)
	if err != nil {
		return versions.Moment{}, err
	}
	if n == 0 && t.Before(s.Opened.Created) {
		begins := s.Opened.Created
		if first, err := changeAt(s, q, 1); err == nil && first.Time.Before(begins) { // the store was imported
			begins = first.Time
		}
		return versions.Moment{}, &versions.BeforeHistoryError{Store: s.Opened.Name, Begins: begins}
	}
	return MomentIn(s, q, n)
}

// changesUntil counts the changes at or before a time. A later change has a later time, whatever
// the clock showed, so a binary search finds them. When the clock was ahead by more than a day for
// a while, the changes after that have misleading times. For these, changesUntil uses what the
// clock showed, as long as that is not before the change ahead of them.
func changesUntil(s *core.Store, q tables.Reader, t time.Time) (int64, error) {
	var last int
	if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.Row).Scan(&last); err != nil {
		return 0, err
	}
	var failed error
	n := sort.Search(last, func(i int) bool {
		at, err := changeAt(s, q, int64(i)+1)
		if err != nil {
			failed = err
		}
		return at.Time.After(t)
	})
	if failed != nil || n == last {
		return int64(n), failed
	}
	before, err := changeAt(s, q, int64(n))
	if err != nil {
		return 0, err
	}
	from := int64(math.MinInt64)
	if n > 0 {
		from = before.Time.UnixMicro()
	}
	var later int64
	err = q.Row(`SELECT coalesce(max(number),0) FROM change WHERE store=? AND number>? AND wall<ts-86400000000 AND wall>=? AND wall<=?`,
		s.Row, n, from, t.UnixMicro()).Scan(&later)
	return max(int64(n), later), err
}

// ChangesUntil counts the changes at or before a time: later changes have higher numbers.
func ChangesUntil(ctx context.Context, s *core.Store, t time.Time) (int64, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (int64, error) { return changesUntil(s, q, t) })
}
