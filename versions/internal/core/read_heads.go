package core

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/search"
)

// HeadReader reads the values that a query has of a head, in their order.
type HeadReader struct {
	packed string // some heads
	at     int    // where the next value begins
	err    error
}

// EachHead calls do with each head of a store, ordered by the bytes of their paths. The query is ListedHeads or
// ScannedHeads. SQLite takes about as long for some heads as do for those before: so it works ahead.
func EachHead(s *Store, q tables.Reader, query string, do func(*HeadReader)) error {
	some := make(chan HeadReader)
	ended := false // by itself: a panic must not look like the end of the heads
	s.Trail.Go(func() {
		defer close(some)
		for last, more := "", true; more; {
			var r HeadReader
			r.err = q.Row(query, s.Row, last).Scan(&r.packed, &last)
			if more = r.packed != "" && r.err == nil; more || r.err != nil {
				some <- r
			}
		}
		ended = true
	})
	var err error
	for r := range some { // to the end, also after an error: q is read there
		for err == nil && r.at < len(r.packed) && r.err == nil {
			do(&r)
		}
		err = cmp.Or(err, r.err)
	}
	if err == nil && !ended {
		err = errors.New("reading the heads broke off")
	}
	return err
}

// Failed ends the reading.
func (r *HeadReader) Failed(err error) {
	if r.err == nil {
		r.at, r.err = len(r.packed), err
	}
}

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
			r.Failed(tables.ErrPacked)
			return 0
		}
	}
	r.Failed(tables.ErrPacked)
	return 0
}

// Text reads a text, an id or a hash. It is part of a large text: who keeps it clones it.
func (r *HeadReader) Text() string {
	n := int(r.Number())
	if n < 0 || n > len(r.packed)-r.at {
		r.Failed(tables.ErrPacked)
		return ""
	}
	r.at += n
	return r.packed[r.at-n : r.at]
}

// HowMany returns the number of the store's heads. SQLite counts all heads without reading them.
func HowMany(s *Store, q tables.Reader) (n int, err error) {
	err = q.Row(tables.CountHeads, s.Row).Scan(&n)
	return n, err
}

// NewTexts returns an empty cache of the store's texts.
func NewTexts(s *Store) *search.Texts {
	view := func(ctx context.Context, read func(db.Queryer) error) error {
		return View(ctx, s.Trail, func(q tables.Reader) error { return read(q) })
	}
	return search.New(search.Source{View: view, Store: s.Row, Folder: func() *memfs.Dir { return Folder(s) }, MaxBytes: s.Trail.MaxBytes})
}

// EachBlob calls do for every content and reads a few hundred of them in each snapshot.
func EachBlob(ctx context.Context, t *Trail, do func(q tables.Reader, id int64) error) error {
	for last, more := int64(0), true; more; {
		err := View(ctx, t, func(q tables.Reader) error {
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

// EachContents calls do for all contents, some hundred of them at a time in a snapshot of their own.
func EachContents(ctx context.Context, t *Trail, do func(q tables.Reader, some []blobs.Content) error) error {
	for last, more := int64(0), true; more; {
		err := View(ctx, t, func(q tables.Reader) error {
			ids, err := db.Values[int64](q.Rows(`SELECT id FROM blob WHERE id>? ORDER BY id LIMIT 256`, last))
			if more = len(ids) > 0; err != nil || !more {
				return err
			}
			some, err := blobs.GetMany(q, ids)
			if err != nil {
				return err
			}
			last = some[len(some)-1].ID
			return do(q, some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Hosted reports whether the store is a replica of a store at a service.
func Hosted(s *Store) bool { return s.Opened.Hosted() }

// maxListed is how many memories, and how many versions, a service may list.
const maxListed = 5_000_000

// newsPace is the pause between two pulls after news, while somebody watches a hosted store.
const newsPace = 3 * time.Second

// FreshUID returns an id for a version or a memory that is made here.
func FreshUID(s *Store) []byte {
	if Hosted(s) {
		return ids.NewUnsent()
	}
	return ids.New()
}
