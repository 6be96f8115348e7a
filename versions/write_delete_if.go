package versions

import (
	"context"

	"github.com/memend/memend/memfs"
)

// DeleteIf deletes the memory at p if the precondition holds. It checks and deletes in one
// step. It rejects folders, even empty ones. A *ConflictError says what p holds instead.
func (s *Store) DeleteIf(ctx context.Context, by By, p memfs.Path, pre Pre) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := memfs.PlanDelete(d.tree(), p)
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
		if err := d.check(only.Path, pre); err != nil {
			return err
		}
		return d.follow(request{kind: KindDelete, path: p}, plan)
	})
}
