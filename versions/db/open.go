package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/memend/memend/versions/disk"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite before 3.51.3 can corrupt a database that several processes write (the WAL-reset
// bug). This constant doesn't compile with such a version.
const _ uint = sqlite3.SQLITE_VERSION_NUMBER - 3_051_003

var ofdLocks = sync.OnceFunc(func() {
	// POSIX locks vanish when any descriptor of the file is closed in the process; OFD locks
	// don't. This is a second safeguard: memend also never opens the database itself, which
	// suffices if the kernel has no OFD locks.
	_, _ = sqlite.OFDLocking(true)
})

// Config says which database to open.
type Config struct {
	Dir    string // the folder of the database's files
	Schema Schema
	Driver string // the SQL driver; "" is SQLite's own

	// Traces are the names of folders in Dir. If one of them has content but the database is
	// missing, the database was lost.
	Traces []string

	// Upgrade completes the migration of a database that had an earlier format, in the same
	// transaction. It may be nil.
	Upgrade func(x *Tx, from int) error

	Watch map[string][]Watch // by table: what transactions report; see Tx.Touched

	Go func(func()) // starts a goroutine
}

// DB is an open database. Its methods are safe for concurrent use, except where they say
// that the caller holds the lock.
type DB struct {
	Config
	W *sql.DB // for the holder of the lock; its commits are durable

	lock     *disk.Lock
	readOnly error         // why the folder can't be written; nil if it can
	files    []os.FileInfo // the database and its lock when they were opened
	writer   *Writer       // W's connection for transactions
	readers  *readers
	warm     chan struct{} // closed once the first connection of readers knows the schema
}

// Open opens the database of a folder. It creates a database if the folder never had one,
// completes an interrupted repair, and migrates a database of an earlier format, after it
// has copied it. If the folder can't be written, the database is opened for reading; see
// [DB.ReadOnly].
func Open(ctx context.Context, c Config) (*DB, error) {
	ofdLocks()
	d := &DB{Config: c}
	err := d.openLock()
	if err != nil {
		return nil, err
	}
	if err = d.create(ctx); err == nil {
		err = d.connect(ctx)
	}
	if why := unwritable(err); why != nil && d.readOnly == nil {
		d.readOnly = why
		_ = d.disconnect()
		d.writer = nil
		err = d.connect(ctx)
	}
	if err == nil {
		err = d.note()
	}
	if err != nil {
		_ = d.Close()
		return nil, Error(err)
	}
	return d, nil
}

// openLock opens the lock. A folder that can't be written has no writer to wait for.
func (d *DB) openLock() (err error) {
	d.lock, err = disk.OpenLock(d.path(LockFile))
	if d.readOnly = unwritable(err); d.readOnly != nil {
		d.lock, err = disk.OpenLockReadOnly(d.path(LockFile))
	}
	return disk.Bare(err)
}

func (d *DB) connect(ctx context.Context) error {
	if err := d.takeRepaired(ctx); err != nil {
		return err
	}
	d.W = d.openPool(tempInMemory+"&_txlock=immediate", 2) // one connection is the writer's
	// The writer's cache of 2 MB avoids writing pages of a large change twice.
	d.readers = newReaders(d.openPool("&_pragma=query_only(1)&_pragma=cache_size(-512)", MaxReaders))
	conn, err := d.W.Conn(ctx)
	if err != nil {
		return err
	}
	d.writer = newWriter(conn)
	if err := d.migrate(ctx); err != nil {
		return err
	}
	d.warm = make(chan struct{})
	d.Go(func() {
		defer close(d.warm)
		d.warmUp(ctx)
	})
	return nil
}

// warmUp opens the readers' first connection, which must read the schema, in the
// background.
func (d *DB) warmUp(ctx context.Context) {
	c, err := d.readers.take(ctx)
	if err != nil {
		return // whoever reads next gets it
	}
	err = c.row(ctx, `SELECT count(*) FROM sqlite_schema`, nil).Scan(new(int))
	d.readers.give(c, err == nil)
}

const sqliteDriver = "sqlite"

// pool opens a connection pool. All connections must come from it, because the erasing
// of data depends on secure_delete, which is a setting of the connection. With contents of
// 1 KB, pages of 8 KB waste half as much space as pages of 4 KB. The page size must be set
// before the journal mode, and the driver applies its _pragma list before its own keys.
func (c *Config) pool(readOnly, immutable bool, extra string, conns int) *sql.DB {
	dsn := "&_pragma=synchronous(full)&_pragma=secure_delete(on)&_pragma=foreign_keys(on)&_pragma=journal_size_limit(8388608)"
	switch {
	case immutable: // otherwise SQLite would create the files for locking
		dsn += "&mode=ro&immutable=1"
	case readOnly:
		dsn += "&mode=ro"
	default:
		dsn += withPageSize + "&_journal_mode=wal"
	}
	if runtime.GOOS == "darwin" { // fsync there doesn't flush the disk's cache
		dsn += "&_pragma=fullfsync(1)&_pragma=checkpoint_fullfsync(1)"
	}
	return open(cmp.Or(c.Driver, sqliteDriver), c.path(File), dsn+extra, conns)
}

func (d *DB) openPool(extra string, conns int) *sql.DB {
	return d.pool(d.readOnly != nil, d.readOnly != nil && !d.logged(), extra, conns)
}

// OpenFile opens a database that is not in use otherwise, with further parameters of the
// driver.
func OpenFile(name, extra string) *sql.DB { return open(sqliteDriver, name, extra, 1) }

// OpenCopy opens a database that nobody changes, for reading.
func OpenCopy(name string) *sql.DB {
	return open(sqliteDriver, name, "&mode=ro&immutable=1&_pragma=query_only(1)", 1)
}

// tempInMemory keeps out of files what SQLite needs to undo one statement: for a table that others refer to, a copy of each
// page that the statement changes.
const tempInMemory = "&_pragma=temp_store(memory)"

// withPageSize sets the size of a new database's pages: pages.DefaultSize.
const withPageSize = "&_pragma=page_size(8192)"

// inURI escapes the characters of a path that have other meanings in a URI.
var inURI = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23")

func open(driver, name, extra string, conns int) *sql.DB {
	pool, err := sql.Open(driver, "file:"+inURI.Replace(filepath.ToSlash(name))+"?_pragma=busy_timeout(10000)"+extra)
	if err != nil {
		panic(err) // only for an unknown driver or a malformed DSN
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	return pool
}

// ReadOnly returns why the database can't be written, or nil if it can.
func (d *DB) ReadOnly() error { return d.readOnly }

// Close closes the database.
func (d *DB) Close() error { return errors.Join(d.disconnect(), d.lock.Close()) }

func (d *DB) disconnect() error {
	var errs []error
	if d.warm != nil {
		<-d.warm
	}
	if d.writer != nil {
		errs = append(errs, d.writer.Close())
	}
	if d.readers != nil {
		errs = append(errs, d.readers.close())
	}
	if d.W != nil { // last: it leaves the log empty
		errs = append(errs, d.W.Close())
	}
	return errors.Join(errs...)
}

// Begin starts a transaction; see [Writer.Begin]. The caller holds the lock.
func (d *DB) Begin(ctx context.Context, durable bool) (*Tx, error) {
	if err := d.writer.watch(ctx, d.Watch); err != nil {
		return nil, err
	}
	return d.writer.Begin(ctx, durable)
}

// Outside reads on the writer's connection, outside of a transaction. The caller holds the
// lock. The connection has its pages in memory.
func (d *DB) Outside(ctx context.Context) *Tx { return d.writer.Outside(ctx) }
