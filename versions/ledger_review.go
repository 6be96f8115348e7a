package versions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// What a person has reviewed is not part of the history: it is written without an fsync, is not a
// change, is not exported, and is lost with the trail. It refers to memories by id and to changes
// by number, and a redaction leaves both unchanged. A memory is reviewed only when a person marks
// it. Viewing it is not enough.

// ReviewState is a person's review state of a store.
type ReviewState struct {
	Reviewed int64              // all changes up to this one are reviewed, or were there when the history began
	Of       map[MemoryID]int64 // the change up to which a memory is reviewed besides
	Ledger   time.Time          // time of the oldest read in the ledger of this store; zero: none
}

// UpTo returns the change up to which a memory is reviewed.
func (l *ReviewState) UpTo(m MemoryID) int64 { return max(l.Reviewed, l.Of[m]) }

// IsUnreviewed reports whether a change of a memory was made after its last review.
func (l *ReviewState) IsUnreviewed(m MemoryID, change int64) bool {
	return change > l.UpTo(m)
}

// ReviewState returns the review state of all memories, including memories that were deleted since, whose
// deletion may need a review.
func (s *Store) ReviewState(ctx context.Context) (*ReviewState, error) {
	l := &ReviewState{Of: map[MemoryID]int64{}}
	err := s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT `+reviewedUpTo+`, (SELECT ts FROM read WHERE store=?1 ORDER BY id LIMIT 1) FROM store st WHERE id=?1`, s.id).Scan(&l.Reviewed, timeTo(&l.Ledger)); err != nil {
			return notFound(err, ErrNoStore, string(s.info.ID))
		}
		var id MemoryID
		var upTo int64
		rows := q.Rows(`SELECT m.uid, l.seen FROM look l JOIN memory m ON m.id=l.memory WHERE l.store=?`, s.id)
		for range rows.Each(idTo(&id), &upTo) {
			l.Of[id] = upTo
		}
		return rows.Err()
	})
	return l, err
}

// reviewedUpTo is the change up to which a person has reviewed a store st. What was found when its history began
// needs no review. While the first scan goes on, nothing needs one.
const reviewedUpTo = `coalesce(max(st.looked,coalesce(st.began,0)),st.began,st.changes)`

// UnreviewedDeletions lists the memories that actors other than me deleted after their last review, by path, with the
// size that they had. It leaves out those whose path is used by other memories now: these are to be reviewed.
func (s *Store) UnreviewedDeletions(ctx context.Context, me Actor) (out []Entry, err error) {
	err = s.t.view(ctx, func(q reader) error {
		e := Entry{Kind: DeletedMemory}
		rows := q.Rows(unreviewedDeletions, s.id, string(me.Kind), me.Name)
		for range rows.Each(idTo(&e.Memory), idTo(&e.Version), pathTo(&e.Path), &e.Change, timeTo(&e.Time), &e.Actor.Kind, &e.Actor.Name, &e.Actor.Title, &e.Size) {
			if n := len(out); n == 0 || out[n-1].Path != e.Path { // of several that were deleted at one path, the newest
				out = append(out, e)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		out, err = s.withoutUsed(q, out)
		return err
	})
	return out, err
}

// unreviewedDeletions selects the newest versions of memories that others deleted, unless something is at their path, or below it.
const unreviewedDeletions = `SELECT m.uid,v.uid,v.path,c.number,c.ts,a.kind,a.name,coalesce(a.title,''),coalesce(pb.size,0)
	FROM store st JOIN change c ON c.store=st.id AND c.number>` + reviewedUpTo + `
		JOIN version v ON v.change=c.id AND v.op='deleted' JOIN memory m ON m.id=v.memory` + attributed + `JOIN actor a ON a.id=` + makerOf + `
		LEFT JOIN version p ON p.memory=v.memory AND p.number=v.number-1 LEFT JOIN blob pb ON pb.id=p.blob LEFT JOIN look l ON l.memory=v.memory
	WHERE st.id=? AND c.number>coalesce(l.seen,0) AND NOT (a.kind=? AND a.name=?) AND v.path IS NOT NULL
		AND NOT EXISTS(SELECT 1 FROM version n WHERE n.memory=v.memory AND n.number>v.number)
		AND NOT EXISTS(SELECT 1 FROM head h WHERE h.store=st.id AND h.path=v.path)
		AND NOT EXISTS(SELECT 1 FROM head h WHERE h.store=st.id AND h.path>v.path||'/' AND h.path<v.path||'0')
	ORDER BY v.path,c.number DESC`

// withoutUsed leaves out deleted memories of which a folder is a memory now.
func (s *Store) withoutUsed(q reader, deleted []Entry) (out []Entry, err error) {
	used := map[memfs.Path]bool{memfs.Root: false}
	var isUsed func(memfs.Path) bool
	isUsed = func(dir memfs.Path) bool {
		u, known := used[dir]
		if !known {
			var n int
			if err == nil {
				err = q.Row(`SELECT count(*) FROM head WHERE store=? AND path=?`, s.id, key(dir)).Scan(&n)
			}
			u = n > 0 || isUsed(dir.Dir())
			used[dir] = u
		}
		return u
	}
	for _, e := range deleted {
		if !isUsed(e.Path.Dir()) {
			out = append(out, e)
		}
	}
	return out, err
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
	return s.inNonDurableTx(ctx, func(x *txn) error {
		return write(x)
	})
}
