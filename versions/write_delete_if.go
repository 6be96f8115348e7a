package versions

import (
	"context"

	"github.com/memend/memend/memfs"
)

// DeleteIf removes the one memory at p if the precondition holds: check and removal
// are one step. A folder is refused, whatever it holds. *ConflictError tells what
// stands there instead of what was wanted.
func (s *Store) DeleteIf(ctx context.Context, by By, p memfs.Path, pre Pre) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := memfs.PlanDelete(d.tree(), p)
		if err != nil {
			return err
		}
		only := plan.Ops[len(plan.Ops)-1] // of a folder, the folder itself
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
