package cli

import (
	"context"
	"strings"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) mvCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mv FROM TO",
		Short: "Rename a memory or a folder",
		Long: `Rename a memory or a whole folder; its history stays with it. Nothing is ever
replaced: what stands at TO is left and the exit code is 3. A TO that ends in a
slash is the folder to move into.`,
		Example: `  memtrail mv todo.md archive/todo-2026.md
  memtrail mv todo.md archive/`,
		Args:              misused(cobra.ExactArgs(2)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := pathArg(cmd.CommandPath(), args[0])
			if err != nil {
				return err
			}
			to, err := destination(cmd.CommandPath(), from, args[1])
			if err != nil {
				return err
			}
			by, err := p.person()
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				c, err := p.sending(cmd.Context(), s, func(ctx context.Context) (versions.Change, error) { return s.Rename(ctx, by, from, to) })
				if err != nil {
					return err
				}
				return p.done(c)
			})
		},
	}
}

func destination(command string, from memfs.Path, arg string) (memfs.Path, error) {
	to, err := pathArg(command, arg)
	if err != nil || !strings.HasSuffix(arg, "/") || from.IsRoot() {
		return to, err
	}
	return to.Join(from.Base())
}
