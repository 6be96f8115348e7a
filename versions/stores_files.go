package versions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// filesOf parses the files of a store as the trail stores them.
func filesOf(text string) (memfs.Names, error) {
	if text == "" {
		return memfs.Names{}, nil
	}
	var patterns []string
	if err := json.Unmarshal([]byte(text), &patterns); err != nil {
		return memfs.Names{}, err
	}
	return memfs.ParseNames(patterns)
}

// filesText returns the files of a store as the trail stores them.
func filesText(n memfs.Names) string {
	if n.All() {
		return ""
	}
	b, _ := json.Marshal(n.Patterns()) // of strings, which are UTF-8
	return string(b)
}

// SetFiles replaces the patterns of a store of named files. Only a person may do that. Other
// processes that have the store open follow. It returns an UnnamedMemoriesError if a current memory
// matches no new pattern, unless forget is set: such memories end with a change of KindForget, which
// SetFiles returns, and their files stay as they are. A memory continues when a pattern names its file
// again.
func (s *Store) SetFiles(ctx context.Context, by By, names memfs.Names, forget bool) (c Change, err error) {
	what := "files of store " + s.info.Name
	err = s.asPerson(ctx, by, what, func(x *txn) error { // what is half done was finished with the present files
		if err := s.mayHaveFiles(ctx, names); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		left, err := x.unnamed(names)
		if err == nil && len(left) > 0 && !forget {
			err = &UnnamedMemoriesError{left}
		}
		if err == nil {
			c, err = x.unfollow(by, left)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return x.Exec(`UPDATE store SET files=?, updated=? WHERE id=?`, filesText(names), x.wall, s.id)
	})
	if err != nil {
		return Change{}, err
	}
	leave, err := s.enter(ctx) // which follows
	if err == nil {
		leave()
	}
	return c, err
}

// unnamed lists the current memories that match no pattern.
func (x *txn) unnamed(names memfs.Names) ([]memfs.Path, error) {
	all, err := x.headsIn(memfs.Root)
	return slices.DeleteFunc(all, names.Match), err
}

// unfollow ends memories in the trail only. What their files contain now is recorded before.
func (x *txn) unfollow(by By, paths []memfs.Path) (Change, error) {
	var live []head
	for _, p := range paths {
		if _, err := x.adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
			return Change{}, err
		}
		h, err := x.head(p)
		if err != nil {
			return Change{}, err
		}
		if h.live() {
			live = append(live, h)
		}
	}
	if len(live) == 0 {
		return Change{}, nil
	}
	paths = paths[:0]
	for _, h := range live {
		paths = append(paths, h.path)
	}
	d := &mutation{x: x, by: by, asked: request{kind: KindForget, path: common(paths)}}
	if err := d.start(); err != nil {
		return Change{}, err
	}
	for _, h := range live {
		if err := d.add(&versionRow{memory: h.memory, op: Deleted, path: h.path, mode: x.s.modeAt(h.path)}); err != nil {
			return Change{}, err
		}
	}
	return d.change(), x.moveHeads(d.c, d.versions)
}

// mayHaveFiles returns why the store can't have other files; nil if it can.
func (s *Store) mayHaveFiles(ctx context.Context, names memfs.Names) error {
	info, _, err := s.t.storeByID(ctx, s.info.ID)
	switch {
	case err != nil:
		return err
	case info.Files.All():
		return fmt.Errorf("%w: all files of its folder are its memories; create another store of named files", ErrInvalid)
	case names.All():
		return fmt.Errorf("%w: it needs a pattern", ErrInvalid)
	case !info.Archived.IsZero():
		return fmt.Errorf("store %s: %w", info.Name, ErrArchived)
	}
	all, err := s.t.Stores(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(all, func(o StoreInfo) bool { return o.ID == info.ID })
	return s.t.checkFolder(others, filesIn{info.Folder, names})
}

// UnnamedMemoriesError reports current memories that no pattern would name any more.
type UnnamedMemoriesError struct{ Paths []memfs.Path }

func (e *UnnamedMemoriesError) Error() string {
	const shown = 6
	var paths []string
	for _, p := range e.Paths[:min(len(e.Paths), shown)] {
		paths = append(paths, p.Tool())
	}
	if more := len(e.Paths) - shown; more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return "no pattern names " + strings.Join(paths, ", ")
}

// followFiles uses the current patterns of a store of named files. The caller holds the lock.
func (s *Store) followFiles(ctx context.Context) error {
	if s.dir.Names().All() { // it stays a whole folder
		return nil
	}
	var text string
	err := s.t.db.Row(ctx, `SELECT files FROM store WHERE id=?`, s.id).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) { // deleted: the caller notices
		return nil
	}
	if err != nil {
		return db.Error(err)
	}
	names, err := filesOf(text)
	if err == nil && names.All() {
		err = errors.New("there are none")
	}
	if err != nil {
		return fmt.Errorf("%w: files of store %s: %v", ErrDamaged, s.info.Name, err)
	}
	if !names.Same(s.dir.Names()) {
		s.mu.Lock()
		s.dir = s.dir.WithNames(names)
		s.mu.Unlock()
	}
	return nil
}

// filesIn is the files of a store in a folder.
type filesIn struct {
	folder string
	names  memfs.Names
}

func (s StoreInfo) files() filesIn { return filesIn{s.Folder, s.Files} }

// shares reports whether n can have files of other, whose folder is n's or lies in it.
func (n filesIn) shares(other filesIn) bool {
	at, ok := pathInFolder(other.folder, n.folder)
	switch {
	case !ok:
		return false
	case n.names.All():
		return !at.Hidden()
	case other.names.All():
		return n.names.Leads(at)
	}
	return n.names.Meets(at, other.names)
}

// Holds reports whether a scan of the store finds a memory in this file of the machine, if it
// exists and no link leads to it.
func (s StoreInfo) Holds(file string) bool {
	p, ok := pathInFolder(file, s.Folder)
	return ok && s.Files.Shows(p)
}

// unsearched returns what a redaction does not search in the store's folder; nil if it searches all.
func (s StoreInfo) unsearched() func(rel string, folder bool) bool {
	if s.Files.All() {
		return nil
	}
	return func(rel string, folder bool) bool {
		p, err := memfs.ParsePath(rel)
		return err != nil || !s.Files.Match(p) && !(folder && s.Files.Leads(p))
	}
}

// pathInFolder returns a file or folder as a path of the folder that contains it.
func pathInFolder(file, folder string) (memfs.Path, bool) {
	if !inFolder(file, folder) {
		return memfs.Path{}, false
	}
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == "." {
		return memfs.Root, err == nil
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	return p, err == nil
}
