package hosted

import (
	"context"
	"errors"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// Store is one store of a service. It implements versions.Upstream.
type Store struct {
	s  *Service
	id string
}

var _ versions.Upstream = (*Store)(nil)

// Store returns the store with an id; it sends nothing.
func (s *Service) Store(id string) *Store { return &Store{s, id} }

const pageLimit = 100

// Stores lists the service's stores, the newest first, including archived ones.
func (s *Service) Stores(ctx context.Context) (out []versions.HostedStore, err error) {
	pages := map[string]bool{"": true}
	for page := ""; ; {
		params := anthropic.BetaMemoryStoreListParams{Limit: anthropic.Int(pageLimit), IncludeArchived: anthropic.Bool(true)}
		if page != "" {
			params.Page = anthropic.String(page)
		}
		err := s.try(ctx, false, func(bool) error {
			got, err := s.sdk.Beta.MemoryStores.List(ctx, params)
			if err != nil {
				return err
			}
			for i := range got.Data {
				out = append(out, storeOf(&got.Data[i]))
			}
			page = got.NextPage
			return nil
		})
		switch {
		case err != nil:
			return nil, as(err, errNoAPI)
		case page == "":
			return out, nil
		case pages[page] || len(pages) > 1000:
			return nil, &versions.UpstreamError{Trouble: versions.InvalidResponse, Err: errors.New("the list of stores has no last page")}
		}
		pages[page] = true
	}
}

// errNoAPI reports a server that does not know the API's endpoints.
var errNoAPI = errors.New("there is no memory-stores API at this URL")

// Make creates a store. It never repeats a request without a response, because two stores may have the
// same name; the error is then unsure.
func (s *Service) Make(ctx context.Context, t *engine.Trail, by versions.By, name, description string, metadata map[string]string) (out versions.HostedStore, err error) {
	if err := t.MayAdminister(ctx, by); err != nil {
		return out, err
	}
	params := anthropic.BetaMemoryStoreNewParams{Name: name, Metadata: metadata}
	if description != "" {
		params.Description = anthropic.String(description)
	}
	var last error
	err = s.try(ctx, true, func(unsure bool) error {
		if unsure {
			return last
		}
		var got *anthropic.BetaManagedAgentsMemoryStore
		if got, last = s.sdk.Beta.MemoryStores.New(ctx, params); last == nil {
			out = storeOf(got)
		}
		return last
	})
	return out, as(err, errNoAPI)
}

func storeOf(s *anthropic.BetaManagedAgentsMemoryStore) versions.HostedStore {
	return versions.HostedStore{ID: s.ID, Name: s.Name, Description: s.Description, Metadata: s.Metadata,
		Created: s.CreatedAt, Updated: s.UpdatedAt, Archived: s.ArchivedAt}
}

// About returns the service's description of the store.
func (u *Store) About(ctx context.Context) (out versions.HostedStore, err error) {
	return u.one(ctx, false, func() (*anthropic.BetaManagedAgentsMemoryStore, error) {
		return u.s.sdk.Beta.MemoryStores.Get(ctx, u.id, anthropic.BetaMemoryStoreGetParams{})
	})
}

// Describe changes that description. It is idempotent.
func (u *Store) Describe(ctx context.Context, up versions.StoreUpdate) (versions.HostedStore, error) {
	var params anthropic.BetaMemoryStoreUpdateParams
	if up.Title != nil {
		params.Name = anthropic.String(*up.Title)
	}
	if up.Description != nil {
		params.Description = anthropic.String(*up.Description)
	}
	if len(up.Metadata) > 0 { // the SDK's own field can't remove a key
		params.SetExtraFields(map[string]any{"metadata": up.Metadata})
	}
	return u.one(ctx, true, func() (*anthropic.BetaManagedAgentsMemoryStore, error) {
		return u.s.sdk.Beta.MemoryStores.Update(ctx, u.id, params)
	})
}

// Archive makes the store read-only permanently.
func (u *Store) Archive(ctx context.Context) (versions.HostedStore, error) {
	return u.one(ctx, true, func() (*anthropic.BetaManagedAgentsMemoryStore, error) {
		return u.s.sdk.Beta.MemoryStores.Archive(ctx, u.id, anthropic.BetaMemoryStoreArchiveParams{})
	})
}

func (u *Store) one(ctx context.Context, writes bool, do func() (*anthropic.BetaManagedAgentsMemoryStore, error)) (out versions.HostedStore, err error) {
	err = u.s.try(ctx, writes, func(bool) error {
		got, err := do()
		if err == nil {
			out = storeOf(got)
		}
		return err
	})
	return out, as(err, versions.ErrNoStore)
}

// Drop deletes the store with all its content.
func (u *Store) Drop(ctx context.Context) error {
	return u.s.try(ctx, true, func(unsure bool) error {
		_, err := u.s.sdk.Beta.MemoryStores.Delete(ctx, u.id, anthropic.BetaMemoryStoreDeleteParams{})
		if unsure && err != nil && errors.As(u.s.failure(err), new(*missing)) {
			return nil // deleted by an earlier attempt
		}
		return as(err, versions.ErrNoStore)
	})
}
