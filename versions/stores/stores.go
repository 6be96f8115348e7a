package stores

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
)

// CreateStore is MakeStore with the most common fields.
func CreateStore(ctx context.Context, t *core.Trail, by versions.By, name, description, folder string) (versions.StoreInfo, error) {
	return t.MakeStore(ctx, by, versions.NewStore{Name: name, Description: description, Folder: folder})
}

// UseStore records that a person opened a store.
func UseStore(ctx context.Context, t *core.Trail, id versions.StoreID) error {
	return core.Update(ctx, t, `UPDATE store SET used=? WHERE uid=?`, t.Now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}

// MoveStore records the new location of a store's folder. Memories that are not in that
// folder count as deleted: see MayMoveStore.
func MoveStore(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID, folder string) error {
	if err := core.MayAdministerStore(ctx, t, by, id, "move"); err != nil {
		return err
	}
	real, err := disk.RealFolder(folder)
	if err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	others := all[:0:0]
	var files memfs.Names
	for _, s := range all {
		if s.ID != id {
			others = append(others, s)
		} else {
			files = s.Files
		}
	}
	if err := core.CheckFolder(t, others, versions.FilesIn{Folder: real, Names: files}); err != nil {
		return fmt.Errorf("move store to %s: %w", real, err)
	}
	folder, home := core.PlaceOf(t, real)
	return core.Update(ctx, t, `UPDATE store SET folder=?, home=?, folder_identity=?, updated=? WHERE uid=?`, folder, home, core.IdentityOf(real), t.Now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}

// TellParted calls tell once for the stores that became ordinary ones, if there are any. When it has
// returned, they are not told again.
func TellParted(ctx context.Context, t *core.Trail, tell func([]versions.Parted)) error {
	var p versions.Parted
	all, err := db.All(t.DB.Rows(ctx, `SELECT name,parted FROM store WHERE parted<>'' ORDER BY name`), &p, &p.Name, &p.URL)
	if err != nil {
		return err
	}
	if len(all) == 0 || t.DB.ReadOnly() != nil {
		return nil
	}
	tell(all)
	return core.Update(ctx, t, `UPDATE store SET parted=''`)
}
