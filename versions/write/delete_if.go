package write

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// DeleteIf deletes the memory at p if the precondition holds. It checks and deletes in one
// step. It rejects folders, even empty ones. A *ConflictError says what p holds instead.
func DeleteIf(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, pre versions.Pre) (versions.Change, error) {
	return core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		plan, err := memfs.PlanDelete(d.Tree(), p)
		if err != nil {
			return err
		}
		only := plan.Ops[len(plan.Ops)-1] // for a folder, the folder itself
		switch only.Was.Kind {
		case memfs.File:
		case memfs.Folder:
			return &memfs.OpError{Op: "delete", Path: p, Err: memfs.ErrIsFolder}
		default:
			return &memfs.OpError{Op: "delete", Path: p, Err: memfs.ErrNotRegular}
		}
		if err := d.Check(only.Path, pre); err != nil {
			return err
		}
		return d.Follow(core.Request{Kind: versions.KindDelete, Path: p}, plan)
	})
}
