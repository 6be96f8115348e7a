package history

import (
	"context"
	"errors"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// ListMemories lists the current memories of the store according to the trail, ordered by the bytes of
// their paths, at most limit rows. Its cost depends on the size of the page, not on the number of
// memories.
func ListMemories(ctx context.Context, s *core.Store, f versions.MemoryFilter, after versions.Cursor, limit int) (out []versions.Listed, next versions.Cursor, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		l := Lister{Store: s, q: q, f: f, limit: limit, at: max(string(after), f.In)}
		for more := true; more && err == nil; {
			more, err = l.read()
		}
		out, next = l.out, l.next
		return err
	})
	return out, next, err
}

// Lister fills a page.
type Lister struct {
	Store *core.Store
	q     tables.Reader
	f     versions.MemoryFilter
	limit int
	at    string // entries before it are not wanted
	bytes int64
	out   []versions.Listed
	next  versions.Cursor
}

// read reads rows from at on, and reports whether there may be more for this page. It skips the
// memories below a listed folder with a new query that starts after them.
func (l *Lister) read() (more bool, err error) {
	ask := l.limit - len(l.out) + 1
	rows, err := l.rows(ask)
	if err != nil {
		return false, err
	}
	for _, m := range rows {
		k := versions.Key(m.Path)
		if k < l.at { // below a listed folder
			continue
		}
		if len(l.out) == l.limit || l.f.Contents > 0 && l.bytes >= l.f.Contents {
			l.next = versions.Cursor(l.at)
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
func (l *Lister) take(m currentRow, k string) (err error) {
	if l.f.Children {
		if i := strings.IndexByte(k[len(l.f.In):], '/'); i >= 0 {
			folder := k[:len(l.f.In)+i]
			l.at = folder + afterFolder
			p, err := tables.PathOf(folder)
			l.out = append(l.out, versions.Listed{Current: versions.Current{Path: p}, Folder: true})
			return err
		}
	}
	if l.f.Contents > 0 {
		m.Content, err = blobs.Get(l.q, m.blob)
		if m.Damaged = errors.Is(err, versions.ErrDamaged); err != nil && !m.Damaged { // one damaged content must not fail the list
			return err
		}
		l.bytes += m.Size
	}
	l.out, l.at = append(l.out, versions.Listed{Current: m.Current, Folder: false}), k+afterPath
	return nil
}

// rows reads at most limit memories from at on.
func (l *Lister) rows(limit int) (out []currentRow, err error) {
	var end any = []byte{} // in SQLite's order, every text is less than a blob
	if l.f.In != "" {
		end = strings.TrimSuffix(l.f.In, "/") + afterFolder
	}
	var m currentRow
	return db.All(l.q.Rows(l.Text(), l.Store.Row, l.at, end, limit), &m, m.columns()...)
}

// Text is the query of the list.
func (l *Lister) Text() string {
	return `SELECT ` + currentColumns + ` FROM head h WHERE h.store=? AND h.path>=? AND h.path<? AND h.binary=0 ORDER BY h.path LIMIT ?`
}
