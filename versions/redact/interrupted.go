package redact

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
)

// forgetAllSending removes the files of all stores.
func forgetAllSending(t *core.Trail) error {
	all, err := os.ReadDir(filepath.Join(t.Folder, HostedFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if filepath.Ext(e.Name()) == ".sending" {
			err = errors.Join(err, disk.Erase(filepath.Join(t.Folder, HostedFolder, e.Name())))
		}
	}
	return disk.Bare(err)
}
