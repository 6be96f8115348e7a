package messages

import (
	"context"
	"io"
	"time"

	"github.com/memend/memend/agent"
)

// watchdog cancels a request when no byte arrives for too long. It counts bytes rather than events because the API sends
// pings while the model is busy.
type watchdog struct {
	timer  *time.Timer // nil: no limit
	idle   time.Duration
	cancel context.CancelCauseFunc
}

// watch starts a watchdog. The returned context ends with agent.ErrStalled as its cause.
func watch(ctx context.Context, idle time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{idle: idle, cancel: cancel}
	if idle > 0 {
		w.timer = time.AfterFunc(idle, func() { cancel(agent.ErrStalled) })
	}
	return ctx, w
}

// guard wraps a body so that its bytes reset the watchdog.
func (w *watchdog) guard(body io.Reader) io.Reader {
	if w.timer == nil {
		return body
	}
	w.timer.Reset(w.idle)
	return guarded{body, w}
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

type guarded struct {
	body io.Reader
	dog  *watchdog
}

func (g guarded) Read(p []byte) (int, error) {
	n, err := g.body.Read(p)
	if n > 0 {
		g.dog.timer.Reset(g.dog.idle)
	}
	return n, err
}
