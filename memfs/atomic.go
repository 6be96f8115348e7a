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

// newFileMode and newFolderMode are what this package makes, whatever the umask.
const (
	newFileMode   = 0o600
	newFolderMode = 0o700
)

// Staging files begin with a dot, so that no listing shows one, and have nothing
// of the name they will get, which may be as long as a name can be. Names of this form
// are reserved. Another program may use one all the same; a staging file's own has a
// checksum, so that nothing else is swept.
const stagingPrefix, stagingSuffix = ".memend-", ".tmp"

func isReservedName(name string) bool {
	return strings.HasPrefix(name, stagingPrefix) && strings.HasSuffix(name, stagingSuffix)
}

// stagingName is the name of a staging file with a random part.
func stagingName(random string) string {
	check := sha256.Sum256([]byte("memend staging file " + random))
	return stagingPrefix + random + hex.EncodeToString(check[:4]) + stagingSuffix
}

func isStagingName(name string) bool {
	const random = 16
	return isReservedName(name) && len(name) == len(stagingName(""))+random &&
		name == stagingName(name[len(stagingPrefix):][:random])
}

// Staged is a content that stands under a name of no consequence: one rename away
// from its place. Replace or Create gives it its place, atomically. Durable is
// another matter: see Stage for the content, SyncDir of the folder for the name.
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

// Stage writes content beside the store's files. mode 0 means what a new memory
// gets (0600); with like the file keeps that one's mode instead, and its owner as
// far as we may. With durable the content is on the disk when Stage returns; else
// it is when SyncFile of its place has. content must not change until the Staged
// is used up.
func (d *Dir) Stage(content []byte, mode fs.FileMode, like *Info, durable bool) (*Staged, error) {
	if mode == 0 {
		mode = newFileMode
	}
	if like != nil {
		mode = like.Mode
	}
	s := &Staged{d: d, content: content, mode: mode.Perm(), like: like, durable: durable}
	if err := s.write(Root); err != nil {
		return nil, err
	}
	return s, nil
}

// write makes the staging file in folder. Every step is checked: a short write
// on a full disk that goes unnoticed would put a cut file over a good one.
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
	if s.d.Hook != nil { // a half-written file exists only for those who look for one
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
	if err := s.dress(f); err != nil {
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

// Left is the signature of the file at p if that is certainly the one that was
// staged, unchanged; a zero Sig if somebody may have been there.
func (s *Staged) Left(p Path) Sig {
	info, err := s.d.Lstat(p)
	if err != nil || info.Sig.Ino != s.sig.Ino || info.Sig.Size != s.sig.Size || info.Sig.Mtime != s.sig.Mtime {
		return Sig{}
	}
	return info.Sig
}

// dress gives the file its owner and mode, by descriptor: a path could lead
// elsewhere by now. Owners that we may not give are left.
func (s *Staged) dress(f *os.File) error {
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

// Replace puts the content at p, over the file that may stand there. A link at p
// is replaced itself: who wants its target resolves first.
func (s *Staged) Replace(p Path) error {
	return s.settle("replace", p, func() error {
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

// Create puts the content at p if nothing stands there, and answers ErrExist if
// something does, a dangling link included.
func (s *Staged) Create(p Path) error {
	return s.settle("create", p, func() error {
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
		// A file system without hard links: look first, and be quick.
		if _, err := s.d.root.Lstat(p.Rel()); err == nil {
			return ErrExist
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return s.d.root.Rename(s.tmp.Rel(), p.Rel())
	})
}

// settle runs the last step; where another file system is mounted inside the
// folder, once more from beside the target.
func (s *Staged) settle(step string, p Path, last func() error) error {
	if s.gone {
		return fail(step, p, errors.New("staged content was used up"))
	}
	defer s.Discard()
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

// Discard drops the content. After Replace or Create it does nothing.
func (s *Staged) Discard() {
	if s.gone {
		return
	}
	s.gone = true
	s.d.root.Remove(s.tmp.Rel())
}

// Leftovers lists the staging files in the folder: those of writes that died,
// and those of writes that are under way.
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

// Sweep removes the staging files of writes that died: those in the store's
// folder, and those that the last Scan met below. The caller holds the store's
// lock, so that no write is under way.
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

// MkdirAll makes the folder p and those above it that are missing, and answers
// which it made, the uppermost first.
func (d *Dir) MkdirAll(p Path) (made []Path, err error) {
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

// mkdir makes one folder; it is not ours when somebody else was quicker.
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
	// A umask, or an inherited set-group bit, may have made another mode of it.
	f, err := d.openFolder(p)
	if err != nil {
		return true, fail("create folder", p, err)
	}
	defer f.Close()
	return true, fail("create folder", p, f.Chmod(newFolderMode))
}

// Rename moves a file, a link itself, or a whole folder. It never replaces: what
// stands at to is ErrExist, a dangling link too. A rename that changes a name's
// case alone works where the file system takes both names for one.
func (d *Dir) Rename(from, to Path) error {
	if from.IsRoot() || to.IsRoot() {
		return fail("rename", Root, ErrIsRoot)
	}
	if from == to {
		return fail("rename", to, ErrExist)
	}
	source, err := d.root.Lstat(from.Rel())
	if err != nil {
		return fail("rename", from, err)
	}
	if source.IsDir() && to.In(from) {
		return fail("rename", from, ErrIntoItself)
	}
	there, err := d.root.Lstat(to.Rel())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail("rename", to, err)
	}
	free := err != nil
	if !free && !oneEntry(infoOf(from, source), infoOf(to, there), os.SameFile(source, there)) {
		return fail("rename", to, ErrExist)
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

// oneEntry reports whether two names are one entry of a folder that ignores
// case, and not two hard links of one file.
func oneEntry(a, b Info, same bool) bool {
	return same && (a.Kind == Folder || a.Links == 1 || a.Links == 0 && strings.EqualFold(a.Path.rel, b.Path.rel))
}

// Remove removes a file, a link itself, a special file or an empty folder; never
// what a folder holds.
func (d *Dir) Remove(p Path) error {
	if p.IsRoot() {
		return fail("remove", p, ErrIsRoot)
	}
	if err := d.hook("remove", p); err != nil {
		return fail("remove", p, err)
	}
	return fail("remove", p, d.root.Remove(p.Rel()))
}

// SyncFile makes the content of the regular file at p durable. The file must be
// one that we may read.
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

// SyncDir makes what was created, renamed or removed in the folder p durable.
// Where folders can't be synced it does nothing.
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
