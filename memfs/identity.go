package memfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrMovedAway reports that the opened folder no longer has the name that it was opened by,
// or has it only through a symbolic link.
var ErrMovedAway = errors.New("the folder was moved, replaced, or is reached through a symbolic link")

// Identity returns a value that distinguishes this folder from every other one on the
// machine, whatever their names are: a mounted folder from its mount point, for example. It
// may change when the machine restarts. It is empty where the platform has none.
func (d *Dir) Identity() (string, error) {
	f, err := d.openFolder(Root)
	if err != nil {
		return "", fail("stat", Root, err)
	}
	defer f.Close()
	id, err := identity(f)
	return id, fail("stat", Root, err)
}

// Same reports whether d and other are the same folder.
func (d *Dir) Same(other *Dir) (bool, error) {
	a, err := d.root.Stat(".")
	if err != nil {
		return false, fail("stat", Root, err)
	}
	b, err := other.root.Stat(".")
	if err != nil {
		return false, fail("stat", Root, err)
	}
	return os.SameFile(a, b), nil
}

// InPlace checks that the folder's name still leads to it, without a link on the way, and
// returns ErrMovedAway otherwise.
func (d *Dir) InPlace() error {
	real, err := filepath.EvalSymlinks(d.folder)
	if err != nil {
		return fail("stat", Root, err)
	}
	now, err := os.Lstat(d.folder)
	if err != nil {
		return fail("stat", Root, err)
	}
	opened, err := d.root.Stat(".")
	if err != nil {
		return fail("stat", Root, err)
	}
	if real != d.folder || now.Mode()&fs.ModeSymlink != 0 || !os.SameFile(now, opened) {
		return fail("stat", Root, ErrMovedAway)
	}
	return nil
}
