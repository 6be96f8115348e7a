package memfs

import (
	"errors"
	"fmt"
)

// listDepth is the number of levels that a view of a folder shows.
const listDepth = 2

// list returns the view of the folder at, which the model calls p: each folder before its
// content, siblings in byte order, hidden entries left out. A link that stays inside appears
// as its target; other links and special files do not appear.
func list(t Tree, p, at Path) (Result, error) {
	l := lister{t: t, sums: map[Path]int64{}}
	total, err := l.folder(p, at, listDepth)
	if err != nil {
		return Result{}, err
	}
	out := fmt.Appendf(nil, folderHeader, p.Tool())
	out = append(appendSize(out, total), '\t')
	out = append(out, p.Tool()...)
	for _, row := range l.rows {
		out = append(appendSize(append(out, '\n'), row.size), '\t')
		out = append(out, toolRoot...)
		out = append(append(out, '/'), row.path.rel...)
		if row.folder {
			out = append(out, '/')
		}
	}
	return ok(string(out)), nil
}

type lister struct {
	t    Tree
	rows []listRow
	sums map[Path]int64 // of folders below the rows; many links may lead to one
}

type listRow struct {
	path   Path
	size   int64
	folder bool
}

// folder adds the rows of the folder at, shown as p, levels deep, and returns its size: the
// sum of the visible regular files at any depth below it. Unlike the size of the folder's
// inode, it is the same on every machine.
func (l *lister) folder(p, at Path, levels int) (total int64, err error) {
	if sum, ok := l.sums[at]; ok && levels == 0 {
		return sum, nil
	}
	entries, _, err := l.t.List(at)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if HiddenName(e.Path.Base()) && !e.Named {
			continue
		}
		shown, named := p.child(e.Path.Base())
		if !named {
			continue
		}
		size, err := l.entry(shown, e, levels)
		if err != nil {
			return 0, err
		}
		total += size
	}
	l.sums[at] = total
	return total, nil
}

// entry adds the rows of one entry, if it is visible, and returns what it adds to the size of
// its folder: a link adds nothing.
func (l *lister) entry(shown Path, e Info, levels int) (size int64, err error) {
	real, linked := e, e.Kind == Link
	if linked {
		if levels == 0 {
			return 0, nil
		}
		at, info, err := l.t.Resolve(e.Path)
		if err != nil { // a link out, a dangling link or a loop
			return 0, nil
		}
		real, real.Path = info, at
	}
	row := len(l.rows)
	switch real.Kind {
	case File:
		size = real.Sig.Size
		if levels > 0 {
			l.rows = append(l.rows, listRow{path: shown, size: size})
		}
	case Folder:
		if levels > 0 {
			l.rows = append(l.rows, listRow{path: shown, folder: true})
		}
		size, err = l.folder(shown, real.Path, max(levels-1, 0))
		if errors.Is(err, ErrNotExist) || Is(err, Denied) {
			err = nil // deleted meanwhile, or not readable: it appears, empty
		}
		if levels > 0 {
			l.rows[row].size = size
		}
	}
	if linked {
		size = 0
	}
	return size, err
}
