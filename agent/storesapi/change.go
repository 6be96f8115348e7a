package storesapi

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memend/memend/versions"
)

const (
	// changeWait is how long a request waits for a change of a store. It is shorter than defaultWait.
	changeWait = 10 * time.Second

	// maxWaiting is how many requests may wait for changes at once.
	maxWaiting = 1000
)

// waiting counts the requests that wait for changes.
type waiting struct {
	n     atomic.Int64
	ended chan struct{} // closed to end all of them
	ends  atomic.Bool
}

// EndWaiting answers the requests that wait for changes, as if nothing had changed, and those that
// come later.
func (s *Server) EndWaiting() {
	if !s.waiting.ends.Swap(true) {
		close(s.waiting.ended)
	}
}

// latestJSON is the state of a store's history.
type latestJSON struct {
	Type       string `json:"type"`
	Change     int64  `json:"change"`
	Redactions int64  `json:"redactions"`
}

// awaitChange answers with the state of a store's history once it differs from the one that the
// client knows, or after changeWait.
func awaitChange(c *call) (any, error) {
	q := c.query()
	known := versions.Latest{Change: q.number("change"), Redactions: q.number("redactions")}
	if q.err != nil {
		return nil, q.err
	}
	w := &c.s.waiting
	defer w.n.Add(-1)
	if w.n.Add(1) > maxWaiting {
		return nil, errBusy
	}
	ctx, stop := context.WithTimeout(c.Context(), changeWait)
	defer stop()
	now, err := c.s.cache.waitForChange(ctx, c.storeID(), known, w.ended)
	c.idle = err == nil && now == known
	return latestJSON{"memory_store_change", now.Change, now.Redactions}, err
}

// errBusy is the answer to a request that can't wait: its client asks for news from time to time instead.
var errBusy = &failure{status: http.StatusServiceUnavailable, kind: apiError, message: "too many clients wait for changes"}

// number returns a parameter that is a number, or zero.
func (q *query) number(name string) int64 {
	s, ok := q.one(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		q.wrong("%s: must be a number", name)
	}
	return n
}

// waitForChange returns the state of a store's history once it differs from known, or when ctx ends
// or ended is closed. The store stays open meanwhile, so only as many stores are waited for as the
// cache holds.
func (h *storeCache) waitForChange(ctx context.Context, id versions.StoreID, known versions.Latest, ended <-chan struct{}) (now versions.Latest, err error) {
	err = h.withOpened(ctx, id, func(o *opened) error {
		if h.full() {
			return errBusy
		}
		for {
			news := o.news.next() // before the state is read: no change is missed
			if now, err = o.store.Latest(ctx); err != nil || now != known {
				return err
			}
			select {
			case <-news:
			case <-ended:
				return nil
			case <-o.ended: // nobody would say that there is news
				return errBusy
			case <-ctx.Done():
				return nil
			}
		}
	})
	return now, err
}

// full reports whether more stores are open than the cache should hold.
func (h *storeCache) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open) > maxOpen
}

// broadcast wakes all that wait for it.
type broadcast struct {
	mu   sync.Mutex
	sent chan struct{}
}

// next returns a channel that the next send closes.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent == nil {
		b.sent = make(chan struct{})
	}
	return b.sent
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent != nil {
		close(b.sent)
		b.sent = nil
	}
}
