package exchange

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// ImportFiles writes files to the store as one change. When a memory has another content,
// ImportFiles replaces it if overwrite is set, and otherwise returns an *OccupiedError that names
// all such memories. A memory with the same content stays as it is. The paths must be distinct.
func ImportFiles(ctx context.Context, s *core.Store, by versions.By, files []versions.NewFile, overwrite bool) (versions.Change, error) {
	if err := s.Trail.MayAdminister(ctx, by); err != nil {
		return versions.Change{}, err
	}
	paths := make([]memfs.Path, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		puts, err := planFiles(d, files, overwrite)
		if err != nil {
			return err
		}
		return d.Follow(core.Request{Kind: versions.KindImport, Path: versions.Common(paths)}, memfs.Plan{Ops: puts})
	})
}

func planFiles(d *core.Mutation, files []versions.NewFile, overwrite bool) (puts []memfs.Op, err error) {
	var occupied versions.OccupiedError
	seen := map[memfs.Path]bool{}
	for _, f := range files {
		plan, err := memfs.PlanWrite(d.Tree(), f.Path, f.Content)
		if err != nil {
			return nil, err
		}
		puts = append(puts, plan.Ops...)
		p := plan.Ops[0].Path // with links resolved
		if seen[p] {
			return nil, fmt.Errorf("%s: links in the store lead two files to it", p.Tool())
		}
		seen[p] = true
		if overwrite {
			continue
		}
		h, err := d.Current(p)
		if err != nil {
			return nil, err
		}
		if h.Live() && h.SHA != versions.Sum(f.Content) {
			occupied.Paths = append(occupied.Paths, p)
		}
	}
	if len(occupied.Paths) > 0 {
		return nil, &occupied
	}
	return puts, nil
}
