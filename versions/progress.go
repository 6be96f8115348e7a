package versions

import "context"

// Progress says how far something has come that goes to a service, or comes from it,
// piece by piece.
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

// WithProgress gives a context with which every act on a hosted store tells how far it
// is: a write of many memories, a pull, a redaction. Tell is called often, and by the
// goroutine that does the work: it should be quick.
//
// It is in the context since each act may come to it, also those whose callers know
// nothing of services.
func WithProgress(ctx context.Context, tell func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

// tell tells whoever wants to know.
func tell(ctx context.Context, done, total int, of Counted) {
	if f, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		f(Progress{done, total, of})
	}
}
