package tree

import (
	"context"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// Store is what the tree needs of a store. Every method may block: the pane calls them only
// in commands.
type Store interface {
	Info() versions.StoreInfo
	Tree(ctx context.Context) ([]versions.Entry, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	ReadStats(ctx context.Context, memories ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error)

	// History lists the versions of a memory, newest first, before the one with the number before; 0 starts at the newest.
	History(ctx context.Context, m versions.MemoryID, before, limit int) ([]versions.Version, error)

	// MomentAt returns the moment of a time.
	MomentAt(ctx context.Context, t time.Time) (versions.Moment, error)

	// ReviewState and MarkReviewed read and record what a person reviewed.
	ReviewState(ctx context.Context) (*versions.ReviewState, error)
	// UnreviewedDeletions lists the memories that others deleted since they were reviewed.
	UnreviewedDeletions(ctx context.Context, me versions.Actor) ([]versions.Entry, error)
	MarkReviewed(ctx context.Context, seen map[versions.MemoryID]int64) (before review.Marks, err error)
	// HasUnreviewedChanges reports whether others changed the memory after upTo, even if me wrote the newest
	// version.
	HasUnreviewedChanges(ctx context.Context, e *versions.Entry, upTo int64, me versions.Actor) (bool, error)
	// View and SetView read and record how the store was shown last.
	View(ctx context.Context) ([]byte, error)
	SetView(ctx context.Context, view []byte) error
}

// Config holds the options of a tree.
type Config struct {
	Store Store
	Me    versions.Actor // changes by this actor are not to be reviewed
	Stale time.Duration  // unread for this long is stale; StaleAfter if zero
	// Reopen requests what was open when the store was left.
	Reopen bool
}

// StaleAfter is how long a memory is unread and unchanged before it is stale.
const StaleAfter = 30 * 24 * time.Hour
