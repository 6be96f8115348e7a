package cli

import (
	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
)

func restoreCommand(p *program) *cobra.Command {
	var f planFlags
	var at string
	cmd := &cobra.Command{
		Use:               "restore VERSION | restore --at TIME|CHANGE [PATH]",
		Annotations:       map[string]string{overview: "an older state", changes: always},
		Short:             "Restore a memory, a folder or everything to an earlier state",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeVersions,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		choice, err := f.choice(cmd.CommandPath())
		if err != nil {
			return err
		}
		var moment momentOf
		if at != "" {
			if moment, err = momentArg(&p.console, cmd.CommandPath(), at); err != nil {
				return err
			}
		} else if len(args) == 0 {
			return misusef(cmd.CommandPath(), "name a version, or a moment with --at")
		}
		return withStorePlanned(cmd.Context(), &p.storeOpener, &f, func(s *engine.Store) error {
			goal, err := restoreGoal(cmd, s, moment, args)
			if err != nil {
				return err
			}
			plan, err := plan.Make(cmd.Context(), s, goal)
			if err != nil {
				return err
			}
			if err := applyPlan(cmd.Context(), &p.caller, s, plan, &f, choice); err != nil || !f.dryRun || p.json || at != "" {
				return err
			}
			return printItems(cmd.Context(), &p.console, s, plan.Clean)
		})
	}
	f.add(cmd)
	cmd.Flags().StringVar(&at, "at", "", "restore the state at this `TIME`, or after this change")
	complete(cmd, "at", p.completeChanges)
	return cmd
}

// restoreGoal returns the goal of restoring a version or, with a moment, what was at a path then.
func restoreGoal(cmd *cobra.Command, s *engine.Store, moment momentOf, args []string) (plan.Goal, error) {
	ctx := cmd.Context()
	if moment == nil {
		r, err := parseRef(ctx, s, cmd.CommandPath(), args[0])
		if err == nil && r.id == "" && r.version == 0 {
			err = misusef(cmd.CommandPath(), "%s names no version: write %[1]s@N, or a version's id", args[0])
		}
		if err != nil {
			return nil, err
		}
		v, err := r.one(ctx, s)
		return plan.Restore(v.ID), err
	}
	path := memfs.Root
	if len(args) > 0 {
		var err error
		if path, err = pathArg(s, cmd.CommandPath(), args[0]); err != nil {
			return nil, err
		}
	}
	m, err := moment(ctx, s)
	return plan.RestoreAt{Moment: m, Paths: []memfs.Path{path}}, err
}
