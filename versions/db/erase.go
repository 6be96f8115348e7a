package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/memend/memend/versions/db/pages"
)

// secure_delete zeroes deleted data, but that is not enough. When SQLite moves rows
// between pages to balance them, old copies stay in the free space of the page, and a
// later delete doesn't reach them. This often affects paths and hashes, because their
// indexes are written in random order. So before a redaction ends, the free space (slack)
// of all pages is zeroed.

// maxSlackPages is the first page number whose leading byte isn't 0. Below it, that byte
// distinguishes pages without rows from pages with rows.
const maxSlackPages = 1 << 24

// slackBatch is how many pages one transaction writes.
const slackBatch = 2000

// ClearSlack zeroes the free space in the pages of the database. The caller holds the
// lock. It reads every page once and writes those that need it.
func (d *DB) ClearSlack(ctx context.Context) error {
	var count int64
	if err := d.W.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&count); err != nil || count >= maxSlackPages {
		return Error(err) // not cleared at 64 GiB or more: the search reports what is left
	}
	var due []int64
	var n int64
	var page sql.RawBytes
	rows := On(ctx, d.W).Rows(`SELECT pgno,data FROM sqlite_dbpage`)
	for range rows.Each(&n, &page) {
		if pages.EachSlack(page, n, isDirty) {
			due = append(due, n)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for len(due) > 0 {
		n := min(len(due), slackBatch)
		if err := d.clearPages(ctx, due[:n]); err != nil {
			return err
		}
		due = due[n:]
	}
	return nil
}

func (d *DB) clearPages(ctx context.Context, numbers []int64) error {
	tx, err := d.W.BeginTx(ctx, nil)
	if err != nil {
		return Error(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, n := range numbers {
		var page []byte
		if err := tx.QueryRowContext(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno=?`, n).Scan(&page); err != nil {
			return Error(err)
		}
		pages.EachSlack(page, n, func(b []byte) bool { clear(b); return false })
		if _, err := tx.ExecContext(ctx, `UPDATE sqlite_dbpage SET data=? WHERE pgno=?`, page, n); err != nil {
			return Error(err)
		}
	}
	return Error(tx.Commit())
}

func isDirty(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return true
		}
	}
	return false
}

// busyWait is how long one attempt to empty the log waits for a reader. Reads by memend
// take milliseconds.
const busyWait = 100 * time.Millisecond

// EmptyLog moves the whole log into the database and truncates it. Only then are erased
// bytes gone from both. It returns false while anyone reads.
func (d *DB) EmptyLog(ctx context.Context) (bool, error) {
	conn, err := d.W.Conn(ctx)
	if err != nil {
		return false, Error(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout=%d`, busyWait.Milliseconds())); err != nil {
		return false, Error(err)
	}
	defer func() { _, _ = conn.ExecContext(ctx, `PRAGMA busy_timeout=10000`) }()
	var busy, log, moved int
	if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil {
		return false, Error(err)
	}
	if busy != 0 {
		return false, nil
	}
	// Trust the file's size, not the result of the checkpoint. Stat doesn't open the file.
	fi, err := os.Stat(d.path(File + "-wal"))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return err == nil && fi.Size() == 0, err
}
