package stores

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// SetFiles replaces the patterns of a store of named files. Only a person may do that. Other
// processes that have the store open follow. It returns an UnnamedMemoriesError if a current memory
// matches no new pattern, unless forget is set: such memories end with a change of KindForget, which
// SetFiles returns, and their files stay as they are. A memory continues when a pattern names its file
// again.
func SetFiles(ctx context.Context, s *core.Store, by versions.By, names memfs.Names, forget bool) (c versions.Change, err error) {
	what := "files of store " + s.Opened.Name
	err = core.AsPerson(ctx, s, by, what, func(x *core.Txn) error { // what is half done was finished with the present files
		if err := core.MayHaveFiles(ctx, s, names); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		left, err := x.Unnamed(names)
		if err == nil && len(left) > 0 && !forget {
			err = &versions.UnnamedMemoriesError{Paths: left}
		}
		if err == nil {
			c, err = x.Unfollow(by, left)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		x.Exec(`UPDATE store SET files=?, updated=? WHERE id=?`, tables.FilesText(names), x.Wall, s.Row)
		return x.Err()
	})
	if err != nil {
		return versions.Change{}, err
	}
	unlock, err := core.Enter(ctx, s) // which follows
	if err == nil {
		unlock()
	}
	return c, err
}
