package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/versions/ids"
)

// What a person has reviewed is not part of the history: it is written without an fsync, is not a
// change, is not exported, and is lost with the trail. It refers to memories by id and to changes
// by number, and a redaction leaves both unchanged. A memory is reviewed only when a person marks
// it. Viewing it is not enough.

// ReviewState is a person's review state of a store.
type ReviewState struct {
	Begun    bool               // false before the first review of the store: then nothing counts as unreviewed
	Reviewed int64              // all changes up to this one are reviewed
	Of       map[MemoryID]int64 // the change up to which a memory is reviewed besides
	Ledger   time.Time          // time of the oldest read in the ledger of this store; zero: none
}

// UpTo returns the change up to which a memory is reviewed.
func (l *ReviewState) UpTo(m MemoryID) int64 { return max(l.Reviewed, l.Of[m]) }

// IsUnreviewed reports whether a change of a memory was made after its last review.
func (l *ReviewState) IsUnreviewed(m MemoryID, change int64) bool {
	return l.Begun && change > l.UpTo(m)
}

// ReviewState returns the review state of all memories, including memories that were deleted since, whose
// deletion may need a review.
func (s *Store) ReviewState(ctx context.Context) (*ReviewState, error) {
	l := &ReviewState{Of: map[MemoryID]int64{}}
	err := s.t.view(ctx, func(q reader) error {
		var seen, first sql.NullInt64
		if err := q.Row(`SELECT looked, (SELECT ts FROM read WHERE store=?1 ORDER BY id LIMIT 1) FROM store WHERE id=?1`, s.id).Scan(&seen, &first); err != nil {
			return notFound(err, ErrNoStore, string(s.info.ID))
		}
		l.Begun, l.Reviewed = seen.Valid, seen.Int64
		if first.Valid {
			l.Ledger = fromMicros(first.Int64)
		}
		for row, err := range q.Each(`SELECT m.uid, l.seen FROM look l JOIN memory m ON m.id=l.memory WHERE l.store=?`, s.id) {
			if err != nil {
				return err
			}
			var uid sql.RawBytes
			var upTo int64
			if err := row.Scan(&uid, &upTo); err != nil {
				return err
			}
			l.Of[MemoryID(ids.Format(ids.MemoryPrefix, uid))] = upTo
		}
		return nil
	})
	return l, err
}

// UnreviewedDeletions counts the memories that actors other than me deleted after their last review
// and that were not restored. It is 0 before the first review of the store.
func (s *Store) UnreviewedDeletions(ctx context.Context, me Actor) (n int, err error) {
	err = s.t.db.Row(ctx, `SELECT count(DISTINCT v.memory) FROM store st JOIN change c ON c.store=st.id AND c.number>st.looked
			JOIN version v ON v.change=c.id JOIN actor a ON a.id=c.actor LEFT JOIN look l ON l.memory=v.memory
		WHERE st.id=? AND v.op='deleted' AND c.number>coalesce(l.seen,0) AND NOT (a.kind=? AND a.name=?)
			AND NOT EXISTS(SELECT 1 FROM head h WHERE h.memory=v.memory)`, s.id, string(me.Kind), me.Name).Scan(&n)
	return n, err
}

// MarkReviewed marks memories as reviewed, each up to a change, in one commit that a power failure may lose.
// It never replaces a later mark.
func (s *Store) MarkReviewed(ctx context.Context, seen map[MemoryID]int64) error {
	return s.changeReview(ctx, func(x *txn) error {
		for m, change := range seen {
			if err := x.Exec(`INSERT INTO look(memory,store,seen) SELECT id,store,?3 FROM memory WHERE uid=?1 AND store=?2
				ON CONFLICT(memory) DO UPDATE SET seen=max(seen,excluded.seen)`, ids.Parse(ids.MemoryPrefix, string(m)), s.id, change); err != nil {
				return err
			}
		}
		return nil
	})
}

// MarkAllReviewed marks everything up to a change as reviewed.
func (s *Store) MarkAllReviewed(ctx context.Context, change int64) error {
	return s.changeReview(ctx, func(x *txn) error {
		if err := x.Exec(`UPDATE store SET looked=max(coalesce(looked,0),?2) WHERE id=?1`, s.id, change); err != nil {
			return err
		}
		// Earlier releases had stars, in the column pinned: their rows stay.
		return x.Exec(`DELETE FROM look WHERE store=?1 AND pinned=0 AND seen<=(SELECT looked FROM store WHERE id=?1)`, s.id)
	})
}

// Reviewed returns the version of a memory that a person reviewed last: the newest version before
// the first one that somebody else made after change upTo. The person's own changes need no review.
// ErrNoVersion means that the memory is new.
func (s *Store) Reviewed(ctx context.Context, m MemoryID, upTo int64, me Actor) (v Version, err error) {
	err = s.t.view(ctx, func(q reader) error {
		const base = `SELECT v.id FROM version v WHERE v.memory=?1 AND v.number<coalesce((
			SELECT min(v.number) FROM version v JOIN change c ON c.id=v.change JOIN actor a ON a.id=c.actor
			WHERE v.memory=?1 AND c.number>?2 AND NOT (a.kind=?3 AND a.name=?4)),1<<62) ORDER BY v.number DESC LIMIT 1`
		var memory, row int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(m)), s.id).Scan(&memory); err != nil {
			return notFound(err, ErrNoMemory, string(m))
		}
		if err := q.Row(base, memory, upTo, string(me.Kind), me.Name).Scan(&row); err != nil {
			return notFound(err, ErrNoVersion, "none of "+string(m)+" is reviewed")
		}
		found, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, row))
		v = found.Version
		return err
	})
	return v, err
}

// UnreviewedBeneath reports whether others changed a memory after change upTo although me wrote its
// newest version, the entry e, and whether the memory still differs from the version reviewed
// last.
func (s *Store) UnreviewedBeneath(ctx context.Context, e *Entry, upTo int64, me Actor) (bool, error) {
	v, err := s.Reviewed(ctx, e.Memory, upTo, me)
	if errors.Is(err, ErrNoVersion) {
		return true, nil
	}
	return err == nil && v.SHA256 != e.SHA256, err
}

// maxView limits the size of a stored view.
const maxView = 64 << 10

// View returns what SetView stored last, or nothing.
func (s *Store) View(ctx context.Context) (view []byte, err error) {
	err = s.t.db.Row(ctx, `SELECT view FROM store WHERE id=?`, s.id).Scan(&view)
	return view, notFound(err, ErrNoStore, string(s.info.ID))
}

// SetView stores how the screens show the store, for the next time. The view may contain ids and
// numbers, but no content and no path. Every redaction deletes it.
func (s *Store) SetView(ctx context.Context, view []byte) error {
	if len(view) > maxView {
		return fmt.Errorf("keep the view of store %s: %w: %d bytes, there may be %d", s.info.Name, ErrInvalid, len(view), maxView)
	}
	return s.changeReview(ctx, func(x *txn) error {
		return x.Exec(`UPDATE store SET view=? WHERE id=?`, view, s.id)
	})
}

// changeReview writes data that is not part of the history.
func (s *Store) changeReview(ctx context.Context, write func(*txn) error) error {
	unlock, err := s.t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := s.beginNonDurable(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	if err := write(x); err != nil {
		return err
	}
	return x.Commit()
}
