package versions

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// Shared is a change that is on the branch.
type Shared struct {
	ID     string // that it has there
	Change int64  // its number here; 0: it is a merge
}

// share records that a change is on the branch.
func (x *txn) share(id string, change, held int64) error {
	return x.Exec(`INSERT INTO shared(store,id,change,held) VALUES(?,?,?,?) ON CONFLICT DO NOTHING`, x.s.id, id, null(change), null(held))
}

// shareAll is share for a change with several names. The number goes with the first: under that the change goes out again.
func (x *txn) shareAll(ids []string, change, held int64) error {
	for i, id := range ids {
		if i > 0 {
			change, held = 0, 0
		}
		if err := x.share(id, change, held); err != nil {
			return err
		}
	}
	return nil
}

// IsShared reports whether a change is known to be on the branch.
func (s *Store) IsShared(ctx context.Context, id string) (known bool, err error) {
	err = s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared WHERE store=? AND id=?)`, s.id, id).Scan(&known)
	return known, err
}

// Did reports whether the change that has the id of an incoming one did exactly the same. A text that was erased may have
// been any.
func (s *Store) Did(ctx context.Context, in Incoming) (did bool, err error) {
	for _, f := range in.Files {
		err := s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id AND v.path=?3 LEFT JOIN blob b ON b.id=v.blob
			LEFT JOIN version w ON w.memory=v.memory AND w.number=v.number-1 LEFT JOIN blob a ON a.id=w.blob
			WHERE s.store=?1 AND s.id=?2 AND b.sha IS ?4 AND (a.sha IS ?5 OR w.redacted IS NOT NULL))`, s.id, in.ID, key(f.Path), sumUnlessNil(f.After), sumUnlessNil(f.Before)).Scan(&did)
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
func (s *Store) SharedIDs(ctx context.Context) (map[int64]string, error) {
	return db.Map[int64, string](s.t.db.Rows(ctx, `SELECT change,id FROM shared WHERE store=? AND change IS NOT NULL`, s.id))
}

// HasSession reports whether a change of the store is of a session.
func (s *Store) HasSession(ctx context.Context, id SessionID) (has bool, err error) {
	err = s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM change WHERE store=? AND session=(SELECT id FROM session WHERE uid=?))`, s.id, string(id)).Scan(&has)
	return has, err
}

// Erased is a change on the branch of which something was erased here.
type Erased struct {
	Change int64
	Kept   map[memfs.Path]bool // the memories that it wrote and whose text was not erased; of the others no path is known
}

// Erased returns the changes on the branch of which something was erased, by their ids there. That is all that is known:
// neither a text nor a hash of one stays.
func (s *Store) Erased(ctx context.Context) (map[string]Erased, error) {
	out := map[string]Erased{}
	var id string
	var n int64
	var p memfs.Path
	var gone bool
	rows := s.t.db.Rows(ctx, `SELECT s.id,s.change,v.path,v.redacted IS NOT NULL FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id
		WHERE s.store=?1 AND c.id IN (SELECT v.change FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND v.redacted IS NOT NULL)`, s.id)
	for range rows.Each(&id, &n, pathTo(&p), &gone) {
		if _, there := out[id]; !there {
			out[id] = Erased{n, map[memfs.Path]bool{}}
		}
		if !gone {
			out[id].Kept[p] = true
		}
	}
	return out, rows.Err()
}

// ErasedPaths returns where the memories of which something was erased are or were, as far as that is known.
func (s *Store) ErasedPaths(ctx context.Context) ([]memfs.Path, error) {
	return allPaths(s.t.db.Rows(ctx, `SELECT DISTINCT path FROM version WHERE path IS NOT NULL AND memory IN
		(SELECT v.memory FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL)`, s.id))
}

// TakenCommit is what a change keeps of the commit that it was imported from.
type TakenCommit struct {
	ID      string
	Author  string
	Email   string
	Time    time.Time
	Message string
}

// TakenCommits passes the commits that are the sessions of changes, the newest change first.
func (s *Store) TakenCommits(ctx context.Context) iter.Seq2[TakenCommit, error] {
	return func(yield func(TakenCommit, error) bool) {
		var t TakenCommit
		rows := s.t.db.Rows(ctx, `SELECT n.uid,a.name,coalesce(c.email,''),c.wall,coalesce(c.message,'') FROM change c JOIN session n ON n.id=c.session JOIN actor a ON a.id=c.actor
			WHERE c.store=? AND length(n.uid) IN (40,64) AND n.uid NOT GLOB '*[^0-9a-f]*' ORDER BY c.number DESC`, s.id)
		for range rows.Each(&t.ID, &t.Author, &t.Email, timeTo(&t.Time), &t.Message) {
			if !yield(t, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(TakenCommit{}, err)
		}
	}
}

// Unshare forgets that changes are on the branch, so that they are sent again.
func (s *Store) Unshare(ctx context.Context, shared []string) error {
	return s.locked(ctx, func(x *txn) error {
		for _, id := range shared {
			if err := x.Exec(`DELETE FROM shared WHERE store=? AND id=?`, s.id, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unshared lists the numbers of the changes after a change that are not on the branch, oldest first.
func (s *Store) Unshared(ctx context.Context, after int64) ([]int64, error) {
	return db.Values[int64](s.t.db.Rows(ctx, `SELECT c.number FROM change c WHERE c.store=?1 AND c.number>?2 AND NOT EXISTS(SELECT 1 FROM shared WHERE store=?1 AND change=c.number) ORDER BY c.number`, s.id, after))
}

// Awaited returns the paths of memories whose text on the branch waits here for a person.
func (s *Store) Awaited(ctx context.Context) (out []memfs.Path, err error) {
	var at, from memfs.Path
	rows := s.t.db.Rows(ctx, `SELECT i.path,v.path FROM shared s JOIN held h ON h.id=s.held JOIN held_item i ON i.held=h.id LEFT JOIN version v ON v.id=i.base
		WHERE s.store=? AND h.state='waiting'`, s.id)
	for range rows.Each(pathTo(&at), pathTo(&from)) {
		for _, p := range []memfs.Path{at, from} {
			if !p.IsRoot() {
				out = append(out, p)
			}
		}
	}
	return out, rows.Err()
}

// Texts passes each current memory with its text to each, in the order of the paths, from one state of the trail: that
// after the change whose number it returns.
func (s *Store) Texts(ctx context.Context, each func(memfs.Path, []byte) error) (last int64, err error) {
	err = s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.id).Scan(&last); err != nil {
			return err
		}
		var p memfs.Path
		var blob int64
		rows := q.Rows(`SELECT h.path,v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? ORDER BY h.path`, s.id)
		for range rows.Each(pathTo(&p), &blob) {
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
