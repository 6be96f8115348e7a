package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
)

// Copy copies a memory, or all memories in a folder, as one change. The copies have their
// own histories. The destination must be free. Copy skips links and special files, because
// they are not memories.
func (s *Store) Copy(ctx context.Context, by By, from, to memfs.Path) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := d.planCopy(from, to)
		if err != nil {
			return err
		}
		return d.follow(request{kind: KindEdit, path: to}, plan)
	})
}

func (d *mutation) planCopy(from, to memfs.Path) (plan memfs.Plan, err error) {
	tree := d.tree()
	source, info, err := tree.Resolve(from)
	if err != nil {
		return plan, err
	}
	paths := []memfs.Path{source}
	if info.Kind == memfs.Folder {
		if to.In(source) {
			return plan, fmt.Errorf("copy %s to %s: %w", from.Tool(), to.Tool(), memfs.ErrIntoItself)
		}
		if err := d.x.adoptAll(source); err != nil {
			return plan, err
		}
		if paths, err = d.x.headsIn(source); err == nil && len(paths) == 0 {
			err = fmt.Errorf("%w: %s", ErrNoMemory, from.Tool())
		}
		if err != nil {
			return plan, err
		}
	}
	if _, err := tree.Lstat(to); err == nil { // otherwise the copy would merge with an existing folder
		return plan, fmt.Errorf("copy %s to %s: %w", from.Tool(), to.Tool(), memfs.ErrExist)
	} else if !errors.Is(err, memfs.ErrNotExist) {
		return plan, err
	}
	for _, p := range paths {
		content, _, err := tree.Read(p, maxKeepBytes)
		if err != nil {
			return plan, err
		}
		one, err := memfs.PlanCreate(tree, p.Move(source, to), content)
		if err != nil {
			return plan, err
		}
		plan.Ops = append(plan.Ops, one.Ops...)
	}
	return plan, nil
}
