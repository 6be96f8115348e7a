package versions

import (
	"context"
	"errors"
	"strings"
)

// StandingFilter chooses memories of a listing.
type StandingFilter struct {
	In       string // a folder as the paths below it begin: "notes/"; "": all
	Children bool   // only what lies in it directly: memories, and folders for all below them
	From     string // where to go on; "": at the first
	Limit    int
	Contents int64 // bytes of contents after which a page ends, with one memory at least; 0: without contents
}

// Listed is one row of a listing.
type Listed struct {
	Current
	Folder bool // only Path is set: memories lie below it
}

// Standings lists the memories of the store as the trail has them, by path in byte
// order, and says where to go on: "" when there is nothing more. It costs what the
// page has, however many memories there are.
func (s *Store) Standings(ctx context.Context, f StandingFilter) (out []Listed, next string, err error) {
	err = s.t.view(ctx, func(q reader) error {
		l := lister{s: s, q: q, f: f, at: max(f.From, f.In)}
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
	f     StandingFilter
	at    string // nothing before it is wanted
	bytes int64
	out   []Listed
	next  string
}

// standingRow is a memory, and where its content is.
type standingRow struct {
	Current
	blob int64
}

// read takes rows from at on, and reports whether there may be more for this page.
// What lies below a folder that is listed is passed over by asking anew behind it.
func (l *lister) read() (more bool, err error) {
	ask := l.f.Limit - len(l.out) + 1
	rows, err := l.rows(ask)
	if err != nil {
		return false, err
	}
	for _, m := range rows {
		k := key(m.Path)
		if k < l.at { // below a folder that is listed
			continue
		}
		if len(l.out) == l.f.Limit || l.f.Contents > 0 && l.bytes >= l.f.Contents {
			l.next = l.at
			return false, nil
		}
		if err := l.take(m, k); err != nil {
			return false, err
		}
	}
	return len(rows) == ask, nil
}

const (
	afterPath   = "\x01" // no path holds a character below the space
	afterFolder = "0"    // follows the slash
)

// take puts a memory into the page, or the folder that stands for it.
func (l *lister) take(m standingRow, k string) (err error) {
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
		m.Content, err = blobContent(l.q, m.blob)
		if m.Damaged = errors.Is(err, ErrDamaged); err != nil && !m.Damaged { // one is no reason to list none
			return err
		}
		l.bytes += m.Size
	}
	l.out, l.at = append(l.out, Listed{m.Current, false}), k+afterPath
	return nil
}

// rows reads so many memories from at on.
func (l *lister) rows(limit int) (out []standingRow, err error) {
	var end any = []byte{} // no text is beyond a blob
	if l.f.In != "" {
		end = strings.TrimSuffix(l.f.In, "/") + afterFolder
	}
	for row, err := range l.q.Each(l.text(), l.s.id, l.at, end, limit) {
		if err != nil {
			return nil, err
		}
		m, blob, err := scanStanding(row)
		if err != nil {
			return nil, err
		}
		out = append(out, standingRow{m, blob})
	}
	return out, nil
}

func (l *lister) text() string {
	return `SELECT ` + standingColumns + ` FROM head h WHERE h.store=? AND h.path>=? AND h.path<? AND h.binary=0 ORDER BY h.path LIMIT ?`
}
