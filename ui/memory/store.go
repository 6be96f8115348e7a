package memory

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Store is what the pane needs of a store. Its methods may block.
type Store interface {
	// Info returns the store's description. It does not block.
	Info() versions.StoreInfo
	// Open opens the file at p as it is on disk now, memory or not, of any size.
	Open(ctx context.Context, p memfs.Path) (versions.File, error)
	// Newest returns the newest version of the memory that is at p.
	Newest(ctx context.Context, p memfs.Path) (versions.Version, error)
	// VersionAt returns the newest version (number 0) of the memory at p, or of the last
	// one that was there.
	VersionAt(ctx context.Context, p memfs.Path, number int) (versions.Version, error)
	// History lists versions of a memory, newest first, before the one numbered before; 0
	// begins with the newest.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Blame returns who wrote each line of a version.
	Blame(ctx context.Context, id versions.VersionID) (*versions.Blame, error)
	// Tree lists everything in the store.
	Tree(ctx context.Context) ([]versions.Entry, error)
}
