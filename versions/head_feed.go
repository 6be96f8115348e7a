package versions

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
)

// pageFeed brings pages in order. SQLite reads the next ones while those that are
// there are taken apart: one takes about as long as the other.
type pageFeed struct {
	size  int         // of a page
	full  chan []byte // pages, several at a time
	empty chan []byte // those that were taken apart, to be filled again
	stop  chan struct{}
	err   error // once full is closed

	now, rest []byte // taken from full, and what is left of it
}

// atATime is how many pages change hands together: each time costs as much as a page.
const atATime = 8

const readPages = `SELECT p.data FROM json_each(?) n CROSS JOIN sqlite_dbpage p ON p.pgno=n.value`

// feed begins to read pages; it must be ended.
func (h *headPages) feed(numbers []uint32) *pageFeed {
	f := &pageFeed{size: h.usable, full: make(chan []byte, 1), empty: make(chan []byte, 3), stop: make(chan struct{})}
	for range cap(f.empty) {
		f.empty <- nil
	}
	h.s.t.Go(func() {
		defer close(f.full)
		f.err = f.read(h, numbers)
	})
	return f
}

func (f *pageFeed) read(h *headPages, numbers []uint32) error {
	list, err := json.Marshal(numbers)
	if err != nil {
		return err
	}
	stmt, err := h.s.t.stmt(h.q.ctx, readPages)
	if err != nil {
		return errors.Join(errPages, err)
	}
	rows, err := h.q.tx.StmtContext(h.q.ctx, stmt).QueryContext(h.q.ctx, string(list))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for left := len(numbers); left > 0; {
		var some []byte
		select {
		case some = <-f.empty:
		case <-f.stop:
			return nil
		}
		n := min(left, atATime)
		if some, err = f.fill(some[:0], rows, n); err != nil {
			return err
		}
		left -= n
		f.full <- some
	}
	return nil
}

// fill reads n pages.
func (f *pageFeed) fill(to []byte, rows *sql.Rows, n int) ([]byte, error) {
	if to == nil {
		to = make([]byte, 0, n*f.size)
	}
	for range n {
		var page sql.RawBytes
		if !rows.Next() {
			return nil, errors.Join(errPages, rows.Err())
		}
		if err := rows.Scan(&page); err != nil {
			return nil, err
		}
		if len(page) < f.size {
			return nil, errPages
		}
		to = append(to, page[:f.size]...)
	}
	return to, nil
}

// next is the next page; it is valid until the one after.
func (f *pageFeed) next() ([]byte, error) {
	if len(f.rest) == 0 {
		if f.now != nil {
			f.empty <- f.now
		}
		some, ok := <-f.full
		if !ok {
			return nil, cmp.Or(f.err, errPages)
		}
		f.now, f.rest = some, some
	}
	page := f.rest[:f.size]
	f.rest = f.rest[f.size:]
	return page, nil
}

// end ends the reading, whatever is left, and waits for it.
func (f *pageFeed) end() {
	close(f.stop)
	for range f.full {
	}
}
