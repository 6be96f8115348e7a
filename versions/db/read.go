package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// MaxReaders is how many snapshots and single queries can read at the same time. Others wait.
const MaxReaders = 4

// maxIdle is how many connections of readers stay open while nobody reads. Readers cache few pages and
// few idle connections stay: the system caches the pages too, and SQLite never releases its cache.
const maxIdle = 2

// readers are the connections of those who read.
type readers struct {
	pool  *sql.DB
	slots chan struct{} // one is held by each who reads

	mu     sync.Mutex
	idle   []*statements // the last used last
	closed bool
}

func newReaders(pool *sql.DB) *readers {
	return &readers{pool: pool, slots: make(chan struct{}, MaxReaders)}
}

// take takes a connection. The caller gives it back.
func (r *readers) take(ctx context.Context) (*statements, error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := r.lastUsed(); c != nil {
		return c, nil
	}
	conn, err := r.pool.Conn(ctx)
	if err != nil {
		<-r.slots
		return nil, Error(err)
	}
	return newStatements(conn), nil
}

func (r *readers) lastUsed() (c *statements) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.idle) - 1; last >= 0 {
		c, r.idle = r.idle[last], r.idle[:last]
	}
	return c
}

// give gives a connection back. It is closed unless it can be used again.
func (r *readers) give(c *statements, again bool) {
	r.mu.Lock()
	again = again && len(r.idle) < maxIdle && !r.closed
	if again {
		r.idle = append(r.idle, c)
	}
	r.mu.Unlock()
	if !again {
		_ = c.Close()
	}
	<-r.slots
}

// close closes the connections. Those in use are closed when they are given back.
func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, c := range r.idle {
		errs = append(errs, c.Close())
	}
	r.idle = nil
	return errors.Join(append(errs, r.pool.Close())...)
}

// Snapshot is the database at one moment. While it is open, the log can't be emptied.
type Snapshot struct {
	Ctx context.Context
	c   *statements
}

// take takes a connection, the first one when it knows the schema: reading that twice takes longer.
func (d *DB) take(ctx context.Context) (*statements, error) {
	<-d.warm
	return d.readers.take(ctx)
}

// View runs read on one snapshot, which is valid until read returns.
func (d *DB) View(ctx context.Context, read func(Snapshot) error) error {
	c, err := d.take(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_, err := c.exec(context.WithoutCancel(ctx), `ROLLBACK`)
		d.readers.give(c, err == nil)
	}()
	if _, err := c.exec(ctx, `BEGIN`); err != nil {
		return err
	}
	return Error(read(Snapshot{ctx, c}))
}

// Rows reads all rows.
func (s Snapshot) Rows(text string, args ...any) *Rows { return s.c.rows(s.Ctx, text, args) }

// Row reads one row.
func (s Snapshot) Row(text string, args ...any) Row { return s.c.row(s.Ctx, text, args) }

// Rows reads all rows in a snapshot of its own, that of its one statement.
func (d *DB) Rows(ctx context.Context, text string, args ...any) *Rows {
	return &Rows{run: func(read func(*sql.Rows, error) error) error {
		c, err := d.take(ctx)
		if err != nil {
			return err
		}
		defer func() { d.readers.give(c, err == nil) }()
		err = c.rows(ctx, text, args).run(read)
		return err
	}}
}

// Row reads one row in a snapshot of its own, that of its one statement.
func (d *DB) Row(ctx context.Context, text string, args ...any) Row {
	return Row{func(dest ...any) error {
		c, err := d.take(ctx)
		if err != nil {
			return err
		}
		defer func() { d.readers.give(c, err == nil || errors.Is(err, sql.ErrNoRows)) }()
		err = c.row(ctx, text, args).Scan(dest...)
		return err
	}}
}
