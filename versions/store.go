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
	"github.com/memend/memend/versions/disk"
)

// Store is one folder of memories with its trail: the only writer that others
// get. Its methods are safe for concurrent use.
type Store struct {
	t    *Trail
	id   int64
	info StoreInfo

	texts   *searchTexts // has a turn of its own
	watches watches
	// Under the trail's lock.
	behind     bool // a loss of power may be to be made up for
	recognized bool // dir is known to be the store's folder

	mu     sync.RWMutex
	batch  flusher
	dir    *memfs.Dir       // replaced, under the trail's lock, when the folder was
	others []Entry          // what the last scan found that is no memory
	counts map[int64][2]int // lines added and removed by a version, by its row

	counted    counted
	limitsSeen limitsSeen

	up       Upstream   // of a hosted store; nil when its service can't be spoken to
	upLock   *disk.Lock // held from a write to the service until it is taken in here
	standing UpstreamState
	wanted   chan struct{} // a token when somebody wants to know what is new there
}

// OpenStore opens a store of this home. It finishes what a dead process left
// half done; it does not look for outside changes: Sync does.
func (t *Trail) OpenStore(ctx context.Context, id StoreID) (*Store, error) {
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &Store{t: t, id: row, info: info, counts: map[int64][2]int{}, texts: newSearchTexts()}
	if err := t.ownsFolder(ctx, info); err != nil {
		return nil, err
	}
	if s.dir, err = s.openDir(); err != nil {
		return nil, err
	}
	err = s.connect()
	if err == nil {
		err = s.wakeUp(ctx)
	}
	if err != nil {
		_ = s.disconnect()
		_ = s.dir.Close()
		return nil, err
	}
	return s, nil
}

// wakeUp finishes what other processes left: what is half done, what a loss of
// power may have reverted, what is still to be flushed.
func (s *Store) wakeUp(ctx context.Context) error {
	s.behind = true
	unlock, err := s.t.acquire(ctx)
	if s.t.ground.readOnly != nil && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.followFolder(ctx); err != nil {
		return err
	}
	// What can't be done now, on a full or read-only disk say, is tried again before
	// any mutation and is said then; the trail can be read all the same.
	if s.catchUp(context.WithoutCancel(ctx)) != nil {
		return nil
	}
	var any int
	if s.reader(ctx).Row(`SELECT 1 FROM intent WHERE store=? LIMIT 1`, s.id).Scan(&any) == nil {
		s.flushSoon()
	}
	return nil
}

// catchUp makes up for a loss of power, once, and finishes what is half done, of
// changes first and then of redactions. The caller holds the lock.
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
	return s.finishRedactions(ctx)
}

// enter begins a critical section: the lock is held, the folder is the one that
// stands there now, nothing is half done. No mutation starts otherwise: a folder
// that was taken away would look like the deletion of everything in it.
func (s *Store) enter(ctx context.Context) (leave func(), err error) {
	unlock, err := s.t.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.followFolder(ctx); err != nil {
		unlock()
		return nil, err
	}
	if err := s.catchUp(context.WithoutCancel(ctx)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// enterToRead is enter for what only reads. Where nothing can be written, what is half done
// stays so, and nobody needs to be kept from writing.
func (s *Store) enterToRead(ctx context.Context) (leave func(), err error) {
	leave, err = s.enter(ctx)
	if Unrecorded(err) {
		return func() {}, nil
	}
	return leave, err
}

// Unrecorded reports whether an error says no more than that the home or the folder can't
// be written: what is recorded can be read all the same. Sync answers so where it can't
// record what other programs did.
func Unrecorded(err error) bool {
	if errors.As(err, new(*FolderError)) {
		return false
	}
	for _, e := range []error{memfs.ErrReadOnlyDisk, memfs.ErrNoPermission, memfs.ErrNoSpace} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// folder is dir for those who don't hold the lock.
func (s *Store) folder() *memfs.Dir {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dir
}

// Close flushes what was written and releases the folder; the trail stays open.
func (s *Store) Close() error {
	s.watches.close()
	s.batch.close()
	s.t.ledger.flush()
	return errors.Join(s.flushNow(context.Background()), s.folder().Close(), s.disconnect())
}

// Info says which store this is.
func (s *Store) Info() StoreInfo { return s.info }

// setOthers reports whether they are not as they were.
func (s *Store) setOthers(es []Entry) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !slices.Equal(s.others, es)
	s.others = es
	return changed
}

// StoreInfo says which store this is.
type StoreInfo struct {
	ID          StoreID
	Name        string // one store of a home has it
	Title       string // what the memory-stores API calls it, where that is not its name
	Description string
	Metadata    map[string]string
	Limits      Limits
	Folder      string // on this machine
	Upstream    Remote // where it is kept, when this is a replica
	Created     time.Time
	Updated     time.Time // what is said here, not its memories
	LastUsed    time.Time
	Archived    time.Time // zero while it can be written
	LeftThere   int       // versions that were redacted here and that its service has yet to erase

	home string // the home in which the folder was chosen; empty where it is inside of that
}

// Remote is a store that a server of the memory-stores API keeps.
type Remote struct {
	URL   string `json:"url"`   // the API's base URL
	Store string `json:"store"` // its id there
}

// FolderError is a store whose folder can't be used.
type FolderError struct {
	Store StoreInfo
	Err   error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("store %s: folder %s: %v", e.Store.Name, e.Store.Folder, e.Err)
}
func (e *FolderError) Unwrap() error { return e.Err }

// Pre is a precondition of a write, checked and held in one step with it.
// The zero Pre asks for nothing.
type Pre struct {
	Absent bool // nothing may stand at the path
	SHA256 Hash // the memory must hold exactly this; the zero Hash asks for nothing
}

// File is an open file, read by ranges. What another program does to the file
// meanwhile shows in what is read.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Open gives ranges of the file at p as it is on the disk now, memory or not.
func (s *Store) Open(_ context.Context, p memfs.Path) (File, error) {
	f, err := s.folder().Open(p)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Filter chooses changes. Zero fields choose all.
type Filter struct {
	Session SessionID
	Actor   ActorKind
	Kind    ChangeKind
	In      memfs.Path // that have a version of this memory's path, or below this folder
	Since   time.Time
	Until   time.Time
}

// SyncReport counts what a scan saw.
type SyncReport struct {
	Files   int  // regular files looked at
	Read    int  // of these, read because they looked changed
	Adopted int  // versions made
	Changed bool // the tree is not what it was: versions were made, or other things came, went or changed
}

// ConflictError is a refused precondition. Nothing was written.
type ConflictError struct {
	Path memfs.Path
	Want Hash // what the caller took for current; zero when it wanted the path free
	Now  Hash // what is there; zero when nothing is
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

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

func fromNanos(ns int64) time.Time { return time.Unix(0, ns).UTC() }
