package stores

import (
	"context"
	"errors"
	"time"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Hoster is what the screens have to do with services that keep stores. Every method
// but Standings may wait for the network; what takes long tells the context how far it
// is.
type Hoster interface {
	// Service asks the service at a base URL what stores it has; an empty one is where
	// the SDK goes by itself. What is known of it comes with an error too.
	Service(ctx context.Context, url string) (Service, error)
	// MakeHosted makes a store there. Of an error that is unsure nobody knows whether
	// it was made.
	MakeHosted(ctx context.Context, url, name, description string) (versions.HostedStore, error)
	// ConnectStore makes a replica and brings all of the store. With an error the
	// replica is there if it has an id, and MirrorStore goes on.
	ConnectStore(ctx context.Context, url string, about versions.HostedStore) (versions.StoreInfo, versions.Pulled, error)
	// MirrorStore brings all that its service has of a store.
	MirrorStore(ctx context.Context, id versions.StoreID) (versions.Pulled, error)
	// DisconnectStore deletes what is here of a store.
	DisconnectStore(ctx context.Context, id versions.StoreID) (versions.Receipt, error)
	// Standings says how hosted stores stand to their services, as far as that is known.
	Standings(ctx context.Context) (map[versions.StoreID]Standing, error)
}

// Service is one that keeps stores.
type Service struct {
	URL    string
	Own    bool   // it is where the SDK goes by itself, with the SDK's credentials
	Key    string // the variable that holds the credentials, never what it holds; empty: none is set
	Stores []versions.Offer
}

// Standing is how a hosted store stands to its service.
type Standing struct {
	Service Service // without its stores
	Trouble versions.Trouble
	Seen    time.Time // when the replica was last what the service had; zero: never
}

// fault is what is the matter with a service, and what can be done about it.
type fault struct{ what, do string }

// faultOf puts an error in the words of the screen.
func faultOf(err error, s Service) fault {
	var trouble *versions.UpstreamError
	switch {
	case errors.Is(err, versions.ErrHereToo):
		return fault{"this home has the memories of that store itself: it seems to be the one that serves it", "open that store, or connect from another home"}
	case errors.Is(err, versions.ErrGoneThere), errors.Is(err, versions.ErrNoStore):
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
		return fault{what + cause, "look whether it runs, and at the network"}
	case versions.RateLimited:
		return fault{what, ""}
	case versions.Unauthorized:
		return noEntry(cause, s)
	case versions.Gone:
		return fault{what, "what is here can still be read and exported"}
	}
	return fault{what + cause, "check whether this is the URL of a memory-stores API"}
}

// noEntry says which credentials are missing, or are refused. They are never asked for:
// what is typed here may be seen, and would have to be kept.
func noEntry(cause string, s Service) fault {
	const again = " in the shell that starts memend, and start it again"
	name := "MEMEND_API_KEY"
	if s.Own {
		name = "ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, or ANTHROPIC_PROFILE)"
	}
	switch {
	case s.Key != "":
		return fault{"the service refuses what " + s.Key + " holds" + cause, "set it anew" + again}
	case s.Own:
		return fault{"no credentials found for the service", "set " + name + again}
	}
	return fault{"the service requires credentials" + cause, "set " + name + again}
}

// troubleNames say in a row how a hosted store is; in others nothing is the matter.
var troubleNames = map[versions.Trouble]string{
	versions.Offline: "offline", versions.RateLimited: "rate limited", versions.Unauthorized: "no entry",
	versions.InvalidResponse: "invalid response", versions.Gone: "deleted there",
}

// brought says what a pull brought.
func brought(got versions.Pulled) string {
	s := draw.Plural(got.Listed, "version", "versions") + " there, " + draw.Plural(got.Versions, "is", "are") + " new here"
	if got.Redacted > 0 {
		s += " · " + draw.Plural(got.Redacted, "version was", "versions were") + " erased there and here"
	}
	if got.Sent > 0 {
		s += " · " + draw.Plural(got.Sent, "memory", "memories") + " sent"
	}
	if n := len(got.Overruled); n > 0 {
		s += " · what was written here to " + draw.Plural(n, "memory", "memories") + " lost to the service's, and is in the history"
	}
	return s + leftOut(got)
}

// leftOut says what of a store can't be kept here.
func leftOut(got versions.Pulled) string {
	if len(got.Skipped) == 0 {
		return ""
	}
	return " · " + draw.Plural(len(got.Skipped), "memory is", "memories are") + " left out: " + got.Skipped[0].Path + ": " + got.Skipped[0].Err.Error()
}
