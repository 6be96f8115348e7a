package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/replica"
)

// Home has the stores to search. local.Home implements it.
type Home interface {
	Stores(ctx context.Context) ([]versions.StoreInfo, error)
	OpenStore(ctx context.Context, id versions.StoreID) (*engine.Store, error)
}

// SetHome lets the person search all stores of the home.
func (p *Pane) SetHome(h Home) {
	p.home = &home{Home: h, open: map[versions.StoreID]*engine.Store{}}
	context.AfterFunc(p.env.Ctx, p.home.close)
}

// home opens stores when they are searched, and keeps them open until the screen is left: an open
// store caches its texts.
type home struct {
	Home
	use  sync.RWMutex // held for reading while stores are used
	mu   sync.Mutex
	open map[versions.StoreID]*engine.Store // nil once they are closed
}

func (h *home) close() {
	h.use.Lock()
	defer h.use.Unlock()
	for _, s := range h.open {
		_ = s.Close() // nothing was written
	}
	h.open = nil
}

// store returns an open store.
func (h *home) store(ctx context.Context, id versions.StoreID) (*engine.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		return nil, context.Canceled
	}
	if s := h.open[id]; s != nil {
		return s, nil
	}
	s, err := h.OpenStore(ctx, id)
	if err == nil {
		h.open[id] = s
	}
	return s, err
}

// each calls do with every store, the one that is shown first. The caller holds use.
func (h *home) each(ctx context.Context, here Store, do func(versions.StoreInfo, Store, error) error) error {
	all, err := h.Stores(ctx)
	if err != nil {
		return err
	}
	shown := here.Info().ID
	slices.SortStableFunc(all, func(a, b versions.StoreInfo) int {
		switch {
		case a.ID == shown:
			return -1
		case b.ID == shown:
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	for _, info := range all {
		store := here
		var err error
		if info.ID != shown {
			var other *engine.Store
			other, err = h.store(ctx, info.ID)
			store = local.Store{Store: other}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := do(info, store, err); err != nil {
			return err
		}
	}
	return nil
}

// origin is where a row of a search over all stores is.
type origin struct {
	store Store
	info  versions.StoreInfo
}

// prefix returns what the row's path begins with.
func (r *row) prefix() string {
	if r.origin == nil {
		return ""
	}
	return r.origin.info.Name + ":"
}

// label returns the row's path, and with it the store if all are searched.
func (r *row) label() string { return r.prefix() + r.path.String() }

// findEverywhere searches all stores. A store that can't be searched is named in a row.
func findEverywhere(ctx context.Context, h *home, here Store, q versions.Query) (f findings, err error) {
	hits, searched := 0, 0
	var notes []row
	var none error // the folder to search, in no store so far
	h.use.RLock()
	defer h.use.RUnlock()
	err = h.each(ctx, here, func(info versions.StoreInfo, store Store, failed error) error {
		var found versions.Found
		if failed == nil {
			q := q
			q.Limit = max(maxHits-hits, 1)
			at := &origin{store, info}
			found, failed = store.Search(ctx, q, func(hit versions.Hit) bool {
				if hits == maxHits {
					return false
				}
				hits++
				for _, r := range rowsOf(hit) {
					r.origin = at
					f.rows = append(f.rows, r)
				}
				return true
			})
		}
		var bad *match.PatternError
		switch {
		case errors.As(failed, &bad), ctx.Err() != nil, errors.Is(failed, context.Canceled):
			return failed
		case errors.Is(failed, memfs.ErrNotExist) && !q.In.IsRoot():
			none = failed
		case failed != nil:
			notes = append(notes, note(info.Name+": not searched: "+wording.Why(failed)))
			f.unread++
		default:
			searched++
		}
		f.found += found.Memories
		f.unread += len(found.Unread)
		return nil
	})
	if err == nil && searched == 0 && none != nil {
		return f, none
	}
	f.more, f.notes = f.found > hits, notes
	return f, err
}

// noted returns the rows of a search over all stores with what could not be searched, or not up to date.
func (p *Pane) noted(f findings) []row {
	notes := slices.Concat(f.notes, p.late)
	if len(f.rows) == 0 && len(notes) > 0 {
		notes = slices.Insert(notes, 0, note("nothing found"))
	}
	return append(f.rows, notes...)
}

func note(text string) row { return row{heading: true, note: true, text: text} }

// pullWait is how long a search over all stores waits for the news of a service. Meanwhile, and afterwards,
// it finds what is here.
const pullWait = 5 * time.Second

// pull gets the news of the hosted stores, once, and searches again. It returns rows that name those
// whose services did not answer.
func (p *Pane) pull() tea.Cmd {
	if p.pulled {
		return nil
	}
	p.pulled = true
	h, here := p.home, p.store
	return p.pulls.Begin(p.env.Ctx, func(ctx context.Context) (late []row, err error) {
		var mu sync.Mutex
		var all sync.WaitGroup
		h.use.RLock()
		defer h.use.RUnlock()
		err = h.each(ctx, here, func(info versions.StoreInfo, store Store, failed error) error {
			s, ok := store.(local.Store)
			if !info.Hosted() || failed != nil || !ok {
				return nil
			}
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, pullWait)
				defer cancel()
				if _, err := replica.Pull(ctx, s.Store, versions.PullOptions{}); err != nil {
					why := wording.Why(err)
					if errors.Is(err, context.DeadlineExceeded) {
						why = "no answer"
					}
					mu.Lock()
					defer mu.Unlock()
					late = append(late, note(info.Name+": only what is here was searched: "+why))
				}
			})
			return nil
		})
		all.Wait()
		slices.SortFunc(late, func(a, b row) int { return cmp.Compare(a.text, b.text) })
		return late, err
	}, func(late []row, _ error) tea.Cmd {
		p.late = late
		if p.scope != Everywhere {
			return nil
		}
		waits, news := p.openFirst, !p.running || p.news
		cmd := p.search()
		p.openFirst, p.news = waits, news
		return cmd
	})
}

// previewOf makes the preview show memories of a store.
func (p *Pane) previewOf(store Store) {
	if p.shown.Store == store {
		return
	}
	p.shown = &shownStore{Store: store}
	p.preview = memory.New(p.env, p.shown)
	p.parts.SetDetail(p.preview)
}

// openIn opens the selected hit in its store.
func (p *Pane) openIn(r *row, at screen.Open) tea.Cmd {
	if info := r.origin.info; info.ID != p.store.Info().ID {
		return p.env.Do(screen.OpenStore{ID: info.ID, Name: info.Name, At: at})
	}
	return p.env.Do(at)
}
