package hosted

import (
	"context"
	"errors"
	"os"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

// Offers lists the service's stores, newest first, each with its replica in the home of a trail, if
// there is one.
func (s *Service) Offers(ctx context.Context, t *engine.Trail) ([]versions.Offer, error) {
	there, err := s.Stores(ctx)
	if err != nil {
		return nil, err
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return nil, err
	}
	here := map[versions.Remote]versions.StoreInfo{}
	for _, i := range all {
		here[i.Upstream] = i
	}
	offers := make([]versions.Offer, len(there))
	for i, h := range there {
		offers[i] = versions.Offer{HostedStore: h, Here: here[versions.Remote{URL: s.url, Store: h.ID}]}
	}
	return offers, nil
}

// Connect creates a replica of a store in the home of a trail and downloads it. If name is empty, it
// is derived from the store's title. If it fails but the returned store has an id, the replica exists
// and Mirror continues.
func (s *Service) Connect(ctx context.Context, t *engine.Trail, by versions.By, about versions.HostedStore, name string) (versions.StoreInfo, versions.Pulled, error) {
	info, err := replica.Connect(ctx, t, by, versions.Remote{URL: s.url, Store: about.ID}, about, name)
	if err != nil {
		return versions.StoreInfo{}, versions.Pulled{}, err
	}
	got, err := Mirror(ctx, t, info)
	if errors.Is(err, versions.ErrHereToo) { // this home serves the store itself: the replica could contain nothing
		_, derr := stores.Delete(context.WithoutCancel(ctx), t, by, info.ID, versions.Scrub{})
		return versions.StoreInfo{}, got, errors.Join(err, derr)
	}
	return info, got, err
}

// Mirror downloads everything that a store's service has into the replica. After an interruption it
// continues where it stopped.
func Mirror(ctx context.Context, t *engine.Trail, info versions.StoreInfo) (got versions.Pulled, err error) {
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return got, err
	}
	if _, err = s.Sync(ctx); err == nil {
		got, err = replica.Pull(ctx, s, versions.PullOptions{Full: true})
	}
	return got, errors.Join(err, s.Close())
}

// Credentials returns the name of the environment variable that holds the credentials for the
// service, never its value. It is empty if none is set: for its default service the SDK may find
// credentials elsewhere.
func (s *Service) Credentials() string {
	if !s.own {
		if keyFor(s.url) != "" {
			return keyEnv
		}
		return ""
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}

// Own reports whether this is the SDK's default service, for which it has its own credentials.
func (s *Service) Own() bool { return s.own }
