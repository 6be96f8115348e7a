package watch

import (
	"context"
	"errors"

	"github.com/memend/memend/versions"
)

// poll pulls from the service until ctx ends. Its changes are reported like any other change.
func (w *Watcher) poll(ctx context.Context) {
	trouble := ""
	w.s.Replica.Poll(ctx, func(now *versions.UpstreamState, err error) {
		if now != nil {
			w.note(versions.Event{Upstream: now})
		}
		switch why := notOfService(err); {
		case why != nil && why.Error() != trouble:
			trouble = why.Error()
			w.note(versions.Event{Err: why})
		case why == nil && trouble != "":
			trouble = ""
			w.note(versions.Event{Reload: true})
		}
	})
}

// notOfService returns err unless the state of the service already reports it.
func notOfService(err error) error {
	var trouble *versions.UpstreamError
	if err == nil || errors.As(err, &trouble) || errors.Is(err, versions.ErrNoStore) {
		return nil
	}
	return err
}
