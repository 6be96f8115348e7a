package memfs

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Dir is one folder of memories, or some named files of a folder. Every operation goes through
// one os.Root, so no link and no race leads out of the folder. Its methods are safe for
// concurrent use; the caller must serialise writers that depend on each other.
type Dir struct {
	root   *os.Root
	folder string
	names  Names

	// Hook, for tests, runs before each system call that changes the folder and at named
	// steps between. An error that it returns counts as the failure of that call. The
	// steps: stage-open, stage-write, stage-mid, stage-sync, replace, create, mkdir,
	// rename, remove, link, sync-file, sync-dir.
	Hook func(step string, p Path) error

	mu    sync.Mutex
	stray []Path // staging files that a scan found below the root folder
}

// Kind is the type of an entry of a folder.
type Kind int

const (
	File Kind = iota
	Folder
	Link    // symbolic link
	Special // FIFO, socket, device
)

// Info describes one entry of a folder; links are not followed.
type Info struct {
	Path   Path
	Kind   Kind
	Sig    Sig
	Mode   fs.FileMode // permission bits
	Target string      // the target of a link, as stored in it
	Links  int         // hard links; 0 where the platform doesn't say
	Named  bool        // a pattern of the Dir names the entry or leads through it, so listings show it even if it is hidden

	uid, gid int
}

// Sig identifies one state of a file without reading it. It changes when the file is written
// or replaced, except for writes within one tick of the clock. Sigs are comparable.
type Sig struct {
	Size, Mtime, Ctime int64 // times in nanoseconds; Ctime 0 where there is none
	Ino                uint64
}

// OpenDir opens an existing folder as a folder of memories.
func OpenDir(folder string) (*Dir, error) { return OpenNamed(folder, Names{}) }

// OpenNamed opens an existing folder of which only some files are memories. For the Dir nothing
// else exists there: it opens only folders that a pattern leads to, and refuses every other
// write with an UnnamedError.
func OpenNamed(folder string, names Names) (*Dir, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fail("open", Root, err)
	}
	return &Dir{root: root, folder: folder, names: names}, nil
}

// OpenGone returns a Dir of a folder that exists no more: nothing is in it, and nothing can be
// written to it.
func OpenGone(names Names) (*Dir, error) {
	folder, err := os.MkdirTemp("", "memend-gone-")
	if err != nil {
		return nil, fail("open", Root, err)
	}
	d, err := OpenNamed(folder, names)
	if rerr := os.Remove(folder); rerr != nil && err == nil { // where an open folder can't be removed, it stays empty
		return d, nil
	}
	return d, err
}

// Names returns the files that the Dir knows.
func (d *Dir) Names() Names { return d.names }

// WithNames returns a Dir of other files of the same open folder. Close closes both.
func (d *Dir) WithNames(names Names) *Dir {
	return &Dir{root: d.root, folder: d.folder, names: names, Hook: d.Hook}
}

// named returns an UnnamedError unless p is one of the Dir's files.
func (d *Dir) named(op string, p Path) error {
	if d.names.Match(p) {
		return nil
	}
	return fail(op, p, &UnnamedError{d.names})
}

// Close closes the folder. Its open files stay open.
func (d *Dir) Close() error { return d.root.Close() }

// Lstat describes the entry at p itself. Links among p's parents are followed as long as
// they stay inside.
func (d *Dir) Lstat(p Path) (Info, error) {
	fi, err := d.lstat(p)
	if err != nil {
		return Info{}, fail("stat", p, err)
	}
	return d.info(p, fi)
}

// lstat finds an entry that the Dir knows: one of its files, or what leads to them.
func (d *Dir) lstat(p Path) (fs.FileInfo, error) {
	if !d.names.Match(p) && !d.names.Leads(p) {
		return nil, ErrNotExist
	}
	fi, err := d.root.Lstat(p.Rel())
	if err == nil && !d.knows(p, fi.Mode()) {
		return nil, ErrNotExist
	}
	return fi, err
}

// knows reports whether an entry is one of the Dir's files, or a folder or link that leads to
// them.
func (d *Dir) knows(p Path, mode fs.FileMode) bool {
	return d.names.Match(p) || (mode.IsDir() || mode.Type() == fs.ModeSymlink) && d.names.Leads(p)
}

// info converts what package os returned into an Info. It reads only a link's target.
func (d *Dir) info(p Path, fi fs.FileInfo) (Info, error) {
	info := infoOf(p, fi)
	info.Named = !d.names.All()
	if info.Kind == Link {
		target, err := d.root.Readlink(p.Rel())
		if err != nil {
			return Info{}, fail("read link", p, err)
		}
		info.Target = target
	}
	return info, nil
}

func infoOf(p Path, fi fs.FileInfo) Info {
	info := Info{Path: p, Mode: fi.Mode() & modeBits, Sig: Sig{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}}
	switch t := fi.Mode().Type(); {
	case t == 0:
		info.Kind = File
	case t == fs.ModeDir:
		info.Kind = Folder
	case t&fs.ModeSymlink != 0:
		info.Kind = Link
	default:
		info.Kind = Special
	}
	fillSys(&info, fi)
	return info
}

// maxLinks is the maximum number of links in one path, as on Linux.
const maxLinks = 40

// Resolve follows the links of p that stay inside the store and returns the path without
// links. If nothing exists there, the error is ErrNotExist and the path is where the entry
// would be. A link that leaves the store, to a file that is not one of the Dir's or by an
// absolute target, is ErrLinkOut, whether its target exists or not.
//
// The answer holds only for the moment. A link that appears later is caught where the path
// is used.
func (d *Dir) Resolve(p Path) (Path, Info, error) {
	at, info, known := Root, Info{Kind: Folder}, false
	todo := segments(nil, p.rel)
	for links := 0; len(todo) > 0; {
		seg := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if info.Kind != Folder {
			return Path{}, Info{}, fail("follow", p, ErrNotFolder)
		}
		if seg == ".." { // only a link's target can contain one
			if at.IsRoot() {
				return Path{}, Info{}, fail("follow", p, ErrLinkOut)
			}
			at, info, known = at.Dir(), Info{Kind: Folder}, false
			continue
		}
		next, ok := at.child(seg)
		if !ok {
			return Path{}, Info{}, fail("follow", p, ErrNotExist)
		}
		found, err := d.Lstat(next)
		switch {
		case errors.Is(err, ErrNotExist) && links > 0 && !d.names.Match(next) && !d.names.Leads(next):
			return Path{}, Info{}, fail("follow", p, ErrLinkOut) // to a file that is not one of the Dir's
		case errors.Is(err, ErrNotExist):
			return below(next, todo), Info{}, fail("follow", p, ErrNotExist)
		case err != nil:
			return Path{}, Info{}, err
		case found.Kind != Link:
			at, info, known = next, found, true
			continue
		}
		if links++; links > maxLinks {
			return Path{}, Info{}, fail("follow", p, ErrLinkLoop)
		}
		target := filepath.ToSlash(found.Target)
		if strings.HasPrefix(target, "/") || filepath.IsAbs(found.Target) || filepath.VolumeName(found.Target) != "" {
			return Path{}, Info{}, fail("follow", p, ErrLinkOut)
		}
		todo = segments(todo, target)
	}
	if !known {
		var err error
		if info, err = d.Lstat(at); err != nil {
			return Path{}, Info{}, err
		}
	}
	return at, info, nil
}

// segments pushes the segments of a slash path onto a stack, the first on top.
func segments(stack []string, rel string) []string {
	n := len(stack)
	for seg := range strings.SplitSeq(rel, "/") {
		if seg != "" && seg != "." {
			stack = append(stack, seg)
		}
	}
	slices.Reverse(stack[n:])
	return stack
}

// below returns p with the remaining segments of a stack below it. It returns the zero Path
// if they climb out of a folder that does not exist, so the place can't be known.
func below(p Path, stack []string) Path {
	for _, seg := range slices.Backward(stack) {
		next, ok := p.child(seg)
		if !ok {
			return Path{}
		}
		p = next
	}
	return p
}

// ReadDir lists the folder p, hidden entries included, in byte order of their names. It
// leaves out entries whose name no Path can hold.
func (d *Dir) ReadDir(p Path) ([]Info, error) {
	infos, _, err := d.List(p)
	return infos, err
}

// List is like ReadDir and also counts the entries that it leaves out.
func (d *Dir) List(p Path) (infos []Info, unnamed int, err error) {
	entries, err := d.readDir(p)
	if err != nil {
		return nil, 0, err
	}
	infos = make([]Info, 0, len(entries))
	for _, e := range entries {
		child, ok := p.child(e.Name())
		if !ok {
			unnamed++
			continue
		}
		info, err := d.entryInfo(child, e)
		if errors.Is(err, ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		infos = append(infos, info)
	}
	return infos, unnamed, nil
}

// readDir reads a folder with one stat per entry, relative to the open folder.
func (d *Dir) readDir(p Path) ([]fs.DirEntry, error) {
	if !d.names.All() {
		if _, err := d.lstat(p); err != nil {
			return nil, fail("list", p, err)
		}
	}
	f, err := d.openFolder(p)
	if err != nil {
		return nil, fail("list", p, err)
	}
	defer f.Close()
	entries, err := d.entries(f, p)
	if err != nil {
		return nil, fail("list", p, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// entries reads the entries of an open folder that the Dir knows.
func (d *Dir) entries(f *os.File, p Path) ([]fs.DirEntry, error) {
	if d.names.All() {
		return f.ReadDir(-1)
	}
	names, listed := d.names.next(p)
	if !listed {
		all, err := f.ReadDir(-1)
		return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
			child, ok := p.child(e.Name())
			return !ok || !d.knows(child, e.Type())
		}), err
	}
	var out []fs.DirEntry // a folder may have thousands of other entries
	for _, name := range names {
		child, ok := p.child(name)
		if !ok {
			continue
		}
		fi, err := d.lstat(child)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, fs.FileInfoToDirEntry(fi))
	}
	return out, nil
}

// skips reports whether scans leave out an entry with this name.
func (d *Dir) skips(name string) bool { return d.names.All() && HiddenName(name) }

func (d *Dir) entryInfo(p Path, e fs.DirEntry) (Info, error) {
	fi, err := e.Info()
	if err != nil {
		return Info{}, fail("stat", p, err)
	}
	return d.info(p, fi)
}

// openFolder opens a folder for listing, syncing, or system calls relative to it.
func (d *Dir) openFolder(p Path) (*os.File, error) {
	f, err := d.root.OpenFile(p.Rel(), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.IsDir() {
		f.Close()
		if err == nil {
			err = ErrNotFolder
		}
		return nil, err
	}
	return f, nil
}
