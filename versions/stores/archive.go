package stores

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/replica"
)

// Archive makes a store read-only until Unarchive: memend writes nothing to it
// (ErrArchived), but memories can still be deleted and versions redacted. The trail still
// records what other programs write to the folder, or it would lose what they overwrite.
// ArchiveStore returns an archived store unchanged. It archives a hosted store at its
// service first; that is permanent.
func Archive(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID) (versions.StoreInfo, error) {
	if err := core.MayAdministerStore(ctx, t, by, id, "archive"); err != nil {
		return versions.StoreInfo{}, err
	}
	info, _, err := core.StoreByID(ctx, t, id)
	if err != nil || !info.Archived.IsZero() {
		return info, err
	}
	if err := core.MayChange(t); err != nil {
		return info, err
	}
	if info.Hosted() {
		if err := replica.ArchiveUpstream(ctx, t, info); err != nil {
			return info, err
		}
	}
	if err := core.Update(ctx, t, `UPDATE store SET archived=?1, updated=?1 WHERE uid=?2 AND archived IS NULL`, t.Now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id))); err != nil {
		return info, err
	}
	info, _, err = core.StoreByID(ctx, t, id)
	return info, err
}

// Unarchive makes an archived store writable again. It returns other stores
// unchanged. For a hosted store it returns ErrArchived, because the memory-stores API
// can't unarchive.
func Unarchive(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID) (versions.StoreInfo, error) {
	if err := core.MayAdministerStore(ctx, t, by, id, "archive"); err != nil {
		return versions.StoreInfo{}, err
	}
	info, _, err := core.StoreByID(ctx, t, id)
	if err != nil || info.Archived.IsZero() {
		return info, err
	}
	if err := core.MayChange(t); err != nil {
		return info, err
	}
	if info.Hosted() {
		return info, fmt.Errorf("unarchive store %s: %w: its service archives for good", info.Name, versions.ErrArchived)
	}
	if err := core.Update(ctx, t, `UPDATE store SET archived=NULL, updated=?1 WHERE uid=?2 AND archived IS NOT NULL`, t.Now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id))); err != nil {
		return info, err
	}
	info, _, err = core.StoreByID(ctx, t, id)
	return info, err
}
