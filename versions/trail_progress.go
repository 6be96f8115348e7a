package versions

import (
	"context"
	"strconv"
	"strings"
)

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
