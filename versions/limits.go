package versions

import (
	"context"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Defaults of a store's limits. The first two are those of the memory-stores API (content
// of 0 to 102,400 bytes, at most 10,000 memories). Views are not cut by default, as in the
// memory tool's protocol.
const (
	DefaultBytes     = 102_400
	DefaultMemories  = 10_000
	DefaultViewChars = NoLimit
)

// NoLimit switches a limit off. What memend writes must still be smaller than the largest
// file that is versioned (DefaultMaxBytes).
const NoLimit = -1

// Limits bound what anyone writes into a store through memend, and what one view shows. A
// zero field means the default, and NoLimit no limit.
//
// They only stop growth: a memory over the limit may be made smaller, Restore and Undo may
// bring back earlier contents, and what other programs wrote is adopted unchanged.
type Limits struct {
	Bytes     int64 // maximum size of one memory
	Memories  int64 // maximum number of memories in the store
	ViewChars int64 // maximum size of one view by the memory tool
}

// Effective returns l with defaults for its zero fields.
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

// LimitError reports a write that exceeds a limit of the store. Nothing was written.
type LimitError struct {
	Store string
	Path  memfs.Path
	Bytes int64 // the size the memory would have; 0 if the store has too many memories
	Limit int64
}

func (e *LimitError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("write %s: it would have %d bytes, and a memory of store %s may have %d", e.Path.Tool(), e.Bytes, e.Store, e.Limit)
	}
	return fmt.Sprintf("create %s: store %s is full: it may hold %d memories", e.Path.Tool(), e.Store, e.Limit)
}

// result words the error for the model.
func (e *LimitError) result(c memfs.Command) memfs.Result {
	if e.Bytes > 0 {
		return memfs.TooLong(c, e.Bytes, e.Limit)
	}
	return memfs.Full(c, e.Limit)
}

// SetLimits sets all limits of a store. A running process applies them to writes at once
// and to views within a second.
func (t *Trail) SetLimits(ctx context.Context, by By, id StoreID, l Limits) error {
	if err := t.mayAdminister(ctx, by, id, "settings"); err != nil {
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

// The tables store NULL for a default and 0 for no limit.

func limitColumn(n int64) any {
	switch n {
	case 0:
		return nil
	case NoLimit:
		return 0
	}
	return n
}

func limitOf(n int64) (int64, error) {
	if n == 0 {
		return NoLimit, nil
	}
	return n, nil
}

const limitColumns = `max_bytes,max_memories,view_chars`

// columns are the destinations of the limitColumns.
func (l *Limits) columns() []any {
	return []any{parsedTo(&l.Bytes, limitOf), parsedTo(&l.Memories, limitOf), parsedTo(&l.ViewChars, limitOf)}
}

// withinLimits rejects a plan that would make a memory too large or add one too many.
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

// limitsNow returns the current limits. Its size limit is always set: a larger file can't
// be a memory.
func (s *Store) limitsNow(q db.Queryer) (Limits, error) {
	var l Limits
	if err := q.Row(`SELECT `+limitColumns+` FROM store WHERE id=?`, s.id).Scan(l.columns()...); err != nil {
		return Limits{}, err
	}
	l = l.Effective()
	if l.Bytes == NoLimit || l.Bytes > s.t.maxBytes {
		l.Bytes = s.t.maxBytes
	}
	return l, nil
}

// versionable reports whether a file of this size can be a version. It is the only rule about the size
// of files: scans, writes, deletions, undo and restore follow it.
func (s *Store) versionable(size int64) bool { return size <= s.t.maxBytes }

// TooBigError reports that a mutation would replace or delete a file that is too large to be
// versioned: no undo could bring it back. Nothing was written.
type TooBigError struct {
	Path  memfs.Path
	Limit int64
}

func (e *TooBigError) Error() string {
	return e.Path.Tool() + ": " + e.why()
}

func (e *TooBigError) why() string {
	return fmt.Sprintf("it is over %s and has no version: %v", sizeText(e.Limit), ErrNotUndoable)
}

// sizeText words a limit for people.
func sizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprint(n, " bytes")
	}
	return fmt.Sprint(n>>20, " MiB")
}

// Unwrap returns the causes of e.
func (e *TooBigError) Unwrap() []error { return []error{memfs.ErrTooBig, ErrNotUndoable} }

// counted is an upper bound for the number of memories after a change.
type counted struct{ change, atMost int64 }

// roomFor reports whether the store has room for more memories. Counting reads all heads,
// so roomFor keeps a count and adds what changes made since; it counts again only when
// that bound reaches the limit.
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
	if len(x.adopted) == 0 { // otherwise this transaction may still be dropped, and its count with it
		s.mu.Lock()
		s.counted = now
		s.mu.Unlock()
	}
	return now.atMost+more <= limit, nil
}

// limitsSeen are the limits for views, as last read.
type limitsSeen struct {
	limits Limits
	at     time.Time
	since  int64 // Trail.settings at that time
}

// limitsAge is how long views use the limits that were last read: reading them each time
// would cost half as much as a small view.
const limitsAge = time.Second

// viewChars returns the limit of views; 0 means none.
func (s *Store) viewChars(ctx context.Context) (int, error) {
	s.mu.RLock()
	seen := s.limitsSeen
	s.mu.RUnlock()
	if set := s.t.settings.Load(); seen.at.IsZero() || seen.since != set || time.Since(seen.at) > limitsAge {
		var l Limits
		if err := s.t.db.Row(ctx, `SELECT `+limitColumns+` FROM store WHERE id=?`, s.id).Scan(l.columns()...); err != nil {
			return 0, err
		}
		seen = limitsSeen{l.Effective(), time.Now(), set}
		s.mu.Lock()
		s.limitsSeen = seen
		s.mu.Unlock()
	}
	return int(max(seen.limits.ViewChars, 0)), nil
}
