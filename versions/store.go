package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/search"
)

// Store is one folder of memories, or the named files of a folder, with its trail. Other packages write memories only
// through it. Its methods are safe for concurrent use.
type Store struct {
	t    *Trail
	id   int64
	info StoreInfo // when it was opened; the files are those of dir

	texts   *search.Texts // has its own lock
	watches watches
	// Guarded by the trail's lock.
	behind     bool // a loss of power may have to be repaired
	recognized bool // dir is known to be the store's folder

	mu     sync.RWMutex
	batch  flusher
	dir    *memfs.Dir       // replaced, under the trail's lock, if the folder was replaced or other files were named
	others []Entry          // files that are not memories, from the last scan
	counts map[int64][2]int // lines added and removed by a version, keyed by its row

	counted    counted
	limitsSeen limitsSeen

	replica Replica
}

// OpenStore opens a store of this home. It finishes what a crashed process left half done.
// It doesn't scan for other programs' changes; Sync does.
func (t *Trail) OpenStore(ctx context.Context, id StoreID) (*Store, error) {
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &Store{t: t, id: row, info: info, counts: map[int64][2]int{}}
	s.texts, s.replica = newTexts(s), t.parts.Replica(s)
	if err := t.ownsFolder(ctx, info); err != nil {
		return nil, err
	}
	if s.dir, err = s.openDir(info.Files); err != nil {
		return nil, err
	}
	err = s.replica.Connect()
	if err == nil {
		err = s.wakeUp(ctx)
	}
	if err != nil {
		_ = s.replica.Close()
		_ = s.dir.Close()
		return nil, err
	}
	return s, nil
}

// OpenPast opens a store whose folder is gone (ErrFolderGone) to read its past. Such a Store
// has no memories in a folder, so its callers must not ask what the folder holds; Sync and
// writes fail as OpenStore does.
func (t *Trail) OpenPast(ctx context.Context, id StoreID) (*Store, error) {
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &Store{t: t, id: row, info: info, counts: map[int64][2]int{}}
	s.texts, s.replica = newTexts(s), t.parts.Replica(s)
	if s.dir, err = memfs.OpenGone(info.Files); err != nil {
		return nil, err
	}
	return s, nil
}

// wakeUp finishes what other processes left: half-done changes, files that a loss of power
// may have reverted, and changes to flush.
func (s *Store) wakeUp(ctx context.Context) error {
	s.behind = true
	unlock, err := s.t.db.Acquire(ctx)
	if s.t.db.ReadOnly() != nil && ctx.Err() == nil {
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
	if s.reader(ctx).Row(`SELECT 1 FROM intent WHERE store=? LIMIT 1`, s.id).Scan(&open) == nil {
		s.flushSoon()
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
	return s.t.parts.FinishErasing(ctx, s)
}

// enter begins a critical section: it takes the lock, verifies that the store's folder is
// at its path, and finishes half-done work. Every mutation starts with it, because a
// replaced folder would look like the deletion of everything in it.
func (s *Store) enter(ctx context.Context) (leave func(), err error) {
	unlock, err := s.t.db.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if leave == nil { // also in a panic
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

// enterToRead is enter for an operation that only reads. If nothing can be written, it
// takes no lock and leaves half-done work as it is.
func (s *Store) enterToRead(ctx context.Context) (leave func(), err error) {
	leave, err = s.enter(ctx)
	if IsUnwritable(err) {
		return func() {}, nil
	}
	return leave, err
}

// IsUnwritable reports whether an error only means that the home or the folder can't be
// written: recorded data is readable. Sync returns such an error if it can't record what
// other programs did.
func IsUnwritable(err error) bool {
	return memfs.Is(err, memfs.Denied|memfs.Disk) && !errors.As(err, new(*FolderError))
}

// folder returns dir for callers that don't hold the lock.
func (s *Store) folder() *memfs.Dir {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dir
}

// Close flushes what was written and releases the folder. The trail stays open.
func (s *Store) Close() error {
	s.watches.close()
	s.batch.close()
	s.t.ledger.flush()
	return errors.Join(s.flushNow(context.Background()), s.folder().Close(), s.replica.Close())
}

// Writable returns why memories can't be created in the store's folder, or nil.
func (s *Store) Writable() error {
	err := s.folder().Writable()
	if errors.Is(err, memfs.ErrNotExist) { // Sync reports that the folder is gone, and Watch when it is back
		return nil
	}
	return err
}

// Info describes the store. Its files are the current ones.
func (s *Store) Info() StoreInfo {
	info := s.info
	info.Files = s.folder().Names()
	return info
}

// setOthers stores the entries that are not memories, and reports whether they changed.
func (s *Store) setOthers(es []Entry) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !slices.Equal(s.others, es)
	s.others = es
	return changed
}

// StoreInfo describes a store.
type StoreInfo struct {
	ID           StoreID
	Name         string // unique in its home
	Title        string // its name in the memory-stores API, if that differs from Name
	Description  string
	Metadata     map[string]string
	Limits       Limits
	Folder       string      // on this machine
	Files        memfs.Names // of the folder, that are its memories
	Upstream     Remote      // where the service keeps it, if this is a replica
	Created      time.Time
	Updated      time.Time // when this description was changed, not its memories
	LastUsed     time.Time
	Archived     time.Time // zero if it is not archived
	ForAgents    bool      // agents that name no store work on it
	LeftUpstream int       // versions redacted here that its service still has to erase

	home string // the home in which the folder was chosen; empty if the folder is inside the home
}

// Remote identifies a store on a server of the memory-stores API.
type Remote struct {
	URL   string `json:"url"`   // the API's base URL
	Store string `json:"store"` // its id there
}

// FolderError reports a store whose folder can't be used.
type FolderError struct {
	Store StoreInfo
	Err   error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("store %s: folder %s: %v", e.Store.Name, e.Store.Folder, e.Err)
}
func (e *FolderError) Unwrap() error { return e.Err }

// Pre is a precondition of a write. It is checked atomically with the write. The zero Pre
// always holds.
type Pre struct {
	Absent bool // the path must be free
	SHA256 Hash // the memory must have exactly this content; the zero Hash accepts any
}

// File is an open file for reading ranges. Writes of other programs to the file are
// visible in later reads.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Open opens the file at p as it is on disk now, whether it is a memory or not.
func (s *Store) Open(ctx context.Context, p memfs.Path) (File, error) {
	f, err := s.folder().Open(p)
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
	d, err := s.openDir(s.folder().Names())
	if err != nil {
		return err
	}
	ok, err := s.t.mayHold(ctx, s.id, d)
	if err == nil && !ok {
		err = &FolderError{s.info, ErrFolderOther}
	}
	return errors.Join(err, d.Close())
}

// Filter selects changes. A zero field selects all.
type Filter struct {
	Session SessionID
	Actor   ActorKind
	Kind    ChangeKind
	In      memfs.Path // with a version of the memory at this path, or below this folder
	Since   time.Time
	Until   time.Time
}

// SyncReport counts what a scan found.
type SyncReport struct {
	Files   int          // regular files checked
	Read    int          // of these, read because they seemed changed
	Adopted int          // versions added
	Changed bool         // the tree changed: versions were added, or other entries were added, removed or changed
	Denied  []memfs.Path // files and folders that may not be read: what the trail holds of them may be old
}

// ConflictError reports a precondition that doesn't hold. Nothing was written.
type ConflictError struct {
	Path memfs.Path
	Want Hash // the expected content; zero if the path was expected to be free
	Now  Hash // the actual content; zero if there is none
}

func (e *ConflictError) Error() string {
	switch {
	case e.Want == (Hash{}):
		return fmt.Sprintf("%s: already exists", e.Path.Tool())
	case e.Now == (Hash{}):
		return fmt.Sprintf("%s: was deleted since it was read", e.Path.Tool())
	}
	return fmt.Sprintf("%s: changed since it was read", e.Path.Tool())
}

func comparePaths(a, b memfs.Path) int { return cmp.Compare(key(a), key(b)) }

func fromNanos(ns int64) time.Time { return time.Unix(0, ns).UTC() }
