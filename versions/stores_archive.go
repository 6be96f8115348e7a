package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// ArchiveStore makes a store read-only until UnarchiveStore: memend writes nothing to it
// (ErrArchived), but memories can still be deleted and versions redacted. The trail still
// records what other programs write to the folder, or it would lose what they overwrite.
// ArchiveStore returns an archived store unchanged. It archives a hosted store at its
// service first; that is permanent.
func (t *Trail) ArchiveStore(ctx context.Context, by By, id StoreID) (StoreInfo, error) {
	if err := t.mayAdminister(ctx, by, id, "archive"); err != nil {
		return StoreInfo{}, err
	}
	info, _, err := t.storeByID(ctx, id)
	if err != nil || !info.Archived.IsZero() {
		return info, err
	}
	if err := t.mayChange(); err != nil {
		return info, err
	}
	if info.Hosted() {
		if err := t.archiveUpstream(ctx, info); err != nil {
			return info, err
		}
	}
	if err := t.update(ctx, `UPDATE store SET archived=?1, updated=?1 WHERE uid=?2 AND archived IS NULL`, t.now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id))); err != nil {
		return info, err
	}
	info, _, err = t.storeByID(ctx, id)
	return info, err
}

// UnarchiveStore makes an archived store writable again. It returns other stores
// unchanged. For a hosted store it returns ErrArchived, because the memory-stores API
// can't unarchive.
func (t *Trail) UnarchiveStore(ctx context.Context, by By, id StoreID) (StoreInfo, error) {
	if err := t.mayAdminister(ctx, by, id, "archive"); err != nil {
		return StoreInfo{}, err
	}
	info, _, err := t.storeByID(ctx, id)
	if err != nil || info.Archived.IsZero() {
		return info, err
	}
	if err := t.mayChange(); err != nil {
		return info, err
	}
	if info.Hosted() {
		return info, fmt.Errorf("unarchive store %s: %w: its service archives for good", info.Name, ErrArchived)
	}
	if err := t.update(ctx, `UPDATE store SET archived=NULL, updated=?1 WHERE uid=?2 AND archived IS NOT NULL`, t.now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id))); err != nil {
		return info, err
	}
	info, _, err = t.storeByID(ctx, id)
	return info, err
}

// archivedAt returns the time as stored in the table.
func archivedAt(info StoreInfo) any {
	if info.Archived.IsZero() {
		return nil
	}
	return info.Archived.UnixMicro()
}

func (x *txn) refuseArchived() error {
	var at sql.NullInt64
	err := x.Row(`SELECT archived FROM store WHERE id=?`, x.s.id).Scan(&at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: it was deleted", ErrNoStore)
	case err != nil:
		return err
	case at.Valid:
		return fmt.Errorf("store %s: %w", x.s.info.Name, ErrArchived)
	}
	return nil
}

func (d *mutation) onlyDeletes() bool {
	for _, v := range d.versions {
		if v.op != Deleted {
			return false
		}
	}
	for _, st := range d.steps {
		if st.op != memfs.OpRemove {
			return false
		}
	}
	return true
}
