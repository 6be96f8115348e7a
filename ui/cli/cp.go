package cli

import (
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) cpCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "cp FROM TO",
		Annotations: map[string]string{changes: always},
		Short:       "Copy a memory or a folder",
		Long: `Copy a memory, or a folder with all memories in it, as one change. A copy is a
new memory, and its history begins with the copy. Nothing is replaced: if TO
exists, the exit code is 3. A TO that ends in a slash, or is . or .., is the
folder to copy into. Links and special files are not copied.`,
		Example: `  memend cp notes/plan.md notes/plan-2027.md
  memend cp notes copies/notes`,
		Args:              misused(cobra.ExactArgs(2)),
		ValidArgsFunction: p.completePaths,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.relocate(cmd, args, (*versions.Store).Copy) },
	}
}
