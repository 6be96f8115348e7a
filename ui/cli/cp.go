package cli

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) cpCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "cp FROM TO",
		Annotations: map[string]string{changes: always},
		Short:       "Copy a memory or a folder, also to another store",
		Long: `Copy a memory, or a folder with all memories in it, as one change. A copy is a
new memory, and its history begins with the copy. Nothing is replaced: if TO
exists, the exit code is 3. A TO that ends in a slash, or is . or .., is the
folder to copy into. Links and special files are not copied.

STORE:PATH is a path in another store of this home. The copy names the version
that it was copied from; "memend log" and "memend blame" go on with that. Both
may be hosted stores. A hosted store gets the memories one by one: if that fails
between two of them, the copies that were made stay, and are listed.`,
		Example: `  memend cp notes/plan.md notes/plan-2027.md
  memend cp notes copies/notes
  memend cp people/bo.md team:
  memend cp work:x.md notes/`,
		Args:              misused(cobra.ExactArgs(2)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.relocate(cmd, args, (*versions.Store).Copy, func(ctx context.Context, s *versions.Store, from memfs.Path, other *versions.Store, to memfs.Path) error {
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
