package review

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// ReviewState returns the review state of all memories, including memories that were deleted since, whose
// deletion may need a review.
func ReviewState(ctx context.Context, s *core.Store) (*versions.ReviewState, error) {
	l := &versions.ReviewState{Of: map[versions.MemoryID]int64{}}
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT `+reviewedUpTo+`, (SELECT ts FROM read WHERE store=?1 ORDER BY id LIMIT 1) FROM store st WHERE id=?1`, s.Row).Scan(&l.Reviewed, tables.TimeTo(&l.Ledger)); err != nil {
			return tables.NotFound(err, versions.ErrNoStore, string(s.Opened.ID))
		}
		var id versions.MemoryID
		var upTo int64
		rows := q.Rows(`SELECT m.uid, l.seen FROM look l JOIN memory m ON m.id=l.memory WHERE l.store=?`, s.Row)
		for range rows.Each(tables.IDTo(&id), &upTo) {
			l.Of[id] = upTo
		}
		if err := rows.Err(); err != nil {
			return err
		}
		var kept, sum []byte
		rows = q.Rows(reviewedByEdits, s.Row)
		for range rows.Each(tables.IDTo(&id), &kept, &sum, &upTo) {
			if of := sha256.Sum256(kept); bytes.Equal(of[:], sum) {
				l.Of[id] = max(l.Of[id], upTo)
			}
		}
		return rows.Err()
	})
	return l, err
}

// reviewedByEdits selects the memories in which a person edited a hunk (see Edit), what is reviewed of each since then, and the
// change: it is reviewed up to that if nothing else was left.
const reviewedByEdits = `SELECT m.uid,l.kept,b.sha,c.number FROM look l JOIN memory m ON m.id=l.memory
	JOIN version v ON v.memory=l.memory AND v.number=l.kept_at AND v.path=l.kept_path JOIN blob b ON b.id=v.blob
	JOIN change c ON c.id=v.change WHERE l.store=? AND l.kept IS NOT NULL AND (c.undone_by IS NULL OR ` + tables.InEffect + `)`

// reviewedUpTo is the change up to which a person has reviewed a store st. What was found when its history began
// needs no review. While the first scan goes on, nothing needs one.
const reviewedUpTo = `coalesce(max(st.looked,coalesce(st.began,0)),st.began,st.changes)`

// UnreviewedDeletions lists the memories that actors other than me deleted after their last review, by path, with the
// size that they had. It leaves out those whose path is used by other memories now: these are to be reviewed.
func UnreviewedDeletions(ctx context.Context, s *core.Store, me versions.Actor) (out []versions.Entry, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		e := versions.Entry{Kind: versions.DeletedMemory}
		all, err := db.All(q.Rows(DeletionsToReview, s.Row, string(me.Kind), me.Name), &e,
			tables.IDTo(&e.Memory), tables.IDTo(&e.Version), tables.PathTo(&e.Path), &e.Change, tables.TimeTo(&e.Time), &e.Actor.Kind, &e.Actor.Name, &e.Actor.Title, &e.Size)
		if err != nil {
			return err
		}
		for _, e := range all {
			if n := len(out); n > 0 && out[n-1].Path == e.Path { // of several that were deleted at one path, the newest
				continue
			}
			if e.Actor.Kind == me.Kind && e.Actor.Name == me.Name {
				if p, err := pendingIn(s, q, e.Memory, 0, me); err == nil && p.Decided() {
					continue
				}
			}
			out = append(out, e)
		}
		out, err = withoutUsed(s, q, out)
		return err
	})
	return out, err
}

// DeletionsToReview selects the newest versions of memories that others deleted, unless something is at their path, or below it.
// What a person deleted by an undo may be to be reviewed as well: they may have taken back that they had undone a deletion.
const DeletionsToReview = `SELECT m.uid,v.uid,v.path,c.number,c.ts,a.kind,a.name,coalesce(a.title,''),coalesce(pb.size,0)
	FROM store st JOIN change c ON c.store=st.id AND c.number>` + reviewedUpTo + `
		JOIN version v ON v.change=c.id AND v.op='deleted' JOIN memory m ON m.id=v.memory` + tables.Attributed + `JOIN actor a ON a.id=` + tables.MakerOf + `
		LEFT JOIN version p ON p.memory=v.memory AND p.number=v.number-1 LEFT JOIN blob pb ON pb.id=p.blob LEFT JOIN look l ON l.memory=v.memory
	WHERE st.id=?1 AND c.number>coalesce(l.seen,0) AND v.path IS NOT NULL
		AND (c.kind IN ('undo','redo') OR NOT (a.kind=?2 AND a.name=?3))
		AND NOT EXISTS(SELECT 1 FROM version n WHERE n.memory=v.memory AND n.number>v.number)
		AND NOT EXISTS(SELECT 1 FROM head h WHERE h.store=st.id AND h.path=v.path)
		AND NOT EXISTS(SELECT 1 FROM head h WHERE h.store=st.id AND h.path>v.path||'/' AND h.path<v.path||'0')
	ORDER BY v.path,c.number DESC`

// withoutUsed leaves out deleted memories of which a folder is a memory now.
func withoutUsed(s *core.Store, q tables.Reader, deleted []versions.Entry) (out []versions.Entry, err error) {
	used := map[memfs.Path]bool{memfs.Root: false}
	var isUsed func(memfs.Path) bool
	isUsed = func(dir memfs.Path) bool {
		u, known := used[dir]
		if !known {
			var n int
			if err == nil {
				err = q.Row(`SELECT count(*) FROM head WHERE store=? AND path=?`, s.Row, versions.Key(dir)).Scan(&n)
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
func MarkReviewed(ctx context.Context, s *core.Store, seen map[versions.MemoryID]int64) (before Marks, err error) {
	err = changeReview(ctx, s, func(x *core.Txn) error {
		before = Marks{}
		for m, change := range seen {
			k, err := markOf(s, x, m)
			if errors.Is(err, versions.ErrNoMemory) {
				continue
			}
			if err != nil {
				return err
			}
			before.of = append(before.of, k)
			if k.own = max(k.own, change); change >= k.since {
				k.kept, k.at = Side{}, 0
			}
			if err := putMark(s, x, k); err != nil {
				return err
			}
		}
		return nil
	})
	return before, err
}

// MarkAllReviewed marks everything up to a change as reviewed.
func MarkAllReviewed(ctx context.Context, s *core.Store, change int64) (before Marks, err error) {
	err = changeReview(ctx, s, func(x *core.Txn) error {
		before = Marks{all: true}
		if err := x.Row(`SELECT looked FROM store WHERE id=?`, s.Row).Scan(&before.looked); err != nil {
			return err
		}
		var m versions.MemoryID
		marked, err := db.All(x.Rows(`SELECT m.uid FROM look l JOIN memory m ON m.id=l.memory WHERE l.store=? AND l.pinned=0 AND l.seen<=max(?,?)`, s.Row, before.looked.V, change), &m, tables.IDTo(&m))
		if err != nil {
			return err
		}
		for _, m := range marked {
			k, err := markOf(s, x, m)
			if err != nil {
				return err
			}
			before.of = append(before.of, k)
		}
		x.Exec(`UPDATE store SET looked=max(coalesce(looked,0),?2) WHERE id=?1`, s.Row, change)
		// Earlier releases had stars, in the column pinned: their rows stay.
		x.Exec(`DELETE FROM look WHERE store=?1 AND pinned=0 AND seen<=(SELECT looked FROM store WHERE id=?1)`, s.Row)
		return x.Err()
	})
	return before, err
}

// HasUnreviewedChanges reports whether something of a memory is to be decided that others changed after change upTo, even if me
// wrote its newest version, the entry e.
func HasUnreviewedChanges(ctx context.Context, s *core.Store, e *versions.Entry, upTo int64, me versions.Actor) (bool, error) {
	var p Pending
	err := core.View(ctx, s.Trail, func(q tables.Reader) (err error) {
		p, err = pendingIn(s, q, e.Memory, upTo, me)
		return err
	})
	return err == nil && !p.Decided(), err
}

// MaxView limits the size of a stored view.
const MaxView = 64 << 10

// View returns what SetView stored last, or nothing.
func View(ctx context.Context, s *core.Store) (view []byte, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT view FROM store WHERE id=?`, s.Row).Scan(&view)
	return view, tables.NotFound(err, versions.ErrNoStore, string(s.Opened.ID))
}

// SetView stores how the screens show the store, for the next time. The view may contain ids and
// numbers, but no content and no path. Every redaction deletes it.
func SetView(ctx context.Context, s *core.Store, view []byte) error {
	if len(view) > MaxView {
		return fmt.Errorf("keep the view of store %s: %w: %d bytes, there may be %d", s.Opened.Name, versions.ErrInvalid, len(view), MaxView)
	}
	return outsideHistory(ctx, s, func(x *core.Txn) error {
		x.Exec(`UPDATE store SET view=? WHERE id=?`, view, s.Row)
		return x.Err()
	})
}

// changeReview writes what is reviewed. A person used the store, which tells all who watch it elsewhere.
func changeReview(ctx context.Context, s *core.Store, write func(*core.Txn) error) error {
	var used int64
	err := outsideHistory(ctx, s, func(x *core.Txn) error {
		if err := write(x); err != nil {
			return err
		}
		return x.Row(`UPDATE store SET used=max(used+1,?) WHERE id=? RETURNING used`, s.Trail.Now().UnixMicro(), s.Row).Scan(&used)
	})
	if err == nil {
		s.Decided.Store(used)
	}
	return err
}

// outsideHistory writes data that is not part of the history.
func outsideHistory(ctx context.Context, s *core.Store, write func(*core.Txn) error) error {
	unlock, err := s.Trail.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return core.InNonDurableTx(ctx, s, func(x *core.Txn) error {
		return write(x)
	})
}
