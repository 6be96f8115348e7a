package versions

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// What a person looked at is no part of the history: it is written without an
// fsync, makes no change, is not exported, and is lost with a trail that is lost.
// It names memories by their ids and changes by their numbers, which a redaction
// leaves standing.

// Look is how people stand to one memory.
type Look struct {
	Seen   int64 // its changes up to this one were looked at
	Pinned bool
}

// Looks is what was looked at in a store.
type Looks struct {
	Begun  bool  // false while nobody ever looked: then nothing is news
	Seen   int64 // all changes up to this one count as looked at
	Of     map[MemoryID]Look
	Ledger time.Time // of the oldest read that the ledger has of this store; zero: none
}

// News reports whether an entry changed since it was looked at.
func (l *Looks) News(e *Entry) bool {
	return l.Begun && e.Kind == Memory && e.Change > max(l.Seen, l.Of[e.Memory].Seen)
}

// Looks tells what was looked at, of memories that were deleted since too: that they
// were may be news. Those have no pin.
func (s *Store) Looks(ctx context.Context) (*Looks, error) {
	l := &Looks{Of: map[MemoryID]Look{}}
	err := s.t.view(ctx, func(q reader) error {
		var seen, first sql.NullInt64
		if err := q.row(`SELECT looked, (SELECT ts FROM read WHERE store=?1 ORDER BY id LIMIT 1) FROM store WHERE id=?1`, s.id).Scan(&seen, &first); err != nil {
			return notFound(err, ErrNoStore, string(s.info.ID))
		}
		l.Begun, l.Seen = seen.Valid, seen.Int64
		if first.Valid {
			l.Ledger = fromMicros(first.Int64)
		}
		rows, err := q.rows(`SELECT m.uid, l.seen, l.pinned AND h.memory IS NOT NULL
			FROM look l JOIN memory m ON m.id=l.memory LEFT JOIN head h ON h.memory=l.memory WHERE l.store=?`, s.id)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var uid sql.RawBytes
			var k Look
			if err := rows.Scan(&uid, &k.Seen, &k.Pinned); err != nil {
				return err
			}
			l.Of[MemoryID(formatUID(memoryPrefix, uid))] = k
		}
		return rows.Err()
	})
	return l, err
}

// See notes that memories were looked at, each as of a change: all in one commit,
// which may be lost with the power. What was seen later stays seen.
func (s *Store) See(ctx context.Context, seen map[MemoryID]int64) error {
	return s.noteLook(ctx, func(x *txn) error {
		for m, change := range seen {
			if err := x.exec(`INSERT INTO look(memory,store,seen) SELECT id,store,?3 FROM memory WHERE uid=?1 AND store=?2
				ON CONFLICT(memory) DO UPDATE SET seen=max(seen,excluded.seen)`, parseUID(memoryPrefix, string(m)), s.id, change); err != nil {
				return err
			}
		}
		return nil
	})
}

// SeeAll notes that everything up to a change was looked at.
func (s *Store) SeeAll(ctx context.Context, change int64) error {
	return s.noteLook(ctx, func(x *txn) error {
		if err := x.exec(`UPDATE store SET looked=max(coalesce(looked,0),?2) WHERE id=?1`, s.id, change); err != nil {
			return err
		}
		return x.exec(`DELETE FROM look WHERE store=?1 AND pinned=0 AND seen<=(SELECT looked FROM store WHERE id=?1)`, s.id)
	})
}

// Pin marks memories as worth finding again, or no longer.
func (s *Store) Pin(ctx context.Context, pinned bool, memories ...MemoryID) error {
	return s.noteLook(ctx, func(x *txn) error {
		for _, m := range memories {
			if err := x.exec(`INSERT INTO look(memory,store,pinned) SELECT id,store,?3 FROM memory WHERE uid=?1 AND store=?2
				ON CONFLICT(memory) DO UPDATE SET pinned=excluded.pinned`, parseUID(memoryPrefix, string(m)), s.id, pinned); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxView bounds what is kept of how a store was shown.
const maxView = 64 << 10

// View is what SetView kept last; empty when there is nothing.
func (s *Store) View(ctx context.Context) (view []byte, err error) {
	err = s.t.get(ctx, `SELECT view FROM store WHERE id=?`, []any{s.id}, &view)
	return view, notFound(err, ErrNoStore, string(s.info.ID))
}

// SetView keeps how the screens show the store, for the next time. It may hold
// ids and numbers but no content and no path, and goes with every redaction.
func (s *Store) SetView(ctx context.Context, view []byte) error {
	if len(view) > maxView {
		return fmt.Errorf("keep the view of store %s: %w: %d bytes, there may be %d", s.info.Name, ErrInvalid, len(view), maxView)
	}
	return s.noteLook(ctx, func(x *txn) error {
		return x.exec(`UPDATE store SET view=? WHERE id=?`, view, s.id)
	})
}

// noteLook writes what is nobody's history.
func (s *Store) noteLook(ctx context.Context, write func(*txn) error) error {
	unlock, err := s.t.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := s.beginLax(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	if err := write(x); err != nil {
		return err
	}
	return x.commit()
}
