package versions

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// The defaults of a store's limits. The first two are those of the memory-stores
// API (content of 0 to 102,400 bytes, at most 10,000 memories); the protocol of the
// memory tool cuts no view.
const (
	DefaultBytes     = 102_400
	DefaultMemories  = 10_000
	DefaultViewChars = NoLimit
)

// NoLimit switches a limit off. What is written through memend then still has to
// stay below the size up to which files are versioned (DefaultMaxBytes).
const NoLimit = -1

// Limits bound what is written into a store through memend, whoever writes it,
// and what one view shows. A zero field is the default, NoLimit is none.
//
// They stop growth and nothing else: a memory that is over may be made smaller,
// what was there may come back (Restore, Undo), and what other programs wrote is
// adopted as it is.
type Limits struct {
	Bytes     int64 // of one memory
	Memories  int64 // in the store
	ViewChars int64 // of one view by the memory tool
}

// Effective is l with the defaults for what it leaves open.
func (l Limits) Effective() Limits {
	for _, f := range []struct {
		field *int64
		def   int64
	}{{&l.Bytes, DefaultBytes}, {&l.Memories, DefaultMemories}, {&l.ViewChars, DefaultViewChars}} {
		if *f.field == 0 {
			*f.field = f.def
		}
	}
	return l
}

// LimitError is a write that a limit of the store refuses. Nothing was written.
type LimitError struct {
	Store string
	Path  memfs.Path
	Bytes int64 // that the memory would have; 0 when the store holds too many
	Limit int64
}

func (e *LimitError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("write %s: it would have %d bytes, and a memory of store %s may have %d", e.Path.Tool(), e.Bytes, e.Store, e.Limit)
	}
	return fmt.Sprintf("create %s: store %s is full: it may hold %d memories", e.Path.Tool(), e.Store, e.Limit)
}

// result words the refusal for the model.
func (e *LimitError) result(c memfs.Command) memfs.Result {
	if e.Bytes > 0 {
		return memfs.TooLong(c, e.Bytes, e.Limit)
	}
	return memfs.Full(c, e.Limit)
}

// SetLimits sets all limits of a store. A running process holds views to the new
// ones within a second, and writes at once.
func (t *Trail) SetLimits(ctx context.Context, by By, id StoreID, l Limits) error {
	if err := t.MayAdminister(ctx, by); err != nil {
		return err
	}
	if min(l.Bytes, l.Memories, l.ViewChars) < NoLimit {
		return fmt.Errorf("limits of store: %w: a limit is a number above 0, or none", ErrInvalid)
	}
	info, _, err := t.storeByID(ctx, id)
	if err != nil {
		return err
	}
	if !info.Archived.IsZero() {
		return fmt.Errorf("limits of store %s: %w", info.Name, ErrArchived)
	}
	defer t.settings.Add(1)
	return t.update(ctx, `UPDATE store SET max_bytes=?, max_memories=?, view_chars=?, updated=? WHERE uid=?`,
		limitColumn(l.Bytes), limitColumn(l.Memories), limitColumn(l.ViewChars), t.now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}

// The tables hold NULL for a default and 0 for none.

func limitColumn(n int64) any {
	switch n {
	case 0:
		return nil
	case NoLimit:
		return 0
	}
	return n
}

func limitOf(n sql.NullInt64) int64 {
	switch {
	case !n.Valid:
		return 0
	case n.Int64 == 0:
		return NoLimit
	}
	return n.Int64
}

const limitColumns = `max_bytes,max_memories,view_chars`

// limitScan takes the limitColumns of a row.
type limitScan [3]sql.NullInt64

func (s *limitScan) limits() Limits { return Limits{limitOf(s[0]), limitOf(s[1]), limitOf(s[2])} }

// withinLimits refuses the plan that would make a memory too large or one too many.
func (d *mutation) withinLimits(p memfs.Plan) error {
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
	l, err := d.x.s.limitsNow(d.x)
	if err != nil {
		return err
	}
	for _, op := range p.Ops {
		size := int64(len(op.Content))
		if op.Kind == memfs.OpPut && size > l.Bytes && size > op.Was.Sig.Size {
			return &LimitError{d.x.s.info.Name, op.Path, size, l.Bytes}
		}
	}
	if fresh == 0 || l.Memories == NoLimit {
		return nil
	}
	room, err := d.x.roomFor(fresh, l.Memories)
	if err == nil && !room {
		err = &LimitError{Store: d.x.s.info.Name, Path: first, Limit: l.Memories}
	}
	return err
}

// limitsNow are the limits as they stand, with a size that always is one: above it a
// file is no memory.
func (s *Store) limitsNow(q db.Queryer) (Limits, error) {
	var raw limitScan
	if err := q.Row(`SELECT `+limitColumns+` FROM store WHERE id=?`, s.id).Scan(&raw[0], &raw[1], &raw[2]); err != nil {
		return Limits{}, err
	}
	l := raw.limits().Effective()
	if l.Bytes == NoLimit || l.Bytes > s.t.maxBytes {
		l.Bytes = s.t.maxBytes
	}
	return l, nil
}

// counted is a bound of the number of memories after a change: as many or fewer.
type counted struct{ change, atMost int64 }

// roomFor reports whether the store may get so many memories more. Counting them
// is a walk over all heads, so a count is kept, and what changes made since is
// added to it; only when that bound reaches the limit they are counted again.
func (x *txn) roomFor(more, limit int64) (bool, error) {
	s := x.s
	s.mu.RLock()
	now := s.counted
	s.mu.RUnlock()
	if now != (counted{}) {
		err := x.Row(`SELECT changes, ?3+(SELECT coalesce(sum(versions),0) FROM change WHERE store=?1 AND number>?2) FROM store WHERE id=?1`,
			s.id, now.change, now.atMost).Scan(&now.change, &now.atMost)
		if err != nil {
			return false, err
		}
	}
	if now == (counted{}) || now.atMost+more > limit {
		err := x.Row(`SELECT changes, (SELECT count(*) FROM head WHERE store=?1) FROM store WHERE id=?1`, s.id).Scan(&now.change, &now.atMost)
		if err != nil {
			return false, err
		}
	}
	if len(x.adopted) == 0 { // else this transaction may yet be dropped, and its count would be of nothing
		s.mu.Lock()
		s.counted = now
		s.mu.Unlock()
	}
	return now.atMost+more <= limit, nil
}

// limitsSeen are the limits that views are held to, as they were read last.
type limitsSeen struct {
	limits Limits
	at     time.Time
	since  int64 // Trail.settings then
}

// limitsAge is how long a view trusts the limits that were read last: reading
// them each time would cost half as much as a small view.
const limitsAge = time.Second

// viewChars is the limit of views, 0 for none.
func (s *Store) viewChars(ctx context.Context) (int, error) {
	s.mu.RLock()
	seen := s.limitsSeen
	s.mu.RUnlock()
	if set := s.t.settings.Load(); seen.at.IsZero() || seen.since != set || time.Since(seen.at) > limitsAge {
		var raw limitScan
		if err := s.t.get(ctx, `SELECT `+limitColumns+` FROM store WHERE id=?`, []any{s.id}, &raw[0], &raw[1], &raw[2]); err != nil {
			return 0, err
		}
		seen = limitsSeen{raw.limits().Effective(), time.Now(), set}
		s.mu.Lock()
		s.limitsSeen = seen
		s.mu.Unlock()
	}
	return int(max(seen.limits.ViewChars, 0)), nil
}
