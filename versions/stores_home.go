package versions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// A home can be copied, moved and restored from a backup. So the trail stores folders
// inside the home relative to it. A folder elsewhere belongs to one home: the home in
// which it was chosen, as long as that has a trail.

// placeOf returns a folder as stored in the trail, and the home that it belongs to.
func (t *Trail) placeOf(folder string) (place, home string) { return placeIn(t.real, folder) }

func placeIn(home, folder string) (place, owner string) {
	if rel, err := filepath.Rel(home, folder); err == nil && inFolder(folder, home) {
		return filepath.ToSlash(rel), ""
	}
	return folder, home
}

// folderOf returns the folder that the trail stores as place.
func (t *Trail) folderOf(place string) string {
	if filepath.IsAbs(place) {
		return place
	}
	return filepath.Join(t.real, filepath.FromSlash(place))
}

// CopiedHomeError reports that this home is a copy, and the folder belongs to the original
// home.
type CopiedHomeError struct {
	Home     string // this home
	Original string
}

func (e *CopiedHomeError) Error() string {
	return fmt.Sprintf("it belongs to the home %s, and %s is a copy of that", e.Original, e.Home)
}

// ownsFolder verifies that a store's folder doesn't belong to another home. If the home
// was moved, ownsFolder records the new home of the folder.
func (t *Trail) ownsFolder(ctx context.Context, info StoreInfo) error {
	if info.home == "" || info.home == t.real {
		return nil
	}
	theirs, err := os.Stat(filepath.Join(info.home, db.File))
	if err == nil {
		own, err := os.Stat(filepath.Join(t.real, db.File))
		if err != nil || !os.SameFile(theirs, own) {
			return &FolderError{info, &CopiedHomeError{t.real, info.home}}
		}
	}
	if t.db.ReadOnly() != nil {
		return nil
	}
	return t.update(ctx, `UPDATE store SET home=? WHERE uid=?`, t.real, ids.Parse(ids.StorePrefix, string(info.ID)))
}

// relateFolders makes the folders in a trail of an older version relative to the home. Such a trail
// may already be in a copied home: a folder of that name in the home belongs to it.
func relateFolders(x *db.Tx, home string) error {
	folders, err := db.Map[int64, string](x.Rows(`SELECT id,folder FROM store`))
	if err != nil {
		return err
	}
	for id, folder := range folders {
		if own := filepath.Join(home, storesFolder, filepath.Base(folder)); filepath.Base(filepath.Dir(folder)) == storesFolder && exists(own) {
			folder = own
		}
		place, owner := placeIn(home, folder)
		if err := x.Exec(`UPDATE store SET folder=?, home=? WHERE id=?`, place, owner, id); err != nil {
			return err
		}
	}
	return nil
}
