package check

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
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
func Repair(ctx context.Context, home string, o versions.Options) (Repaired, error) {
	var done Repaired
	home, err := filepath.Abs(home)
	if err != nil {
		return done, err
	}
	if done.Done, err = repair.Database(ctx, core.ConfigOf(home), core.StoresFolder, replaying(ctx)); err != nil {
		return done, fmt.Errorf("repair trail in %s: %w", home, err)
	}
	t, err := engine.Open(ctx, home, o)
	if err != nil {
		return done, err
	}
	if err = replay(ctx, t); err == nil {
		err = done.contents(ctx, t)
	}
	return done, errors.Join(err, t.Close())
}

// replaying reports the progress of a replay.
func replaying(ctx context.Context) func(done, total int) {
	return func(done, total int) {
		versions.ReportProgress(ctx, versions.Progress{Done: done, Total: total, Of: versions.RecordsReplayed})
	}
}

// replay makes the tables what the log says, and the log whole.
func replay(ctx context.Context, t *core.Trail) error {
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := t.DB.Begin(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	x.Unwatched() // what it writes is in the log
	if _, err := journal.Replay(x, replaying(ctx)); err != nil {
		return err
	}
	if err := journal.Restart(x, t.Now().UnixMicro()); err != nil {
		return err
	}
	return x.Commit()
}

// contents restores damaged contents from the folders, marks the others as lost, and rebuilds the
// heads.
func (r *Repaired) contents(ctx context.Context, t *core.Trail) error {
	infos, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	bad, err := damaged(ctx, t)
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
	return core.Update(ctx, t, `UPDATE blob SET enc=enc|16 WHERE enc<16 AND id IN (SELECT value FROM json_each(?))`, tables.AsJSON(slices.Collect(maps.Values(bad))))
}

// damaged lists the contents that can't be read, by hash, with their row ids. It also corrects
// wrong sizes.
func damaged(ctx context.Context, t *core.Trail) (map[versions.Hash]int64, error) {
	bad, sizes := map[versions.Hash]int64{}, map[int64]int{}
	err := core.EachBlob(ctx, t, func(q tables.Reader, id int64) error {
		var h versions.Hash
		var size int
		if err := q.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(tables.HashTo(&h), &size); err != nil {
			return err
		}
		b, err := blobs.Get(q, id)
		switch {
		case err == nil && len(b) != size:
			sizes[id] = len(b)
		case errors.Is(err, versions.ErrDamaged):
			bad[h] = id // no file can restore a lost one
			return nil
		}
		return err
	})
	for id, size := range sizes {
		err = errors.Join(err, core.Update(ctx, t, `UPDATE blob SET size=? WHERE id=?`, size, id))
	}
	return bad, err
}

// store restores the contents of one store and rebuilds its heads. The folder may be missing.
func (r *Repaired) store(ctx context.Context, t *core.Trail, info versions.StoreInfo, bad map[versions.Hash]int64) error {
	s, err := t.OpenStore(ctx, info.ID)
	if fe := (*versions.FolderError)(nil); errors.As(err, &fe) {
		return r.storeWithoutFolder(ctx, t, info.ID)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	unlock, err := core.Enter(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	return rebuildHeads(ctx, s, func(x *core.Txn) error {
		return s.Dir.Scan(ctx, func(f memfs.Found) error { return r.heal(x, f, bad) })
	})
}

func (r *Repaired) storeWithoutFolder(ctx context.Context, t *core.Trail, id versions.StoreID) error {
	info, row, err := core.StoreByID(ctx, t, id)
	if err != nil {
		return err
	}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s := &core.Store{Trail: t, Row: row, Opened: info}
	return rebuildHeads(ctx, s, func(*core.Txn) error { return nil })
}

// rebuildHeads calls first, counts the changes of a store, and rebuilds its heads.
func rebuildHeads(ctx context.Context, s *core.Store, first func(*core.Txn) error) error {
	return core.InTx(ctx, s, func(x *core.Txn) error {
		if err := first(x); err != nil {
			return err
		}
		x.Exec(`UPDATE store SET changes=(SELECT coalesce(max(number),0) FROM change WHERE store=?1) WHERE id=?1`, s.Row)
		return headsAnew(x)
	})
}

// heal restores a damaged content when the file f still has its bytes.
func (r *Repaired) heal(x *core.Txn, f memfs.Found, bad map[versions.Hash]int64) error {
	if len(bad) == 0 || f.Err != nil || f.Kind != memfs.File || f.Sig.Size > core.MaxContent {
		return nil
	}
	b, _, err := x.Store.Dir.Read(f.Path, core.MaxContent)
	if err != nil {
		return nil // an unreadable file restores nothing
	}
	id, ok := bad[versions.Sum(b)]
	if !ok {
		return nil
	}
	delete(bad, versions.Sum(b))
	r.Healed++
	blobs.Replace(x.Tx, id, b)
	return x.Err()
}

// headsAnew makes every memory's newest version its head. When two memories would have the same
// path, the older one must have left it in a version that is lost.
func headsAnew(x *core.Txn) error {
	x.Exec(`DELETE FROM head WHERE store=?`, x.Store.Row)
	memories, err := db.Values[int64](x.Rows(`SELECT m.id FROM memory m WHERE store=? ORDER BY (SELECT max(id) FROM version WHERE memory=m.id) DESC`, x.Store.Row))
	if err != nil {
		return err
	}
	for _, id := range memories {
		if err := leaveTaken(x, id); err != nil {
			return err
		}
		if err := x.HeadBack(id); err != nil {
			return err
		}
	}
	return nil
}

// leaveTaken records that a memory left a path that now belongs to another memory.
func leaveTaken(x *core.Txn, memory int64) error {
	var change int64
	err := x.Row(`SELECT w.change FROM version v JOIN head h ON h.store=? AND h.path=v.path JOIN version w ON w.id=h.version
		WHERE v.memory=? AND v.op<>'deleted' AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`, x.Store.Row, memory).Scan(&change)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	by, err := x.Actor(versions.Actor{Kind: versions.Damage})
	if err != nil {
		return err
	}
	x.Exec(`INSERT INTO version(uid,memory,number,change,op,redacted,redacted_by) SELECT randomblob(15),?1,max(number)+1,?2,'deleted',?3,?4 FROM version WHERE memory=?1`,
		memory, change, x.Wall, by)
	x.Exec(`UPDATE change SET versions=versions+1 WHERE id=?`, change)
	return x.Err()
}
