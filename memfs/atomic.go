package memfs

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// modeBits are the bits of a mode that a file or folder keeps.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// newFileMode and newFolderMode are the modes of new files and folders, whatever the umask.
const (
	newFileMode   = 0o600
	newFolderMode = 0o700
)

// A staging file's name begins with a dot, so no listing shows it, and is independent of the
// final name, which may already be as long as a name can be. Names with this prefix and
// suffix are reserved. Another program may use one anyway, so a name that this package makes
// also carries a checksum: Sweep removes nothing else.
const stagingPrefix, stagingSuffix = ".memend-", ".tmp"

func isReservedName(name string) bool {
	return strings.HasPrefix(name, stagingPrefix) && strings.HasSuffix(name, stagingSuffix)
}

// stagingName returns the name of a staging file with a random part.
func stagingName(random string) string {
	check := sha256.Sum256([]byte("memend staging file " + random))
	return stagingPrefix + random + hex.EncodeToString(check[:4]) + stagingSuffix
}

func isStagingName(name string) bool {
	const random = 16
	return isReservedName(name) && len(name) == len(stagingName(""))+random &&
		name == stagingName(name[len(stagingPrefix):][:random])
}

// Staged is content in a staging file, one rename away from its place. Replace or Create
// moves it there atomically. Atomic is not durable: see Stage for the content and SyncDir
// for the name.
type Staged struct {
	d       *Dir
	tmp     Path
	content []byte
	mode    fs.FileMode
	like    *Info
	durable bool
	sig     Sig
	gone    bool
}

// Stage writes content to a staging file in the store's folder. With like, the file takes that
// file's owner where the system permits. mode 0 means the mode of like, or that of a new memory
// (0600). With durable, the content is synced when Stage returns; otherwise
// SyncFile of its final path must sync it. content must not change until the Staged is
// placed or discarded.
func (d *Dir) Stage(content []byte, mode fs.FileMode, like *Info, durable bool) (*Staged, error) {
	switch {
	case mode != 0:
	case like != nil:
		mode = like.Mode
	default:
		mode = newFileMode
	}
	s := &Staged{d: d, content: content, mode: mode & modeBits, like: like, durable: durable}
	if err := s.write(Root); err != nil {
		return nil, err
	}
	return s, nil
}

// write creates the staging file in folder. It checks every step: an unnoticed short write
// on a full disk would replace a good file with a truncated one.
func (s *Staged) write(folder Path) error {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	tmp, ok := folder.child(stagingName(hex.EncodeToString(random[:])))
	if !ok {
		return fail("stage", folder, ErrNameTooLong)
	}
	if err := s.d.hook("stage-open", tmp); err != nil {
		return fail("write", folder, err)
	}
	f, err := s.d.root.OpenFile(tmp.Rel(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err != nil {
		return fail("write", folder, err)
	}
	err = s.fill(f, tmp)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		s.d.root.Remove(tmp.Rel())
		return fail("write", folder, err)
	}
	s.tmp = tmp
	return nil
}

func (s *Staged) fill(f *os.File, tmp Path) error {
	if err := s.d.hook("stage-write", tmp); err != nil {
		return err
	}
	rest := s.content
	if s.d.Hook != nil { // write in halves, so that a test sees a half-written file
		half := len(rest) / 2
		if _, err := f.Write(rest[:half]); err != nil {
			return err
		}
		rest = rest[half:]
		if err := s.d.hook("stage-mid", tmp); err != nil {
			return err
		}
	}
	if _, err := f.Write(rest); err != nil {
		return err
	}
	if err := s.setOwnerAndMode(f); err != nil {
		return err
	}
	if s.durable {
		if err := s.d.hook("stage-sync", tmp); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	s.sig = infoOf(tmp, fi).Sig
	return nil
}

// PlacedSig returns the signature of the file at p if it is certainly the staged one, unchanged,
// and a zero Sig otherwise.
func (s *Staged) PlacedSig(p Path) Sig {
	info, err := s.d.Lstat(p)
	if err != nil || info.Sig.Ino != s.sig.Ino || info.Sig.Size != s.sig.Size || info.Sig.Mtime != s.sig.Mtime {
		return Sig{}
	}
	return info.Sig
}

// setOwnerAndMode sets the file's owner and mode by descriptor, because the path could lead elsewhere
// by now. An owner that we may not set stays as it is.
func (s *Staged) setOwnerAndMode(f *os.File) error {
	if s.like != nil {
		fi, err := f.Stat()
		if err != nil {
			return err
		}
		now := infoOf(s.tmp, fi)
		if now.uid != s.like.uid || now.gid != s.like.gid {
			if f.Chown(s.like.uid, s.like.gid) != nil {
				_ = f.Chown(-1, s.like.gid)
			}
		}
	}
	return f.Chmod(s.mode)
}

// Replace moves the content to p, over any file there. It replaces a link at p itself: to
// write to the link's target, resolve p first.
func (s *Staged) Replace(p Path) error {
	return s.moveInto("replace", p, func() error {
		err := s.d.root.Rename(s.tmp.Rel(), p.Rel())
		if err == nil || errors.Is(err, syscall.EXDEV) {
			return err
		}
		if info, serr := s.d.Lstat(p); serr == nil && info.Kind == Folder {
			return ErrIsFolder
		}
		return err
	})
}

// Create moves the content to p if nothing exists there. Otherwise, also for a dangling
// link, it returns ErrExist.
func (s *Staged) Create(p Path) error {
	return s.moveInto("create", p, func() error {
		err := s.d.renameNoReplace(s.tmp, p)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		err = s.d.root.Link(s.tmp.Rel(), p.Rel())
		if err == nil {
			return s.d.root.Remove(s.tmp.Rel())
		}
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.ENOSPC) {
			return err
		}
		// A file system without hard links: check, then rename; a small race remains.
		if _, err := s.d.root.Lstat(p.Rel()); err == nil {
			return ErrExist
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return s.d.root.Rename(s.tmp.Rel(), p.Rel())
	})
}

// moveInto runs the last step. Where another file system is mounted inside the folder, it
// stages the content again beside the target.
func (s *Staged) moveInto(step string, p Path, last func() error) error {
	if s.gone {
		return fail(step, p, errors.New("staged content was already placed or discarded"))
	}
	defer s.Discard()
	if err := s.d.named("write", p); err != nil {
		return err
	}
	if err := s.d.hook(step, p); err != nil {
		return fail(step, p, err)
	}
	err := last()
	if errors.Is(err, syscall.EXDEV) {
		s.d.root.Remove(s.tmp.Rel())
		if err = s.write(p.Dir()); err == nil {
			err = last()
		}
	}
	if err != nil {
		return fail(step, p, err)
	}
	s.gone = true
	return nil
}

// Discard removes the staging file. After Replace or Create it does nothing.
func (s *Staged) Discard() {
	if s.gone {
		return
	}
	s.gone = true
	s.d.root.Remove(s.tmp.Rel())
}

// Leftovers lists the staging files in the store's folder: those of interrupted writes and
// those of writes in progress.
func (d *Dir) Leftovers() ([]Path, error) {
	f, err := d.openFolder(Root)
	if err != nil {
		return nil, fail("list", Root, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, fail("list", Root, err)
	}
	d.mu.Lock()
	left := slices.Clone(d.stray)
	d.mu.Unlock()
	for _, name := range names {
		if isStagingName(name) {
			if p, ok := Root.child(name); ok {
				left = append(left, p)
			}
		}
	}
	return left, nil
}

// Strays reports whether a Scan found staging files below the store's folder since the last Sweep: those of
// writes to another file system that is mounted there.
func (d *Dir) Strays() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.stray) > 0
}

// Sweep removes the staging files of interrupted writes: those in the store's folder and
// those that a Scan found below it. The caller holds the store's lock, so no write
// is in progress.
func (d *Dir) Sweep() error {
	left, err := d.Leftovers()
	if err != nil {
		return err
	}
	for _, p := range left {
		if info, err := d.Lstat(p); err == nil && info.Kind != File {
			continue // a folder or link that has such a name
		}
		if err := d.Remove(p); err != nil && !errors.Is(err, ErrNotExist) {
			return err
		}
	}
	d.mu.Lock()
	d.stray = nil
	d.mu.Unlock()
	return nil
}

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

func (d *Dir) hook(step string, p Path) error {
	if d.Hook == nil {
		return nil
	}
	return d.Hook(step, p)
}
