package redact

import (
	"context"
	"time"
)

// GraceTime is how long a canceled caller still waits for an answer, so that the outcome of a
// request that was already sent is known.
const GraceTime = 3 * time.Second

// Outlasting returns a context that ends some time after ctx does.
func Outlasting(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		late := time.NewTimer(d)
		defer late.Stop()
		select {
		case <-late.C:
			end()
		case <-longer.Done():
		}
	})
	return longer, func() { forget(); end() }
}
