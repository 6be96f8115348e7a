package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/engine"
)

func agentCommand(p *program) *cobra.Command {
	var attach, instructions []string
	var resume string
	set := map[string]*string{}
	cmd := &cobra.Command{
		Use:         "agent [PROMPT]",
		Annotations: map[string]string{overview: "run built-in", changes: always, attaches: ""},
		Short:       "Run the built-in agent on a prompt",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkAttach(&p.invocation, cmd.CommandPath(), attach); err != nil {
				return err
			}
			for _, f := range agentFlags {
				if cmd.Flags().Changed(f.name) {
					p.overrides.agent[f.setting] = config.Flag{Name: "--" + f.name, Value: *set[f.setting]}
				}
			}
			conf, err := p.settings()
			if err != nil {
				return err
			}
			prompt, err := readPrompt(&p.console, cmd, args)
			if err != nil {
				return err
			}
			run := &agentRun{p: &p.console, who: &p.invocation, settings: conf.Agent, attach: attach, instructions: instructions, resume: versions.SessionID(resume), prompt: prompt}
			if (len(args) == 0 || args[0] == "-") && !isTerminal(p.in) {
				run.inputs = versions.InputFile
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return run.do(cmd.Context(), t) })
		},
	}
	flags := cmd.Flags()
	attachFlag(&p.environment, cmd, &attach)
	flags.StringArrayVar(&instructions, "instructions", nil, "what the agent should know of a store, as `NAME=TEXT`; may be repeated")
	flags.StringVar(&resume, "resume", "", "continue the conversation of `SESSION`")
	for _, f := range agentFlags {
		set[f.setting] = flags.String(f.name, "", f.about)
	}
	complete(cmd, "resume", p.completeSessions)
	return cmd
}

// agentFlags are the flags that override settings of the agent.
var agentFlags = []struct{ name, setting, about string }{
	{"model", "agent.model", "the `MODEL` it runs on"},
	{"turns", "agent.budget.turns", "at most `N` requests"},
	{"tokens", "agent.budget.tokens", "at most `N` tokens, input and output together"},
}

// readPrompt returns the agent's prompt: the argument, or all of standard input.
func readPrompt(p *console, cmd *cobra.Command, args []string) (string, error) {
	prompt := ""
	switch {
	case len(args) > 0 && args[0] != "-":
		prompt = args[0]
	case len(args) == 0 && isTerminal(p.in):
		return "", misusef(cmd.CommandPath(), "no prompt given")
	default:
		b, err := io.ReadAll(p.in)
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		prompt = string(b)
	}
	if strings.TrimSpace(prompt) == "" {
		return "", misusef(cmd.CommandPath(), "the prompt is empty")
	}
	return prompt, nil
}

// newAPI returns the Messages API as configured by the environment.
func newAPI() (agent.API, error) { return messages.New(messages.Options{}) }

// agentRun is one run of the agent without the TUI.
type agentRun struct {
	p            *console
	who          *invocation
	settings     agent.Settings
	attach       []string
	instructions []string // NAME=TEXT
	resume       versions.SessionID
	prompt       string
	inputs       versions.Inputs // of the prompt, if nobody typed it

	printed int  // bytes already printed of the text block that is being streamed
	atStart bool // whether output is at the start of a line
	line    strings.Builder
	seq     int64 // the newest event that was printed
	begun   bool  // whether the agent has begun with the prompt
}

func (r *agentRun) do(ctx context.Context, t *engine.Trail) (err error) {
	api, err := newAPI()
	if err != nil {
		return err
	}
	manager := newManager(t, api, agent.ManagerOptions{Settings: r.settings, Now: r.p.now})
	defer func() { err = errors.Join(err, manager.Close()) }()
	s, err := r.session(ctx, t, manager)
	if err != nil {
		return err
	}
	interrupted, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(interrupted, func() {
		stop() // a second signal ends the program at once
		s.Stop()
	})()
	sub := s.Watch(ctx)
	kept := t.Conversations()
	r.atStart = true
	if err := r.catchUp(agent.StoredEvents(kept, s.ID()), math.MaxInt64); err != nil { // its beginning
		return err
	}
	if err := t.NoteInputs(ctx, s.By(), r.inputs, r.p.now()); err != nil {
		return err
	}
	if err := s.Send(r.prompt); err != nil {
		return err
	}
	return r.follow(ctx, s, sub, kept)
}

func (r *agentRun) session(ctx context.Context, t *engine.Trail, manager *agent.Manager) (*agent.Session, error) {
	if r.resume != "" {
		id, err := homeSession(ctx, t, r.resume)
		if err != nil {
			return nil, err
		}
		kept := agent.StoredEvents(t.Conversations(), id)
		for e, err := range kept {
			if err != nil {
				return nil, err
			}
			r.seq = e.Seq // it was printed when it happened
		}
		return manager.Resume(ctx, kept)
	}
	by, err := r.who.identity(versions.Agent, "agent")
	if err != nil {
		return nil, err
	}
	if by.Actor.Kind != versions.Agent || isClaim(by) {
		return nil, misusef("memend agent", "--actor %s: the agent is an agent", r.who.actor)
	}
	if engine.IsNew(t.Home()) { // a home is made for an agent that can start
		if err := manager.Ready(ctx); err != nil {
			return nil, err
		}
	}
	as, err := r.stores(ctx, t)
	if err != nil {
		return nil, err
	}
	return manager.Start(ctx, agent.Start{Name: by.Actor.Name, Stores: as})
}

func (r *agentRun) stores(ctx context.Context, t *engine.Trail) ([]versions.Attachment, error) {
	var as []versions.Attachment
	if len(r.attach) > 0 {
		var err error
		if as, err = attachments(ctx, r.who, t, r.attach); err != nil {
			return nil, err
		}
	} else {
		info, err := agentsStore(ctx, r.p, r.who, t)
		if err != nil {
			return nil, err
		}
		as = []versions.Attachment{{Store: info.ID}}
	}
	for _, given := range r.instructions {
		if err := instruct(ctx, t, as, given); err != nil {
			return nil, err
		}
	}
	return as, nil
}

// instruct sets the instructions of an attached store from NAME=TEXT.
func instruct(ctx context.Context, t *engine.Trail, as []versions.Attachment, given string) error {
	const command = "memend agent"
	name, text, ok := strings.Cut(given, "=")
	if !ok {
		return misusef(command, "--instructions %s: write NAME=TEXT", given)
	}
	info, err := findStore(ctx, t, name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(as, func(a versions.Attachment) bool { return a.Store == info.ID })
	if i < 0 {
		return misusef(command, "--instructions %s: the store is not attached", name)
	}
	as[i].Instructions = text
	return nil
}

// follow prints events until the agent is done.
func (r *agentRun) follow(ctx context.Context, s *agent.Session, sub *agent.Subscription, kept *conversations.Folder) error {
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range events {
			if !e.IsLive() && e.Seq <= r.seq {
				continue // already printed by catchUp
			}
			if e.Kind == agent.Missed { // our output is read slowly: only the record of the conversation has these events
				if err := r.catchUp(agent.StoredEvents(kept, s.ID()), e.Seq); err != nil {
					return err
				}
			} else {
				r.print(e)
			}
			r.seq = max(r.seq, e.Seq)
			// A session that is resumed becomes idle before it begins, if its last turn was interrupted.
			if r.begun && (e.Kind == agent.Idle || e.Kind == agent.Missed && s.State().Phase == agent.PhaseIdle) {
				return r.finish(s)
			}
		}
		if err := r.p.flush(); err != nil {
			return err
		}
	}
}

// catchUp prints the recorded events up to a sequence number that were not printed yet.
func (r *agentRun) catchUp(kept iter.Seq2[agent.Event, error], upTo int64) error {
	for e, err := range kept {
		if err != nil || e.Seq > upTo {
			return err
		}
		if e.Seq <= r.seq {
			continue
		}
		r.print(e)
		r.seq = e.Seq
	}
	return nil
}

func (r *agentRun) print(e agent.Event) {
	r.begun = r.begun || e.Kind == agent.Prompted && e.Text == r.prompt
	if r.p.json {
		r.p.emit(eventOf(e))
		return
	}
	switch e.Kind {
	case agent.Sent, agent.Retrying: // the partial output of the previous turn is void
		r.endLine()
	case agent.Added:
		if e.Type == agent.TypeText {
			r.printText(e.Text)
		}
	case agent.BlockEnded:
		if e.Type == agent.TypeText && e.Block != nil {
			r.printText(e.Block.Text[min(r.printed, len(e.Block.Text)):]) // only the part that was not streamed yet
		}
		r.endLine()
	case agent.Answered:
		r.note(callText(r.p, e))
	}
	switch e.Kind {
	case agent.Prompted, agent.Idle, agent.Started, agent.BlockEnded, agent.Answered:
	default:
		if text := eventText(r.p, e); text != "" {
			r.note(text)
		}
	}
}

// printText writes the agent's text as it is streamed: to a pipe at once, to a terminal line by
// line and escaped.
func (r *agentRun) printText(s string) {
	if s == "" {
		return
	}
	r.printed += len(s)
	r.atStart = strings.HasSuffix(s, "\n")
	if !r.p.terminal {
		r.p.out.WriteString(s)
		return
	}
	r.line.WriteString(s)
	whole := r.line.String()
	if end := strings.LastIndexByte(whole, '\n'); end >= 0 {
		r.p.raw([]byte(whole[:end+1]))
		r.line.Reset()
		r.line.WriteString(whole[end+1:])
	}
}

func (r *agentRun) endLine() {
	switch {
	case r.line.Len() > 0:
		r.p.raw([]byte(r.line.String() + "\n"))
		r.line.Reset()
	case !r.atStart && !r.p.terminal:
		r.p.out.WriteByte('\n')
	}
	r.atStart, r.printed = true, 0
}

// note prints a note about what the agent does, on standard error.
func (r *agentRun) note(text string) {
	r.endLine()
	_ = r.p.out.Flush() // keep the order; an error will be reported by the next flush
	fmt.Fprintf(r.p.err, "· %s\n", text)
}

// callText describes a call of the memory tool and its result.
func callText(p *console, e agent.Event) string {
	what := strings.TrimRight(p.safe(cmp.Or(e.Command, e.Tool))+" "+p.safe(e.Path), " ")
	if e.From != "" {
		what = fmt.Sprintf("%s %s -> %s", p.safe(e.Command), p.safe(e.From), p.safe(e.Path))
	}
	switch {
	case e.IsError:
		return what + ": " + briefText(p, e.Text)
	case e.Change > 0:
		return fmt.Sprintf("%s (change %d)", what, e.Change)
	}
	return what
}

// finish prints a summary of the run and returns an error if the agent did not finish
// normally.
func (r *agentRun) finish(s *agent.Session) error {
	r.endLine()
	if err := r.p.flush(); err != nil {
		return err
	}
	state := s.State()
	if !r.p.json {
		fmt.Fprintf(r.p.err, "· session %s: %s, %d tokens in, %d out", s.ID(), plural(state.Changes, "change"), state.Total.Prompt(), state.Total.Output)
		if state.Changes > 0 {
			fmt.Fprint(r.p.err, r.p.hintText(fmt.Sprintf("; `memend undo --session %s` undoes the session", s.ID())))
		}
		fmt.Fprintln(r.p.err)
	}
	switch {
	case state.Failure != nil:
		return &hinted{fmt.Errorf("the agent stopped: %w", state.Failure), failureHint(state.Failure)}
	case state.Reason == "end_turn" || state.Reason == "stop_sequence":
		return nil
	}
	reason := state.Reason
	if state.Explained != "" {
		reason += ": " + state.Explained
	}
	return fmt.Errorf("the agent stopped: %s", reason)
}

// failureHint says what to do about a failure of the API.
func failureHint(f *agent.Failure) string {
	switch f.Type {
	case "authentication_error", "permission_error":
		return "check ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL"
	case "rate_limit_error", "overloaded_error":
		return "try again later, or continue with --resume"
	case "connection":
		return "check the network and ANTHROPIC_BASE_URL, then continue with --resume"
	}
	return ""
}
