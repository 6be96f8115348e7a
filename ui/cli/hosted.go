package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/replica"
)

// pullTimeout is how long a command waits for the service of a hosted store before it uses the
// replica as it is.
const pullTimeout = 4 * time.Second

// pullUpstream updates the replica of a hosted store. If the service can't be reached, it reports
// how old the replica is.
func pullUpstream(ctx context.Context, p *console, s *engine.Store) error {
	if !s.Info().Hosted() {
		return nil
	}
	short, stop := context.WithTimeout(ctx, pullTimeout)
	defer stop()
	got, err := replica.Pull(short, s, versions.PullOptions{})
	reportPulled(p, got)
	var trouble *versions.UpstreamError
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &trouble), errors.Is(err, context.DeadlineExceeded), errors.Is(err, versions.ErrNoUpstream), errors.Is(err, versions.ErrNoStore):
		why, state := err.Error(), "it was never read from the service"
		if errors.Is(err, context.DeadlineExceeded) {
			why = fmt.Sprintf("its service did not answer within %s", pullTimeout)
		}
		if at := replica.Seen(s); !at.IsZero() {
			state = "showing its state of " + when(at)
		}
		fmt.Fprintf(p.err, "memend: store %s: %s; %s\n", p.safe(s.Info().Name), p.safe(why), state)
		return nil
	}
	return err
}

// reportPulled reports memories that were skipped.
func reportPulled(p *console, got versions.Pulled) {
	for _, s := range got.Skipped {
		fmt.Fprintf(p.err, "memend: %s is left out: %s\n", p.safe(s.Path), p.safe(s.Err.Error()))
	}
}

// storeLocation says where a store is kept: in a local folder, or at a service.
func storeLocation(p *console, s versions.StoreInfo) string {
	if s.Hosted() {
		return "hosted at " + p.safe(s.Upstream.URL)
	}
	return p.safe(s.Folder)
}

// hostedHint says what to do about an error of a hosted store.
func hostedHint(err error) string {
	var trouble *versions.UpstreamError
	var partly *versions.PartlyError
	var later *versions.LaterError
	switch {
	case errors.As(err, &later):
		return "do not repeat it: the next command on the store shows the result"
	case errors.As(err, &partly):
		return fmt.Sprintf("`memend undo %d` undoes what was done; run the undo, the restore or the removal again for the rest", partly.Change)
	case !errors.As(err, &trouble):
		return ""
	}
	switch trouble.Trouble {
	case versions.Offline:
		if trouble.Unsure {
			return "once the service answers, check with `memend log` before you repeat it"
		}
		return "nothing was written; the local copy can be read meanwhile"
	case versions.RateLimited:
		return "nothing was written; try again later"
	case versions.Unauthorized:
		return "set ANTHROPIC_API_KEY for the hosted API, MEMEND_API_KEY=https://HOST=KEY for another service"
	}
	return "check that this is the URL of a memory-stores API"
}
