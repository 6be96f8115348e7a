package ui

import (
	"context"
	"io"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/review"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/ui/trace"
	"github.com/memend/memend/versions"
)

// Store is the part of a store that the screens use. The local engine (*versions.Store)
// implements it. Every method may block on disk: call it from a tea.Cmd, never from Update or
// View. All methods are safe for concurrent use.
type Store interface {
	actions.Store
	agents.Store
	deciding.Store
	editing.Store
	history.Store
	live.Store
	review.Store
	rules.Store
	search.Store
	timeline.Store
	trace.Store

	// VersionAt returns the version with a number (0: the newest) of the memory at p, or of
	// the last memory at p if there is none now.
	VersionAt(ctx context.Context, p memfs.Path, number int) (versions.Version, error)
	// Acts lists the bulk edits of other programs among the changes from oldest to newest.
	Acts(ctx context.Context, oldest, newest versions.Change) ([]versions.Bulk, error)
}

// Stores are the stores of a home. Every method may block on disk.
type Stores interface {
	actions.Home
	branches.Home
	stores.Home
	live.Home
	search.Home
	// Open opens a store. It stays open until the program ends, because commands may still use
	// it after the user has switched to another store. The drafts may be nil.
	Open(ctx context.Context, id versions.StoreID) (Store, editing.Drafts, error)
}

// File is an open file of the store, read by ranges.
type File = versions.File

var _ io.ReaderAt = File(nil)
