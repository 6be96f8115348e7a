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
	source, paths, err := d.sources(from)
	if err != nil {
		return plan, err
	}
	if folder := paths[0] != source; folder && to.In(source) {
		return plan, fmt.Errorf("copy %s to %s: %w", from.Tool(), to.Tool(), memfs.ErrIntoItself)
	}
	tree := d.tree()
	if err := free(tree, "copy", to); err != nil {
		return plan, err
	}
	for _, p := range paths {
		content, _, err := tree.Read(p, d.x.s.t.maxBytes)
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

// sources returns the memory at p, or all in the folder at p, and the path that p leads to.
func (d *mutation) sources(p memfs.Path) (at memfs.Path, paths []memfs.Path, err error) {
	at, info, err := d.tree().Resolve(p)
	if err != nil || info.Kind != memfs.Folder {
		return at, []memfs.Path{at}, err
	}
	if err := d.x.adoptAll(at); err != nil {
		return at, nil, err
	}
	if paths, err = d.x.headsIn(at); err == nil && len(paths) == 0 {
		err = fmt.Errorf("%w: %s", ErrNoMemory, p.Tool())
	}
	return at, paths, err
}

// free reports that something is at the destination of a copy or move: it would merge with an existing folder.
func free(tree planTree, act string, to memfs.Path) error {
	_, err := tree.Lstat(to)
	switch {
	case err == nil:
		return &memfs.OpError{Op: act + " to", Path: to, Err: memfs.ErrExist}
	case errors.Is(err, memfs.ErrNotExist):
		return nil
	}
	return err
}
