package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

func watchCommand(p *program) *cobra.Command {
	var since string
	var limit int
	var f agent.FollowOptions
	cmd := &cobra.Command{
		Use:         "watch [-]",
		Annotations: map[string]string{overview: "follow events", changes: withName, filters: ""},
		Short:       "Follow what agents and others do, as it happens",
		Args:        cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs:   []string{"-"},
		RunE: func(cmd *cobra.Command, args []string) error {
			from, _, err := parseTime("--since", since, p.now())
			if err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			f.Since = from
			conf, err := p.settings()
			if err != nil {
				return err
			}
			w := watchRun{p: &p.console, who: &p.invocation, limit: limit, transcripts: conf.Transcripts, input: len(args) > 0}
			switch w.f = f; {
			case !w.input && p.actor != "":
				return misusef(cmd.CommandPath(), "--actor names the agent of the calls that - reads")
			case !w.input:
				w.f.Session = versions.SessionID(p.session)
			default:
				if w.by, err = p.identity(versions.Agent, "agent"); err != nil {
					return err
				}
				if w.by.Actor.Kind != versions.Agent || isClaim(w.by) {
					return misusef(cmd.CommandPath(), "--actor %s: only agents make calls", p.actor)
				}
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return w.run(cmd.Context(), t) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "begin with the events since this `TIME`")
	limitFlag(cmd, &limit, "end after `N` events")
	flags.BoolVar(&f.NoReads, "no-reads", false, "print no reads")
	flags.BoolVar(&f.NoTalk, "no-conversations", false, "print only changes and reads, no conversations")
	return cmd
}

// errEnough ends the command when the limit is reached.
var errEnough = errors.New("the limit is reached")

// watchRun is one run of `memend watch`.
type watchRun struct {
	p           *console
	who         *invocation
	f           agent.FollowOptions
	limit       int
	transcripts bool        // follow the transcripts of Claude Code
	input       bool        // read calls from standard input
	by          versions.By // the actor of calls that name none

	names   map[versions.StoreID]string // set if there are several stores
	printed int
}

func (w *watchRun) run(ctx context.Context, t *engine.Trail) (err error) {
	if w.f.Session, err = homeSession(ctx, t, w.f.Session); err != nil {
		return err
	}
	stores, err := storesToWatch(ctx, w.p, w.who, t)
	defer func() {
		for _, s := range stores {
			err = errors.Join(err, s.Close())
		}
	}()
	if err != nil {
		return err
	}
	if len(stores) > 1 {
		w.names = map[versions.StoreID]string{}
		for _, s := range stores {
			w.names[s.Info().ID] = s.Info().Name
		}
	}
	signalled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, end := context.WithCancelCause(signalled)
	defer end(nil)
	defer w.recordCalls(ctx, t, stores, end)()
	w.f.Upstream = upstreamReporter(w.p)
	err = agent.Follow(ctx, t, stores, w.f, w.print)
	switch {
	case signalled.Err() != nil, errors.Is(err, errEnough): // a normal end
		return nil
	}
	return err
}

// recordCalls starts to record the calls of agents that run elsewhere; stop waits for its end.
func (w *watchRun) recordCalls(ctx context.Context, t *engine.Trail, stores []*engine.Store, end func(error)) (stop func()) {
	h := &callRecorder{in: w.p.in, now: w.p.now, t: t, open: func(id versions.StoreID) *engine.Store {
		for _, s := range stores {
			if s.Info().ID == id {
				return s
			}
		}
		return nil
	}}
	if len(stores) == 1 {
		h.memory = stores[0].Info().ID
	}
	events := make(chan []agent.Event)
	w.f.External = events
	report := func(e []agent.Event) {
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	stop = func() {}
	if w.transcripts {
		stop = h.followTranscripts(ctx, report)
	}
	if w.input {
		until := make(chan struct{})
		w.f.Until = until
		t.Go(func() {
			if err := w.listen(ctx, h, report); err != nil {
				end(err)
				return
			}
			close(until)
		})
	}
	return stop
}

// listen reads standard input to its end.
func (w *watchRun) listen(ctx context.Context, h *callRecorder, report func([]agent.Event)) error {
	config, _ := outside.Config()
	r := &outside.Reader{Now: w.p.now, Session: string(w.by.Session), Agent: w.by.Actor.Name, Config: config}
	dropped, err := h.listen(ctx, r, report)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	reportSkipped(w.p, r.Skipped, dropped)
	return nil
}

// print prints an event.
func (w *watchRun) print(e agent.Event) error {
	p := w.p
	if p.json {
		p.emit(eventOf(e))
	} else if line := eventLine(p, e, w.names[e.Store]); line != "" {
		p.println("%s", line)
	} else {
		return nil
	}
	if w.printed++; w.printed == w.limit {
		return errEnough
	}
	return p.flush()
}

// storesToWatch opens the store that is named, or all stores. It returns those that it
// opened even with an error.
func storesToWatch(ctx context.Context, p *console, who *invocation, t *engine.Trail) (out []*engine.Store, err error) {
	var infos []versions.StoreInfo
	if ref := who.requestedStore(); ref != "" {
		info, err := who.namedStore(ctx, t, ref)
		if err != nil {
			return nil, err
		}
		infos = []versions.StoreInfo{info}
	} else if infos, err = t.Stores(ctx); err != nil {
		return nil, err
	} else if len(infos) == 0 {
		return nil, &misuse{&noStoreHere{}, ""}
	}
	for _, info := range infos {
		s, err := t.OpenStore(ctx, info.ID)
		if errors.Is(err, versions.ErrFolderGone) && len(infos) > 1 {
			fmt.Fprintf(p.err, "memend: store %s is left out: %s\n", p.safe(info.Name), p.safe(err.Error()))
			continue
		}
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

// eventLine formats an event as a line, or returns "" if it is not shown.
func eventLine(p *console, e agent.Event, store string) string {
	what := eventText(p, e)
	if what == "" {
		return ""
	}
	who := maker(versions.Actor{Kind: e.Actor.Kind, Name: e.Actor.Name}, e.Inferred)
	if store != "" {
		what += "  (" + p.safe(store) + ")"
	}
	return fmt.Sprintf("%s  %s  %s", e.Time.Local().Format("15:04:05"), actorColumn(p, who), what)
}

func eventText(p *console, e agent.Event) string {
	path := p.safe(e.Path)
	switch e.Kind {
	case agent.Changed:
		what := fmt.Sprintf("#%d %s %s", e.Change, did(e), path)
		if e.From != "" {
			what = fmt.Sprintf("#%d %s %s -> %s", e.Change, did(e), p.safe(e.From), path)
		}
		switch {
		case e.Target != "":
			return what + " -> " + p.safe(e.Target)
		case e.Version == "": // a link or a folder
			return what
		}
		return fmt.Sprintf("%s  +%d -%d", what, e.Plus, e.Minus)
	case agent.Read:
		return "read " + path
	case agent.Attributed:
		if !e.Inferred {
			return fmt.Sprintf("may not be the author of #%d: %s", e.Change, path)
		}
		return fmt.Sprintf("is the author of #%d: %s", e.Change, path)
	case agent.MassDeleted:
		return fmt.Sprintf("#%d %s were deleted at once; %s", e.Change, plural(e.Deleted, "memory"), wording.UndoLoss(*e.Bulk))
	case agent.Prompted:
		return "prompt: " + briefText(p, e.Text)
	case agent.BlockEnded:
		if e.Block == nil || e.Block.Type != agent.TypeText {
			return ""
		}
		return "says: " + briefText(p, e.Block.Text)
	case agent.Answered:
		if e.IsError {
			return fmt.Sprintf("%s %s failed: %s", e.Command, path, briefText(p, e.Text))
		}
		return "" // the engine reports what it changed or read
	case agent.Replied:
		if e.Usage == nil {
			return ""
		}
		return fmt.Sprintf("turn %d: %d tokens in, %d out%s", e.Turn, e.Usage.Prompt(), e.Usage.Output, editsText(p, e.Applied))
	case agent.Retrying:
		return fmt.Sprintf("retrying in %s: %s", time.Duration(e.Wait).Round(100*time.Millisecond), failureText(p, e))
	case agent.Broken:
		return "failed: " + failureText(p, e)
	case agent.CompactedNow:
		if e.Compacted == nil || e.Failure != nil {
			return "compaction failed: " + failureText(p, e)
		}
		return fmt.Sprintf("compacted %d messages: %d tokens became about %d", e.Compacted.Messages, e.Compacted.Before, e.Compacted.After)
	case agent.Started, agent.Ended, agent.Idle:
		return strings.TrimRight(strings.ReplaceAll(string(e.Kind), "_", " ")+": "+p.safe(e.Reason), ": ")
	}
	return ""
}

// did names a change: by what was asked for, or by what another program did.
func did(e agent.Event) string {
	switch {
	case e.Command != "":
		return e.Command
	case e.Operation == versions.Created:
		return string(versions.KindCreate)
	case e.Operation == versions.Deleted:
		return string(versions.KindDelete)
	case e.Operation == agent.Renamed:
		return string(versions.KindRename)
	}
	return string(versions.KindEdit)
}

func editsText(p *console, edits []agent.AppliedEdit) string {
	out := ""
	for _, e := range edits {
		switch {
		case e.ToolUses > 0:
			out += fmt.Sprintf("; cleared %s, -%d tokens", plural(int(e.ToolUses), "tool result"), e.InputTokens)
		case e.ThinkingTurns > 0:
			out += fmt.Sprintf("; cleared %s, -%d tokens", plural(int(e.ThinkingTurns), "thinking turn"), e.InputTokens)
		default:
			out += "; " + p.safe(e.Type)
		}
	}
	return out
}

func failureText(p *console, e agent.Event) string {
	if e.Failure == nil {
		return p.safe(e.Reason)
	}
	return p.safe(e.Failure.Error())
}

// briefText returns the beginning of a text in one line.
func briefText(p *console, s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return p.safe(s)
}
