package history

import (
	"context"
	"slices"

	"github.com/memend/memend/versions"
)

// Store is the part of a store that the pane uses. Its methods may block.
type Store interface {
	// History lists versions of a memory, newest first, before the version with the number
	// before; 0 starts at the newest.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Changes lists changes, newest first, before the change with the number before.
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	// Change returns a change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// Acts lists the bulk edits of other programs among the changes from oldest to newest.
	Acts(ctx context.Context, oldest, newest versions.Change) ([]versions.Bulk, error)
	// Content returns the text of a version.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	writer
}

const (
	// pageSize is how many rows one request returns, searchSize how many are read at once if a
	// filter drops some.
	pageSize, searchSize = 100, 500
	// maxRead is how many rows one request reads before it reports its progress.
	maxRead = 5000
	// maxFiltered is the maximum number of versions of a change whose paths are filtered.
	maxFiltered = 500
)

// question is a request of a list to the store: for items older than before (0 starts at the
// newest) and newer than after.
type question struct {
	store    Store
	memory   versions.MemoryID // whose versions; empty for the changes of the store
	query    query
	viewer   viewer
	sessions []versions.SessionID
	before   int64
	after    int64
	limit    int // how many are enough; 0 for all
}

// answer is the result of a request. Items older than before were not read.
type answer struct {
	items  []item
	acts   map[int64]*versions.Bulk // bulk edits by their changes
	before int64
	newest int64 // that was read, matching or not; 0 if none was
	done   bool
}

func (q question) ask(ctx context.Context) (answer, error) {
	a, err := q.find(ctx)
	if n := len(a.items); err == nil && n > 0 && q.memory == "" && q.query.joins() {
		a.acts, err = acts(ctx, q.store, *a.items[n-1].change, *a.items[0].change)
	}
	return a, err
}

// acts returns the bulk edits of other programs by their changes.
func acts(ctx context.Context, store Store, oldest, newest versions.Change) (map[int64]*versions.Bulk, error) {
	bulks, err := store.Acts(ctx, oldest, newest)
	out := map[int64]*versions.Bulk{}
	for i := range bulks {
		for _, n := range bulks[i].Changes {
			out[n] = &bulks[i]
		}
	}
	return out, err
}

func (q question) find(ctx context.Context) (answer, error) {
	a := answer{before: q.before}
	size := pageSize
	if !q.query.any() {
		size = searchSize
	}
	for looked := 0; ; {
		items, err := q.batch(ctx, a.before, size)
		if err != nil {
			return a, err
		}
		for _, it := range items {
			a.newest = max(a.newest, it.number())
			if it.number() <= q.after {
				return a, nil
			}
			if q.query.onlyNew && q.viewer.over(it) {
				a.done = true
				return a, nil
			}
			q.viewer.loadMemories(ctx, q.store, &it)
			a.before = it.number()
			if q.through(ctx, it) {
				a.items = append(a.items, it)
			}
		}
		if err := ctx.Err(); err != nil {
			return a, err
		}
		looked += len(items)
		a.done = len(items) < size
		if a.done || q.limit > 0 && (len(a.items) >= q.limit || looked >= maxRead) {
			return a, nil
		}
	}
}

func (q question) batch(ctx context.Context, before int64, size int) ([]item, error) {
	if q.memory != "" {
		page, err := q.store.History(ctx, q.memory, int(before), size)
		items := make([]item, len(page))
		for i := range page {
			items[i].version = &page[i]
		}
		return items, err
	}
	page, err := q.store.Changes(ctx, q.query.filter(q.sessions), before, size)
	items := make([]item, len(page))
	for i := range page {
		items[i].change = &page[i]
	}
	return items, err
}

// through reports whether an item matches the filter.
func (q question) through(ctx context.Context, it item) bool {
	return q.holds(ctx, q.query, it) && !slices.ContainsFunc(q.query.not, func(n query) bool { return q.holds(ctx, n, it) })
}

// holds reports whether an item matches a query, without its negated terms.
func (q question) holds(ctx context.Context, of query, it item) bool {
	if of.onlyNew && !q.viewer.item(it) {
		return false
	}
	if it.version != nil {
		return of.version(*it.version)
	}
	c := *it.change
	return of.change(c, func() []versions.Version {
		if c.Versions > maxFiltered {
			return nil
		}
		_, list, _ := q.store.Change(ctx, c.Number)
		return list
	})
}
