package versions

import "context"

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
