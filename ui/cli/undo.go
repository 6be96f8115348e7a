package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
)

func undoCommand(p *program) *cobra.Command {
	var f planFlags
	var bulk bool
	cmd := &cobra.Command{
		Use:               "undo [CHANGE|CALL]",
		Annotations:       map[string]string{overview: "a change", changes: always},
		Short:             "Undo a change or a session",
		ValidArgsFunction: p.completeChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := versions.SessionID(p.session)
			switch {
			case bulk && (len(args) == 0 || id != ""):
				return misusef(cmd.CommandPath(), "--bulk needs the number of a change")
			case id != "" && len(args) > 0:
				return misusef(cmd.CommandPath(), "--session undoes a whole session: leave out the change")
			case id != "":
				p.session = "" // the undo belongs to the caller's own session
				var err error
				if p.by, err = p.person(); err != nil {
					return err
				}
			}
			return runPlanned(&p.storeOpener, cmd, args, &f, func(ctx context.Context, s *engine.Store, n int64) (plan.Goal, error) {
				switch {
				case bulk:
					b, err := history.BulkOf(ctx, s, n)
					return plan.UndoChanges(b.Changes), err
				case id != "":
					id, err := sessionOf(ctx, s, id)
					if err == nil {
						err = changedElsewhere(ctx, s, "undo", id)
					}
					return plan.UndoSession(id), err
				case n == 0:
					return plan.UndoLast{By: p.by.Actor}, nil
				}
				return plan.UndoChange(n), nil
			})
		},
	}
	f.add(cmd)
	f.addReject(cmd)
	cmd.Flags().BoolVar(&bulk, "bulk", false, "also undo what the same program did right before and after it")
	return cmd
}

func redoCommand(p *program) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:               "redo [CHANGE|CALL]",
		Annotations:       map[string]string{overview: "what is undone", changes: always},
		Short:             "Redo an undone change",
		ValidArgsFunction: p.completeChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlanned(&p.storeOpener, cmd, args, &f, func(_ context.Context, _ *engine.Store, n int64) (plan.Goal, error) {
				if n == 0 {
					return plan.RedoLast{By: p.by.Actor}, nil
				}
				return plan.RedoChange(n), nil
			})
		},
	}
	f.add(cmd)
	return cmd
}

// runPlanned makes a plan for the change that is named, or for 0 if none is, and applies it.
func runPlanned(p *storeOpener, cmd *cobra.Command, args []string, f *planFlags,
	goalOf func(ctx context.Context, s *engine.Store, n int64) (plan.Goal, error)) error {
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
	return withStorePlanned(cmd.Context(), p, f, func(s *engine.Store) error {
		if n == 0 && len(args) > 0 {
			if n, err = changeOfCall(cmd.Context(), s, args[0]); err != nil {
				return err
			}
		}
		goal, err := goalOf(cmd.Context(), s, n)
		if err != nil {
			return err
		}
		plan, err := plan.Make(cmd.Context(), s, goal)
		if errors.Is(err, versions.ErrNothing) { // the reason says more than an empty plan
			p.answer(changeOf(versions.Change{}), "%s", p.safe(err.Error()))
			return nil
		}
		if err != nil {
			return err
		}
		return applyPlan(cmd.Context(), &p.caller, s, plan, f, choice)
	})
}
