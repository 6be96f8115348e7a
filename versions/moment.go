package versions

import (
	"context"
	"fmt"
	"sort"
	"time"
)

// Moment is a point of a store's past: how everything was right after a change.
type Moment struct {
	Change int64     // 0 is before the first change, when there was nothing
	Time   time.Time // of the change; zero for 0
}

// MomentOf is the moment right after change n; ErrNoChange when there is none.
func (s *Store) MomentOf(ctx context.Context, n int64) (m Moment, err error) {
	err = s.t.view(ctx, func(q reader) error {
		m, err = s.momentOf(q, n)
		return err
	})
	return m, err
}

func (s *Store) momentOf(q reader, n int64) (Moment, error) {
	if n == 0 {
		return Moment{}, nil
	}
	var ts int64
	if err := q.row(`SELECT ts FROM change WHERE store=? AND number=?`, s.id, n).Scan(&ts); err != nil {
		return Moment{}, notFound(err, ErrNoChange, fmt.Sprint(n))
	}
	return Moment{n, fromMicros(ts)}, nil
}

// MomentAt is the moment that t fell in: right after the last change at t or
// before it. What the clock did meanwhile does not matter: a later change has a
// later time, so the change is found by halving, not by looking at all.
func (s *Store) MomentAt(ctx context.Context, t time.Time) (m Moment, err error) {
	err = s.t.view(ctx, func(q reader) error {
		m, err = s.momentAt(q, t)
		return err
	})
	return m, err
}

func (s *Store) momentAt(q reader, t time.Time) (Moment, error) {
	var last int
	if err := q.row(`SELECT changes FROM store WHERE id=?`, s.id).Scan(&last); err != nil {
		return Moment{}, err
	}
	var failed error
	n := sort.Search(last, func(i int) bool { // how many changes are not after t
		at, err := s.momentOf(q, int64(i)+1)
		if err != nil {
			failed = err
		}
		return at.Time.After(t)
	})
	if failed != nil {
		return Moment{}, failed
	}
	return s.momentOf(q, int64(n))
}
