package versions

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/memend/memend/versions/db"
)

// Moment is a point in a store's past: the state right after a change.
type Moment struct {
	Change int64     // 0 is before the first change, when the store was empty
	Time   time.Time // time of the change; zero for 0
}

// MomentOf returns the moment right after change n, or ErrNoChange when there is no such change.
func (s *Store) MomentOf(ctx context.Context, n int64) (m Moment, err error) {
	err = s.t.view(ctx, func(q reader) error {
		m, err = s.momentOf(q, n)
		return err
	})
	return m, err
}

func (s *Store) momentOf(q db.Queryer, n int64) (Moment, error) {
	if err := s.checkKnown(q, n); err != nil {
		return Moment{}, err
	}
	return s.changeAt(q, n)
}

// changeAt returns the moment right after change n, whether or not the state of the store at that
// moment is known.
func (s *Store) changeAt(q db.Queryer, n int64) (Moment, error) {
	if n == 0 {
		return Moment{}, nil
	}
	m := Moment{Change: n}
	if err := q.Row(`SELECT ts FROM change WHERE store=? AND number=?`, s.id, n).Scan(timeTo(&m.Time)); err != nil {
		return Moment{}, notFound(err, ErrNoChange, fmt.Sprint(n))
	}
	return m, nil
}

// BeforeHistoryError means that a moment is before the start of a store's history. An empty trail
// does not show that there were no memories then.
type BeforeHistoryError struct {
	Store  string
	Change int64     // number of the first change with a known state; 0: there is none
	Begins time.Time // time of that change, or when the store was created
}

func (e *BeforeHistoryError) Error() string {
	when := e.Begins.Local().Format("2006-01-02 15:04:05")
	if e.Change > 1 {
		return fmt.Sprintf("the history of store %s is complete only from change %d at %s on; not everything is known from before", e.Store, e.Change, when)
	}
	return fmt.Sprintf("the history of store %s begins at %s; nothing is known from before", e.Store, when)
}

// checkKnown returns an error when the state after change n is unknown, because not all memories
// found in the folder were recorded by then.
func (s *Store) checkKnown(q db.Queryer, n int64) error {
	var began int64
	if err := q.Row(`SELECT coalesce(began,0) FROM store WHERE id=?`, s.id).Scan(&began); err != nil {
		return err
	}
	if n >= began {
		return nil
	}
	first, err := s.changeAt(q, began)
	if err != nil {
		return err
	}
	return &BeforeHistoryError{s.info.Name, began, first.Time}
}

// MomentAt returns the moment that t belongs to: right after the last change at or before t. It
// returns a BeforeHistoryError when t is before the known history.
func (s *Store) MomentAt(ctx context.Context, t time.Time) (m Moment, err error) {
	err = s.t.view(ctx, func(q reader) error {
		m, err = s.momentAt(q, t)
		return err
	})
	return m, err
}

func (s *Store) momentAt(q reader, t time.Time) (Moment, error) {
	n, err := s.changesUntil(q, t)
	if err != nil {
		return Moment{}, err
	}
	if n == 0 && t.Before(s.info.Created) {
		begins := s.info.Created
		if first, err := s.changeAt(q, 1); err == nil && first.Time.Before(begins) { // the store was imported
			begins = first.Time
		}
		return Moment{}, &BeforeHistoryError{Store: s.info.Name, Begins: begins}
	}
	return s.momentOf(q, n)
}

// changesUntil counts the changes at or before a time. A later change has a later time, whatever
// the clock showed, so a binary search finds them. When the clock was ahead by more than a day for
// a while, the changes after that have misleading times. For these, changesUntil uses what the
// clock showed, as long as that is not before the change ahead of them.
func (s *Store) changesUntil(q reader, t time.Time) (int64, error) {
	var last int
	if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.id).Scan(&last); err != nil {
		return 0, err
	}
	var failed error
	n := sort.Search(last, func(i int) bool {
		at, err := s.changeAt(q, int64(i)+1)
		if err != nil {
			failed = err
		}
		return at.Time.After(t)
	})
	if failed != nil || n == last {
		return int64(n), failed
	}
	before, err := s.changeAt(q, int64(n))
	if err != nil {
		return 0, err
	}
	from := int64(math.MinInt64)
	if n > 0 {
		from = before.Time.UnixMicro()
	}
	var later int64
	err = q.Row(`SELECT coalesce(max(number),0) FROM change WHERE store=? AND number>? AND wall<ts-86400000000 AND wall>=? AND wall<=?`,
		s.id, n, from, t.UnixMicro()).Scan(&later)
	return max(int64(n), later), err
}

// ChangesUntil counts the changes at or before a time: later changes have higher numbers.
func (s *Store) ChangesUntil(ctx context.Context, t time.Time) (n int64, err error) {
	err = s.t.view(ctx, func(q reader) error {
		n, err = s.changesUntil(q, t)
		return err
	})
	return n, err
}
