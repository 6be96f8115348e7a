package versions

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

// DeleteStore erases a store's part of the trail: its memories, changes, versions, reads,
// and the contents that no other store has. It removes the folder only if memend created
// it; otherwise the folder and its files stay. The erased data is scrubbed and searched
// for as by a redaction, and the receipt stays. A deletion can't be undone. The store must
// not be used afterwards.
func (t *Trail) DeleteStore(ctx context.Context, by By, id StoreID, c Scrub) (Receipt, error) {
	if err := t.MayDeleteStore(ctx, by, id); err != nil {
		return Receipt{}, err
	}
	info, row, err := t.storeByID(ctx, id)
	if err = errors.Join(err, t.mayChange()); err != nil {
		return Receipt{}, err
	}
	own, err := t.ownContents(ctx, id)
	if err != nil {
		return Receipt{}, err
	}
	look, err := t.windowsOf(ctx, own, nil)
	if err != nil {
		return Receipt{}, err
	}
	r, err := t.deleteStore(ctx, by, info, row)
	if err != nil {
		return r, err
	}
	if info.Hosted() {
		for _, file := range []string{t.upFile(id), t.comparedFile(id), t.noHistoryFile(id), t.sendingFile(id)} {
			_ = disk.Erase(file)
		}
	}
	p := &redacting{t: t, by: by, ids: []int64{r.ID}, choice: RedactChoice{Scrub: c}}
	return p.prove(ctx, look)
}

// MayDeleteStore returns the error with which DeleteStore would refuse.
func (t *Trail) MayDeleteStore(ctx context.Context, by By, id StoreID) error {
	return t.mayAdminister(ctx, by, id, "remove")
}

// ownContents lists the contents that only this store has.
func (t *Trail) ownContents(ctx context.Context, store StoreID) (out []int64, err error) {
	err = t.view(ctx, func(q reader) error {
		out, err = db.Values[int64](q.Rows(`SELECT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE v.blob IS NOT NULL GROUP BY v.blob HAVING min(m.store=(SELECT id FROM store WHERE uid=?))=1`, ids.Parse(ids.StorePrefix, string(store))))
		return err
	})
	return out, err
}

// deleteStore journals the deletion, then executes it, as the next open would after a
// crash.
func (t *Trail) deleteStore(ctx context.Context, by By, info StoreInfo, row int64) (Receipt, error) {
	r := Receipt{Store: info.ID, Name: info.Name, By: by.Actor, Session: by.Session, Outcome: OutcomePending, Folder: FolderLeft, todo: &todo{Drop: true}}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return r, err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	if t.madeFolder(info.Folder) {
		r.todo.Remove = info.Folder
	} else {
		sweepFolder(info.Folder)
	}
	x, err := (&Store{t: t, id: row, info: info}).begin(ctx)
	if err != nil {
		return r, err
	}
	defer x.Rollback()
	if err := x.Row(`SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?`, row).Scan(&r.Versions); err != nil {
		return r, err
	}
	if err := x.startRedaction(by, &r, stageStarted); err != nil {
		return r, err
	}
	if err := t.step("before-journal-commit"); err != nil {
		return Receipt{}, err
	}
	if err := x.Commit(); err != nil {
		return Receipt{}, err
	}
	if err := t.step("after-journal-commit"); err != nil {
		return r, err
	}
	return r, t.eraseStarted(ctx)
}

// dropStore deletes the rows of a store, and the contents that no store has then.
func (x trailTxn) dropStore(row int64) error {
	const versions = `SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1`
	const memories = `SELECT id FROM memory WHERE store=?1`
	blobs, err := db.Values[int64](x.Rows(`SELECT DISTINCT blob FROM version WHERE blob IS NOT NULL AND id IN (`+versions+`)`, row))
	if err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM intent WHERE change IN (SELECT id FROM change WHERE store=?1)`,
		`DELETE FROM head WHERE store=?1`,
		`DELETE FROM read WHERE store=?1 OR memory IN (` + memories + `)`,
		`DELETE FROM attachment WHERE store=?1`,
		`DELETE FROM evidence WHERE store=?1`,
		`DELETE FROM held_item WHERE held IN (SELECT id FROM held WHERE store=?1)`,
		`DELETE FROM held WHERE store=?1`,
		`DELETE FROM rejected WHERE store=?1`,
		`DELETE FROM pin WHERE store=?1`,
		`DELETE FROM policy WHERE store=?1`,
		`DELETE FROM branch WHERE store=?1`,
		`DELETE FROM shared WHERE store=?1`,
		`DELETE FROM attribution WHERE change IN (SELECT id FROM change WHERE store=?1)`,
		`DELETE FROM verified WHERE version IN (` + versions + `)`,
		`DELETE FROM version WHERE id IN (` + versions + `)`,
		`DELETE FROM change WHERE store=?1`,
		`DELETE FROM memory WHERE store=?1`,
		`UPDATE redaction SET pending=0 WHERE store=?1 AND pending<0`, // nobody can send requests to its service any more
		`DELETE FROM store WHERE id=?1`,
	} {
		if err := x.Exec(q, row); err != nil {
			return err
		}
	}
	for _, id := range blobs {
		if err := x.dropUnusedBlob(id); err != nil {
			return err
		}
	}
	return nil
}

// MadeFolder reports whether memend created the folder of a store. If so, DeleteStore
// removes it.
func (t *Trail) MadeFolder(info StoreInfo) bool { return t.madeFolder(info.Folder) }

// madeFolder reports whether memend created a store's folder.
func (t *Trail) madeFolder(folder string) bool {
	return filepath.Dir(folder) == filepath.Join(t.real, storesFolder)
}

// removeFolder removes the folder of a deleted store. If that fails, the receipt says that
// the folder is still there; the trail doesn't wait for it.
func (t *Trail) removeFolder(r *Receipt) error {
	folder := r.todo.Remove
	if folder == "" || r.todo.Drop {
		return nil
	}
	r.todo.Remove = ""
	if !t.madeFolder(folder) {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		r.Unknown = append(r.Unknown, "folder "+folder+" could not be removed: "+disk.Bare(err).Error())
		return nil
	}
	r.Folder = FolderRemoved
	return t.step("after-remove")
}

// sweepFolder removes temporary files of unfinished writes from a folder.
func sweepFolder(folder string) {
	if d, err := memfs.OpenDir(folder); err == nil {
		_ = d.Sweep()
		_ = d.Close()
	}
}
