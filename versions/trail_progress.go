package versions

import (
	"context"
	"strconv"
	"strings"
)

// Progress says how much of an act on a hosted store is done.
type Progress struct {
	Done  int
	Total int // 0: nobody knows yet
	Of    Counted
}

// Counted is what is counted.
type Counted string

const (
	MemoriesSent   Counted = "memories sent"
	VersionsFound  Counted = "versions found" // that are not here yet
	VersionsRead   Counted = "versions read"
	VersionsErased Counted = "versions erased"
)

type progressKey struct{}

// WithProgress gives a context with which every act on a hosted store reports how far it
// is: a write of many memories, a pull, a redaction. The function is called often, on
// the goroutine that does the work: it should be quick.
//
// It is in the context because any act may turn out to need a service, also where the
// caller does not know of one.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress calls the function that WithProgress put into the context, if any.
func ReportProgress(ctx context.Context, p Progress) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(p)
	}
}

// String says how far it is: "12 of 300 memories sent".
func (p Progress) String() string {
	of, n := string(p.Of), strconv.Itoa(p.Done)
	if p.Total > 0 {
		n += " of " + strconv.Itoa(p.Total)
	}
	if p.Total == 1 || p.Total == 0 && p.Done == 1 {
		of = strings.NewReplacer("memories", "memory", "versions", "version").Replace(of)
	}
	return n + " " + of
}
