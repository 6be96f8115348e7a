package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

// The agent waits for its hook. A hook works for two thirds of its time, then saves the
// calls that it could not record, and at the end exits whatever is in progress: the next
// process recovers what it left.
const (
	hookTime  = 150 * time.Millisecond // from the start of the program, which itself takes time
	hookBytes = 16 << 20               // maximum size of the input: a memory is smaller
)

func (p *program) hookCommand() *cobra.Command {
	var print bool
	var within time.Duration
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Handle a Claude Code hook",
		Long: `Handle a Claude Code hook, which is one tool call as JSON on standard input. If
the call wrote a file in the folder of a store, the version it produced gets the
agent's session and the call, and is marked as inferred: Claude Code reported
the write, memend did not see it. A read is recorded in the ledger.

If the store's policy holds or denies what the agent is about to write, the hook
answers with a denial that names the number of the held change (memend review).
Of calls that read the web, run commands, call other MCP servers, or read files
outside the project, it records only the kind, never the content: a policy may
ask for it.

Apart from such a decision the command never delays the agent: it prints
nothing, stops after at most 150 ms, and always exits 0. It logs errors to
log/hook.log in memend's home. If the trail is locked for longer, the call is
kept in the home until a store is next opened.

A subagent's call is recorded under its name, claude-code/reviewer, in the
session of the run. A shell command is matched with the memories that it names.
Before a call of memend's own MCP tools, the hook notes the session of the call
in calls/ in the home: over HTTP, Claude Code does not send it to the server.

--print-config prints the settings for ~/.claude/settings.json, and "memend
setup claude-code" writes them. PreToolUse lets memend record a file as it was
before the agent changed it. hook-last.json in the home has the time of the last
call, for "memend doctor".`,
		Example: `  memend hook --print-config
  memend hook < call.json`,
		Args: cobra.ArbitraryArgs, // a wrong flag in the settings of another program must not stop that program
		RunE: func(cmd *cobra.Command, args []string) error {
			if print {
				return p.printHooks()
			}
			if p.overrides.readOnly { // nothing of the call may be recorded
				_, _ = io.Copy(io.Discard, p.in) // drain the input, so that the writer is not blocked
				return nil
			}
			p.hook(cmd.Context(), within)
			return nil
		},
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	// A misuse would exit with 2, and a hook that exits with 2 blocks the call.
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return err })
	cmd.Flags().BoolVar(&print, "print-config", false, "print the settings that make Claude Code call this program")
	cmd.Flags().DurationVar(&within, "within", hookTime, "end after this `TIME` at the latest")
	return cmd
}

// hook records one call, or as much of it as the time allows. A call that the policy of a store may hold
// gets more time, because the agent must not go on before it is decided.
func (p *program) hook(ctx context.Context, within time.Duration) {
	end, works := time.After(within), within*2/3
	w := &hookWork{p: p, deadline: time.Now().Add(works), placed: make(chan struct{}), decides: make(chan chan struct{}, 1)}
	recorded, kept := make(chan struct{}), make(chan struct{})
	terminal.Go(func() {
		defer close(recorded)
		_ = p.withDoor(ctx, "hook", w.record) // errors are in its log
	})
	select {
	case <-recorded:
		return
	case decided := <-w.decides:
		<-decided // within decideTime
		select {
		case <-recorded:
		case <-time.After(works):
		}
		return
	case <-time.After(works):
	}
	terminal.Go(func() {
		defer close(kept)
		<-w.placed
		_ = p.withDoor(ctx, "hook", w.savePending)
	})
	select {
	case <-recorded:
	case <-kept:
	case <-end:
	}
}

// hookWork is the recording of one call.
type hookWork struct {
	p        *program
	deadline time.Time          // the deadline
	placed   chan struct{}      // closed when the stores of the call are known
	decides  chan chan struct{} // receives a channel, closed after the decision, if a policy may hold the call

	mu      sync.Mutex
	trail   *versions.Trail
	pending []outside.Placed // calls that are not recorded yet
}

var errHookLate = errors.New("the trail is in use: the call is kept until a store is next opened")

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
	if w.p.noteHook(b) {
		return nil
	}
	if c, ok := outside.ParseAnnouncement(b, clients.OwnTools); ok {
		return w.p.noteCall(c)
	}
	r := outside.Reader{Now: w.p.now}
	calls := r.Line(b)
	if r.Skipped.Torn > 0 {
		return errors.New("standard input is not JSON")
	}
	if len(calls) == 0 || !w.p.hasTrail() {
		return nil
	}
	if w.trail, err = w.p.openTrail(ctx); err != nil {
		return err
	}
	placed, err := placeCalls(ctx, w.trail, calls)
	if err != nil {
		return err
	}
	if stop, err := w.decide(ctx, calls[0], placed); stop || err != nil {
		return err
	}
	if err := w.noteInputs(ctx, calls); err != nil {
		return err
	}
	w.pending = placed
	close(w.placed)
	ctx, cancel := context.WithDeadline(ctx, w.deadline)
	defer cancel()
	for _, x := range placed { // one call, which may name several paths
		if err := recordCall(ctx, w.trail, x); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				err = errHookLate
			}
			return errors.Join(err, w.savePending(ctx, d))
		}
	}
	w.mu.Lock()
	w.pending = nil
	w.mu.Unlock()
	return w.trail.Close() // otherwise the next process has to read its write-ahead log
}

// noteCall notes the session of a call for the MCP server that will receive it. It does not
// open the trail, because the agent waits for the hook.
func (p *invocation) noteCall(c outside.Call) error {
	if !p.hasTrail() {
		return nil
	}
	home, err := p.homeFolder()
	if err != nil {
		return err
	}
	return versions.NoteCall(home, versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse})
}

// placeCalls finds the stores that calls are about.
func placeCalls(ctx context.Context, t *versions.Trail, calls []outside.Call) ([]outside.Placed, error) {
	in, err := storesOf(ctx, t)
	if err != nil {
		return nil, err
	}
	var placed []outside.Placed
	for _, c := range calls {
		placed = append(placed, in.Place(c)...)
	}
	return placed, nil
}

func storesOf(ctx context.Context, t *versions.Trail) (outside.Stores, error) {
	stores, err := t.Stores(ctx)
	home, _ := os.UserHomeDir()
	return outside.Stores{All: stores, Home: home}, err
}

func recordCall(ctx context.Context, t *versions.Trail, x outside.Placed) error {
	s, err := t.OpenStore(ctx, x.Store)
	if err != nil {
		return err
	}
	return s.Report(ctx, x.Evidence)
}

// savePending saves the calls that were not recorded, for the process that opens the store
// next. A call that has only begun is not saved: it is of no use later.
func (w *hookWork) savePending(context.Context, *door) error {
	w.mu.Lock()
	defer w.mu.Unlock() // unlocked when done: a second caller ends the program
	var errs []error
	for _, x := range w.pending {
		if !x.Evidence.Ended.IsZero() {
			errs = append(errs, w.trail.Spool(x.Store, x.Evidence))
		}
	}
	w.pending = nil
	return errors.Join(errs...)
}

// hasTrail reports whether the home has a trail: a hook does not create one.
func (p *invocation) hasTrail() bool {
	home, err := p.homeFolder()
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(home, "trail.db"))
	return err == nil
}
