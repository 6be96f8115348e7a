package stores

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Hoster is the part of a home that handles hosted stores. Every method except SyncStates may
// block on the network; slow ones report their progress through the context.
type Hoster interface {
	// Service lists the stores of the service at a base URL; an empty URL means the default of
	// the SDK. Together with an error it returns what is known of the service.
	Service(ctx context.Context, url string) (Service, error)
	// MakeHosted creates a store at a service. After an unsure error it is unknown whether the
	// store was created.
	MakeHosted(ctx context.Context, url, name, description string) (versions.HostedStore, error)
	// ConnectStore creates a replica and mirrors the whole store. After an error the replica
	// exists if its id is set, and MirrorStore continues.
	ConnectStore(ctx context.Context, url string, about versions.HostedStore) (versions.StoreInfo, versions.Pulled, error)
	// MirrorStore fetches everything its service has of a store.
	MirrorStore(ctx context.Context, id versions.StoreID) (versions.Pulled, error)
	// DisconnectStore deletes the replica of a store.
	DisconnectStore(ctx context.Context, id versions.StoreID) (versions.Receipt, error)
	// SyncStates returns the state of hosted stores relative to their services, as far as it is
	// known.
	SyncStates(ctx context.Context) (map[versions.StoreID]SyncState, error)
}

// Service is a service that hosts stores.
type Service struct {
	URL    string
	Own    bool   // the default of the SDK, with the SDK's credentials
	Key    string // name of the environment variable with the credentials, never its value; empty if none is set
	Stores []versions.Offer
}

// SyncState is the state of a hosted store relative to its service.
type SyncState struct {
	Service Service // without its stores
	Trouble versions.Trouble
	Why     error     // the cause of the trouble, if it is known
	Seen    time.Time // when the replica was last up to date; zero means never
}

// fault is a problem with a service, and what the user can do.
type fault struct{ what, do string }

// faultOf describes an error for the screen.
func faultOf(err error, s Service) fault {
	var trouble *versions.UpstreamError
	switch {
	case errors.Is(err, versions.ErrHereToo):
		return fault{"this home has the memories of that store itself: it seems to be the one that serves it", "open that store, or connect from another home"}
	case errors.Is(err, versions.ErrGoneUpstream), errors.Is(err, versions.ErrNoStore):
		return fault{wording.Trouble(versions.Gone, time.Time{}), "what is here can still be read and exported"}
	case errors.Is(err, context.Canceled):
		return fault{"stopped", ""}
	case !errors.As(err, &trouble):
		return fault{err.Error(), ""}
	}
	cause := ""
	if trouble.Err != nil {
		cause = ": " + trouble.Err.Error()
	}
	what := wording.Trouble(trouble.Trouble, trouble.Until)
	switch trouble.Trouble {
	case versions.Offline:
		return fault{what + cause, "check that it runs, and check the network"}
	case versions.RateLimited:
		return fault{what, ""}
	case versions.Unauthorized:
		return unauthorized(cause, s)
	case versions.Gone:
		return fault{what, "what is here can still be read and exported"}
	}
	return fault{what + cause, "check whether this is the URL of a memory-stores API"}
}

// unauthorized describes missing or refused credentials. The screen never asks for credentials:
// typed text is visible, and would have to be stored.
func unauthorized(cause string, s Service) fault {
	const again = " in the shell that starts memend, and start it again"
	name := "MEMEND_API_KEY"
	if s.Own {
		name = "ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, or ANTHROPIC_PROFILE)"
	}
	switch {
	case s.Key != "":
		return fault{"the service rejects the credentials in " + s.Key + cause, "set it again" + again}
	case s.Own:
		return fault{"no credentials found for the service", "set " + name + again}
	}
	return fault{"the service requires credentials" + cause, "set " + name + again}
}

// troubleNames are the states of hosted stores in the list; other states are not shown.
var troubleNames = map[versions.Trouble]string{
	versions.Offline: "offline", versions.RateLimited: "rate limited", versions.Unauthorized: "unauthorized",
	versions.InvalidResponse: "invalid response", versions.Gone: "deleted there",
}

// pullSummary describes what a pull fetched.
func pullSummary(got versions.Pulled) string {
	s := draw.Plural(got.Listed, "version", "versions") + " there, " + draw.Plural(got.Versions, "is", "are") + " new here"
	if got.Redacted > 0 {
		s += " · " + draw.Plural(got.Redacted, "version was", "versions were") + " erased there and here"
	}
	return s + skippedSummary(got)
}

// skippedSummary describes what could not be mirrored.
func skippedSummary(got versions.Pulled) string {
	if len(got.Skipped) == 0 {
		return ""
	}
	return " · " + draw.Plural(len(got.Skipped), "memory is", "memories are") + " left out: " + got.Skipped[0].Path + ": " + got.Skipped[0].Err.Error()
}
