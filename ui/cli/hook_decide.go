package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

// decideTime is how long the decision about a call may take. The agent gives its hook 5 s.
const decideTime = 4 * time.Second

// decide asks the policies of the stores about what a call is about to write, and answers the agent if
// it may not. stop means that the call won't be made. When the policy can't be asked in time, the call
// is denied: nobody decided about it.
func (w *hookWork) decide(ctx context.Context, c outside.Call, in outside.Stores, placed []outside.Placed) (stop bool, err error) {
	switch {
	case !c.Ended.IsZero():
		return false, nil
	case c.Op == versions.CallRan:
		for _, at := range in.ShellTargets(c) {
			by := versions.By{Door: versions.DoorHook, Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session), ToolUse: c.ToolUse}
			stop, err = w.ask(ctx, at.Store, at.Path, by.Session, func(ctx context.Context, s *engine.Store) error { return proposeShell(ctx, s, by, at, c.Shell) })
			if stop || err != nil {
				return stop, err
			}
		}
	case c.Op == versions.CallWrote && len(placed) == 1:
		x := placed[0]
		return w.ask(ctx, x.Store, x.Evidence.Path, x.Evidence.By.Session, func(ctx context.Context, s *engine.Store) error { return propose(ctx, s, c, x.Evidence) })
	}
	return false, nil
}

// ask makes a proposal to a store, if anything decides there about what a session writes.
func (w *hookWork) ask(ctx context.Context, id versions.StoreID, at memfs.Path, session versions.SessionID, propose func(context.Context, *engine.Store) error) (stop bool, err error) {
	governed, err := review.Governed(ctx, w.trail, id, session)
	if err != nil || !governed {
		return false, err
	}
	ctx, cancel := context.WithDeadline(ctx, w.decideBy)
	defer cancel()
	s, err := w.trail.OpenStore(ctx, id)
	if err == nil {
		err = errors.Join(propose(ctx, s), s.Close())
	}
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, new(*versions.HeldError)), errors.As(err, new(*versions.DeniedError)):
		return true, w.deny(err.Error())
	}
	return true, errors.Join(err, w.deny(fmt.Sprintf("%s: denied: memend could not ask the store's policy; try again", at.Tool())))
}

// proposeShell asks about a shell command. What it would write is unknown, so that nothing of it can wait for a person.
func proposeShell(ctx context.Context, s *engine.Store, by versions.By, at outside.Target, line string) error {
	err := review.ProposeShell(ctx, s, by, at.Path, at.Folder, line)
	if errors.As(err, new(*versions.DeniedError)) {
		err = fmt.Errorf("%w; a shell command can't wait for review: use the memory tool or Write, and this change will; what only reads (cat, grep, ls) passes as a command of its own", err)
	}
	return err
}

// propose asks about a call that writes one file.
func propose(ctx context.Context, s *engine.Store, c outside.Call, e versions.Evidence) error {
	var present *string
	crlf := false
	b, err := readMemory(ctx, s, e.Path)
	switch {
	case err == nil:
		crlf = strings.Contains(string(b), "\r\n")
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		present = &text
	case !errors.Is(err, memfs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	by := e.By
	by.Door = versions.DoorHook
	text := c.Proposal(present)
	if text == nil {
		err := review.ProposeUnknown(ctx, s, by, e.Path)
		if errors.As(err, new(*versions.DeniedError)) {
			err = fmt.Errorf("%w: write the whole text", err)
		}
		return err
	}
	if crlf && c.Tool != "Write" {
		*text = strings.ReplaceAll(*text, "\n", "\r\n")
	}
	return review.Propose(ctx, s, by, e.Path, []byte(*text))
}

// deny answers the agent that the call must not be made, as Claude Code reads it from its PreToolUse hook.
func (w *hookWork) deny(reason string) error {
	b, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}})
	if err != nil {
		return err
	}
	_, _ = w.p.out.Write(append(b, '\n'))
	return w.p.out.Flush()
}

// input is what a call brought into its session.
type input struct {
	by    versions.By
	kinds versions.Inputs
	at    time.Time
}

// takenIn returns which kinds of sources the calls brought into their sessions.
func takenIn(in outside.Stores, calls []outside.Call) (out []input) {
	for _, c := range calls {
		if kinds := in.Inputs(c); kinds != 0 && c.Session != "" {
			by := versions.By{Door: versions.DoorHook, Actor: versions.Actor{Kind: versions.Agent, Name: c.Who()}, Session: versions.SessionID(c.Session)}
			out = append(out, input{by, kinds, c.Ended})
		}
	}
	return out
}
