package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func rmCommand(p *program) *cobra.Command {
	var recursive, force bool
	cmd := &cobra.Command{
		Use:               "rm PATH...",
		Annotations:       map[string]string{overview: "delete", changes: always},
		Short:             "Delete memories and folders",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStoreAt(cmd.Context(), pathsOf(args...), func(s *engine.Store) error {
				paths, err := pathArgs(s, cmd.CommandPath(), args)
				if err != nil {
					return err
				}
				if force {
					if paths = slices.DeleteFunc(paths, s.IsAbsent); len(paths) == 0 {
						reportChange(&p.console, versions.Change{})
						return nil
					}
				}
				if !recursive {
					if err := noFolders(cmd, s, paths); err != nil {
						return err
					}
				}
				return sendAndReport(cmd.Context(), &p.console, s, func(ctx context.Context) (versions.Change, error) { return s.Delete(ctx, p.by, paths...) })
			})
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "leave out what does not exist; nothing is asked in any case")
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "delete folders with everything in them")
	return cmd
}

// noFolders refuses folders that are not empty.
func noFolders(cmd *cobra.Command, s *engine.Store, paths []memfs.Path) error {
	if !slices.ContainsFunc(paths, s.IsFolder) {
		return nil
	}
	entries, err := history.Tree(cmd.Context(), s)
	if err != nil {
		return err
	}
	for _, path := range paths {
		for _, e := range entries {
			if e.Path != path && e.Path.In(path) && !path.IsRoot() {
				return misusef(cmd.CommandPath(), "%s is a folder: --recursive deletes it with everything in it", path.Tool())
			}
		}
	}
	return nil
}
