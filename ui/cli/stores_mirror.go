package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

func storesMirrorCommand(p *program) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:               "mirror STORE",
		Annotations:       map[string]string{changes: always},
		Short:             "Copy the whole history of a hosted store to its replica",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return onStore(&p.homeOpener, cmd, args[0], func(t *engine.Trail, info versions.StoreInfo) error {
				if !info.Hosted() {
					return misusef(cmd.CommandPath(), "store %s is not hosted: there is nothing to mirror", info.Name)
				}
				got, err := mirrorStore(cmd.Context(), &p.console, t, info)
				if err != nil {
					return err
				}
				reportMirrored(&p.console, info, got)
				if !follow {
					return nil
				}
				return followHosted(cmd.Context(), &p.console, t, info)
			})
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "continue until interrupted, and print changes as they come")
	return cmd
}

// mirrorStore pulls everything that the service has.
func mirrorStore(ctx context.Context, p *console, t *engine.Trail, info versions.StoreInfo) (versions.Pulled, error) {
	ctx, endProgress := p.withProgress(ctx, "")
	got, err := hosted.Mirror(ctx, t, info)
	endProgress()
	reportPulled(p, got)
	return got, err
}

type mirroredJSON struct {
	Store    string `json:"memory_store_id"`
	Listed   int    `json:"versions_there"`
	Versions int    `json:"versions_new"`
	Redacted int    `json:"versions_redacted"`
	Skipped  int    `json:"memories_skipped"`
}

func reportMirrored(p *console, info versions.StoreInfo, got versions.Pulled) {
	p.answer(mirroredJSON{string(info.ID), got.Listed, got.Versions, got.Redacted, len(got.Skipped)}, "store %s: %s there, %d new here", p.safe(info.Name), plural(got.Listed, "version"), got.Versions)
	if got.Redacted > 0 && !p.json {
		p.println("erased %s that the service has erased", plural(got.Redacted, "version"))
	}
}

// followHosted prints what happens in a hosted store until it is interrupted.
func followHosted(ctx context.Context, p *console, t *engine.Trail, info versions.StoreInfo) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := withOpen(ctx, t, info, func(s *engine.Store) error {
		if err := p.flush(); err != nil {
			return err
		}
		return agent.Follow(ctx, t, []*engine.Store{s}, agent.FollowOptions{NoReads: true, NoTalk: true, Upstream: upstreamReporter(p)}, func(e agent.Event) error {
			if p.json {
				p.emit(eventOf(e))
			} else if line := eventLine(p, e, ""); line != "" {
				p.println("%s", line)
			}
			return p.out.Flush()
		})
	})
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// upstreamReporter returns a function that reports when the connection of a hosted store to
// its service fails or recovers, or fails for another reason.
func upstreamReporter(p *console) func(versions.StoreInfo, versions.UpstreamState) {
	reported := map[versions.StoreID]versions.UpstreamState{}
	return func(info versions.StoreInfo, u versions.UpstreamState) {
		if u.SameProblem(reported[info.ID]) {
			return
		}
		reported[info.ID] = u
		if u.Trouble == versions.NoTrouble {
			fmt.Fprintf(p.err, "memend: store %s: its service answers again\n", p.safe(info.Name))
			return
		}
		fmt.Fprintf(p.err, "memend: store %s: %s; retrying\n", p.safe(info.Name), p.safe(u.Err.Error()))
	}
}
