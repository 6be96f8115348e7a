package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// Copy copies a memory, or all memories in a folder, as one change. The copies have their
// own histories. The destination must be free. Copy skips links and special files, because
// they are not memories.
func Copy(ctx context.Context, s *core.Store, by versions.By, from, to memfs.Path) (versions.Change, error) {
	return core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		plan, err := planCopy(d, from, to)
		if err != nil {
			return err
		}
		return d.Follow(core.Request{Kind: versions.KindEdit, Path: to}, plan)
	})
}

func planCopy(d *core.Mutation, from, to memfs.Path) (plan memfs.Plan, err error) {
	source, paths, err := sources(d, from)
	if err != nil {
		return plan, err
	}
	if folder := paths[0] != source; folder && to.In(source) {
		return plan, fmt.Errorf("copy %s to %s: %w", from.Tool(), to.Tool(), memfs.ErrIntoItself)
	}
	tree := d.Tree()
	if err := free(tree, "copy", to); err != nil {
		return plan, err
	}
	for _, p := range paths {
		content, _, err := tree.Read(p, d.Txn.Store.Trail.MaxBytes)
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
func sources(d *core.Mutation, p memfs.Path) (at memfs.Path, paths []memfs.Path, err error) {
	at, info, err := d.Tree().Resolve(p)
	if err != nil || info.Kind != memfs.Folder {
		return at, []memfs.Path{at}, err
	}
	if err := d.Txn.AdoptAll(at); err != nil {
		return at, nil, err
	}
	if paths, err = d.Txn.HeadsIn(at); err == nil && len(paths) == 0 {
		err = fmt.Errorf("%w: %s", versions.ErrNoMemory, p.Tool())
	}
	return at, paths, err
}

// free reports that something is at the destination of a copy or move: it would merge with an existing folder.
func free(tree core.PlanTree, act string, to memfs.Path) error {
	_, err := tree.Lstat(to)
	switch {
	case err == nil:
		return &memfs.OpError{Op: act + " to", Path: to, Err: memfs.ErrExist}
	case errors.Is(err, memfs.ErrNotExist):
		return nil
	}
	return err
}
