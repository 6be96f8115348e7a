package versions

import (
	"context"
	"database/sql"
	"encoding/binary"

	"github.com/memend/memend/versions/db"
)

// secure_delete zeroes what is deleted, and it is not enough. When SQLite moves
// rows from one page to another to keep the pages evenly full, the old copies stay
// where they were, in the part of the page that belongs to no row, and a later
// delete knows nothing of them. Paths and hashes, whose indexes are written in no
// order, are found there again and again. So before a redaction ends, the slack of
// all pages is zeroed.

// maxSlackPages is where the first byte of a page number is no longer 0, by which
// a page that has no rows is told from one that has.
const maxSlackPages = 1 << 24

// slackBatch is how many pages are written in one transaction.
const slackBatch = 2000

// clearSlack zeroes what no row owns in the pages of the database. The caller
// holds the lock. It reads every page once and writes those that need it.
func (t *Trail) clearSlack(ctx context.Context) error {
	var pages int64
	if err := t.w.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages); err != nil || pages >= maxSlackPages {
		return db.Error(err) // a database of 64 GiB or more is left to the search, which says what it finds
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

// eachSlack gives the parts of a page that no row owns, until do is content. The
// format, which SQLite promises to keep: a page of rows begins with a header,
//
//	kind(1) first free block(2) rows(2) begin of rows(2) fragments(1) [right child(4)]
//
// that two bytes for each row follow; from there to the begin of the rows is
// slack. Free blocks among the rows have the next one(2) and their size(2) first.
// Pages of other kinds, the rest of long rows and free pages, begin with the
// number of a page. A page that does not add up is left alone: check finds it.
func eachSlack(page []byte, n int64, do func([]byte) bool) bool {
	at := 0
	if n == 1 {
		at = 100 // behind the file's header
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
