package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/gitsync"
)

// These methods do for the TUI what `memend sync` does.

// BranchStates returns the branches of the stores that have one and are not archived.
func (h *homeStores) BranchStates(ctx context.Context) (map[versions.StoreID]branches.State, error) {
	known, err := gitsync.Branches(ctx, h.Trail)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	all, err := h.Stores(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[versions.StoreID]branches.State{}
	for _, info := range all {
		if b, ok := known[info.ID]; ok && info.Archived.IsZero() {
			out[info.ID] = branches.State{BranchState: b, Store: info.Name, Failed: h.failed[info.ID]}
		}
	}
	return out, nil
}

// SyncStore syncs a store, which need not be open.
func (h *homeStores) SyncStore(ctx context.Context, order screen.Sync) (r gitsync.Result, err error) {
	if h.demo {
		return r, errDemo
	}
	if s := h.isOpen(order.Store); s != nil {
		r, err = h.sync(ctx, s, order)
	} else {
		err = withOpen(ctx, h.Trail, versions.StoreInfo{ID: order.Store}, func(s *engine.Store) (err error) {
			r, err = h.sync(ctx, s, order)
			return err
		})
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.failed = map[versions.StoreID]error{}
	}
	h.failed[order.Store] = err
	return r, err
}

func (h *homeStores) sync(ctx context.Context, s *engine.Store, order screen.Sync) (r gitsync.Result, err error) {
	url := order.URL
	if below, ok := strings.CutPrefix(url, "~/"); ok { // no shell has read it
		home, err := os.UserHomeDir()
		if err != nil {
			return r, err
		}
		url = filepath.Join(home, below)
	}
	if _, err := s.Sync(ctx); err != nil {
		return r, err
	}
	b, err := branchOf(ctx, s, url, order.Branch, order.Subdir)
	if err != nil {
		return r, err
	}
	o := syncOptions(ctx, h.Trail.Home())
	o.Rewrite = order.Rewrite
	if o.Rewrite && !h.by.Person() {
		return r, fmt.Errorf("replace branch %s: %w", b.Name, versions.ErrPersonsOnly)
	}
	return gitsync.Sync(ctx, s, h.by, b, o)
}
