package ui

import (
	"context"
	"io"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/versions"
)

// Store is what the screens need of a store. The local engine
// (*versions.Store) satisfies it. Every method may block on disk: call it from a
// tea.Cmd, never from Update or View. All methods are safe for concurrent use.
type Store interface {
	actions.Store
	agents.Store
	editing.Store
	live.Store
	search.Store
	timeline.Store

	// VersionAt is the version of the memory at p that has this number (0: the
	// newest), or of the memory that stood there last.
	VersionAt(ctx context.Context, p memfs.Path, number int) (versions.Version, error)
	// Blame says who wrote each line of a version.
	Blame(ctx context.Context, v versions.VersionID) (*versions.Blame, error)
	// Acts lists what other programs did in bulk, of the changes from oldest to newest.
	Acts(ctx context.Context, oldest, newest versions.Change) ([]versions.Bulk, error)
	// Reviewed is the version of a memory that the person reviewed last: the newest before
	// the first that somebody else made after change upTo. versions.ErrNoVersion when
	// there is none.
	Reviewed(ctx context.Context, m versions.MemoryID, upTo int64, me versions.Actor) (versions.Version, error)
}

// Stores are the stores of a home. Every method may block on disk.
type Stores interface {
	stores.Home
	live.Home
	// Open opens a store. It stays open until the program ends: what was asked of it
	// may be answered after another one is shown. Drafts may be nil.
	Open(ctx context.Context, id versions.StoreID) (Store, editing.Drafts, error)
}

// File is an open file of the store, read by ranges.
type File = versions.File

var _ io.ReaderAt = File(nil)
