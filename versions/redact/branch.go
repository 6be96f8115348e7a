package redact

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// BranchFolder is the folder of a home that holds the repositories of branches.
const BranchFolder = "git"

// eraseBranches notes that the branches of a store, or of all stores, still have what a redaction erases.
func eraseBranches(x core.TrailTxn, store int64, all bool) {
	x.Exec(`UPDATE branch SET erased=1 WHERE store=? OR ?`, store, all)
}

// removeBranches removes the repositories that may hold what redactions erased, and those of stores that are no more.
func removeBranches(ctx context.Context, t *core.Trail) error {
	dirs, err := os.ReadDir(filepath.Join(t.Folder, BranchFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	var id versions.StoreID
	rows := t.DB.Rows(ctx, `SELECT s.uid FROM branch b JOIN store s ON s.id=b.store WHERE b.erased=0`)
	for range rows.Each(tables.IDTo(&id)) {
		keep[string(id)+".git"] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, d := range dirs {
		if d.IsDir() && !keep[d.Name()] {
			err = errors.Join(err, RemoveBranch(filepath.Join(t.Folder, BranchFolder, d.Name())))
		}
	}
	return err
}

// RemoveBranch removes a repository after its files were overwritten.
func RemoveBranch(dir string) error {
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if err := os.Chmod(name, 0o600); err != nil { // git's are read-only
			return err
		}
		return disk.Erase(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.RemoveAll(dir))
}
