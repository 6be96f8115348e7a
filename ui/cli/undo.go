package cli

import (
	"context"
	"strconv"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) undoCommand() *cobra.Command {
	return p.backAndForth("undo", "Take a change back",
		`Take a change back, as a new change: each memory it touched gets the path and
the text from before it. Without a number it is the newest change of your own
that stands. When a later change touched the same memory nothing is done and the
exit code is 3.`,
		`  memtrail undo
  memtrail undo 42`,
		(*versions.Store).Undo)
}

func (p *program) redoCommand() *cobra.Command {
	return p.backAndForth("redo", "Bring an undone change back",
		`Bring a change back that was undone, as a new change. Without a number it is the
one of your own that was undone last.`,
		`  memtrail redo
  memtrail redo 42`,
		(*versions.Store).Redo)
}

func (p *program) backAndForth(name, short, long, example string,
	act func(*versions.Store, context.Context, versions.By, int64) (versions.Change, error)) *cobra.Command {
	return &cobra.Command{
		Use:               name + " [CHANGE]",
		Short:             short,
		Long:              long,
		Example:           example,
		Args:              misused(cobra.MaximumNArgs(1)),
		ValidArgsFunction: p.completeChanges,
		RunE: func(cmd *cobra.Command, args []string) error {
			n := int64(0)
			if len(args) > 0 {
				var err error
				if n, err = strconv.ParseInt(args[0], 10, 64); err != nil || n < 1 {
					return misusef(cmd.CommandPath(), "%s is not the number of a change", args[0])
				}
			}
			by, err := p.person()
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				c, err := act(s, cmd.Context(), by, n)
				if err != nil {
					return err
				}
				return p.done(c)
			})
		},
	}
}
