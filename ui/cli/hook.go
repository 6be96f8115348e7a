package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// The agent waits for its hook. A hook waits for locks for two thirds of its time, then saves the
// calls that it could not record, and at the end exits whatever is in progress: the next
// process recovers what it left.
const (
	hookTime  = 150 * time.Millisecond // from the start of the program, which itself takes time
	hookBytes = 16 << 20               // maximum size of the input: a memory is smaller
)

func hookCommand(p *program) *cobra.Command {
	var printConfig bool
	var within time.Duration
	cmd := &cobra.Command{
		Use:         "hook",
		Annotations: map[string]string{overview: "Claude Code's"},
		Short:       "Handle a Claude Code hook",
		Args:        cobra.ArbitraryArgs, // a wrong flag in the settings of another program must not stop that program
		RunE: func(cmd *cobra.Command, args []string) error {
			if printConfig {
				return printHooks(&p.console, &p.environment)
			}
			if p.overrides.readOnly { // nothing of the call may be recorded
				_, _ = io.Copy(io.Discard, p.in) // drain the input, so that the writer is not blocked
				return nil
			}
			runHook(cmd.Context(), &p.homeOpener, within)
			return nil
		},
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	// A misuse would exit with 2, and a hook that exits with 2 blocks the call.
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return err })
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the settings that make Claude Code call this program")
	cmd.Flags().DurationVar(&within, "within", hookTime, "wait for other programs for this `TIME` at most")
	return cmd
}

// runHook records one call. Until the input is read and, after that, once locks have to be waited for, it
// takes no longer than within. In between it only reads the trail: it waits for that, because a policy
// may hold the call.
func runHook(ctx context.Context, p *homeOpener, within time.Duration) {
	works, now := within*2/3, p.now()
	w := &hookWork{p: p, deadline: now.Add(works), decideBy: now.Add(decideTime), read: make(chan struct{}), placed: make(chan struct{})}
	recorded, kept := make(chan struct{}), make(chan struct{})
	terminal.Go(func() {
		defer close(recorded)
		_ = p.withDoor(ctx, "hook", w.record) // errors are in its log
	})
	over := func(next <-chan struct{}, limit time.Duration) bool {
		select {
		case <-recorded:
		case <-next:
			return false
		case <-time.After(limit):
		}
		return true
	}
	if over(w.read, within) || over(w.placed, decideTime+works) { // placed, and allowed, if it is a call that a policy may hold
		return
	}
	select {
	case <-recorded:
		return
	case <-time.After(w.deadline.Sub(p.now())):
	}
	terminal.Go(func() {
		defer close(kept)
		_ = p.withDoor(ctx, "hook", w.savePending)
	})
	over(kept, within)
}

// hookWork is the recording of one call.
type hookWork struct {
	p        *homeOpener
	deadline time.Time     // when the wait for locks ends
	decideBy time.Time     // when it ends for a call that a policy may hold
	read     chan struct{} // closed when the call is read
	placed   chan struct{} // closed when the stores of the call are known, and no policy holds it

	mu      sync.Mutex
	trail   *engine.Trail
	pending []outside.Placed // calls that are not recorded yet
	inputs  []input          // and what they brought into their session
}

var errHookLate = errors.New("the trail is in use: the call is kept until a store is next opened, or a policy next decides")

// record reads the call from standard input and records it.
func (w *hookWork) record(ctx context.Context, d *door) error {
	b, err := io.ReadAll(io.LimitReader(w.p.in, hookBytes+1))
	if err != nil {
		return err
	}
	if len(b) > hookBytes {
		_, _ = io.Copy(io.Discard, w.p.in) // drain the input, so that the writer is not blocked
		return errors.New("the call is too long")
	}
	if noteHook(&w.p.environment, w.p.now, b) {
		return nil
	}
	if c, ok := outside.ParseAnnouncement(b, clients.OwnTools); ok {
		return noteCall(&w.p.environment, c)
	}
	r := outside.Reader{Now: w.p.now}
	calls := r.Line(b)
	if r.Skipped.Torn > 0 {
		return errors.New("standard input is not JSON")
	}
	if len(calls) == 0 || !w.p.hasTrail() {
		return nil
	}
	close(w.read)
	if w.trail, err = w.p.openTrail(ctx); err != nil {
		return err
	}
	in, err := storesOf(ctx, w.trail)
	if err != nil {
		return err
	}
	var placed []outside.Placed // one call, which may name several paths
	for _, c := range calls {
		placed = append(placed, in.Place(c)...)
	}
	if stop, err := w.decide(ctx, calls[0], in, placed); stop || err != nil {
		return err
	}
	w.pending, w.inputs = placed, takenIn(in, calls)
	close(w.placed)
	ctx, cancel := context.WithDeadline(ctx, w.deadline)
	defer cancel()
	if err := w.store(ctx, placed, w.inputs); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = errHookLate
		}
		return errors.Join(err, w.savePending(ctx, d))
	}
	w.mu.Lock()
	w.pending, w.inputs = nil, nil
	w.mu.Unlock()
	return w.trail.Close() // otherwise the next process has to read its write-ahead log
}

// store stores calls, and before that what they brought into their session.
func (w *hookWork) store(ctx context.Context, placed []outside.Placed, inputs []input) error {
	for _, x := range inputs {
		if err := w.trail.NoteInputs(ctx, x.by, x.kinds, x.at); err != nil {
			return err
		}
	}
	for _, x := range placed {
		s, err := w.trail.OpenStore(ctx, x.Store)
		if err != nil {
			return err
		}
		if err := s.Report(ctx, x.Evidence); err != nil {
			return err
		}
	}
	return nil
}

// noteCall notes the session of a call for the MCP server that will receive it. It does not
// open the trail, because the agent waits for the hook.
func noteCall(p *environment, c outside.Call) error {
	home, err := p.homeFolder()
	if err != nil || engine.IsNew(home) {
		return err
	}
	return engine.NoteCall(home, versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse})
}

// storesOf returns the stores that calls may be about.
func storesOf(ctx context.Context, t *engine.Trail) (outside.Stores, error) {
	stores, err := t.Stores(ctx)
	home, _ := os.UserHomeDir()
	return outside.Stores{All: stores, Home: home}, err
}

// savePending saves the calls that were not recorded, for the process that opens the store
// next. A call that has only begun is not saved: it is of no use later.
func (w *hookWork) savePending(context.Context, *door) error {
	w.mu.Lock()
	defer w.mu.Unlock() // unlocked when done: a second caller ends the program
	var errs []error
	for _, x := range w.inputs {
		errs = append(errs, w.trail.SpoolInputs(x.by, x.kinds, x.at))
	}
	for _, x := range w.pending {
		if !x.Evidence.Ended.IsZero() {
			errs = append(errs, w.trail.Spool(x.Store, x.Evidence))
		}
	}
	w.pending, w.inputs = nil, nil
	return errors.Join(errs...)
}

// hasTrail reports whether the home has, or had, a trail: a hook does not create one.
func (p *environment) hasTrail() bool {
	home, err := p.homeFolder()
	return err == nil && !engine.IsNew(home)
}
