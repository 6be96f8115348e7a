package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// send runs an operation that sends memories to the service of a hosted store one by
// one. It shows the progress on a terminal, and the first ^C stops it between two memories.
// It then lists what was done and what was not.
func send(ctx context.Context, p *console, s *engine.Store, do func(context.Context) (versions.Change, error)) (versions.Change, error) {
	if !s.Info().Hosted() {
		return do(ctx)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program
	progressCtx, endProgress := p.withProgress(ctx, "  (^C stops)")
	c, err := do(progressCtx)
	endProgress()
	var partly *versions.PartlyError
	switch {
	case errors.As(err, &partly):
		reportPartly(p, partly)
	case ctx.Err() != nil && err == ctx.Err():
		err = errors.New("stopped: nothing was changed")
	}
	return c, err
}

// sendAndReport runs an operation as send does and reports its change.
func sendAndReport(ctx context.Context, p *console, s *engine.Store, do func(context.Context) (versions.Change, error)) error {
	c, err := send(ctx, p, s, do)
	if err == nil {
		reportChange(p, c)
	}
	return err
}

// undoFirst adds to the error of a copy or rename that a service did in part that this must be undone first: the same
// command would find its places taken.
func undoFirst(err error, s *engine.Store) error {
	var partly *versions.PartlyError
	if !errors.As(err, &partly) {
		return err
	}
	return &hinted{err, fmt.Sprintf("`memend undo %d -s %s` undoes what was done; run it again after that", partly.Change, shellWord(s.Info().Name))}
}

type partlyJSON struct {
	Change int64    `json:"change"`
	Done   []string `json:"done"`
	Left   []string `json:"not_done"`
}

// reportPartly reports for each memory whether it was done.
func reportPartly(p *console, e *versions.PartlyError) {
	if p.json {
		p.emit(partlyJSON{e.Change, toolPaths(e.Done), toolPaths(e.Left)})
		return
	}
	for _, path := range e.Done {
		p.println("  done        %s", p.safe(path.Tool()))
	}
	for _, path := range e.Left {
		p.println("  not done    %s", p.safe(path.Tool()))
	}
}

func toolPaths(paths []memfs.Path) []string {
	out := []string{}
	for _, p := range paths {
		out = append(out, p.Tool())
	}
	return out
}
