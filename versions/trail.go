package versions

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Options configure Open. The zero Options are right for everything but tests.
type Options struct {
	Now      func() time.Time              // the clock; nil means time.Now
	MaxBytes int64                         // larger files are listed but not versioned; 0 means DefaultMaxBytes
	Hook     func(step string) error       // called at each step of a mutation; an error stops it
	Fault    func(value any, stack []byte) // called with a panic of one of the trail's goroutines; nil crashes the program
	Boot     string                        // the boot id, for tests; "" reads the system's

	// ReadOnly rejects every change of memories and stores (ErrReadingOnly), and Open creates
	// no home. Other programs' changes and reads are still recorded.
	ReadOnly bool

	// Upstream returns a client for the service of a hosted store. It is called when such a
	// store is opened and must not wait for the network. If it is nil, only local data can be
	// read.
	Upstream func(StoreInfo) (Upstream, error)

	// Recall reports what agents did while memend wasn't running; nil disables that.
	Recall Recollection

	driver string // the SQL driver; "" means SQLite's
}

// DefaultMaxBytes is the size up to which files of other programs are versioned. A larger
// file is listed as TooBig, and scans never read it.
const DefaultMaxBytes = 8 << 20

// Trail is the journal of one home: all changes, versions and contents of all its stores.
// Several processes, and several Trails in one process, may have one home open at the same
// time. Its methods are safe for concurrent use.
type Trail struct {
	home     string // as given, made absolute
	real     string // with links resolved
	ground   ground
	now      func() time.Time
	maxBytes int64
	hook     func(string) error
	fault    func(any, []byte)
	reading  bool   // changes are rejected
	boot     string // "": a lost write can't be distinguished from another program's
	dial     func(StoreInfo) (Upstream, error)
	recall   Recollection

	lock     *disk.Lock
	notifier notifier
	w        *sql.DB       // for the holder of the lock; its commits are durable
	r        *sql.DB       // snapshots for readers; each ends with its call
	warm     chan struct{} // closed once r's first connection is open; nil before warm-up

	near        nearness
	maxListed   int   // maximum number of versions, or memories, that a service may list
	syncChunk   int   // number of files that a sync adopts at once
	maxReplaced int64 // maximum bytes of texts in one replacement plan
	ledger      ledger
	settings    atomic.Int64 // counts this process's changes of store settings

	writer *db.Writer // w's connection for the stores' transactions

	stmts struct { // of r
		sync.Mutex
		byText map[string]*sql.Stmt
	}
}

// SQLite before 3.51.3 can corrupt a database that several processes write (the WAL-reset
// bug). This constant doesn't compile with such a version.
const _ uint = sqlite3.SQLITE_VERSION_NUMBER - 3_051_003

var ofdLocks = sync.OnceFunc(func() {
	// POSIX locks vanish when any descriptor of the file is closed in the process; OFD locks
	// don't. This is a second safeguard: memend also never opens trail.db itself, which
	// suffices if the kernel has no OFD locks.
	_, _ = sqlite.OFDLocking(true)
})

// Open opens the trail of a home folder. It creates both if they don't exist.
func Open(ctx context.Context, home string, o Options) (*Trail, error) {
	ofdLocks()
	pageFunction()
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, err)
	}
	if g := (&ground{dir: home}); o.ReadOnly && !g.has(trailFile) && g.missing() == nil {
		return nil, fmt.Errorf("open trail in %s: there is none yet: %w", home, ErrReadingOnly)
	}
	if err := disk.MakeFolder(home); err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, bare(err))
	}
	real, err := realFolder(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, bare(err))
	}
	fresh := !exists(filepath.Join(home, trailFile)) // SQLite chooses the mode of a new file
	if !fresh {
		makePrivate(real)
	}
	t := &Trail{home: home, real: real, ground: ground{dir: home, driver: o.driver}, now: o.Now, maxBytes: o.MaxBytes, hook: o.Hook, fault: o.Fault, reading: o.ReadOnly, near: usualNearness, maxListed: maxListed, maxReplaced: maxReplacedBytes, syncChunk: syncChunk, boot: o.Boot, dial: o.Upstream, recall: o.Recall}
	t.ledger.fell = t.reportPanic
	if t.lock, err = t.ground.openLock(); err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, bare(err))
	}
	if t.boot == "" {
		t.boot = bootID()
	}
	if t.now == nil {
		t.now = time.Now
	}
	if t.maxBytes == 0 {
		t.maxBytes = DefaultMaxBytes
	}
	t.stmts.byText = map[string]*sql.Stmt{}
	if err = t.begin(ctx); err == nil {
		err = t.connect(ctx)
	}
	if why := unwritable(err); why != nil && t.ground.readOnly == nil {
		t.ground.readOnly = why
		_ = t.disconnect()
		t.writer = nil
		err = t.connect(ctx)
	}
	if err == nil {
		err = t.ground.note()
	}
	if err != nil {
		_ = t.Close()
		return nil, fmt.Errorf("open trail in %s: %w", home, db.Error(err))
	}
	if fresh {
		makePrivate(real)
	}
	t.resumeRedactions(ctx)
	return t, nil
}

// bare removes the path from a file error, because the surrounding message contains it.
func bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (t *Trail) connect(ctx context.Context) error {
	if err := t.takeRepaired(ctx); err != nil {
		return err
	}
	t.w = t.ground.openDB("&_txlock=immediate", 2) // one connection is the writer's
	// Readers cache few pages, and few idle connections stay: the system caches the pages too,
	// and SQLite never releases its cache. The writer's 2 MB cache avoids writing pages of a
	// large change twice.
	t.r = t.ground.openDB("&_pragma=query_only(1)&_pragma=cache_size(-512)", 4)
	t.r.SetMaxIdleConns(2)
	if err := t.migrate(ctx); err != nil {
		return err
	}
	t.warm = make(chan struct{})
	t.Go(func() {
		defer close(t.warm)
		t.warmUp(ctx)
	})
	conn, err := t.w.Conn(ctx)
	t.writer = db.NewWriter(conn)
	return err
}

// warmUp opens the readers' first connection, which must read the schema, in the
// background.
func (t *Trail) warmUp(ctx context.Context) {
	for _, text := range insideView {
		_, _ = t.prepare(ctx, text) // the statement's user gets the error
	}
}

const sqliteDriver = "sqlite"

// openDB opens a connection pool. All connections must come from it, because redaction
// depends on secure_delete, which is a setting of the connection. With contents of 1 KB,
// pages of 8 KB waste half as much space as pages of 4 KB. The page size must be set
// before the journal mode, and the driver applies its _pragma list before its own keys.
func (g *ground) openDB(extra string, conns int) *sql.DB {
	file := filepath.Join(g.dir, trailFile)
	dsn := "file:" + inURI.Replace(filepath.ToSlash(file)) + "?_pragma=busy_timeout(10000)&_pragma=synchronous(full)" +
		"&_pragma=secure_delete(on)&_pragma=foreign_keys(on)&_pragma=journal_size_limit(8388608)"
	if g.readOnly == nil {
		dsn += "&_pragma=page_size(8192)&_journal_mode=wal"
	} else if dsn += "&mode=ro"; !g.logged() {
		dsn += "&immutable=1" // otherwise SQLite would create those files for locking
	}
	if runtime.GOOS == "darwin" { // fsync there doesn't flush the disk's cache
		dsn += "&_pragma=fullfsync(1)&_pragma=checkpoint_fullfsync(1)"
	}
	db, err := sql.Open(cmp.Or(g.driver, sqliteDriver), dsn+extra)
	if err != nil {
		panic(err) // only for an unknown driver or a malformed DSN
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// inURI escapes a path so that SQLite reads the same path from a URI.
var inURI = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23")

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Close closes the trail. It doesn't close stores opened from it.
func (t *Trail) Close() error {
	t.ledger.close()
	return errors.Join(t.disconnect(), t.lock.Close())
}

func (t *Trail) disconnect() error {
	var errs []error
	if t.warm != nil {
		<-t.warm
	}
	if t.writer != nil && t.writer.Conn != nil {
		errs = append(errs, t.writer.Close())
	}
	for _, db := range []*sql.DB{t.r, t.w} { // the writer last: it leaves the log empty
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Home returns the folder of the trail.
func (t *Trail) Home() string { return t.home }

// stmt returns a reader's statement, prepared once. It may wait for a connection. A
// snapshot occupies one, so inside a snapshot only the statements of insideView are
// allowed.
func (t *Trail) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := t.prepared(text); s != nil {
		return s, nil
	}
	<-t.warm
	return t.prepare(ctx, text)
}

func (t *Trail) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := t.prepared(text); s != nil {
		return s, nil
	}
	s, err := t.r.PrepareContext(ctx, text) // without the mutex: the holder of a connection may wait for it
	if err != nil {
		return nil, db.Error(err)
	}
	t.stmts.Lock()
	defer t.stmts.Unlock()
	if first := t.stmts.byText[text]; first != nil {
		return first, s.Close()
	}
	t.stmts.byText[text] = s
	return s, nil
}

// prepared returns a statement that is already prepared, else nil.
func (t *Trail) prepared(text string) *sql.Stmt {
	t.stmts.Lock()
	defer t.stmts.Unlock()
	return t.stmts.byText[text]
}

// each reads all rows from a snapshot.
func (t *Trail) each(ctx context.Context, text string, args ...any) iter.Seq2[db.Row, error] {
	s, err := t.stmt(ctx, text)
	if err != nil {
		return db.RowsOf(nil, err)
	}
	return db.RowsOf(s.QueryContext(ctx, args...))
}

// get reads one row from a snapshot.
func (t *Trail) get(ctx context.Context, text string, args []any, dest ...any) error {
	s, err := t.stmt(ctx, text)
	if err != nil {
		return err
	}
	return db.Error(s.QueryRowContext(ctx, args...).Scan(dest...))
}

// step is a named point of the protocol at which tests kill the process or inject errors.
func (t *Trail) step(name string) error {
	if t.hook == nil {
		return nil
	}
	return t.hook(name)
}
