package cli

import (
	"context"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) restoreCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "restore VERSION",
		Short: "Make a memory what it was in a version",
		Long: `Make a memory hold what it held in a version, as a new version on top: nothing
in its history is lost, and the restore can be undone. A deleted memory comes
back at the path it had then.`,
		Example: `  memtrail restore notes/plan.md@3
  memtrail restore --dry-run memver_abc`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completeVersions,
		RunE: p.refCommand(func(ctx context.Context, s *versions.Store, refs []ref) error {
			by, err := p.person()
			if err != nil {
				return err
			}
			if refs[0].id == "" && refs[0].version == 0 {
				return misusef("memtrail restore", "%s names no version: write %s@N, or a version's id", refs[0].arg, refs[0].arg)
			}
			v, err := refs[0].one(ctx, s)
			if err != nil {
				return err
			}
			if dryRun {
				return p.wouldRestore(ctx, s, v)
			}
			c, err := s.Restore(ctx, by, v.ID)
			if err != nil {
				return err
			}
			return p.done(c)
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would change, and change nothing")
	return cmd
}

// wouldRestore shows the way from the memory's newest version to v.
func (p *program) wouldRestore(ctx context.Context, s *versions.Store, v versions.Version) error {
	wanted, err := s.Content(ctx, v.ID)
	if err != nil {
		return err
	}
	newest, err := s.History(ctx, v.Memory, 0, 1)
	if err != nil {
		return err
	}
	d := difference{new: wanted, oldName: nowhere, newName: "b" + v.Path.String()}
	if head := newest[0]; head.Operation != versions.Deleted {
		d.oldName, d.newName = "a"+head.Path.String(), "b"+head.Path.String()
		if d.old, err = s.Content(ctx, head.ID); err != nil {
			return err
		}
	}
	return p.printDiff(d)
}
