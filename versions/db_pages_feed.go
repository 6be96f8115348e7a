package versions

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"sync"

	"modernc.org/sqlite"
)

// pageFeed brings pages in order. SQLite reads the next ones while those that are
// there are taken apart: one takes about as long as the other.
type pageFeed struct {
	size  int         // of what is used of a page
	full  chan []byte // pages, several at a time
	empty chan []byte // those that were taken apart, to be filled again
	stop  chan struct{}
	err   error // once full is closed

	filling   []byte // by page
	now, rest []byte // taken from full, and what is left of it
}

// atATime is how many pages change hands together: each time costs as much as a page.
const atATime = 8

// Pages come by way of a function of ours in the statement, which copies them to where
// they belong. As values of a result each would get memory of its own, to be cleared
// and thrown away: that takes longer than to read it.
const readPages = `SELECT memend_page(?2,p.data) FROM json_each(?1) n CROSS JOIN sqlite_dbpage p ON p.pgno=n.value`

// feeds are those that pages are read for.
var feeds struct {
	sync.Mutex
	last int64
	byID map[int64]*pageFeed
}

// pageFunction makes known to SQLite what readPages calls.
var pageFunction = sync.OnceFunc(func() {
	feeds.byID = map[int64]*pageFeed{}
	sqlite.MustRegisterFunction("memend_page", &sqlite.FunctionImpl{NArgs: 2, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			id, _ := args[0].(int64)
			page, _ := args[1].([]byte) // valid in here only
			feeds.Lock()
			f := feeds.byID[id]
			feeds.Unlock()
			if f == nil || len(page) < f.size {
				return nil, errPages
			}
			if f.filling == nil {
				f.filling = make([]byte, 0, (atATime+1)*f.size) // one ahead is read with them
			}
			f.filling = append(f.filling, page[:f.size]...)
			return nil, nil
		}})
})

// feed begins to read pages; it must be ended.
func (h *headPages) feed(numbers []uint32) *pageFeed {
	f := &pageFeed{size: h.usable, full: make(chan []byte, 1), empty: make(chan []byte, 3), stop: make(chan struct{})}
	for range cap(f.empty) - 1 {
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
	feeds.Lock()
	feeds.last++
	id := feeds.last
	feeds.byID[id] = f
	feeds.Unlock()
	defer func() {
		feeds.Lock()
		delete(feeds.byID, id)
		feeds.Unlock()
	}()
	rows, err := h.q.tx.StmtContext(h.q.ctx, stmt).QueryContext(h.q.ctx, string(list), id)
	if err != nil {
		return errors.Join(errPages, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if len(f.filling) >= atATime*f.size && !f.handOver() {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return errors.Join(errPages, err)
	}
	f.full <- f.filling
	return nil
}

// handOver gives away what is there and goes on with what was taken apart; false when
// nobody wants more.
func (f *pageFeed) handOver() bool {
	f.full <- f.filling
	select {
	case f.filling = <-f.empty:
		f.filling = f.filling[:0]
		return true
	case <-f.stop:
		return false
	}
}

// next is the next page; it is valid until the one after.
func (f *pageFeed) next() ([]byte, error) {
	if len(f.rest) == 0 {
		if f.now != nil {
			f.empty <- f.now
		}
		some, ok := <-f.full
		switch {
		case !ok && f.err != nil:
			return nil, f.err
		case len(some) == 0:
			return nil, errPages
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
