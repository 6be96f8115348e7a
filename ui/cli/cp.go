package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/write"
)

func cpCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "cp FROM TO",
		Annotations:       map[string]string{overview: "copy", changes: always},
		Short:             "Copy a memory or a folder, within a store or to another",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return relocate(&p.storeOpener, cmd, args, func(ctx context.Context, s *engine.Store, by versions.By, from, to memfs.Path) (versions.Change, error) {
				return write.Copy(ctx, s, by, from, to)
			}, func(ctx context.Context, s *engine.Store, from memfs.Path, other *engine.Store, to memfs.Path) error {
				c, err := send(ctx, &p.console, other, func(ctx context.Context) (versions.Change, error) {
					return write.CopyTo(ctx, s, p.by, other, versions.Transfer{From: from, To: to})
				})
				if err != nil {
					return undoFirst(err, other)
				}
				reportChangeIn(&p.console, other, c)
				return nil
			})
		},
	}
}
