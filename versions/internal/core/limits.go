package core

import (
	"context"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// WithinLimits rejects a plan that would make a memory too large or add one too many.
func (d *Mutation) WithinLimits(p memfs.Plan) error {
	puts, fresh, first := 0, int64(0), memfs.Path{}
	for _, op := range p.Ops {
		if op.Kind != memfs.OpPut {
			continue
		}
		puts++
		if op.MustBeNew {
			if fresh++; fresh == 1 {
				first = op.Path
			}
		}
	}
	if puts == 0 {
		return nil
	}
	l, err := LimitsNow(d.Txn.Store, d.Txn)
	if err != nil {
		return err
	}
	for _, op := range p.Ops {
		size := int64(len(op.Content))
		if op.Kind == memfs.OpPut && size > l.Bytes && size > op.Was.Sig.Size {
			return &versions.LimitError{Store: d.Txn.Store.Opened.Name, Path: op.Path, Bytes: size, Limit: l.Bytes}
		}
	}
	if fresh == 0 || l.Memories == versions.NoLimit {
		return nil
	}
	room, err := d.Txn.roomFor(fresh, l.Memories)
	if err == nil && !room {
		err = &versions.LimitError{Store: d.Txn.Store.Opened.Name, Path: first, Limit: l.Memories}
	}
	return err
}

// LimitsNow returns the current limits. Its size limit is always set: a larger file can't
// be a memory.
func LimitsNow(s *Store, q db.Queryer) (versions.Limits, error) {
	var l versions.Limits
	if err := q.Row(`SELECT `+tables.LimitColumns+` FROM store WHERE id=?`, s.Row).Scan(tables.LimitsTo(&l)...); err != nil {
		return versions.Limits{}, err
	}
	l = l.Effective()
	if l.Bytes == versions.NoLimit || l.Bytes > s.Trail.MaxBytes {
		l.Bytes = s.Trail.MaxBytes
	}
	return l, nil
}

// Versionable reports whether a file of this size can be a version. It is the only rule about the size
// of files: scans, writes, deletions, undo and restore follow it.
func Versionable(s *Store, size int64) bool { return size <= s.Trail.MaxBytes }

// counted is an upper bound for the number of memories after a change.
type counted struct{ change, atMost int64 }

// roomFor reports whether the store has room for more memories. Counting reads all heads,
// so roomFor keeps a count and adds what changes made since; it counts again only when
// that bound reaches the limit.
func (x *Txn) roomFor(more, limit int64) (bool, error) {
	s := x.Store
	s.Mu.RLock()
	now := s.counted
	s.Mu.RUnlock()
	if now != (counted{}) {
		err := x.Row(`SELECT changes, ?3+(SELECT coalesce(sum(versions),0) FROM change WHERE store=?1 AND number>?2) FROM store WHERE id=?1`,
			s.Row, now.change, now.atMost).Scan(&now.change, &now.atMost)
		if err != nil {
			return false, err
		}
	}
	if now == (counted{}) || now.atMost+more > limit {
		err := x.Row(`SELECT changes, (SELECT count(*) FROM head WHERE store=?1) FROM store WHERE id=?1`, s.Row).Scan(&now.change, &now.atMost)
		if err != nil {
			return false, err
		}
	}
	if len(x.adopted) == 0 { // otherwise this transaction may still be dropped, and its count with it
		s.Mu.Lock()
		s.counted = now
		s.Mu.Unlock()
	}
	return now.atMost+more <= limit, nil
}

// limitsSeen are the limits for views, as last read.
type limitsSeen struct {
	limits versions.Limits
	at     time.Time
	since  int64 // Trail.settings at that time
}

// limitsAge is how long views use the limits that were last read: reading them each time
// would cost half as much as a small view.
const limitsAge = time.Second

// viewChars returns the limit of views; 0 means none.
func (s *Store) viewChars(ctx context.Context) (int, error) {
	s.Mu.RLock()
	seen := s.limitsSeen
	s.Mu.RUnlock()
	if set := s.Trail.Settings.Load(); seen.at.IsZero() || seen.since != set || time.Since(seen.at) > limitsAge {
		var l versions.Limits
		if err := s.Trail.DB.Row(ctx, `SELECT `+tables.LimitColumns+` FROM store WHERE id=?`, s.Row).Scan(tables.LimitsTo(&l)...); err != nil {
			return 0, err
		}
		seen = limitsSeen{l.Effective(), time.Now(), set}
		s.Mu.Lock()
		s.limitsSeen = seen
		s.Mu.Unlock()
	}
	return int(max(seen.limits.ViewChars, 0)), nil
}

// MaxContent is the largest content of a trail: earlier releases kept versions of files up to this size.
const MaxContent = 256 << 20
