package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/search"
)

// Store is one folder of memories, or the named files of a folder, with its trail. Other packages write memories only
// through it. Its methods are safe for concurrent use.
type Store struct {
	Trail  *Trail
	Row    int64
	Opened versions.StoreInfo // when it was opened; the files are those of dir

	Texts   *search.Texts // has its own lock
	Watches watches
	Decided atomic.Int64 // what the column used was after the last decision here: who decides reads again without an event
	// Guarded by the trail's lock.
	behind     bool // a loss of power may have to be repaired
	recognized bool // dir is known to be the store's folder

	Mu     sync.RWMutex
	Batch  flusher
	Dir    *memfs.Dir       // replaced, under the trail's lock, if the folder was replaced or other files were named
	Others []versions.Entry // files that are not memories, from the last scan
	Counts map[int64][2]int // lines added and removed by a version, keyed by its row

	counted    counted
	limitsSeen limitsSeen

	Replica Replica
}

// OpenStore opens a store of this home. It finishes what a crashed process left half done.
// It doesn't scan for other programs' changes; Sync does.
func (t *Trail) OpenStore(ctx context.Context, id versions.StoreID) (*Store, error) {
	info, row, err := StoreByID(ctx, t, id)
	if err != nil {
		return nil, err
	}
	s := &Store{Trail: t, Row: row, Opened: info, Counts: map[int64][2]int{}}
	s.Texts, s.Replica = NewTexts(s), t.parts.Replica(s)
	if err := t.ownsFolder(ctx, info); err != nil {
		return nil, err
	}
	if info.Home != "" {
		s.Opened.Home = t.Real
	}
	if s.Dir, err = s.openDir(info.Files); err != nil {
		return nil, err
	}
	err = s.Replica.Connect()
	if err == nil {
		err = s.wakeUp(ctx)
	}
	if err != nil {
		_ = s.Replica.Close()
		_ = s.Dir.Close()
		return nil, err
	}
	return s, nil
}

// OpenPast opens a store whose folder is gone (ErrFolderGone), or is that of another home, to read its past. Such a Store
// has no memories in a folder, so its callers must not ask what the folder holds; Sync and
// writes fail as OpenStore does.
func (t *Trail) OpenPast(ctx context.Context, id versions.StoreID) (*Store, error) {
	info, row, err := StoreByID(ctx, t, id)
	if err != nil {
		return nil, err
	}
	s := &Store{Trail: t, Row: row, Opened: info, Counts: map[int64][2]int{}}
	s.Texts, s.Replica = NewTexts(s), t.parts.Replica(s)
	if s.Dir, err = memfs.OpenGone(info.Files); err != nil {
		return nil, err
	}
	return s, nil
}

// wakeUp finishes what other processes left: half-done changes, files that a loss of power
// may have reverted, and changes to flush.
func (s *Store) wakeUp(ctx context.Context) error {
	s.behind = true
	unlock, err := s.Trail.DB.Acquire(ctx)
	if s.Trail.DB.ReadOnly() != nil && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.followFolder(ctx); err != nil {
		return err
	}
	// If a full or read-only disk prevents that now, the next mutation tries again and reports
	// the error. The trail is readable anyway.
	if s.catchUp(context.WithoutCancel(ctx)) != nil {
		return nil
	}
	var open int
	if LockedReader(ctx, s).Row(`SELECT 1 FROM intent WHERE store=? LIMIT 1`, s.Row).Scan(&open) == nil {
		FlushSoon(s)
	}
	return nil
}

// catchUp repairs the folder after a loss of power, once, and finishes half-done changes
// and then redactions. The caller holds the lock.
func (s *Store) catchUp(ctx context.Context) error {
	if s.behind {
		if err := s.repairCrash(ctx); err != nil {
			return err
		}
		s.behind = false
	}
	if err := s.recover(ctx); err != nil {
		return err
	}
	return s.Trail.parts.FinishErasing(ctx, s)
}

// Enter begins a critical section: it takes the lock, verifies that the store's folder is
// at its path, and finishes half-done work. Every mutation starts with it, because a
// replaced folder would look like the deletion of everything in it.
func Enter(ctx context.Context, s *Store) (release func(), err error) {
	unlock, err := s.Trail.DB.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if release == nil { // also in a panic
			unlock()
		}
	}()
	if err := s.followFolder(ctx); err != nil {
		return nil, err
	}
	if err := s.catchUp(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return unlock, nil
}

// EnterToRead is enter for an operation that only reads. If nothing can be written, it
// takes no lock and leaves half-done work as it is.
func EnterToRead(ctx context.Context, s *Store) (release func(), err error) {
	release, err = Enter(ctx, s)
	if versions.IsUnwritable(err) {
		return func() {}, nil
	}
	return release, err
}

// Folder returns dir for callers that don't hold the lock.
func Folder(s *Store) *memfs.Dir {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Dir
}

// Close flushes what was written and releases the folder. The trail stays open.
func (s *Store) Close() error {
	s.Watches.close()
	s.Batch.close()
	s.Trail.Ledger.flush()
	return errors.Join(FlushNow(context.Background(), s), Folder(s).Close(), s.Replica.Close())
}

// Writable returns why memories can't be created in the store's folder, or nil.
func (s *Store) Writable() error {
	err := Folder(s).Writable()
	if errors.Is(err, memfs.ErrNotExist) { // Sync reports that the folder is gone, and Watch when it is back
		return nil
	}
	return err
}

// Info describes the store. Its files are the current ones.
func (s *Store) Info() versions.StoreInfo {
	info := s.Opened
	info.Files = Folder(s).Names()
	return info
}

// setOthers stores the entries that are not memories, and reports whether they changed.
func (s *Store) setOthers(es []versions.Entry) (changed bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	changed = !slices.Equal(s.Others, es)
	s.Others = es
	return changed
}

// Open opens the file at p as it is on disk now, whether it is a memory or not.
func (s *Store) Open(ctx context.Context, p memfs.Path) (versions.File, error) {
	f, err := Folder(s).Open(p)
	if errors.Is(err, memfs.ErrNotExist) {
		if gone := s.folderGone(ctx); gone != nil {
			err = gone
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// folderGone returns why the store's folder can't be used, or nil. A file that is not there is no news then.
func (s *Store) folderGone(ctx context.Context) error {
	d, err := s.openDir(Folder(s).Names())
	if err != nil {
		return err
	}
	ok, err := s.Trail.mayHold(ctx, s.Row, d)
	if err == nil && !ok {
		err = &versions.FolderError{Store: s.Opened, Err: versions.ErrFolderOther}
	}
	return errors.Join(err, d.Close())
}

func fromNanos(ns int64) time.Time { return time.Unix(0, ns).UTC() }
