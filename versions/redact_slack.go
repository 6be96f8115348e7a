package versions

import (
	"context"
	"database/sql"
	"encoding/binary"

	"github.com/memend/memend/versions/db"
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

// clearSlack zeroes the free space in the pages of the database. The caller holds the
// lock. It reads every page once and writes those that need it.
func (t *Trail) clearSlack(ctx context.Context) error {
	var pages int64
	if err := t.w.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages); err != nil || pages >= maxSlackPages {
		return db.Error(err) // not cleared at 64 GiB or more: the search reports what is left
	}
	var due []int64
	for row, err := range db.RowsOf(t.w.QueryContext(ctx, `SELECT pgno,data FROM sqlite_dbpage`)) {
		if err != nil {
			return err
		}
		var n int64
		var page sql.RawBytes
		if err := row.Scan(&n, &page); err != nil {
			return err
		}
		if eachSlack(page, n, isDirty) {
			due = append(due, n)
		}
	}
	for len(due) > 0 {
		n := min(len(due), slackBatch)
		if err := t.clearPages(ctx, due[:n]); err != nil {
			return err
		}
		due = due[n:]
	}
	return nil
}

func (t *Trail) clearPages(ctx context.Context, numbers []int64) error {
	tx, err := t.w.BeginTx(ctx, nil)
	if err != nil {
		return db.Error(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, n := range numbers {
		var page []byte
		if err := tx.QueryRowContext(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno=?`, n).Scan(&page); err != nil {
			return db.Error(err)
		}
		eachSlack(page, n, func(b []byte) bool { clear(b); return false })
		if _, err := tx.ExecContext(ctx, `UPDATE sqlite_dbpage SET data=? WHERE pgno=?`, page, n); err != nil {
			return db.Error(err)
		}
	}
	return db.Error(tx.Commit())
}

func isDirty(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return true
		}
	}
	return false
}

// eachSlack calls do with each part of a page that belongs to no row, until do returns
// true. SQLite guarantees this format: a page of rows begins with a header,
//
//	kind(1) first free block(2) rows(2) begin of rows(2) fragments(1) [right child(4)]
//
// followed by two bytes for each row. The space from there to the begin of the rows is
// slack. Each free block among the rows begins with the offset of the next one (2) and its
// own size (2). Pages of other kinds, overflow pages and free pages begin with a page
// number. eachSlack skips an inconsistent page, which check reports.
func eachSlack(page []byte, n int64, do func([]byte) bool) bool {
	at := 0
	if n == 1 {
		at = 100 // after the file's header
	}
	if len(page) < at+12 {
		return false
	}
	header := 8
	switch page[at] {
	case 2, 5: // inner pages have a right child
		header = 12
	case 10, 13:
	default:
		return false
	}
	number := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	from, to := at+header+2*number(at+3), number(at+5)
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return false
	}
	if do(page[from:to]) {
		return true
	}
	for block, last := number(at+1), 0; block > last && block >= to && block+4 <= len(page); block, last = number(block), block {
		end := block + number(block+2)
		if end < block+4 || end > len(page) {
			return false
		}
		if do(page[block+4 : end]) {
			return true
		}
	}
	return false
}
