package redact

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
)

// OwnContents lists the contents that only this store has.
func OwnContents(ctx context.Context, t *core.Trail, store versions.StoreID) ([]int64, error) {
	return db.Values[int64](t.DB.Rows(ctx, `SELECT v.blob FROM version v JOIN memory m ON m.id=v.memory WHERE v.blob IS NOT NULL GROUP BY v.blob HAVING min(m.store=(SELECT id FROM store WHERE uid=?))=1`, ids.Parse(ids.StorePrefix, string(store))))
}

// dropStore deletes the rows of a store, and the contents that no store has then.
func dropStore(x core.TrailTxn, row int64) error {
	const itsVersions = `SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1`
	const memories = `SELECT id FROM memory WHERE store=?1`
	blobs, err := db.Values[int64](x.Rows(`SELECT DISTINCT blob FROM version WHERE blob IS NOT NULL AND id IN (`+itsVersions+`)`, row))
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
		`DELETE FROM verified WHERE version IN (` + itsVersions + `)`,
		`DELETE FROM version WHERE id IN (` + itsVersions + `)`,
		`DELETE FROM change WHERE store=?1`,
		`DELETE FROM memory WHERE store=?1`,
		`UPDATE redaction SET pending=0 WHERE store=?1 AND pending<0`, // nobody can send requests to its service any more
		`DELETE FROM store WHERE id=?1`,
	} {
		x.Exec(q, row)
	}
	for _, id := range blobs {
		x.DropUnusedBlob(id)
	}
	return nil
}

// MadeFolder reports whether memend created a store's folder.
func MadeFolder(t *core.Trail, folder string) bool {
	return filepath.Dir(folder) == filepath.Join(t.Real, core.StoresFolder)
}

// removeFolder removes the folder of a deleted store. If that fails, the receipt says that
// the folder is still there; the trail doesn't wait for it.
func removeFolder(t *core.Trail, e *Entry) error {
	folder := e.Todo.Remove
	if folder == "" || e.Todo.Drop {
		return nil
	}
	e.Todo.Remove = ""
	if !MadeFolder(t, folder) {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		e.Unknown = append(e.Unknown, "folder "+folder+" could not be removed: "+disk.Bare(err).Error())
		return nil
	}
	e.Folder = versions.FolderRemoved
	return core.AtStep(t, "after-remove")
}
