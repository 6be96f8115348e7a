package scrub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/memend/memend/memfs"
)

// Search searches all files of some folders. Folders, Live, Database and Progress are inputs; the other exported fields are results.
// Unknown may contain entries before Run: with any entry the result is uncertain.
type Search struct {
	Scanner
	Folders  []Folder                                                        // none contains another, apart from what Skip leaves out
	Live     func(file string) bool                                          // reports whether the file belongs to the open database, and is read raw
	Database func(ctx context.Context, file string, text func([]byte)) error // reads all texts of another database
	Progress func(done, total int64)                                         // in bytes; may be nil

	Bytes   int64
	Files   int
	Found   []FileFinding
	Unknown []string // what could not be searched, and why

	mu    sync.Mutex // several files are read at once
	total int64
}

// maxAtOnce is how many entries of a folder are visited between two looks at what was found.
const maxAtOnce = 1000

// Folder is a folder to search.
type Folder struct {
	Name string
	Skip func(rel string, folder bool) bool // reports whether an entry is not to be searched; nil: all are
}

// FileFinding is a file with findings.
type FileFinding struct {
	File  string
	Live  bool // the file belongs to the open database
	Named bool // the file's name contains the needle; see Needle.InName
	Finding
}

// Run reads every file. A file that can't be read is reported in Unknown and does not stop the search; only ctx and Progress do.
func (f *Search) Run(ctx context.Context) error {
	visits := []visitor{f.file}
	if f.Progress != nil {
		visits = []visitor{f.measure, f.file}
	}
	for _, visit := range visits {
		for _, folder := range f.Folders {
			if err := f.walk(ctx, folder, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// visitor is called by a walk for each entry, by several goroutines at once.
type visitor func(ctx context.Context, e *entry)

// entry is an entry of a folder, and what is found in it.
type entry struct {
	fs.DirEntry
	dir   *os.Root
	found FileFinding
	err   error
}

func (f *Search) walk(ctx context.Context, in Folder, visit visitor) error {
	root, err := os.OpenRoot(in.Name)
	if err != nil {
		f.cannot(in.Name, err)
		return nil
	}
	return f.folder(ctx, in, root, ".", visit)
}

// folder visits what is in a folder, ordered by name, and closes dir. Its files are opened by name and not by path: that
// takes a fraction of the time.
func (f *Search) folder(ctx context.Context, in Folder, dir *os.Root, rel string, visit visitor) error {
	defer func() { _ = dir.Close() }()
	list, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		f.cannot(filepath.Join(in.Name, rel), err)
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return in.Skip != nil && in.Skip(path.Join(rel, e.Name()), e.IsDir()) })
	for len(list) > 0 {
		n := min(slices.IndexFunc(list, fs.DirEntry.IsDir)+1, maxAtOnce)
		if n == 0 {
			n = min(len(list), maxAtOnce)
		}
		some := make([]entry, n)
		memfs.Parallel(n, func(i int) {
			some[i] = entry{DirEntry: list[i], dir: dir, found: FileFinding{File: filepath.Join(in.Name, rel, list[i].Name())}}
			if ctx.Err() == nil {
				visit(ctx, &some[i])
			}
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, e := range some {
			if e.err != nil {
				f.cannot(e.found.File, e.err)
			}
			if e.found.Any() || e.found.Named {
				f.Found = append(f.Found, e.found)
			}
		}
		if last := list[n-1]; last.IsDir() {
			below := path.Join(rel, last.Name())
			sub, err := dir.OpenRoot(last.Name())
			if err != nil {
				f.cannot(filepath.Join(in.Name, below), err)
			} else if err := f.folder(ctx, in, sub, below, visit); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	return ctx.Err()
}

func (f *Search) cannot(file string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // a deleted file contains nothing
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err // the reason begins with the path anyway
	}
	reason := fmt.Sprintf("%s: %v", file, err)
	for _, known := range f.Unknown { // both walks may report it
		if known == reason {
			return
		}
	}
	f.Unknown = append(f.Unknown, reason)
}

func (f *Search) measure(_ context.Context, e *entry) {
	if fi, err := e.dir.Lstat(e.Name()); err == nil && e.Type().IsRegular() {
		f.mu.Lock()
		f.total += fi.Size()
		f.mu.Unlock()
	}
}

func (f *Search) file(ctx context.Context, e *entry) {
	e.found.Named = f.Needle.InName(e.Name())
	if e.Type().IsRegular() {
		e.found.Live = f.Live(e.found.File)
		e.err = f.scan(ctx, e.dir, &e.found, e.Name())
	}
}

func (f *Search) scan(ctx context.Context, root *os.Root, found *FileFinding, rel string) error {
	r, done, err := f.open(root, found.File, rel, found.Live)
	if err != nil {
		return err
	}
	defer done()
	f.mu.Lock()
	f.Files++
	f.mu.Unlock()
	seen := func(n int) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.Bytes += int64(n)
		if f.Progress != nil {
			f.Progress(f.Bytes, max(f.Bytes, f.total))
		}
		return ctx.Err()
	}
	if found.Live {
		raw := Scanner{Pieces: f.Pieces, Flat: true}
		return raw.Scan(io.NewSectionReader(r, 0, 1<<62), &found.Finding, seen)
	}
	if err := f.Scan(io.NewSectionReader(r, 0, 1<<62), &found.Finding, seen); err != nil {
		return err
	}
	raw := found.Matches
	found.Matches = 0
	err = f.inside(ctx, r, found)
	found.Matches = max(raw, found.Matches) // what is not packed is read twice
	return err
}

// inside scans the decoded content of packed files and of copies of the trail.
func (f *Search) inside(ctx context.Context, r *os.File, found *FileFinding) error {
	fi, err := r.Stat()
	if err != nil {
		return err
	}
	if f.Pieces.maybeWhole(fi.Size()) {
		b := make([]byte, fi.Size())
		if _, err := r.ReadAt(b, 0); err == nil {
			found.Whole = f.Pieces.isWhole(b)
		}
	}
	head := make([]byte, magicBytes)
	n, _ := r.ReadAt(head, 0)
	switch head := string(head[:n]); {
	case strings.HasPrefix(head, zipMagic):
		return f.zipped(ctx, r, fi.Size(), &found.Finding)
	case head == sqliteMagic:
		return f.Database(ctx, found.File, func(b []byte) { f.Text(b, &found.Finding) })
	}
	if _, packed := packedIn(head[:n]); !packed { // its raw content was scanned already
		return nil
	}
	return f.unpacked(ctx, io.NewSectionReader(r, 0, 1<<62), 0, &found.Finding)
}

func (f *Search) open(root *os.Root, name, rel string, trail bool) (*os.File, func(), error) {
	if trail {
		return openKept(name)
	}
	file, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // the file may have been replaced by a FIFO
	if err != nil {
		return nil, nil, err
	}
	if fi, err := file.Stat(); err != nil || !fi.Mode().IsRegular() {
		_ = file.Close()
		return nil, nil, errors.Join(err, fs.ErrNotExist)
	}
	return file, func() { _ = file.Close() }, nil
}

// keptFiles holds descriptors of SQLite's files that stay open until the process ends. Closing any descriptor of such a file releases all POSIX
// locks that the process holds on it, including SQLite's own, and another process could then write into the middle of our transaction. OFD
// locks, which don't have this problem, exist on Linux only. Reading through SQLite (sqlite_dbpage) would show SQLite's view of the pages
// rather than the file's content, and a child process needs an executable that supports it. So each file is opened once and never closed,
// and only reads at offsets are made.
var keptFiles struct {
	sync.Mutex
	files []*os.File
}

func openKept(name string) (f *os.File, done func(), err error) {
	if runtime.GOOS == "windows" { // there, locks belong to handles
		f, err := os.Open(name)
		return f, func() { _ = f.Close() }, err
	}
	keptFiles.Lock()
	defer keptFiles.Unlock()
	now, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range keptFiles.files {
		if fi, err := f.Stat(); err == nil && os.SameFile(fi, now) {
			return f, func() {}, nil
		}
	}
	if f, err = os.Open(name); err == nil {
		keptFiles.files = append(keptFiles.files, f)
	}
	return f, func() {}, err
}
