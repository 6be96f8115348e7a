package hosted

import (
	"context"
	"errors"
	"os"

	"github.com/memend/memend/versions"
)

// Offers lists the stores that the service has, newest first, each with the replica
// that the home of a trail has of it.
func (s *Service) Offers(ctx context.Context, t *versions.Trail) ([]versions.Offer, error) {
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

// Connect makes a replica of a store in the home of a trail and brings all of it. An
// empty name is made of what the service calls it. With an error the replica is there
// if it has an id: Mirror goes on with it.
func (s *Service) Connect(ctx context.Context, t *versions.Trail, by versions.By, about versions.HostedStore, name string) (versions.StoreInfo, versions.Pulled, error) {
	info, err := t.Connect(ctx, by, versions.Remote{URL: s.url, Store: about.ID}, about, name)
	if err != nil {
		return versions.StoreInfo{}, versions.Pulled{}, err
	}
	got, err := Mirror(ctx, t, info)
	if errors.Is(err, versions.ErrHereToo) { // this home serves it itself: the replica could hold nothing
		_, derr := t.DeleteStore(context.WithoutCancel(ctx), by, info.ID, versions.Scrub{})
		return versions.StoreInfo{}, got, errors.Join(err, derr)
	}
	return info, got, err
}

// Mirror brings all that its service has of a store into the replica. One that was
// stopped, or failed, goes on where it was.
func Mirror(ctx context.Context, t *versions.Trail, info versions.StoreInfo) (got versions.Pulled, err error) {
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return got, err
	}
	if _, err = s.Sync(ctx); err == nil {
		got, err = s.Pull(ctx, versions.PullOptions{Full: true})
	}
	return got, errors.Join(err, s.Close())
}

// Credentials names the variable of the environment from which the service is given
// credentials, never what it holds. It is empty where none of them is set: the SDK may
// find some elsewhere, for where it goes by itself.
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

// Own reports whether it is where the SDK goes by itself, with credentials of its own.
func (s *Service) Own() bool { return s.own }
