package db

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"sync"

	"modernc.org/sqlite"
)

// pageFeed delivers pages in order. SQLite reads the next pages while the caller parses the current
// ones, because both take about the same time.
type pageFeed struct {
	size  int         // usable bytes of a page
	full  chan []byte // pages, several at a time
	empty chan []byte // parsed buffers to fill again
	stop  chan struct{}
	err   error // valid once full is closed

	filling   []byte // one slice for each page
	now, rest []byte // the batch received from full, and its unread part
}

// atATime is how many pages are sent together: a single send costs as much as reading a page.
const atATime = 8

// readPages reads pages through an SQL function of ours that copies them to their buffers. As
// result values, each page would get memory of its own to clear and discard, which takes longer
// than reading it.
const readPages = `SELECT memend_page(?2,p.data) FROM json_each(?1) n CROSS JOIN sqlite_dbpage p ON p.pgno=n.value`

// feeds holds the feeds that pages are being read for.
var feeds struct {
	sync.Mutex
	last int64
	byID map[int64]*pageFeed
}

// pageFunction registers the SQL function that readPages calls.
var pageFunction = sync.OnceFunc(func() {
	feeds.byID = map[int64]*pageFeed{}
	sqlite.MustRegisterFunction("memend_page", &sqlite.FunctionImpl{NArgs: 2, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			id, _ := args[0].(int64)
			page, _ := args[1].([]byte) // valid only during this call
			feeds.Lock()
			f := feeds.byID[id]
			feeds.Unlock()
			if f == nil || len(page) < f.size {
				return nil, ErrPages
			}
			if f.filling == nil {
				f.filling = make([]byte, 0, (atATime+1)*f.size) // one page is read ahead
			}
			f.filling = append(f.filling, page[:f.size]...)
			return nil, nil
		}})
})

// feed starts to read pages. The caller must call end.
func (h *tablePages) feed(numbers []uint32) *pageFeed {
	f := &pageFeed{size: h.usable, full: make(chan []byte, 1), empty: make(chan []byte, 3), stop: make(chan struct{})}
	for range cap(f.empty) - 1 {
		f.empty <- nil
	}
	h.s.d.Go(func() {
		defer close(f.full)
		f.err = f.read(h, numbers)
	})
	return f
}

func (f *pageFeed) read(h *tablePages, numbers []uint32) error {
	list, err := json.Marshal(numbers)
	if err != nil {
		return err
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
	for _, err := range h.s.Each(readPages, string(list), id) {
		if err != nil {
			return errors.Join(ErrPages, err)
		}
		if len(f.filling) >= atATime*f.size && !f.handOver() {
			return nil
		}
	}
	f.full <- f.filling
	return nil
}

// handOver sends the pages that were read and continues with a parsed buffer. It returns false when
// the reader has stopped.
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

// next returns the next page. The page is valid until the next call.
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
			return nil, ErrPages
		}
		f.now, f.rest = some, some
	}
	page := f.rest[:f.size]
	f.rest = f.rest[f.size:]
	return page, nil
}

// end stops the reading and waits for its goroutine.
func (f *pageFeed) end() {
	close(f.stop)
	for range f.full {
	}
}
