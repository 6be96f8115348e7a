package cli

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) cpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "cp FROM TO",
		Annotations:       map[string]string{changes: always},
		Short:             "Copy a memory or a folder, also to another store",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.relocate(cmd, args, func(ctx context.Context, s *versions.Store, by versions.By, from, to memfs.Path) (versions.Change, error) {
				return s.Copy(ctx, by, from, to)
			}, func(ctx context.Context, s *versions.Store, from memfs.Path, other *versions.Store, to memfs.Path) error {
				c, err := p.sending(ctx, other, func(ctx context.Context) (versions.Change, error) {
					return s.CopyTo(ctx, p.caller, other, versions.Transfer{From: from, To: to})
				})
				if err != nil {
					return undoFirst(err, other)
				}
				if p.json {
					p.emit(inStoreJSON{hitOf(other), changeOf(c)})
					return nil
				}
				p.doneIn(other, c)
				return nil
			})
		},
	}
}
