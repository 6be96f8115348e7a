package core

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/search"
)

// A listing and a sync read every head, and the first screen waits for the listing. SQLite's driver makes a value of
// each column of each row, which takes 15 ms for 10,000 heads. So SQLite joins the columns and the rows to one value,
// which takes 6 ms. What a listing shows is joined when a head is written, in the column packed (repair.PackedHead):
// reading that takes 2 ms.

// headsPacked selects an expression of the next 1,000 heads after a path, in the order of the primary key. All heads at
// once would take more memory than what is made of them.
func headsPacked(packed string) string {
	return `SELECT coalesce(group_concat(` + packed + `,''),'') FROM head WHERE store=?1 AND path>?2
		AND path<=coalesce((SELECT path FROM head WHERE store=?1 AND path>?2 ORDER BY path LIMIT 1 OFFSET 999), x'')`
}

var (
	ListedHeads  = headsPacked(`packed`)
	ScannedHeads = headsPacked(`concat(memory,' ',version,' ',seen,' ',size,' ',mtime,' ',ctime,' ',ino,' ',
		octet_length(path),' ',path,length(sha),' ',sha)`)
)

// HeadReader reads the heads of a store, ordered by the bytes of their paths. Of each, it reads all values that the
// query has, in their order.
type HeadReader struct {
	Store  *Store
	Reader Reader
	Query  string // ListedHeads or ScannedHeads
	last   string // the path of the last head
	packed string // some heads
	at     int    // where the next value of packed begins
	Err    error
}

// Next begins the next head. It returns false after the last one and after an error.
func (r *HeadReader) Next() bool {
	if r.at >= len(r.packed) && r.Err == nil {
		r.at, r.Err = 0, r.Reader.Row(r.Query, r.Store.Row, r.last).Scan(&r.packed)
	}
	return r.packed != "" && r.Err == nil
}

// Failed ends the reading.
func (r *HeadReader) Failed(err error) {
	if r.Err == nil {
		r.at, r.Err = len(r.packed), err
	}
}

var errPacked = fmt.Errorf("%w: a row of the table of heads", versions.ErrDamaged)

// Number reads a number.
func (r *HeadReader) Number() (n int64) {
	from := r.at
	for ; r.at < len(r.packed); r.at++ {
		switch c := r.packed[r.at]; {
		case c == ' ' && r.at > from:
			if r.packed[from] != '-' {
				n = -n
			}
			r.at++
			return n
		case c >= '0' && c <= '9':
			n = n*10 - int64(c-'0') // the smallest number has no positive one
		case c != '-' || r.at > from:
			r.Failed(errPacked)
			return 0
		}
	}
	r.Failed(errPacked)
	return 0
}

// Text reads a text, an id or a hash. It is part of a large text: who keeps it clones it.
func (r *HeadReader) Text() string {
	n := int(r.Number())
	if n < 0 || n > len(r.packed)-r.at {
		r.Failed(errPacked)
		return ""
	}
	r.at += n
	return r.packed[r.at-n : r.at]
}

// Path reads the path of the next head.
func (r *HeadReader) Path() string {
	r.last = r.Text()
	return r.last
}

const countHeads = `SELECT CASE (SELECT count(*) FROM store) WHEN 1 THEN (SELECT count(*) FROM head)
	ELSE (SELECT count(*) FROM head WHERE store=?) END`

// HowMany returns the number of the store's heads. SQLite counts all heads without reading them.
func HowMany(s *Store, q Reader) (n int, err error) {
	err = q.Row(countHeads, s.Row).Scan(&n)
	return n, err
}

// NewTexts returns an empty cache of the store's texts.
func NewTexts(s *Store) *search.Texts {
	view := func(ctx context.Context, read func(db.Queryer) error) error {
		return View(ctx, s.Trail, func(q Reader) error { return read(q) })
	}
	return search.New(search.Source{View: view, Store: s.Row, Folder: func() *memfs.Dir { return Folder(s) }, MaxBytes: s.Trail.MaxBytes})
}

// EachBlob calls do for every content and reads a few hundred of them in each snapshot.
func EachBlob(ctx context.Context, t *Trail, do func(q Reader, id int64) error) error {
	for last, more := int64(0), true; more; {
		err := View(ctx, t, func(q Reader) error {
			ids, err := db.Values[int64](q.Rows(`SELECT id FROM blob WHERE id>? ORDER BY id LIMIT 500`, last))
			more = len(ids) > 0
			for _, id := range ids {
				last = id
				if err := do(q, id); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
