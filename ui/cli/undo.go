package cli

import (
	"context"
	"strconv"

	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) undoCommand() *cobra.Command {
	var f planFlags
	var bulk bool
	cmd := &cobra.Command{
		Use:               "undo [CHANGE|CALL]",
		Annotations:       map[string]string{changes: always},
		Short:             "Undo a change or a session",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := versions.SessionID(p.session)
			if bulk {
				if len(args) == 0 || id != "" {
					return misusef(cmd.CommandPath(), "--bulk needs the number of a change")
				}
				return p.runPlanned(cmd, args, &f, func(s *versions.Store, ctx context.Context, _ versions.Actor, n int64) (*versions.Plan, error) {
					b, err := s.BulkOf(ctx, n)
					if err != nil {
						return nil, err
					}
					return s.PlanUndoChanges(ctx, b.Changes...)
				})
			}
			if id == "" {
				return p.runPlanned(cmd, args, &f, (*versions.Store).PlanUndo)
			}
			if len(args) > 0 {
				return misusef(cmd.CommandPath(), "--session undoes a whole session: leave out the change")
			}
			p.session = "" // the undo belongs to the caller's own session
			var err error
			if p.caller, err = p.person(); err != nil {
				return err
			}
			return p.runPlanned(cmd, nil, &f, func(s *versions.Store, ctx context.Context, _ versions.Actor, _ int64) (*versions.Plan, error) {
				id, err := p.sessionOf(ctx, s, id)
				if err != nil {
					return nil, err
				}
				return s.PlanUndoSession(ctx, id)
			})
		},
	}
	f.add(cmd)
	f.addReject(cmd)
	cmd.Flags().BoolVar(&bulk, "bulk", false, "also undo what the same program did right before and after it")
	return cmd
}

func (p *program) redoCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:               "redo [CHANGE|CALL]",
		Annotations:       map[string]string{changes: always},
		Short:             "Redo an undone change",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.runPlanned(cmd, args, &f, (*versions.Store).PlanRedo)
		},
	}
	f.add(cmd)
	return cmd
}

// runPlanned makes a plan for the change that is named, and applies it.
func (p *program) runPlanned(cmd *cobra.Command, args []string, f *planFlags,
	plan func(*versions.Store, context.Context, versions.Actor, int64) (*versions.Plan, error)) error {
	n := int64(0)
	if len(args) > 0 && !isID(args[0], callPrefix) {
		var err error
		if n, err = strconv.ParseInt(args[0], 10, 64); err != nil || n < 1 {
			return misusef(cmd.CommandPath(), "%s is not the number of a change, nor the id of a tool call", args[0])
		}
	}
	choice, err := f.choice(cmd.CommandPath())
	if err != nil {
		return err
	}
	return p.withStorePlanned(cmd.Context(), f, func(s *versions.Store) error {
		if n == 0 && len(args) > 0 {
			if n, err = p.changeOfCall(cmd.Context(), s, args[0]); err != nil {
				return err
			}
		}
		pl, err := plan(s, cmd.Context(), p.caller.Actor, n)
		if err != nil {
			return err
		}
		return p.applyPlan(cmd.Context(), s, pl, f, choice)
	})
}
