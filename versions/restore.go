package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtrail/memtrail/memfs"
)

// Restore makes the memory hold what it held in version v, as a new version. A
// memory that stands keeps its path; a deleted one comes back under the same id,
// at the path it had in v.
func (s *Store) Restore(ctx context.Context, by By, id VersionID) (Change, error) {
	v, err := s.version(ctx, id)
	if err != nil {
		return Change{}, err
	}
	content, err := s.Content(ctx, id)
	if err != nil {
		return Change{}, fmt.Errorf("restore: %w", err)
	}
	return s.mutate(ctx, by, func(d *draft) error {
		var memory int64
		if err := d.x.row(`SELECT memory FROM version WHERE id=?`, v.row).Scan(&memory); err != nil {
			return diskError(err)
		}
		now, err := d.now(memory)
		if err != nil {
			return err
		}
		d.asked = asked{kind: KindRestore, path: now.path}
		if !now.live() {
			d.asked.path = v.Path
			if err := d.free(v.Path); err != nil {
				return fmt.Errorf("restore version %s: %w", id, err)
			}
		}
		return d.put(d.asked.path, content, memory, v.row)
	})
}

// free refuses a path where something stands.
func (d *draft) free(p memfs.Path) error {
	_, err := d.x.s.dir.Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist):
		return nil
	case err == nil:
		return fmt.Errorf("%s: %w", p.Tool(), memfs.ErrExist)
	}
	return err
}

// now adopts the file of a memory and gives its head after that.
func (d *draft) now(memory int64) (head, error) {
	h, err := d.x.headOf(memory)
	if err != nil || !h.live() {
		return h, err
	}
	if _, err := d.current(h.path); err != nil {
		return h, err
	}
	return d.x.headOf(memory)
}
