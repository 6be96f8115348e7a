package versions

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Options configure Open. The zero Options are right for everything but tests.
type Options struct {
	Now      func() time.Time              // the clock; nil means time.Now
	MaxBytes int64                         // larger files are listed but not versioned; 0 means DefaultMaxBytes
	Hook     func(step string) error       // called at each step of a mutation; an error stops it
	Fault    func(value any, stack []byte) // called with a panic of one of the trail's goroutines; nil crashes the program
	Boot     string                        // the boot id, for tests; "" reads the system's

	// ReadOnly rejects every change of memories and stores (ErrReadingOnly), and Open creates
	// no home. Other programs' changes and reads are still recorded.
	ReadOnly bool

	// Look leaves a home that doesn't exist as it is. Open then returns an empty trail that rejects
	// every change and is gone when it is closed. Make makes the home.
	Look bool

	// Upstream returns a client for the service of a hosted store. It is called when such a
	// store is opened and must not wait for the network. If it is nil, only local data can be
	// read.
	Upstream func(StoreInfo) (Upstream, error)

	// Recall reports what agents did while memend wasn't running; nil disables that.
	Recall Recollection

	// Loss returns what a mass deletion is; nil means DefaultLoss. It is called when somebody deleted memories.
	Loss func() Loss

	// Poll is the shortest pause between two requests that only ask a hosted store's service for news, for
	// tests; 0 means three seconds.
	Poll time.Duration

	Driver   string // the SQL driver; "" means SQLite's
	Unlogged bool   // changes are not recorded in the log: a benchmark measures without it
}

// DefaultMaxBytes is the size up to which files of other programs are versioned. A larger
// file is listed as TooBig, and scans never read it.
const DefaultMaxBytes = 8 << 20

// Progress is the progress of an operation on a hosted store, of one that reads all memories, of a sync with git, or of
// the conversion or the repair of a home.
type Progress struct {
	Done  int
	Total int // 0 if unknown yet
	Of    Counted
}

// Counted is the kind of things that Progress counts.
type Counted string

const (
	MemoriesSent   Counted = "memories sent"
	VersionsFound  Counted = "versions found" // that are not here yet
	VersionsRead   Counted = "versions read"
	VersionsErased Counted = "versions erased"
	CommitsRead    Counted = "commits read"
	ChangesSent    Counted = "changes sent"

	ChangesConverted Counted = "changes converted" // of a home of an earlier format

	CommitsRewritten Counted = "commits rewritten"
	RecordsReplayed  Counted = "records replayed" // of the log, in a repair
)

type progressKey struct{}

// WithProgress returns a context in which every operation on a hosted store reports its
// progress: a write of many memories, a pull, a redaction. So do a sync with git and the conversion of a home in Open, and Repair. report is called often, on the
// goroutine that does the work, so it should be quick.
//
// The function is in the context because any operation may need a service, even if the
// caller doesn't know it.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress calls the function that WithProgress put into the context, if any.
func ReportProgress(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(p)
	}
}

// String returns the progress as text: "12 of 300 memories sent".
func (p Progress) String() string {
	of, n := string(p.Of), strconv.Itoa(p.Done)
	if p.Total > 0 {
		n += " of " + strconv.Itoa(p.Total)
	}
	if p.Total == 1 || p.Total == 0 && p.Done == 1 {
		of = strings.NewReplacer("memories", "memory", "versions", "version", "commits", "commit", "changes", "change", "records", "record").Replace(of)
	}
	return n + " " + of
}
