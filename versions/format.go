package versions

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A trail tells its format twice: by a number, and by its schema, which is text in
// the same file. One bit that the disk changed there renames a column or drops a
// constraint, and SQLite itself sees nothing wrong. So both are held against the
// migrations whenever a trail is opened, checked or repaired.

// ours are the rows of the schema that memtrail makes. SQLite keeps what it
// measured beside them, and programs that copy databases what they need.
const ours = `tbl_name NOT GLOB 'sqlite_stat*' AND tbl_name NOT GLOB '[_]*'`

type rowQueryer interface {
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

// formats reads the format that a database says it has, and the one that its
// schema is of.
func formats(ctx context.Context, q rowQueryer) (says, made int, err error) {
	says, sum, err := schemaSum(ctx, q)
	if err != nil || sum == "" {
		return says, 0, err
	}
	return says, formatOf(sum), nil
}

// schemaSum reads the number of a database's format and the sum of its schema,
// which is empty when there is none yet. In one statement: another process may be
// taking it from one format to the next.
func schemaSum(ctx context.Context, q rowQueryer) (says int, sum string, err error) {
	var schema string
	err = q.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		coalesce(group_concat(quote(type)||quote(name)||quote(tbl_name)||quote(sql), char(10) ORDER BY type, name), '') FROM sqlite_schema WHERE `+ours).Scan(&says, &schema)
	if err != nil || schema == "" {
		return says, "", notAnswered(err)
	}
	h := sha256.Sum256([]byte(schema))
	return says, hex.EncodeToString(h[:8]), nil
}

// formatOf is the format that has a schema of this sum; -1 when none has.
func formatOf(sum string) int {
	for i, m := range migrations {
		if m.makes == sum {
			return i + 1
		}
	}
	return -1
}

// notAnswered is the error of a database that can't answer what every one answers.
func notAnswered(err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) && se.Code() == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return diskError(err)
}

// format is how many migrations a database has gone through, if its number and
// its schema agree on it.
func format(ctx context.Context, q rowQueryer) (int, error) {
	says, made, err := formats(ctx, q)
	switch {
	case err != nil:
		return 0, err
	case says == made:
		return says, nil
	case made < 0 && newer(says):
		return 0, newerFormat(says)
	case made < 0:
		return 0, fmt.Errorf("%w: its tables are not those of format %d", ErrDamaged, says)
	}
	return 0, fmt.Errorf("%w: it says that it is of format %d and has the tables of format %d", ErrDamaged, says, made)
}

// mostFormats is more than there will ever be: a number above it is damage.
const mostFormats = 1000

// newer reports whether a number can be that of a format which is not known yet.
func newer(says int) bool { return says > len(migrations) && says <= mostFormats }

func newerFormat(says int) error {
	return fmt.Errorf("%w: it is of format %d, this memtrail reads %d; use a newer memtrail", ErrTrailFormat, says, len(migrations))
}

// migrate makes or checks the schema. Only under the lock: two first openers
// must not both make it.
func (t *Trail) migrate(ctx context.Context) error {
	have, err := format(ctx, t.w)
	if err != nil || have == len(migrations) {
		return err
	}
	unlock, err := t.lock.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if have, err = format(ctx, t.w); err != nil || have == len(migrations) {
		return err
	}
	tx, err := t.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := migrateTo(ctx, tx, have, len(migrations)); err != nil {
		return err
	}
	return tx.Commit()
}

// migrateTo takes a database from one format to another.
func migrateTo(ctx context.Context, tx *sql.Tx, from, to int) error {
	for _, m := range migrations[from:to] {
		if _, err := tx.ExecContext(ctx, m.steps); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version=%d`, to))
	return err
}
