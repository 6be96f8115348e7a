package cli

import (
	"context"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/replica"
	vstores "github.com/memend/memend/versions/stores"
)

// These methods do for the TUI what `memend stores connect`, `mirror` and `disconnect` do.

// Service lists the stores of the service at a base URL.
func (h *homeStores) Service(ctx context.Context, url string) (stores.Service, error) {
	if h.demo {
		return stores.Service{URL: url}, errDemo
	}
	s, err := hosted.New(url)
	if err != nil {
		return stores.Service{URL: url}, err
	}
	out := serviceOf(s)
	out.Stores, err = s.Offers(ctx, h.Trail)
	return out, err
}

func serviceOf(s *hosted.Service) stores.Service {
	return stores.Service{URL: s.URL(), Own: s.Own(), Key: s.Credentials()}
}

// MakeHosted creates a store at the service.
func (h *homeStores) MakeHosted(ctx context.Context, url, name, description string) (versions.HostedStore, error) {
	s, err := hosted.New(url)
	if err != nil {
		return versions.HostedStore{}, err
	}
	return s.Make(ctx, h.Trail, h.by, name, description, nil)
}

// ConnectStore creates a replica and copies the whole store.
func (h *homeStores) ConnectStore(ctx context.Context, url string, about versions.HostedStore) (versions.StoreInfo, versions.Pulled, error) {
	s, err := hosted.New(url)
	if err != nil {
		return versions.StoreInfo{}, versions.Pulled{}, err
	}
	return s.Connect(ctx, h.Trail, h.by, about, "")
}

// MirrorStore copies everything that its service has of a store.
func (h *homeStores) MirrorStore(ctx context.Context, id versions.StoreID) (versions.Pulled, error) {
	info, err := h.FindStore(ctx, string(id))
	if err != nil {
		return versions.Pulled{}, err
	}
	return hosted.Mirror(ctx, h.Trail, info)
}

// CreateStore creates a store.
func (h *homeStores) CreateStore(ctx context.Context, name, description, folder string) (versions.StoreInfo, error) {
	return vstores.CreateStore(ctx, h.Trail, h.by, name, description, folder)
}

// UpdateStore changes the description of a store.
func (h *homeStores) UpdateStore(ctx context.Context, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error) {
	return vstores.Update(ctx, h.Trail, h.by, id, u)
}

// ArchiveStore archives a store.
func (h *homeStores) ArchiveStore(ctx context.Context, id versions.StoreID) (versions.StoreInfo, error) {
	return vstores.Archive(ctx, h.Trail, h.by, id)
}

// DisconnectStore deletes the local copy of a store.
func (h *homeStores) DisconnectStore(ctx context.Context, id versions.StoreID) (versions.Receipt, error) {
	return vstores.Delete(ctx, h.Trail, h.by, id, versions.Scrub{Wait: readerWait})
}

// SyncStates returns the state of hosted stores relative to their services: an open store
// knows it; for the others it is the time of the last successful update.
func (h *homeStores) SyncStates(ctx context.Context) (map[versions.StoreID]stores.SyncState, error) {
	all, err := h.Stores(ctx)
	if err != nil {
		return nil, err
	}
	out := map[versions.StoreID]stores.SyncState{}
	for _, s := range all {
		if !s.Hosted() {
			continue
		}
		state := stores.SyncState{Seen: replica.HomeSeen(h.Trail, s.ID)}
		if at, err := hosted.New(s.Upstream.URL); err == nil {
			state.Service = serviceOf(at)
		}
		if open := h.isOpen(s.ID); open != nil {
			upstream := replica.UpstreamState(open)
			state.Trouble, state.Why = upstream.Trouble, upstream.Err
		}
		out[s.ID] = state
	}
	return out, nil
}
