package memfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrMovedAway: the folder that was opened does not have the name any more that it was
// opened by, or has it only by way of a symbolic link.
var ErrMovedAway = errors.New("the folder was moved, replaced, or is reached through a symbolic link")

// Identity tells this folder from every other one of the machine, whatever their names
// are: one that is mounted from the one it is mounted on, say. It may change when the
// machine starts anew. It is empty where the platform has none.
func (d *Dir) Identity() (string, error) {
	f, err := d.openFolder(Root)
	if err != nil {
		return "", fail("stat", Root, err)
	}
	defer f.Close()
	id, err := identity(f)
	return id, fail("stat", Root, err)
}

// Same reports whether both are one folder.
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

// InPlace checks that the folder still is what its name leads to, and that no link is on
// the way there: else the error is ErrMovedAway.
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
