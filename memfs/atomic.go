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

func (d *Dir) hook(step string, p Path) error {
	if d.Hook == nil {
		return nil
	}
	return d.Hook(step, p)
}
