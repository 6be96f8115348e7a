package memfs

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// MkdirAll creates the folder p and its missing parents, and returns those that it created,
// the uppermost first.
func (d *Dir) MkdirAll(p Path) (made []Path, err error) {
	if !d.names.Leads(p) {
		return nil, fail("create folder", p, &UnnamedError{d.names})
	}
	var missing []Path
	for at := p; ; at = at.Dir() {
		fi, err := d.root.Stat(at.Rel())
		if err == nil && fi.IsDir() {
			break
		}
		switch {
		case err == nil:
			return nil, fail("create folder", p, ErrNotFolder)
		case !errors.Is(err, fs.ErrNotExist) || at.IsRoot():
			return nil, fail("create folder", p, err)
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		ours, err := d.mkdir(at)
		if err != nil {
			return made, err
		}
		if ours {
			made = append(made, at)
		}
	}
	return made, nil
}

// mkdir creates one folder. ours is false when another program created it first.
func (d *Dir) mkdir(p Path) (ours bool, err error) {
	if err := d.hook("mkdir", p); err != nil {
		return false, fail("create folder", p, err)
	}
	err = d.root.Mkdir(p.Rel(), newFolderMode)
	if errors.Is(err, fs.ErrExist) {
		if fi, serr := d.root.Stat(p.Rel()); serr == nil && fi.IsDir() {
			return false, nil
		}
	}
	if err != nil {
		return false, fail("create folder", p, err)
	}
	// A umask or an inherited set-group bit may have changed the mode.
	f, err := d.openFolder(p)
	if err != nil {
		return true, fail("create folder", p, err)
	}
	defer f.Close()
	return true, fail("create folder", p, f.Chmod(newFolderMode))
}

// Mkdir creates the folder p with a mode, and its missing parents. It returns ErrExist if anything
// exists at p.
func (d *Dir) Mkdir(p Path, mode fs.FileMode) error {
	if _, err := d.MkdirAll(p.Dir()); err != nil {
		return err
	}
	if !d.names.Leads(p) {
		return fail("create folder", p, &UnnamedError{d.names})
	}
	if _, err := d.root.Lstat(p.Rel()); err == nil {
		return fail("create folder", p, ErrExist)
	}
	ours, err := d.mkdir(p)
	if err != nil || !ours {
		return err
	}
	return fail("create folder", p, d.root.Chmod(p.Rel(), mode))
}

// Chmod gives the folder p another mode.
func (d *Dir) Chmod(p Path, mode fs.FileMode) error {
	f, err := d.openFolder(p)
	if err != nil {
		return fail("change mode", p, err)
	}
	defer f.Close()
	return fail("change mode", p, f.Chmod(mode))
}

// Symlink creates a link at p, which must be free, and the missing parents of p. The target is stored
// as it is: it may be anywhere, and nothing follows it out of the folder.
func (d *Dir) Symlink(p Path, target string) error {
	if err := d.named("link", p); err != nil {
		return err
	}
	if _, err := d.MkdirAll(p.Dir()); err != nil {
		return err
	}
	if err := d.hook("link", p); err != nil {
		return fail("link", p, err)
	}
	return fail("link", p, d.root.Symlink(target, p.Rel()))
}

// Rename moves a file, a link itself or a whole folder. It never replaces: if anything
// exists at to, even a dangling link, it returns ErrExist. A rename that changes only the
// case of a name works where the file system treats both names as one.
func (d *Dir) Rename(from, to Path) error {
	if from.IsRoot() || to.IsRoot() {
		return fail("rename", Root, ErrIsRoot)
	}
	if from == to {
		return fail("rename to", to, ErrExist)
	}
	source, err := d.lstat(from)
	if err != nil {
		return fail("rename", from, err)
	}
	if source.IsDir() && to.In(from) {
		return fail("rename", from, ErrIntoItself)
	}
	if source.IsDir() && !d.names.All() { // other files may be in it
		return fail("rename", from, ErrNamedOnly)
	}
	for _, p := range []Path{from, to} {
		if err := d.named("rename", p); err != nil {
			return err
		}
	}
	there, err := d.root.Lstat(to.Rel())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail("rename", to, err)
	}
	free := err != nil
	if !free && !oneEntry(infoOf(from, source), infoOf(to, there), os.SameFile(source, there)) {
		return fail("rename to", to, ErrExist)
	}
	if err := d.hook("rename", from); err != nil {
		return fail("rename", from, err)
	}
	if free {
		err := d.renameNoReplace(from, to)
		if !errors.Is(err, errors.ErrUnsupported) {
			return fail("rename", from, err)
		}
	}
	return fail("rename", from, d.root.Rename(from.Rel(), to.Rel()))
}

// oneEntry reports whether two names are one entry of a folder that ignores case, rather
// than two hard links to one file.
func oneEntry(a, b Info, same bool) bool {
	return same && (a.Kind == Folder || a.Links == 1 || a.Links == 0 && strings.EqualFold(a.Path.rel, b.Path.rel))
}

// Remove removes a file, a link itself, a special file or an empty folder. It is not
// recursive.
func (d *Dir) Remove(p Path) error {
	if p.IsRoot() {
		return fail("remove", p, ErrIsRoot)
	}
	if !isStagingName(p.Base()) {
		if err := d.named("remove", p); err != nil {
			return err
		}
	}
	if err := d.hook("remove", p); err != nil {
		return fail("remove", p, err)
	}
	return fail("remove", p, d.root.Remove(p.Rel()))
}

// SyncFile makes the content of the regular file at p durable. The file must be readable.
func (d *Dir) SyncFile(p Path) error {
	if err := d.hook("sync-file", p); err != nil {
		return fail("sync", p, err)
	}
	f, _, err := d.openRegular(p)
	if err != nil {
		return err
	}
	defer f.Close()
	return fail("sync", p, f.Sync())
}

// SyncDir makes entries that were created, renamed or removed in the folder p durable. It
// does nothing where folders can't be synced.
func (d *Dir) SyncDir(p Path) error {
	if err := d.hook("sync-dir", p); err != nil {
		return fail("sync", p, err)
	}
	if !canSyncFolders {
		return nil
	}
	f, err := d.openFolder(p)
	if err != nil {
		return fail("sync", p, err)
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fail("sync", p, err)
}
