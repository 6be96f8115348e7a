package cli

import (
	"context"
	"path"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) mvCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "mv FROM TO",
		Annotations: map[string]string{changes: always},
		Short:       "Rename a memory or a folder",
		Long: `Rename a memory or a folder; its history stays with it. Nothing is replaced: if
TO exists, the exit code is 3. A TO that ends in a slash, or is . or .., is the
folder to move into.`,
		Example: `  memend mv todo.md archive/todo-2026.md
  memend mv todo.md archive/`,
		Args:              misused(cobra.ExactArgs(2)),
		ValidArgsFunction: p.completePaths,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.relocate(cmd, args, (*versions.Store).Rename) },
	}
}

// relocate renames or copies its first argument to the second.
func (p *program) relocate(cmd *cobra.Command, args []string, act func(s *versions.Store, ctx context.Context, by versions.By, from, to memfs.Path) (versions.Change, error)) error {
	return p.withStoreAt(cmd.Context(), pathsOf(args...), func(s *versions.Store) error {
		from, err := pathArg(s, cmd.CommandPath(), args[0])
		if err != nil {
			return err
		}
		to, err := destination(s, cmd.CommandPath(), from, args[1])
		if err != nil {
			return err
		}
		return p.done(p.sending(cmd.Context(), s, func(ctx context.Context) (versions.Change, error) { return act(s, ctx, p.caller, from, to) }))
	})
}

// destination returns the target path: inside the folder, if the argument is one.
func destination(s *versions.Store, command string, from memfs.Path, arg string) (memfs.Path, error) {
	to, err := pathArg(s, command, arg)
	folder := strings.HasSuffix(arg, "/") || path.Base(arg) == "." || path.Base(arg) == ".."
	if err != nil || !folder || from.IsRoot() {
		return to, err
	}
	return to.Join(from.Base())
}
