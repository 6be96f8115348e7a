package scrub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
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

	total int64
}

// Folder is a folder to search.
type Folder struct {
	Name string
	Skip func(rel string, folder bool) bool // reports whether an entry is not to be searched; nil: all are
}

// FileFinding is a file with findings.
type FileFinding struct {
	File  string
	Live  bool // the file belongs to the open database
	Named bool // the file's name contains the needle
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

// visitor is called by a walk for each entry.
type visitor func(ctx context.Context, root *os.Root, folder, rel string, e fs.DirEntry) error

func (f *Search) walk(ctx context.Context, in Folder, visit visitor) error {
	folder := in.Name
	root, err := os.OpenRoot(folder)
	if err != nil {
		f.cannot(folder, err)
		return nil
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case e != nil && rel != "." && in.Skip != nil && in.Skip(rel, e.IsDir()):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			f.cannot(filepath.Join(folder, rel), err)
			return nil
		}
		return visit(ctx, root, folder, rel, e)
	})
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

func (f *Search) measure(_ context.Context, root *os.Root, _, rel string, e fs.DirEntry) error {
	if fi, err := root.Lstat(rel); err == nil && e.Type().IsRegular() {
		f.total += fi.Size()
	}
	return nil
}

func (f *Search) file(ctx context.Context, root *os.Root, folder, rel string, e fs.DirEntry) error {
	name := filepath.Join(folder, rel)
	found := FileFinding{File: name, Named: rel != "." && f.Needle.InString(e.Name())}
	if e.Type().IsRegular() {
		found.Live = f.Live(name)
		if err := f.scan(ctx, root, &found, rel); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.cannot(name, err)
		}
	}
	if found.Any() || found.Named {
		f.Found = append(f.Found, found)
	}
	return nil
}

func (f *Search) scan(ctx context.Context, root *os.Root, found *FileFinding, rel string) error {
	r, done, err := f.open(root, found.File, rel, found.Live)
	if err != nil {
		return err
	}
	defer done()
	f.Files++
	seen := func(n int) error {
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
