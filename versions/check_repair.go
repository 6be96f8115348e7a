package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/repair"
)

// Repaired describes what a repair found and did. The zero Repaired found nothing.
type Repaired struct {
	repair.Done
	Stores  []string // names of the stores in the repaired trail
	Healed  int      // damaged contents that were restored from a file in a folder
	Damaged int      // damaged contents that are now marked as lost: reading one of their versions is an error
}

// Repair makes the trail of a home usable again, as far as possible. No other process may use the
// home meanwhile. Repair deletes no data: it keeps a copy of a database before it replaces it. It
// rebuilds a damaged database row by row, and writes the rows again that differ from the log. A row that is
// lost there too leaves a mark in the history. It computes the hashes of the log again from the first record that does not
// fit, which Losses reports. It rebuilds the heads from the
// versions, and the next Sync adopts any difference in the folders as outside changes. After the
// loss of a whole trail, the history therefore has one version for each file.
func Repair(ctx context.Context, home string, o Options) (Repaired, error) {
	var done Repaired
	home, err := filepath.Abs(home)
	if err != nil {
		return done, err
	}
	if done.Done, err = repair.Database(ctx, configOf(home), storesFolder, replaying(ctx)); err != nil {
		return done, fmt.Errorf("repair trail in %s: %w", home, err)
	}
	t, err := Open(ctx, home, o)
	if err != nil {
		return done, err
	}
	if err = t.replay(ctx); err == nil {
		err = done.contents(ctx, t)
	}
	return done, errors.Join(err, t.Close())
}

// replaying reports the progress of a replay.
func replaying(ctx context.Context) func(done, total int) {
	return func(done, total int) { ReportProgress(ctx, Progress{done, total, RecordsReplayed}) }
}

// replay makes the tables what the log says, and the log whole.
func (t *Trail) replay(ctx context.Context) error {
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := t.db.Begin(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	x.Unwatched() // what it writes is in the log
	if _, err := journal.Replay(x, replaying(ctx)); err != nil {
		return err
	}
	if err := journal.Restart(x, t.now().UnixMicro()); err != nil {
		return err
	}
	return x.Commit()
}

// contents restores damaged contents from the folders, marks the others as lost, and rebuilds the
// heads.
func (r *Repaired) contents(ctx context.Context, t *Trail) error {
	infos, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	bad, err := t.damaged(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		r.Stores = append(r.Stores, info.Name)
		if err := r.store(ctx, t, info, bad); err != nil {
			return fmt.Errorf("repair store %s: %w", info.Name, err)
		}
	}
	r.Damaged = len(bad)
	if len(bad) == 0 {
		return nil
	}
	return t.update(ctx, `UPDATE blob SET enc=enc|16 WHERE enc<16 AND id IN (SELECT value FROM json_each(?))`, asJSON(slices.Collect(maps.Values(bad))))
}

// damaged lists the contents that can't be read, by hash, with their row ids. It also corrects
// wrong sizes.
func (t *Trail) damaged(ctx context.Context) (map[Hash]int64, error) {
	bad, sizes := map[Hash]int64{}, map[int64]int{}
	err := t.eachBlob(ctx, func(q reader, id int64) error {
		var h Hash
		var size int
		if err := q.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(hashTo(&h), &size); err != nil {
			return err
		}
		b, err := blobs.Get(q, id)
		switch {
		case err == nil && len(b) != size:
			sizes[id] = len(b)
		case errors.Is(err, ErrDamaged):
			bad[h] = id // no file can restore a lost one
			return nil
		}
		return err
	})
	for id, size := range sizes {
		err = errors.Join(err, t.update(ctx, `UPDATE blob SET size=? WHERE id=?`, size, id))
	}
	return bad, err
}

// eachBlob calls do for every content and reads a few hundred of them in each snapshot.
func (t *Trail) eachBlob(ctx context.Context, do func(q reader, id int64) error) error {
	for last, more := int64(0), true; more; {
		err := t.view(ctx, func(q reader) error {
			ids, err := db.Values[int64](q.Rows(`SELECT id FROM blob WHERE id>? ORDER BY id LIMIT 500`, last))
			more = len(ids) > 0
			for _, id := range ids {
				last = id
				if err := do(q, id); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// store restores the contents of one store and rebuilds its heads. The folder may be missing.
func (r *Repaired) store(ctx context.Context, t *Trail, info StoreInfo, bad map[Hash]int64) error {
	s, err := t.OpenStore(ctx, info.ID)
	if fe := (*FolderError)(nil); errors.As(err, &fe) {
		return r.storeWithoutFolder(ctx, t, info.ID)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.rebuildHeads(ctx, func(x *txn) error {
		return s.dir.Scan(ctx, func(f memfs.Found) error { return r.heal(x, f, bad) })
	})
}

func (r *Repaired) storeWithoutFolder(ctx context.Context, t *Trail, id StoreID) error {
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return err
	}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s := &Store{t: t, id: row, info: info}
	return s.rebuildHeads(ctx, func(*txn) error { return nil })
}

// rebuildHeads calls first, counts the changes of a store, and rebuilds its heads.
func (s *Store) rebuildHeads(ctx context.Context, first func(*txn) error) error {
	return s.inTx(ctx, func(x *txn) error {
		if err := first(x); err != nil {
			return err
		}
		if err := x.Exec(`UPDATE store SET changes=(SELECT coalesce(max(number),0) FROM change WHERE store=?1) WHERE id=?1`, s.id); err != nil {
			return err
		}
		return x.headsAnew()
	})
}

// heal restores a damaged content when the file f still has its bytes.
func (r *Repaired) heal(x *txn, f memfs.Found, bad map[Hash]int64) error {
	if len(bad) == 0 || f.Err != nil || f.Kind != memfs.File || f.Sig.Size > maxContent {
		return nil
	}
	b, _, err := x.s.dir.Read(f.Path, maxContent)
	if err != nil {
		return nil // an unreadable file restores nothing
	}
	id, ok := bad[sum(b)]
	if !ok {
		return nil
	}
	delete(bad, sum(b))
	r.Healed++
	return blobs.Replace(x.Tx, id, b)
}

// headsAnew makes every memory's newest version its head. When two memories would have the same
// path, the older one must have left it in a version that is lost.
func (x *txn) headsAnew() error {
	if err := x.Exec(`DELETE FROM head WHERE store=?`, x.s.id); err != nil {
		return err
	}
	memories, err := db.Values[int64](x.Rows(`SELECT m.id FROM memory m WHERE store=? ORDER BY (SELECT max(id) FROM version WHERE memory=m.id) DESC`, x.s.id))
	if err != nil {
		return err
	}
	for _, id := range memories {
		if err := x.leaveTaken(id); err != nil {
			return err
		}
		if err := x.headBack(id); err != nil {
			return err
		}
	}
	return nil
}

// leaveTaken records that a memory left a path that now belongs to another memory.
func (x *txn) leaveTaken(memory int64) error {
	var change int64
	err := x.Row(`SELECT w.change FROM version v JOIN head h ON h.store=? AND h.path=v.path JOIN version w ON w.id=h.version
		WHERE v.memory=? AND v.op<>'deleted' AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`, x.s.id, memory).Scan(&change)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	by, err := x.actor(Actor{Kind: Damage})
	if err != nil {
		return err
	}
	if err := x.Exec(`INSERT INTO version(uid,memory,number,change,op,redacted,redacted_by) SELECT randomblob(15),?1,max(number)+1,?2,'deleted',?3,?4 FROM version WHERE memory=?1`,
		memory, change, x.wall, by); err != nil {
		return err
	}
	return x.Exec(`UPDATE change SET versions=versions+1 WHERE id=?`, change)
}
