package core

import (
	"context"

	"github.com/memend/memend/versions"
)

// Parts are features that stand on the engine, and that the engine calls. Package engine joins them.
type Parts struct {
	// Replica returns what a store does with its service.
	Replica func(*Store) Replica
	// FinishErasing does the remaining work of redactions as far as possible now. The caller holds the lock.
	FinishErasing func(context.Context, *Store) error
	// ResumeErasing finishes redactions, when a trail was opened, that a crashed process or a long reader left unfinished.
	ResumeErasing func(context.Context, *Trail)
}

// Sibling is taken by functions that are for the engine's packages alone: no other package can name it.
type Sibling struct{}

// Replica is a store as the copy of one that a service keeps. Of other stores, it is never online.
type Replica interface {
	// Connect prepares a hosted store for requests to its service. It sends nothing.
	Connect() error
	// Online reports whether there is a service to ask.
	Online() bool
	// Mutate is mutate for a hosted store: the service does it first.
	Mutate(ctx context.Context, by versions.By, want Mutator) (versions.Change, error)
	// RequestPull makes the process that keeps the replica up to date pull immediately.
	RequestPull()
	// Poll keeps the replica up to date until ctx ends. It calls tell with the result of each pull, and with the state of
	// the service when that changed.
	Poll(ctx context.Context, tell func(*versions.UpstreamState, error))
	// Close ends it.
	Close() error
}
