package places

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
)

// Limits of a discovery: entries and names in all, and in one folder with memories.
const (
	budget      = 200_000
	placeBudget = 20_000
	deepest     = 32
	oneFolder   = 4096    // entries of a folder that is searched for subfolders
	settingsMax = 4 << 20 // bytes of a settings file
)

// folderReader reads folders within its budget and its context, and records what it could not read.
type folderReader struct {
	ctx      context.Context
	left     int // remaining entries and names
	room     int // maximum entries of one folder with memories
	cut      bool
	problems []error
}

// spend takes n from the budget and reports whether that was possible.
func (l *folderReader) spend(n int) bool {
	if l.left < n || l.ctx.Err() != nil {
		l.cut = true
		return false
	}
	l.left -= n
	return true
}

// fail records an error unless it says that something does not exist: no such name, another kind of file, or a link loop.
func (l *folderReader) fail(err error) {
	for _, absent := range []error{fs.ErrNotExist, memfs.ErrNotRegular, memfs.ErrNotFolder, syscall.ENOTDIR, syscall.ELOOP} {
		if errors.Is(err, absent) {
			return
		}
	}
	if err != nil {
		l.problems = append(l.problems, err)
	}
}

// folder returns the path of an existing folder with its links resolved, or "".
func (l *folderReader) folder(parts ...string) string {
	if !l.spend(1) {
		return ""
	}
	path := filepath.Join(parts...)
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		l.fail(err)
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		l.fail(err)
		return ""
	}
	return real
}

// has reports whether a path exists.
func (l *folderReader) has(parts ...string) bool {
	if !l.spend(1) {
		return false
	}
	_, err := os.Lstat(filepath.Join(parts...))
	return err == nil
}

// gone reports whether a folder does not exist any more.
func (l *folderReader) gone(dir string) bool {
	if !l.spend(1) {
		return false
	}
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// entries returns at most the given number of a folder's entries, by name, within the budget; more reports that there are
// others.
func (l *folderReader) entries(dir string, most int) (out []os.DirEntry, more bool) {
	most = min(most, l.left)
	if !l.spend(1) || most <= 0 {
		return nil, true
	}
	out, err := disk.ReadDir(dir, most)
	l.fail(err)
	l.spend(min(len(out), l.left))
	return out, len(out) == most
}

// folders returns the subfolders of a folder, by name, with their links resolved.
func (l *folderReader) folders(parts ...string) (out []named) {
	dir := l.folder(parts...)
	if dir == "" {
		return nil
	}
	entries, more := l.entries(dir, oneFolder)
	l.cut = l.cut || more
	for _, e := range entries {
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if real := l.folder(dir, e.Name()); real != "" {
			out = append(out, named{e.Name(), real})
		}
	}
	return out
}

type named struct{ name, folder string }

// file returns the content of a small regular file, or nil.
func (l *folderReader) file(parts ...string) []byte {
	if !l.spend(1) {
		return nil
	}
	path := filepath.Join(parts...)
	f, err := disk.OpenRegular(path)
	if err != nil {
		l.fail(err)
		return nil
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, settingsMax+1))
	if err == nil && len(b) > settingsMax {
		b, err = nil, fmt.Errorf("%s is too large to be settings", path)
	}
	l.fail(err)
	return b
}

// count counts the memories that a store of the folder would have: its files that are not hidden.
func (l *folderReader) count(p *Place) {
	if !p.Files.All() {
		l.countNamed(p)
		return
	}
	room := l.room
	l.countIn(p, p.Folder, &room, 0)
}

func (l *folderReader) countIn(p *Place, dir string, room *int, depth int) {
	if depth > deepest || *room <= 0 {
		p.More = true
		return
	}
	entries, more := l.entries(dir, *room)
	p.More = p.More || more
	*room -= len(entries)
	for _, e := range entries {
		switch name := e.Name(); {
		case memfs.HiddenName(name):
		case e.IsDir():
			l.countIn(p, filepath.Join(dir, name), room, depth+1)
		case e.Type().IsRegular() && memfs.Leftover(name) == "":
			info, err := e.Info()
			if err != nil {
				continue // deleted meanwhile
			}
			p.Memories++
			p.Bytes += info.Size()
			p.Newest = later(p.Newest, info.ModTime())
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
