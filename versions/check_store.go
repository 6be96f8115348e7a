package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/repair"
)

// Check verifies every invariant of the trail's database and of the store's history and folder, and
// returns the problems it finds. It changes nothing. It reads every content once.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	problems, err := s.t.Check(ctx)
	if err != nil {
		return problems, err
	}
	inStore, _, err := s.CheckSince(ctx, nil)
	return append(problems, inStore...), err
}

// Check verifies the database with all stores, and returns the problems it finds.
func (t *Trail) Check(ctx context.Context) (problems []string, err error) {
	err = t.view(ctx, func(q reader) error {
		if problems, err = repair.Damage(q, migrations); err != nil {
			return err
		}
		more, err := journal.Verify(q)
		problems = append(problems, more...)
		return err
	})
	return problems, err
}

// LogHead is where the log ends: the history up to a moment in one line of text. See package journal for what it
// proves.
type LogHead = journal.Head

// ErrOldHead means that a text is a head of the chains that a home had before it was converted.
var ErrOldHead = journal.ErrOldHead

// ParseLogHead parses the text of a LogHead.
func ParseLogHead(line string) (LogHead, error) { return journal.ParseHead(line) }

// CheckSince is Check without that of the trail, and returns where the log ends. If since is not nil, the
// history up to that head must be the same as it was then.
func (s *Store) CheckSince(ctx context.Context, since *LogHead) (problems []string, now LogHead, err error) {
	if since != nil && since.Store != s.info.ID {
		return nil, now, fmt.Errorf("check store %s: %w: the head is of store %s", s.info.Name, ErrInvalid, since.Store)
	}
	unlock, gone := s.enterToRead(ctx)
	switch {
	case gone == nil:
		defer unlock()
	case !errors.Is(gone, ErrFolderGone): // without a folder, the trail is checked all the same
		return nil, now, gone
	}
	err = s.t.view(ctx, func(q reader) error {
		if problems, now, err = repair.Problems(q, s.id, since); err != nil {
			return err
		}
		if gone != nil {
			problems = append(problems, gone.Error())
			return nil
		}
		inFolder, err := s.folderProblems(ctx)
		problems = append(problems, inFolder...)
		return err
	})
	return problems, now, err
}

// Losses lists the parts of the store's history that a repair found lost, oldest first. A loss is
// no longer a problem: the history marks it, and nothing else depends on it.
func (s *Store) Losses(ctx context.Context) (out []string, err error) {
	err = s.t.view(ctx, func(q reader) error {
		out, err = repair.Losses(q, s.id)
		return err
	})
	return out, err
}

// folderProblems compares the folder with the heads in the trail. A difference that Sync would
// adopt is reported too, because Sync has not run yet.
func (s *Store) folderProblems(ctx context.Context) (problems []string, err error) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	heads, err := s.heads(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[memfs.Path]bool{}
	err = s.dir.Scan(ctx, func(f memfs.Found) error {
		if f.Err != nil || f.Kind != memfs.File {
			return nil
		}
		if h, known := heads[f.Path]; !s.versionable(f.Sig.Size) && !h.fresh(f.Sig) {
			delete(heads, f.Path) // outgrown: it has no version
			return nil
		} else if seen[f.Path] = true; !known && memfs.Leftover(f.Path.Base()) == "" {
			say("%s: is in the folder and not in the trail", f.Path.Tool())
		}
		return nil
	})
	if err != nil {
		return problems, err
	}
	for p, h := range heads {
		now, err := s.fileHash(p)
		switch {
		case err != nil:
			say("%s: can't be compared: %v", p.Tool(), err)
		case now == (Hash{}):
			say("%s: is in the trail and not in the folder", p.Tool())
		case now != h.sha:
			say("%s: differs from its newest version", p.Tool())
		}
	}
	left, err := s.dir.Leftovers()
	for _, p := range left {
		say("%s: unfinished write left over", p.Tool())
	}
	return problems, err
}
