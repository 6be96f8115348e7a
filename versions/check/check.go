package check

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/repair"
)

// Store verifies every invariant of the trail's database and of the store's history and folder, and
// returns the problems it finds. It changes nothing. It reads every content once.
func Store(ctx context.Context, s *core.Store) ([]string, error) {
	problems, _, err := HomeAndSince(ctx, s, nil)
	return problems, err
}

// HomeAndSince is Home and Since at once, on two processors.
func HomeAndSince(ctx context.Context, s *core.Store, since *versions.LogHead) (problems []string, now versions.LogHead, err error) {
	var inStore []string
	var storeErr error
	var store memfs.Group
	store.Go(func() { inStore, now, storeErr = Since(ctx, s, since) })
	problems, err = Home(ctx, s.Trail)
	if store.Wait(); err != nil {
		return problems, now, err
	}
	return append(problems, inStore...), now, storeErr
}

// Home verifies the database with all stores, and returns the problems it finds.
func Home(ctx context.Context, t *core.Trail) (problems []string, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		if problems, err = repair.Damage(q, schema.Migrations); err != nil {
			return err
		}
		inLog, err := journal.Verify(q)
		problems = append(problems, inLog...)
		return err
	})
	return problems, err
}

// Since is Check without that of the trail, and returns where the log ends. If since is not nil, the
// history up to that head must be the same as it was then.
func Since(ctx context.Context, s *core.Store, since *versions.LogHead) (problems []string, now versions.LogHead, err error) {
	if since != nil && since.Store != s.Opened.ID {
		return nil, now, fmt.Errorf("check store %s: %w: the head is of store %s", s.Opened.Name, versions.ErrInvalid, since.Store)
	}
	unlock, gone := core.EnterToRead(ctx, s)
	switch {
	case gone == nil:
		defer unlock()
	case !errors.Is(gone, versions.ErrFolderGone): // without a folder, the trail is checked all the same
		return nil, now, gone
	}
	var inFolder []string
	var folderErr error
	var folder memfs.Group
	if gone != nil {
		inFolder = []string{gone.Error()}
	} else {
		folder.Go(func() { inFolder, folderErr = folderProblems(ctx, s) })
	}
	err = core.View(ctx, s.Trail, func(q tables.Reader) (err error) {
		problems, now, err = repair.Problems(q, s.Row, since)
		return err
	})
	if folder.Wait(); err != nil {
		return problems, now, err
	}
	return append(problems, inFolder...), now, folderErr
}

// Losses lists the parts of the store's history that a repair found lost, oldest first. A loss is
// no longer a problem: the history marks it, and nothing else depends on it.
func Losses(ctx context.Context, s *core.Store) ([]string, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) ([]string, error) { return repair.Losses(q, s.Row) })
}

// folderProblems compares the folder with the heads in the trail. A difference that Sync would
// adopt is reported too, because Sync has not run yet.
func folderProblems(ctx context.Context, s *core.Store) (problems []string, err error) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	heads, err := core.Heads(ctx, s)
	if err != nil {
		return nil, err
	}
	err = s.Dir.Scan(ctx, func(f memfs.Found) error {
		if f.Err != nil || f.Kind != memfs.File {
			return nil
		}
		if h, known := heads[f.Path]; !core.Versionable(s, f.Sig.Size) && !h.Fresh(f.Sig) {
			delete(heads, f.Path) // outgrown: it has no version
		} else if !known && memfs.Leftover(f.Path.Base()) == "" {
			say("%s: is in the folder and not in the trail", f.Path.Tool())
		}
		return nil
	})
	if err != nil {
		return problems, err
	}
	if err := dropIntact(ctx, s, heads); err != nil {
		return problems, err
	}
	paths := slices.SortedFunc(maps.Keys(heads), func(a, b memfs.Path) int { return strings.Compare(a.Tool(), b.Tool()) })
	said := make([]string, len(paths))
	memfs.Parallel(len(paths), func(i int) { said[i] = fileProblem(s, heads[paths[i]]) })
	problems = append(problems, slices.DeleteFunc(said, func(problem string) bool { return problem == "" })...)
	left, err := s.Dir.Leftovers()
	for _, p := range left {
		say("%s: unfinished write left over", p.Tool())
	}
	return problems, err
}

// maxWhole is the size up to which a file is read as a whole.
const maxWhole = 1 << 20

// dropIntact drops the heads whose files have the content of the head. It reads the folder as fast as it can, so a file
// that it does not drop may be intact all the same.
func dropIntact(ctx context.Context, s *core.Store, heads map[memfs.Path]tables.Head) error {
	intact := make([][]memfs.Path, memfs.Readers())
	known := func(p memfs.Path) bool { _, ok := heads[p]; return ok }
	_ = s.Dir.ReadAll(ctx, memfs.Root, maxWhole, known, func(reader int, t memfs.Text) error {
		if t.Err == nil && sha256.Sum256(t.Content) == heads[t.Path].SHA {
			intact[reader] = append(intact[reader], t.Path)
		}
		return nil
	})
	for _, paths := range intact {
		for _, p := range paths {
			delete(heads, p)
		}
	}
	return ctx.Err()
}

// fileProblem compares a file with its head, and returns how they differ.
func fileProblem(s *core.Store, h tables.Head) string {
	now, err := core.FileHash(s, h.Path)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: can't be compared: %v", h.Path.Tool(), err)
	case now == (versions.Hash{}):
		return fmt.Sprintf("%s: is in the trail and not in the folder", h.Path.Tool())
	case now != h.SHA:
		return fmt.Sprintf("%s: differs from its newest version", h.Path.Tool())
	}
	return ""
}
