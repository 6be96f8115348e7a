package stores

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
)

// Delete erases a store's part of the trail: its memories, changes, versions, reads,
// and the contents that no other store has. It removes the folder only if memend created
// it; otherwise the folder and its files stay. The erased data is scrubbed and searched
// for as by a redaction, and the receipt stays. A deletion can't be undone. The store must
// not be used afterwards.
func Delete(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID, c versions.Scrub) (versions.Receipt, error) {
	if err := MayDelete(ctx, t, by, id); err != nil {
		return versions.Receipt{}, err
	}
	info, row, err := core.StoreByID(ctx, t, id)
	if err = errors.Join(err, core.MayChange(t)); err != nil {
		return versions.Receipt{}, err
	}
	own, err := redact.OwnContents(ctx, t, id)
	if err != nil {
		return versions.Receipt{}, err
	}
	look, err := redact.WindowsOf(ctx, t, own, nil)
	if err != nil {
		return versions.Receipt{}, err
	}
	r, err := deleteStore(ctx, t, by, info, row)
	if err != nil {
		return r, err
	}
	if info.Hosted() {
		for _, file := range []string{replica.UpFile(t, id), replica.ComparedFile(t, id), replica.NoHistoryFile(t, id), replica.SendingFile(t, id)} {
			_ = disk.Erase(file)
		}
	}
	p := &redact.Redacting{Trail: t, By: by, IDs: []int64{r.ID}, Choice: versions.RedactChoice{Scrub: c}}
	return p.Prove(ctx, look)
}

// MayDelete returns the error with which Delete would refuse.
func MayDelete(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID) error {
	return core.MayAdministerStore(ctx, t, by, id, "remove")
}

// deleteStore journals the deletion, then executes it, as the next open would after a
// crash.
func deleteStore(ctx context.Context, t *core.Trail, by versions.By, info versions.StoreInfo, row int64) (versions.Receipt, error) {
	e := redact.Entry{Todo: &redact.Todo{Drop: true}}
	e.Receipt = versions.Receipt{Store: info.ID, Name: info.Name, By: by.Actor, Session: by.Session, Outcome: versions.OutcomePending, Folder: versions.FolderLeft}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return e.Receipt, err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	switch {
	case redact.MadeFolder(t, info.Folder):
		e.Todo.Remove = info.Folder
	case core.OthersFolder(t, info) == nil:
		sweepFolder(info.Folder)
	}
	x, err := core.Begin(ctx, (&core.Store{Trail: t, Row: row, Opened: info}))
	if err != nil {
		return e.Receipt, err
	}
	defer x.Rollback()
	if err := x.Row(`SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?`, row).Scan(&e.Versions); err != nil {
		return e.Receipt, err
	}
	if err := redact.Start(x, by, &e, tables.StageStarted); err != nil {
		return e.Receipt, err
	}
	if err := core.AtStep(t, "before-journal-commit"); err != nil {
		return versions.Receipt{}, err
	}
	if err := x.Commit(); err != nil {
		return versions.Receipt{}, err
	}
	if err := core.AtStep(t, "after-journal-commit"); err != nil {
		return e.Receipt, err
	}
	return e.Receipt, redact.EraseStarted(ctx, t)
}

// MadeFolder reports whether memend created the folder of a store. If so, Delete
// removes it.
func MadeFolder(t *core.Trail, info versions.StoreInfo) bool {
	return redact.MadeFolder(t, info.Folder)
}

// sweepFolder removes temporary files of unfinished writes from a folder.
func sweepFolder(folder string) {
	if d, err := memfs.OpenDir(folder); err == nil {
		_ = d.Sweep()
		_ = d.Close()
	}
}
