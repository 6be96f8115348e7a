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

	"github.com/memtrail/memtrail/agent"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) watchCommand() *cobra.Command {
	var since string
	var limit int
	var f agent.Following
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Follow what agents and others do, as it happens",
		Long: `Print what is done to memories as it is done, by whomever: changes, also by
other programs that write the folder, the reads of agents, and what is said in
sessions of memtrail's own agent. It follows the store that is named, else all
stores of the home, until it is interrupted or has told as much as --limit says.

With --json each event is a line with the same fields that conversations are
kept in: "type" says what it is (change, read, prompt, block, result, reply, …).

Here --session chooses the session that is followed.`,
		Example: `  memtrail watch
  memtrail watch --json --since 1h | jq 'select(.type == "change") | .path'
  memtrail watch -s work --session sesn_ab12 --no-reads`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if since != "" {
				t, err := parseTime(since, p.now())
				if err != nil {
					return &misuse{err, cmd.CommandPath()}
				}
				f.Since = t
			}
			if limit < 0 {
				return misusef(cmd.CommandPath(), "--limit %d: must not be negative", limit)
			}
			f.Session = versions.SessionID(p.session)
			return p.withTrail(cmd.Context(), func(t *versions.Trail) error { return p.watch(cmd.Context(), t, f, limit) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "begin with what happened from this `TIME` on")
	flags.IntVarP(&limit, "limit", "n", 0, "end after `N` events")
	flags.BoolVar(&f.NoReads, "no-reads", false, "leave reads out")
	flags.BoolVar(&f.NoTalk, "no-conversations", false, "only what is done to memories, not what is said")
	return cmd
}

// errEnough ends the watching.
var errEnough = errors.New("enough was told")

func (p *program) watch(ctx context.Context, t *versions.Trail, f agent.Following, limit int) (err error) {
	stores, err := p.storesToWatch(ctx, t)
	defer func() {
		for _, s := range stores {
			err = errors.Join(err, s.Close())
		}
	}()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	names := map[versions.StoreID]string{}
	if len(stores) > 1 {
		for _, s := range stores {
			names[s.Info().ID] = s.Info().Name
		}
	}
	told := 0
	err = agent.Follow(ctx, t, stores, f, func(e agent.Event) error {
		if p.json {
			err = p.emit(e)
		} else if line := p.eventLine(e, names[e.Store]); line != "" {
			p.println("%s", line)
		} else {
			return nil
		}
		if told++; err == nil && told == limit {
			return errEnough
		}
		if ferr := p.out.Flush(); err == nil && ferr != nil {
			err = ferr
		}
		if err != nil {
			return &outputError{err}
		}
		return nil
	})
	if ctx.Err() != nil || errors.Is(err, errEnough) { // that is how it ends
		return nil
	}
	return err
}

// storesToWatch opens the store that is named, or all that are there. What it
// opened it gives, also with an error.
func (p *program) storesToWatch(ctx context.Context, t *versions.Trail) (out []*versions.Store, err error) {
	var infos []versions.StoreInfo
	if ref := p.storeAsked(); ref != "" {
		info, err := findStore(ctx, t, ref)
		if err != nil {
			return nil, err
		}
		infos = []versions.StoreInfo{info}
	} else if infos, err = t.Stores(ctx); err != nil {
		return nil, err
	} else if len(infos) == 0 {
		info, err := ownStoreOf(ctx, t)
		if err != nil {
			return nil, err
		}
		infos = []versions.StoreInfo{info}
	}
	for _, info := range infos {
		s, err := t.OpenStore(ctx, info.ID)
		if errors.Is(err, versions.ErrFolderGone) && len(infos) > 1 {
			fmt.Fprintf(p.err, "memtrail: store %s is left out: %s\n", p.safe(info.Name), p.safe(err.Error()))
			continue
		}
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

// eventLine is an event as people read it; empty when it says nothing to them.
func (p *program) eventLine(e agent.Event, store string) string {
	what := p.eventText(e)
	if what == "" {
		return ""
	}
	who := versions.Actor{Kind: e.Actor.Type, Name: e.Actor.Name}.String()
	if store != "" {
		what += "  (" + p.safe(store) + ")"
	}
	return fmt.Sprintf("%s  %s  %s", e.Time.Local().Format("15:04:05"), p.column(who, actorWidth), what)
}

func (p *program) eventText(e agent.Event) string {
	path := p.safe(e.Path)
	switch e.Kind {
	case agent.Changed:
		what := fmt.Sprintf("#%d %s %s", e.Change, e.Command, path)
		if e.From != "" {
			what = fmt.Sprintf("#%d %s %s -> %s", e.Change, e.Command, p.safe(e.From), path)
		}
		return fmt.Sprintf("%s  +%d -%d", what, e.Plus, e.Minus)
	case agent.Read:
		return "read " + path
	case agent.Prompted:
		return "prompt: " + p.brief(e.Text)
	case agent.BlockEnded:
		if e.Block == nil || e.Block.Type != agent.TypeText {
			return ""
		}
		return "says: " + p.brief(e.Block.Text)
	case agent.Answered:
		if e.IsError {
			return fmt.Sprintf("%s %s failed: %s", e.Command, path, p.brief(e.Text))
		}
		return "" // what it changed or read is told by the engine
	case agent.Replied:
		if e.Usage == nil {
			return ""
		}
		return fmt.Sprintf("turn %d: %d tokens in, %d out%s", e.Turn, e.Usage.Prompt(), e.Usage.Output, p.editsText(e.Applied))
	case agent.Retrying:
		return fmt.Sprintf("tries again in %s: %s", e.Wait.Round(100*time.Millisecond), p.failureText(e))
	case agent.Broken:
		return "failed: " + p.failureText(e)
	case agent.CompactedNow:
		if e.Compacted == nil || e.Failure != nil {
			return "compaction failed: " + p.failureText(e)
		}
		return fmt.Sprintf("compacted %d messages: %d tokens became about %d", e.Compacted.Messages, e.Compacted.Before, e.Compacted.After)
	case agent.Started, agent.Ended, agent.Idle:
		return strings.TrimRight(strings.ReplaceAll(string(e.Kind), "_", " ")+": "+p.safe(e.Reason), ": ")
	}
	return ""
}

func (p *program) editsText(edits []agent.AppliedEdit) string {
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

func (p *program) failureText(e agent.Event) string {
	if e.Failure == nil {
		return p.safe(e.Reason)
	}
	return p.safe(e.Failure.Error())
}

// brief is the beginning of a text in one line.
func (p *program) brief(s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most-1]) + "…"
	}
	return p.safe(s)
}
