package gitsync

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/scrub"
)

// IsShared reports whether a change is known to be on the branch.
func IsShared(ctx context.Context, s *core.Store, id string) (known bool, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared WHERE store=? AND id=?)`, s.Row, id).Scan(&known)
	return known, err
}

// Did reports whether the change that has the id of an incoming one did exactly the same. A text that was erased may have
// been any.
func Did(ctx context.Context, s *core.Store, in versions.Incoming) (did bool, err error) {
	for _, f := range in.Files {
		err := s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id AND v.path=?3 LEFT JOIN blob b ON b.id=v.blob
			LEFT JOIN version w ON w.memory=v.memory AND w.number=v.number-1 LEFT JOIN blob a ON a.id=w.blob
			WHERE s.store=?1 AND s.id=?2 AND b.sha IS ?4 AND (a.sha IS ?5 OR w.redacted IS NOT NULL))`, s.Row, in.ID, versions.Key(f.Path), sumUnlessNil(f.After), sumUnlessNil(f.Before)).Scan(&did)
		if err != nil || !did {
			return false, err
		}
	}
	return did, nil
}

func sumUnlessNil(b []byte) any {
	if b == nil {
		return nil
	}
	return sumOf(b)
}

// SharedIDs returns the ids of the changes that are on the branch, by their numbers.
func SharedIDs(ctx context.Context, s *core.Store) (map[int64]string, error) {
	return db.Map[int64, string](s.Trail.DB.Rows(ctx, `SELECT change,id FROM shared WHERE store=? AND change IS NOT NULL`, s.Row))
}

// HasSession reports whether a change of the store is of a session.
func HasSession(ctx context.Context, s *core.Store, id versions.SessionID) (has bool, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM change WHERE store=? AND session=(SELECT id FROM session WHERE uid=?))`, s.Row, string(id)).Scan(&has)
	return has, err
}

// Erased returns the changes on the branch of which something was erased, by their ids there. That is all that is known:
// neither a text nor a hash of one stays.
func Erased(ctx context.Context, s *core.Store) (map[string]versions.Erased, error) {
	out := map[string]versions.Erased{}
	var id string
	var n int64
	var p memfs.Path
	var gone bool
	rows := s.Trail.DB.Rows(ctx, `SELECT s.id,s.change,v.path,v.redacted IS NOT NULL FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id
		WHERE s.store=?1 AND c.id IN (SELECT v.change FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND v.redacted IS NOT NULL)`, s.Row)
	for range rows.Each(&id, &n, tables.PathTo(&p), &gone) {
		if _, there := out[id]; !there {
			out[id] = versions.Erased{Change: n, Kept: map[memfs.Path]bool{}}
		}
		if !gone {
			out[id].Kept[p] = true
		}
	}
	return out, rows.Err()
}

// said is what the trail says of the changes on the branch.
type said struct {
	changes map[string]versions.Record // by their ids there: who made them, and their messages
	reasons bool                       // a redaction masked why a person rejected something
}

func readSaid(ctx context.Context, s *core.Store) (*said, error) {
	out := &said{changes: map[string]versions.Record{}}
	var id string
	rows := s.Trail.DB.Rows(ctx, `SELECT s.id,a.kind,a.name,coalesce(c.email,''),coalesce(c.message,''),coalesce(n.uid,''),coalesce(c.tool_use,'') FROM shared s
		JOIN change c ON c.store=s.store AND c.number=s.change JOIN actor a ON a.id=c.actor LEFT JOIN session n ON n.id=c.session WHERE s.store=?`, s.Row)
	var r versions.Record
	for range rows.Each(&id, &r.By.Actor.Kind, &r.By.Actor.Name, &r.Email, &r.Message, &r.By.Session, &r.By.ToolUse) {
		out.changes[id] = r
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	held, err := review.Held(ctx, s, versions.HeldFilter{State: versions.HeldRejected})
	out.reasons = slices.ContainsFunc(held, func(h versions.Held) bool { return scrub.IsMasked(h.Reason) })
	return out, err
}

// ErasedPaths returns where the memories of which something was erased are or were, as far as that is known.
func ErasedPaths(ctx context.Context, s *core.Store) ([]memfs.Path, error) {
	return tables.AllPaths(s.Trail.DB.Rows(ctx, `SELECT DISTINCT path FROM version WHERE path IS NOT NULL AND memory IN
		(SELECT v.memory FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL)`, s.Row))
}

// TakenCommits passes the commits that are the sessions of changes, the newest change first.
func TakenCommits(ctx context.Context, s *core.Store) iter.Seq2[versions.TakenCommit, error] {
	return func(yield func(versions.TakenCommit, error) bool) {
		var t versions.TakenCommit
		rows := s.Trail.DB.Rows(ctx, `SELECT n.uid,a.name,coalesce(c.email,''),c.wall,coalesce(c.message,'') FROM change c JOIN session n ON n.id=c.session JOIN actor a ON a.id=c.actor
			WHERE c.store=? AND length(n.uid) IN (40,64) AND n.uid NOT GLOB '*[^0-9a-f]*' ORDER BY c.number DESC`, s.Row)
		for range rows.Each(&t.ID, &t.Author, &t.Email, tables.TimeTo(&t.Time), &t.Message) {
			if !yield(t, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(versions.TakenCommit{}, err)
		}
	}
}

// Unshare forgets that changes are on the branch, so that they are sent again.
func Unshare(ctx context.Context, s *core.Store, shared []string) error {
	return core.Locked(ctx, s, func(x *core.Txn) error {
		for _, id := range shared {
			x.Exec(`DELETE FROM shared WHERE store=? AND id=?`, s.Row, id)
		}
		return nil
	})
}

// Unshared lists the numbers of the changes after a change that are not on the branch, oldest first.
func Unshared(ctx context.Context, s *core.Store, after int64) ([]int64, error) {
	return db.Values[int64](s.Trail.DB.Rows(ctx, `SELECT c.number FROM change c WHERE c.store=?1 AND c.number>?2 AND NOT EXISTS(SELECT 1 FROM shared WHERE store=?1 AND change=c.number) ORDER BY c.number`, s.Row, after))
}

// Held returns the numbers of the held changes that came from the branch and wait for a person.
func Held(ctx context.Context, s *core.Store) ([]int64, error) {
	return db.Values[int64](s.Trail.DB.Rows(ctx, `SELECT DISTINCT h.id FROM shared s JOIN held h ON h.id=s.held WHERE s.store=? AND h.state='waiting' ORDER BY h.id`, s.Row))
}

// HeldPaths returns where held changes from the branch put a memory, the newest first.
func HeldPaths(ctx context.Context, s *core.Store, m versions.MemoryID) ([]memfs.Path, error) {
	return tables.AllPaths(s.Trail.DB.Rows(ctx, `SELECT i.path FROM shared s JOIN held_item i ON i.held=s.held WHERE s.store=? AND i.memory=? AND i.path IS NOT NULL ORDER BY i.held DESC`,
		s.Row, ids.Parse(ids.MemoryPrefix, string(m))))
}

// TextBefore returns the text that a version replaced; nil if there was none, or if it was erased.
func TextBefore(ctx context.Context, s *core.Store, v versions.VersionID) ([]byte, error) {
	return text(ctx, s, `SELECT b.blob FROM version v JOIN version b ON b.memory=v.memory AND b.number=v.number-1 WHERE v.uid=? AND b.blob IS NOT NULL`, ids.Parse(ids.VersionPrefix, string(v)))
}

// TextOf returns the text that has a hash; nil if no version has it.
func TextOf(ctx context.Context, s *core.Store, sum versions.Hash) ([]byte, error) {
	return text(ctx, s, `SELECT id FROM blob WHERE sha=?`, sum[:])
}

func text(ctx context.Context, s *core.Store, query string, of any) (text []byte, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		var blob int64
		if err := q.Row(query, of).Scan(&blob); err != nil {
			return tables.IgnoreNoRows(err)
		}
		text, err = blobs.Get(q, blob)
		return err
	})
	return text, err
}

// Texts passes each current memory with its text to each, in the order of the paths, from one state of the trail: that
// after the change whose number it returns.
func Texts(ctx context.Context, s *core.Store, each func(memfs.Path, []byte) error) (last int64, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.Row).Scan(&last); err != nil {
			return err
		}
		var p memfs.Path
		var blob int64
		rows := q.Rows(`SELECT h.path,v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? ORDER BY h.path`, s.Row)
		for range rows.Each(tables.PathTo(&p), &blob) {
			text, err := blobs.Get(q, blob)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Tool(), err)
			}
			if err := each(p, text); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return last, err
}
