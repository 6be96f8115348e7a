package core

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// A home can be copied, moved and restored from a backup. So the trail stores folders
// inside the home relative to it. A folder elsewhere belongs to one home: the home in
// which it was chosen, as long as that has a trail.

// PlaceOf returns a folder as stored in the trail, and the home that it belongs to.
func PlaceOf(t *Trail, folder string) (place, home string) { return placeIn(t.Real, folder) }

func placeIn(home, folder string) (place, owner string) {
	if rel, err := filepath.Rel(home, folder); err == nil && versions.InFolder(folder, home) {
		return filepath.ToSlash(rel), ""
	}
	return folder, home
}

// folderOf returns the folder that the trail stores as place.
func (t *Trail) folderOf(place string) string {
	if filepath.IsAbs(place) {
		return place
	}
	return filepath.Join(t.Real, filepath.FromSlash(place))
}

// ownsFolder verifies that a store's folder doesn't belong to another home. If the home
// was moved, ownsFolder records the new home of the folder.
func (t *Trail) ownsFolder(ctx context.Context, info versions.StoreInfo) error {
	if info.Home == "" || info.Home == t.Real {
		return nil
	}
	if err := OthersFolder(t, info); err != nil || t.DB.ReadOnly() != nil {
		return err
	}
	return Update(ctx, t, `UPDATE store SET home=? WHERE uid=?`, t.Real, ids.Parse(ids.StorePrefix, string(info.ID)))
}

// OthersFolder returns an error if a store's folder belongs to another home.
func OthersFolder(t *Trail, info versions.StoreInfo) error {
	if info.Home == "" || info.Home == t.Real {
		return nil
	}
	theirs, err := os.Stat(filepath.Join(info.Home, db.File))
	if err != nil {
		return nil
	}
	own, err := os.Stat(filepath.Join(t.Real, db.File))
	if err != nil || !os.SameFile(theirs, own) {
		return &versions.FolderError{Store: info, Err: &versions.CopiedHomeError{Home: t.Real, Original: info.Home}}
	}
	return nil
}

// relateFolders makes the folders in a trail of an older version relative to the home. Such a trail
// may already be in a copied home: a folder of that name in the home belongs to it.
func relateFolders(x *db.Tx, home string) error {
	folders, err := db.Map[int64, string](x.Rows(`SELECT id,folder FROM store`))
	if err != nil {
		return err
	}
	for id, folder := range folders {
		if own := filepath.Join(home, StoresFolder, filepath.Base(folder)); filepath.Base(filepath.Dir(folder)) == StoresFolder && exists(own) {
			folder = own
		}
		place, owner := placeIn(home, folder)
		x.Exec(`UPDATE store SET folder=?, home=? WHERE id=?`, place, owner, id)
	}
	return nil
}
