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
	texts, moved := make([][]byte, len(paths)), make([]memfs.Path, len(paths))
	for i, p := range paths {
		if texts[i], _, err = d.tree().Read(p, maxKeepBytes); err != nil {
			return plan, err
		}
		moved[i] = p.Move(source, to)
	}
	return d.planNew(from, to, moved, texts)
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

// planNew plans to create copies of the memory or folder at from: at to, or in a new folder there.
func (d *mutation) planNew(from, to memfs.Path, paths []memfs.Path, texts [][]byte) (plan memfs.Plan, err error) {
	tree := d.tree()
	if _, err := tree.Lstat(to); err == nil { // otherwise the copy would merge with an existing folder
		return plan, fmt.Errorf("copy %s to %s: %w", from.Tool(), to.Tool(), memfs.ErrExist)
	} else if !errors.Is(err, memfs.ErrNotExist) {
		return plan, err
	}
	for i, p := range paths {
		one, err := memfs.PlanCreate(tree, p, texts[i])
		if err != nil {
			return plan, err
		}
		plan.Ops = append(plan.Ops, one.Ops...)
	}
	return plan, nil
}
