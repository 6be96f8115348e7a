package versions

import (
	"context"
	"errors"
	"strings"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// MemoryFilter selects memories for a listing.
type MemoryFilter struct {
	In       string // the start of the paths in a folder: "notes/"; "": all
	Children bool   // only the memories directly in it, and its folders in place of what is below them
	Contents int64  // bytes of contents after which a page ends, but at least one memory; 0: no contents
}

// Listed is one row of a listing.
type Listed struct {
	Current
	Folder bool // only Path is set: there are memories below it
}

// ListMemories lists the current memories of the store according to the trail, ordered by the bytes of
// their paths, at most limit rows. Its cost depends on the size of the page, not on the number of
// memories.
func (s *Store) ListMemories(ctx context.Context, f MemoryFilter, after Cursor, limit int) (out []Listed, next Cursor, err error) {
	err = s.t.view(ctx, func(q reader) error {
		l := lister{s: s, q: q, f: f, limit: limit, at: max(string(after), f.In)}
		for more := true; more && err == nil; {
			more, err = l.read()
		}
		out, next = l.out, l.next
		return err
	})
	return out, next, err
}

// lister fills a page.
type lister struct {
	s     *Store
	q     reader
	f     MemoryFilter
	limit int
	at    string // entries before it are not wanted
	bytes int64
	out   []Listed
	next  Cursor
}

// read reads rows from at on, and reports whether there may be more for this page. It skips the
// memories below a listed folder with a new query that starts after them.
func (l *lister) read() (more bool, err error) {
	ask := l.limit - len(l.out) + 1
	rows, err := l.rows(ask)
	if err != nil {
		return false, err
	}
	for _, m := range rows {
		k := key(m.Path)
		if k < l.at { // below a listed folder
			continue
		}
		if len(l.out) == l.limit || l.f.Contents > 0 && l.bytes >= l.f.Contents {
			l.next = Cursor(l.at)
			return false, nil
		}
		if err := l.take(m, k); err != nil {
			return false, err
		}
	}
	return len(rows) == ask, nil
}

const (
	afterPath   = "\x01" // no path has a character below the space
	afterFolder = "0"    // the character after the slash
)

// take adds a memory to the page, or the folder that represents it.
func (l *lister) take(m currentRow, k string) (err error) {
	if l.f.Children {
		if i := strings.IndexByte(k[len(l.f.In):], '/'); i >= 0 {
			folder := k[:len(l.f.In)+i]
			l.at = folder + afterFolder
			p, err := pathOf(folder)
			l.out = append(l.out, Listed{Current{Path: p}, true})
			return err
		}
	}
	if l.f.Contents > 0 {
		m.Content, err = blobs.Get(l.q, m.blob)
		if m.Damaged = errors.Is(err, ErrDamaged); err != nil && !m.Damaged { // one damaged content must not fail the list
			return err
		}
		l.bytes += m.Size
	}
	l.out, l.at = append(l.out, Listed{m.Current, false}), k+afterPath
	return nil
}

// rows reads at most limit memories from at on.
func (l *lister) rows(limit int) (out []currentRow, err error) {
	var end any = []byte{} // in SQLite's order, every text is less than a blob
	if l.f.In != "" {
		end = strings.TrimSuffix(l.f.In, "/") + afterFolder
	}
	var m currentRow
	return db.All(l.q.Rows(l.text(), l.s.id, l.at, end, limit), &m, m.columns()...)
}

func (l *lister) text() string {
	return `SELECT ` + currentColumns + ` FROM head h WHERE h.store=? AND h.path>=? AND h.path<? AND h.binary=0 ORDER BY h.path LIMIT ?`
}
