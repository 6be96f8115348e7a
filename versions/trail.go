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

// Options are what Open takes beside the home. The zero Options are right for
// everything but tests.
type Options struct {
	Now      func() time.Time              // the clock; nil is time.Now
	MaxBytes int64                         // files over this size are shown but not versioned; 0 is DefaultMaxBytes
	Hook     func(step string) error       // called at each named step of a mutation; an error stops it there
	Fault    func(value any, stack []byte) // told of a panic in a goroutine of the trail's own; nil ends the program
	Boot     string                        // the run of the system, as tests would have it; "" asks the system

	// ReadOnly refuses every change of memories and stores (ErrReadingOnly), and makes no
	// home. What other programs changed and what is read is recorded all the same.
	ReadOnly bool

	// Upstream speaks to the service that keeps a hosted store. It is called when such a
	// store is opened and must not wait for the network. nil: what is here can be read.
	Upstream func(StoreInfo) (Upstream, error)

	// Recall tells what agents did while nobody looked; nil: nothing does.
	Recall Recollection

	driver string // the SQL driver; "" is SQLite's own
}

// DefaultMaxBytes is the size up to which a file that other programs write is
// versioned. A larger one is listed as TooBig and is never read by a scan.
const DefaultMaxBytes = 8 << 20

// Trail is the journal of one home: all changes, versions and contents of all
// its stores. Several processes, and several Trails in one process, may be open
// on one home at the same time. Its methods are safe for concurrent use.
type Trail struct {
	home     string // as it was given, made absolute
	real     string // without links
	ground   ground
	now      func() time.Time
	maxBytes int64
	hook     func(string) error
	fault    func(any, []byte)
	reading  bool   // changes are refused
	boot     string // "": what isn't synced can't be told from what others wrote
	dial     func(StoreInfo) (Upstream, error)
	recall   Recollection

	lock     *disk.Lock
	notifier notifier
	w        *sql.DB       // for whoever holds the lock; a commit is on the disk
	r        *sql.DB       // snapshots for readers; none outlives one call
	warm     chan struct{} // closed when r's first connection is open; nil before it is asked for

	near        nearness
	maxListed   int   // what a service may list
	syncChunk   int   // files that a sync adopts at once
	maxReplaced int64 // bytes of texts that one plan to replace may hold
	ledger      ledger
	settings    atomic.Int64 // how often this process changed the settings of a store

	writer *db.Writer // w's connection for the transactions of stores

	stmts struct { // of r
		sync.Mutex
		byText map[string]*sql.Stmt
	}
}

// SQLite before 3.51.3 can corrupt a database that several processes write (the
// WAL-reset bug): with one of those this doesn't compile.
const _ uint = sqlite3.SQLITE_VERSION_NUMBER - 3_051_003

var ofdLocks = sync.OnceFunc(func() {
	// POSIX locks vanish when any descriptor of the file is closed in the process;
	// OFD locks don't. A belt beside never opening trail.db ourselves, and where
	// the kernel has none the braces still hold.
	_, _ = sqlite.OFDLocking(true)
})

// Open opens the trail of a home folder, making both when they are not there.
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
	fresh := !exists(filepath.Join(home, trailFile)) // SQLite chooses the mode of a new one
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

// bare takes the path off a file error: the message around it names it already.
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
	// Readers keep few pages, and few readers stay: the system has the pages too, and
	// what SQLite keeps it never gives back. The writer's 2 MB save it from writing
	// pages of a large change twice.
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

// warmUp opens the first connection of readers, which has to read the schema, while
// the caller is still at other things.
func (t *Trail) warmUp(ctx context.Context) {
	for _, text := range insideView {
		_, _ = t.prepare(ctx, text) // who uses it is told
	}
}

// sqliteDriver is the name of SQLite's driver.
const sqliteDriver = "sqlite"

// openDB is the one place that opens connections, because secure_delete, on
// which redaction rests, is a setting of the connection. Pages of 8 KB waste half
// as much behind contents of 1 KB as pages of 4 KB do; the size must be set before
// the journal mode, and the driver runs its _pragma list before its own keys.
func (g *ground) openDB(extra string, conns int) *sql.DB {
	file := filepath.Join(g.dir, trailFile)
	dsn := "file:" + inURI.Replace(filepath.ToSlash(file)) + "?_pragma=busy_timeout(10000)&_pragma=synchronous(full)" +
		"&_pragma=secure_delete(on)&_pragma=foreign_keys(on)&_pragma=journal_size_limit(8388608)"
	if g.readOnly == nil {
		dsn += "&_pragma=page_size(8192)&_journal_mode=wal"
	} else if dsn += "&mode=ro"; !g.logged() {
		dsn += "&immutable=1" // else SQLite would make those files, to keep others from writing
	}
	if runtime.GOOS == "darwin" { // fsync there does not reach the disk
		dsn += "&_pragma=fullfsync(1)&_pragma=checkpoint_fullfsync(1)"
	}
	db, err := sql.Open(cmp.Or(g.driver, sqliteDriver), dsn+extra)
	if err != nil {
		panic(err) // only for an unknown driver or a malformed DSN of ours
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// inURI writes a path so that SQLite reads the same one from a URI.
var inURI = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23")

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Close closes the trail. Stores opened from it are closed by their own Close.
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

// Home is the folder that the trail lives in.
func (t *Trail) Home() string { return t.home }

// stmt prepares a reader's statement once. It may wait for a connection: inside a
// snapshot, which has one, only the statements of insideView may be asked for.
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
	s, err := t.r.PrepareContext(ctx, text) // without the lock: who has a connection may wait for that
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

// prepared is a statement that there is already; nil when it is to be prepared.
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

// step is a named point of the protocol, for tests that kill or fail there.
func (t *Trail) step(name string) error {
	if t.hook == nil {
		return nil
	}
	return t.hook(name)
}
