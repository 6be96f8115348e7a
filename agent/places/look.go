package places

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// How much is looked at: entries of folders and names asked for, in all and in one
// folder that holds memories.
const (
	budget      = 200_000
	placeBudget = 20_000
	deepest     = 32
	oneFolder   = 4096    // entries of a folder in which folders are looked for
	settingsMax = 4 << 20 // bytes of a file of settings
)

// looker looks at folders as long as its budget and its context last, and keeps what
// it could not look at.
type looker struct {
	ctx      context.Context
	left     int // entries and names
	room     int // entries of one folder that holds memories
	cut      bool
	problems []error
}

// spend takes n from the budget; false when it is used up.
func (l *looker) spend(n int) bool {
	if l.left < n || l.ctx.Err() != nil {
		l.cut = true
		return false
	}
	l.left -= n
	return true
}

// fail keeps an error, but none of what isn't there: no such name, a file where a
// folder would have to be, or a link that leads to itself.
func (l *looker) fail(err error) {
	for _, absent := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP} {
		if errors.Is(err, absent) {
			return
		}
	}
	if err != nil {
		l.problems = append(l.problems, err)
	}
}

// folder is the one true name of a folder that is there, else "".
func (l *looker) folder(parts ...string) string {
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

// has reports whether something of that name is there.
func (l *looker) has(parts ...string) bool {
	if !l.spend(1) {
		return false
	}
	_, err := os.Lstat(filepath.Join(parts...))
	return err == nil
}

// entries are so many entries of a folder as the budget allows, by name; more says
// that there are others.
func (l *looker) entries(dir string, most int) (out []os.DirEntry, more bool) {
	most = min(most, l.left)
	if !l.spend(1) || most <= 0 {
		return nil, true
	}
	f, err := os.Open(dir)
	if err != nil {
		l.fail(err)
		return nil, false
	}
	defer func() { _ = f.Close() }()
	out, err = f.ReadDir(most)
	if err != nil && !errors.Is(err, io.EOF) {
		l.fail(err)
	}
	more = len(out) == most
	l.spend(min(len(out), l.left))
	slices.SortFunc(out, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, more
}

// folders are the folders in a folder, by their names, with their true names.
func (l *looker) folders(parts ...string) (out []named) {
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

// file is the content of a small regular file; nil when there is none.
func (l *looker) file(parts ...string) []byte {
	if !l.spend(1) {
		return nil
	}
	path := filepath.Join(parts...)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		l.fail(err)
		return nil
	}
	if info.Size() > settingsMax {
		l.fail(fmt.Errorf("%s is too large to be settings", path))
		return nil
	}
	b, err := os.ReadFile(path)
	l.fail(err)
	return b
}

// count counts what a store of the folder would hold: its files that are not hidden.
func (l *looker) count(p *Place) {
	room := l.room
	l.countIn(p, p.Folder, &room, 0)
}

func (l *looker) countIn(p *Place, dir string, room *int, depth int) {
	if depth > deepest || *room <= 0 {
		p.More = true
		return
	}
	entries, more := l.entries(dir, *room)
	p.More = p.More || more
	*room -= len(entries)
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, ".") || name == "node_modules":
		case e.IsDir():
			l.countIn(p, filepath.Join(dir, name), room, depth+1)
		case e.Type().IsRegular():
			info, err := e.Info()
			if err != nil {
				continue // gone meanwhile
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
