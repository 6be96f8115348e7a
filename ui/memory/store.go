package memory

import (
	"context"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// Store is what the pane needs of a store. Its methods may block.
type Store interface {
	// Open gives ranges of the file at p as it is on the disk now, memory or not, however large.
	Open(ctx context.Context, p memfs.Path) (versions.File, error)
}
