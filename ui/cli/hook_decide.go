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
)

// decideTime is how long the decision about a call may take. The agent gives its hook 5 s.
const decideTime = 4 * time.Second

// decide asks the policies of the stores about what a call is about to write, and answers the agent if
// it may not. stop means that the call won't be made. When the policy can't be asked in time, the call
// is denied: nobody decided about it.
func (w *hookWork) decide(ctx context.Context, c outside.Call, placed []outside.Placed) (stop bool, err error) {
	if !c.Ended.IsZero() || c.Op != versions.CallWrote || len(placed) != 1 {
		return false, nil
	}
	e := placed[0].Evidence
	governed, err := w.trail.Governed(ctx, placed[0].Store, e.By.Session)
	if err != nil || !governed {
		return false, err
	}
	ctx, cancel := context.WithDeadline(ctx, w.decideBy)
	defer cancel()
	err = w.propose(ctx, c, placed[0])
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, new(*versions.HeldError)), errors.As(err, new(*versions.DeniedError)):
		return true, w.deny(err.Error())
	}
	return true, errors.Join(err, w.deny(fmt.Sprintf("%s: denied: memend could not ask the store's policy; try again", e.Path.Tool())))
}

func (w *hookWork) propose(ctx context.Context, c outside.Call, x outside.Placed) error {
	s, err := w.trail.OpenStore(ctx, x.Store)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	var present *string
	crlf := false
	b, err := readMemory(ctx, s, x.Evidence.Path)
	switch {
	case err == nil:
		crlf = strings.Contains(string(b), "\r\n")
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		present = &text
	case !errors.Is(err, memfs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	by := x.Evidence.By
	by.Door = versions.DoorHook
	text := c.Proposal(present)
	if text == nil {
		return s.ProposeUnknown(ctx, by, x.Evidence.Path)
	}
	if crlf && c.Tool != "Write" {
		*text = strings.ReplaceAll(*text, "\n", "\r\n")
	}
	return s.Propose(ctx, by, x.Evidence.Path, []byte(*text))
}

// hookAnswer is what Claude Code reads from its PreToolUse hook.
type hookAnswer struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

// deny answers the agent that the call must not be made.
func (w *hookWork) deny(reason string) error {
	var a hookAnswer
	a.Output.Event, a.Output.Decision, a.Output.Reason = "PreToolUse", "deny", reason
	b, err := json.Marshal(a)
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
