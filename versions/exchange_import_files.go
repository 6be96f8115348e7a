package versions

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
)

// NewFile is a text to write at a path.
type NewFile struct {
	Path    memfs.Path
	Content []byte
}

// OccupiedError means that files would replace memories with other contents. Nothing was written.
type OccupiedError struct {
	Paths []memfs.Path // of the memories with other contents
}

func (e *OccupiedError) Error() string {
	more := ""
	if n := len(e.Paths) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%s: already exists and holds something else%s", e.Paths[0].Tool(), more)
}

// ImportFiles writes files to the store as one change. When a memory has another content,
// ImportFiles replaces it if overwrite is set, and otherwise returns an *OccupiedError that names
// all such memories. A memory with the same content stays as it is. The paths must be distinct.
func (s *Store) ImportFiles(ctx context.Context, by By, files []NewFile, overwrite bool) (Change, error) {
	if err := s.t.MayAdminister(ctx, by); err != nil {
		return Change{}, err
	}
	paths := make([]memfs.Path, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return s.mutate(ctx, by, func(d *mutation) error {
		puts, err := d.planFiles(files, overwrite)
		if err != nil {
			return err
		}
		return d.follow(request{kind: KindImport, path: common(paths)}, memfs.Plan{Ops: puts})
	})
}

func (d *mutation) planFiles(files []NewFile, overwrite bool) (puts []memfs.Op, err error) {
	var occupied OccupiedError
	seen := map[memfs.Path]bool{}
	for _, f := range files {
		plan, err := memfs.PlanWrite(d.tree(), f.Path, f.Content)
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
		h, err := d.current(p)
		if err != nil {
			return nil, err
		}
		if h.live() && h.sha != sum(f.Content) {
			occupied.Paths = append(occupied.Paths, p)
		}
	}
	if len(occupied.Paths) > 0 {
		return nil, &occupied
	}
	return puts, nil
}
