package versions

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

// search looks for what was erased in all files of a home and of some folders.
type search struct {
	t        *Trail
	scanner  scanner
	folders  []string // besides the home
	home     string   // by its one name
	progress func(done, total int64)

	done, total int64
	files       int
	found       []fileHits
	unknown     []string
}

// fileHits is a file in which something was found.
type fileHits struct {
	file  string
	trail bool // it is the database, or its log
	named bool // the file's name holds the needle
	finding
}

// run reads every file. A file that can't be read makes the outcome uncertain,
// it does not end the search; only ctx does.
func (f *search) run(ctx context.Context) error {
	roots := f.roots()
	for _, visit := range []visitor{f.measure, f.file} {
		for _, folder := range roots {
			if err := f.walk(ctx, folder, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// visitor is what a walk does with each entry.
type visitor func(ctx context.Context, root *os.Root, folder, rel string, e fs.DirEntry) error

// roots are the folders to search, none of them inside another.
func (f *search) roots() []string {
	f.home = f.t.home
	if real, err := realFolder(f.home); err == nil {
		f.home = real
	}
	out := []string{f.home}
	for _, folder := range f.folders {
		if !inFolder(folder, f.home) {
			out = append(out, folder)
		}
	}
	return out
}

func (f *search) walk(ctx context.Context, folder string, visit visitor) error {
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
		case err != nil:
			f.cannot(filepath.Join(folder, rel), err)
			return nil
		}
		return visit(ctx, root, folder, rel, e)
	})
}

func (f *search) cannot(file string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // what is gone holds nothing
	}
	reason := fmt.Sprintf("%s: %v", file, bare(err))
	for _, known := range f.unknown { // both walks meet it
		if known == reason {
			return
		}
	}
	f.unknown = append(f.unknown, reason)
}

func (f *search) measure(_ context.Context, root *os.Root, _, rel string, e fs.DirEntry) error {
	if fi, err := root.Lstat(rel); err == nil && e.Type().IsRegular() {
		f.total += fi.Size()
	}
	return nil
}

func (f *search) file(ctx context.Context, root *os.Root, folder, rel string, e fs.DirEntry) error {
	name := filepath.Join(folder, rel)
	found := fileHits{file: name, named: rel != "." && f.scanner.needle.inString(e.Name())}
	if e.Type().IsRegular() {
		found.trail = f.isTrail(folder, rel)
		if err := f.scan(ctx, root, &found, rel); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.cannot(name, err)
		}
	}
	if found.any() || found.named {
		f.found = append(f.found, found)
	}
	return nil
}

func (f *search) scan(ctx context.Context, root *os.Root, found *fileHits, rel string) error {
	r, done, err := f.open(root, found.file, rel, found.trail)
	if err != nil {
		return err
	}
	defer done()
	f.files++
	seen := func(n int) error {
		f.done += int64(n)
		if f.progress != nil {
			f.progress(f.done, max(f.done, f.total))
		}
		return ctx.Err()
	}
	if found.trail {
		raw := scanner{look: f.scanner.look, flat: true}
		return raw.scan(io.NewSectionReader(r, 0, 1<<62), &found.finding, seen)
	}
	if err := f.scanner.scan(io.NewSectionReader(r, 0, 1<<62), &found.finding, seen); err != nil {
		return err
	}
	return f.inside(ctx, r, found)
}

// inside looks at what a file holds that doesn't read as it stands: packed files, and
// copies of the trail.
func (f *search) inside(ctx context.Context, r *os.File, found *fileHits) error {
	fi, err := r.Stat()
	if err != nil {
		return err
	}
	if f.scanner.look.maybeWhole(fi.Size()) {
		b := make([]byte, fi.Size())
		if _, err := r.ReadAt(b, 0); err == nil {
			found.whole = f.scanner.look.isWhole(b)
		}
	}
	head := make([]byte, magicBytes)
	n, _ := r.ReadAt(head, 0)
	switch head := string(head[:n]); {
	case strings.HasPrefix(head, zipMagic):
		return f.scanner.zipped(ctx, r, fi.Size(), &found.finding)
	case head == sqliteMagic:
		return f.scanner.trailCopy(ctx, found.file, &found.finding)
	}
	return f.scanner.unpacked(ctx, io.NewSectionReader(r, 0, 1<<62), 0, &found.finding)
}

// isTrail reports whether a file is one of the open database. Others that begin with
// its name are copies, which repairs and upgrades leave.
func (f *search) isTrail(folder, rel string) bool {
	return folder == f.home && (rel == trailFile || rel == trailFile+"-wal" || rel == trailFile+"-shm")
}

func (f *search) open(root *os.Root, name, rel string, trail bool) (*os.File, func(), error) {
	if trail {
		return openKept(name)
	}
	file, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO that took the file's place must not hold us up
	if err != nil {
		return nil, nil, err
	}
	if fi, err := file.Stat(); err != nil || !fi.Mode().IsRegular() {
		_ = file.Close()
		return nil, nil, errors.Join(err, fs.ErrNotExist)
	}
	return file, func() { _ = file.Close() }, nil
}

// kept are descriptors of SQLite's files that stay open until the process ends.
// Closing any descriptor of such a file drops all POSIX locks that the process
// has on it, SQLite's own among them, and another process could then write into
// the middle of our transaction. OFD locks, which don't have this trap, are on
// Linux only. Reading through SQLite (sqlite_dbpage) would show its idea of the
// pages and not what the file holds, and a child process needs an executable that
// knows its part. So the file is opened once and never closed: one descriptor a
// file, of which only reads at offsets are made.
var kept struct {
	sync.Mutex
	files []*os.File
}

func openKept(name string) (f *os.File, done func(), err error) {
	if runtime.GOOS == "windows" { // locks belong to handles there
		f, err := os.Open(name)
		return f, func() { _ = f.Close() }, err
	}
	kept.Lock()
	defer kept.Unlock()
	now, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range kept.files {
		if fi, err := f.Stat(); err == nil && os.SameFile(fi, now) {
			return f, func() {}, nil
		}
	}
	if f, err = os.Open(name); err == nil {
		kept.files = append(kept.files, f)
	}
	return f, func() {}, err
}
