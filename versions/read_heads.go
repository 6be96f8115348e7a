package versions

import "fmt"

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
	listedHeads  = headsPacked(`packed`)
	scannedHeads = headsPacked(`concat(memory,' ',version,' ',seen,' ',size,' ',mtime,' ',ctime,' ',ino,' ',
		octet_length(path),' ',path,length(sha),' ',sha)`)
)

// headReader reads the heads of a store, ordered by the bytes of their paths. Of each, it reads all values that the
// query has, in their order.
type headReader struct {
	s      *Store
	q      reader
	query  string // listedHeads or scannedHeads
	last   string // the path of the last head
	packed string // some heads
	at     int    // where the next value of packed begins
	err    error
}

// next begins the next head. It returns false after the last one and after an error.
func (r *headReader) next() bool {
	if r.at >= len(r.packed) && r.err == nil {
		r.at, r.err = 0, r.q.Row(r.query, r.s.id, r.last).Scan(&r.packed)
	}
	return r.packed != "" && r.err == nil
}

// failed ends the reading.
func (r *headReader) failed(err error) {
	if r.err == nil {
		r.at, r.err = len(r.packed), err
	}
}

var errPacked = fmt.Errorf("%w: a row of the table of heads", ErrDamaged)

// number reads a number.
func (r *headReader) number() (n int64) {
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
			r.failed(errPacked)
			return 0
		}
	}
	r.failed(errPacked)
	return 0
}

// text reads a text, an id or a hash. It is part of a large text: who keeps it clones it.
func (r *headReader) text() string {
	n := int(r.number())
	if n < 0 || n > len(r.packed)-r.at {
		r.failed(errPacked)
		return ""
	}
	r.at += n
	return r.packed[r.at-n : r.at]
}

func (r *headReader) path() string {
	r.last = r.text()
	return r.last
}

const countHeads = `SELECT CASE (SELECT count(*) FROM store) WHEN 1 THEN (SELECT count(*) FROM head)
	ELSE (SELECT count(*) FROM head WHERE store=?) END`

// howMany returns the number of the store's heads. SQLite counts all heads without reading them.
func (s *Store) howMany(q reader) (n int, err error) {
	err = q.Row(countHeads, s.id).Scan(&n)
	return n, err
}
