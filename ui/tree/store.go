package tree

import (
	"context"
	"time"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// Store is what the tree needs of a store. Every method may wait for the disk: the
// pane calls them in commands only.
type Store interface {
	Info() versions.StoreInfo
	Tree(ctx context.Context) ([]versions.Entry, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	ReadStats(ctx context.Context, memories ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error)

	// MomentAt is the moment that a time fell in.
	MomentAt(ctx context.Context, t time.Time) (versions.Moment, error)

	// Looks, See, SeeAll and Pin are what a person looked at.
	Looks(ctx context.Context) (*versions.Looks, error)
	See(ctx context.Context, seen map[versions.MemoryID]int64) error
	SeeAll(ctx context.Context, change int64) error
	Pin(ctx context.Context, pinned bool, memories ...versions.MemoryID) error
	// View and SetView are how the store was shown last.
	View(ctx context.Context) ([]byte, error)
	SetView(ctx context.Context, view []byte) error
}

// Config is what a tree is made with.
type Config struct {
	Store Store
	Me    versions.Actor // what this one changes is no news
	Keys  keys.Bindings
	Stale time.Duration // unread for so long is stale; StaleAfter when zero
	// Reopen asks for what was open when the store was left.
	Reopen bool
}

// StaleAfter is how long a memory is unread and unchanged before it is stale.
const StaleAfter = 30 * 24 * time.Hour
