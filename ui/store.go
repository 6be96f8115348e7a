package ui

import (
	"context"
	"io"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/timeline"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// Store is what the screens need of a store. The local engine
// (*versions.Store) satisfies it. Every method may block on disk: call it from a
// tea.Cmd, never from Update or View. All methods are safe for concurrent use.
type Store interface {
	Planner
	timeline.Store
	search.Store
	agents.Store

	Info() versions.StoreInfo

	// Tree lists everything in the store, ordered so that each folder's entries stand together (by path, byte order).
	Tree(ctx context.Context) ([]versions.Entry, error)
	// Open gives ranges of the file at p as it is on the disk now, memory or not, however large.
	Open(ctx context.Context, p memfs.Path) (File, error)
	// Version is a version by its id.
	Version(ctx context.Context, v versions.VersionID) (versions.Version, error)
	// Content is what a version holds; versions.ErrRedacted when that was erased.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)

	// History lists the versions of one memory, newest first: those before the
	// version numbered before (0: from the newest), limit at most.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Changes lists the changes of the store, newest first, before the change
	// numbered before (0: from the newest), limit at most.
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	// VersionAt is the version of the memory at p that has this number (0: the
	// newest), or of the memory that stood there last.
	VersionAt(ctx context.Context, p memfs.Path, number int) (versions.Version, error)
	// Blame says who wrote each line of a version.
	Blame(ctx context.Context, v versions.VersionID) (*versions.Blame, error)
	// Bulks lists what one program did to many memories in one go, since a time.
	Bulks(ctx context.Context, since time.Time) ([]versions.Bulk, error)
	// Acts lists what other programs did in bulk, of the changes from oldest to newest.
	Acts(ctx context.Context, oldest, newest versions.Change) ([]versions.Bulk, error)
	// Change is one change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)

	// Write creates or replaces the memory at p, if the precondition holds.
	// The same content again is no change: ok with a zero Change.
	// versions.ConflictError tells what stands there instead.
	Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error)
	// Rename moves a memory or a folder; the destination must be free.
	Rename(ctx context.Context, by versions.By, from, to memfs.Path) (versions.Change, error)
	// Move brings memories and folders into a folder under their own names, all in one change.
	Move(ctx context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (versions.Change, error)
	// Delete removes memories and folders, all in one change.
	Delete(ctx context.Context, by versions.By, paths ...memfs.Path) (versions.Change, error)
	// Restore makes the memory what it was in version v, as a new version.
	Restore(ctx context.Context, by versions.By, v versions.VersionID) (versions.Change, error)
	// Undo takes change n back, as a new change; 0 is the newest change of by's
	// own that stands. Redo brings an undone change back; 0 is the one undone last.
	Undo(ctx context.Context, by versions.By, n int64) (versions.Change, error)
	Redo(ctx context.Context, by versions.By, n int64) (versions.Change, error)

	// ReadStats sums up how often agents read memories; of all when none is named.
	ReadStats(ctx context.Context, memories ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error)
	// Looks is what the person has reviewed and pinned; See, SeeAll and Pin note it.
	Looks(ctx context.Context) (*versions.Looks, error)
	See(ctx context.Context, seen map[versions.MemoryID]int64) error
	SeeAll(ctx context.Context, change int64) error
	Pin(ctx context.Context, pinned bool, memories ...versions.MemoryID) error
	// Reviewed is the version of a memory that the person reviewed last: the newest before
	// the first that somebody else made after change upTo. versions.ErrNoVersion when
	// there is none.
	Reviewed(ctx context.Context, m versions.MemoryID, upTo int64, me versions.Actor) (versions.Version, error)
	// View and SetView are how the store was shown last, in ids and numbers.
	View(ctx context.Context) ([]byte, error)
	SetView(ctx context.Context, view []byte) error

	// NewEditCopy copies a text for an external editor; left are the files of earlier
	// edits that were not saved.
	NewEditCopy(name string, text []byte) (file *drafts.EditCopy, left []string, err error)

	// Sync adopts what other programs did to the folder.
	Sync(ctx context.Context) (versions.SyncReport, error)
	// SyncAndWatch is Sync, and then an event for each change, whoever makes it, until ctx ends; then the channel is closed.
	SyncAndWatch(ctx context.Context) (<-chan versions.Event, versions.SyncReport, error)
}

// File is an open file of the store, read by ranges.
type File = versions.File

var _ io.ReaderAt = File(nil)
