package versions

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A trail states its format twice: by a number, and by its schema, which is text in the same file.
// One damaged bit there renames a column or drops a constraint, and SQLite itself does not notice.
// memend therefore compares both with the migrations whenever it opens, checks or repairs a trail.
//
// It compares a checksum of the schema's text first, because that is fast. SQLite writes part of
// that text itself (for ALTER TABLE), and another release may word it differently, so a schema with
// an unknown checksum is compared by its structure.

// ours is the SQL condition that selects the schema rows that memend creates. It leaves out
// SQLite's own statistics and the tables of programs that replicate databases.
const ours = `tbl_name NOT GLOB 'sqlite_stat*' AND tbl_name NOT GLOB '[_]*'`

type rowQueryer interface {
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}

// formats returns the format that a database states and the format that its schema has.
func formats(ctx context.Context, q querier) (says, made int, err error) {
	says, sum, err := schemaSum(ctx, q)
	if err != nil || sum == "" {
		return says, 0, err
	}
	if made = formatOf(sum); made < 0 {
		made = formatByStructure(ctx, q)
	}
	return says, made, nil
}

// schemaSum returns the format number of a database and the checksum of its schema, which is empty
// when there is no schema yet. It reads both in one statement, because another process may be
// migrating the database.
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

// formatOf returns the format whose schema has this checksum, or -1 when none has.
func formatOf(sum string) int {
	for i, m := range migrations {
		if m.makes == sum {
			return i + 1
		}
	}
	return -1
}

// structureQuery describes the tables, columns, keys and indexes as SQLite understands them, one on
// each line.
const structureQuery = `
WITH obj AS (SELECT * FROM sqlite_schema WHERE ` + ours + `)
SELECT group_concat(line, char(10) ORDER BY line) FROM (
	SELECT concat_ws(' ', type, name, tbl_name, sql LIKE '%AUTOINCREMENT%',
		iif(type='index', replace(substr(sql, instr(upper(sql), ' WHERE ')+1), ' ', ''), '')) AS line FROM obj
	UNION ALL SELECT concat_ws(' ', t.name, 'column', c.name, upper(c.type), c."notnull", quote(c.dflt_value), c.pk, c.hidden) FROM obj t, pragma_table_xinfo(t.name) c WHERE t.type='table'
	UNION ALL SELECT concat_ws(' ', t.name, 'is', l.type, l.wr, l.strict) FROM obj t, pragma_table_list(t.name) l WHERE t.type='table'
	UNION ALL SELECT concat_ws(' ', t.name, 'key', f.id, f.seq, f."table", f."from", f."to", f.on_update, f.on_delete) FROM obj t, pragma_foreign_key_list(t.name) f WHERE t.type='table'
	UNION ALL SELECT concat_ws(' ', t.name, 'index', i.name, i."unique", i.origin, i.partial, x.seqno, x.name, x.desc, x.coll, x.key) FROM obj t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x WHERE t.type='table')`

// formatByStructure returns the format that has the same tables, columns and indexes as the schema,
// or -1 when none has.
func formatByStructure(ctx context.Context, q querier) int {
	have, err := structureOf(ctx, q)
	if err != nil {
		return -1
	}
	handle := openFile(":memory:", "", 1)
	defer func() { _ = handle.Close() }()
	for i, m := range migrations {
		var want string
		if _, err := handle.ExecContext(ctx, m.steps); err != nil {
			return -1
		}
		if handle.QueryRowContext(ctx, structureQuery).Scan(&want) == nil && want == have {
			return i + 1
		}
	}
	return -1
}

// structureOf recreates the schema of a database in memory and reads its structure from there. The
// database's own connection may still cache an earlier schema.
func structureOf(ctx context.Context, q querier) (structure string, err error) {
	handle := openFile(":memory:", "", 1)
	defer func() { _ = handle.Close() }()
	if err := copySchema(ctx, handle, q); err != nil {
		return "", err
	}
	return structure, handle.QueryRowContext(ctx, structureQuery).Scan(&structure)
}

// copySchema creates in handle the schema that another database states.
func copySchema(ctx context.Context, handle *sql.DB, q querier) error {
	for row, err := range db.RowsOf(q.QueryContext(ctx, `SELECT type,name,tbl_name,sql,typeof(sql) FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND `+ours+` ORDER BY rowid`)) {
		if err != nil {
			return err
		}
		var says [5]string
		if err := row.Scan(&says[0], &says[1], &says[2], &says[3], &says[4]); err != nil {
			return err
		}
		if says[4] != "text" || strings.Contains(says[3], ";") { // one statement creates one table or index
			return fmt.Errorf("%w: the schema of %s", ErrDamaged, says[1])
		}
		if _, err := handle.ExecContext(ctx, says[3]); err != nil {
			return err
		}
		var made bool
		err := handle.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE type=? AND name=? AND tbl_name=?)`, says[0], says[1], says[2]).Scan(&made)
		if err != nil || !made {
			return errors.Join(err, fmt.Errorf("%w: the schema of %s", ErrDamaged, says[1]))
		}
	}
	return nil
}

// notAnswered returns the error for a database that fails a query that every valid database
// answers.
func notAnswered(err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) && se.Code() == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return db.Error(err)
}

// format returns the number of migrations that a database has applied. It returns an error when the
// format number and the schema disagree.
func format(ctx context.Context, q querier) (int, error) {
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

// maxFormats is more than the number of formats there will ever be: a higher format number is
// damage.
const maxFormats = 1000

// newer reports whether a format number can belong to a format of a newer memend.
func newer(says int) bool { return says > len(migrations) && says <= maxFormats }

func newerFormat(says int) error {
	return fmt.Errorf("%w: it is of format %d, this memend reads %d; use a newer memend", ErrTrailFormat, says, len(migrations))
}

// migrate creates or verifies the schema. The caller holds the lock, so that two processes don't
// create it at once. migrate copies a trail of an older format before it changes it.
func (t *Trail) migrate(ctx context.Context) error {
	have, err := format(ctx, t.w)
	if err != nil || have == len(migrations) {
		return err
	}
	unlock, err := t.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if have, err = format(ctx, t.w); err != nil || have == len(migrations) {
		return err
	}
	if have > 0 {
		if err := t.copyBeforeMigration(ctx, have); err != nil {
			return err
		}
	}
	tx, err := t.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := migrateTo(ctx, tx, have, len(migrations)); err != nil {
		return err
	}
	if have > 0 && have < 5 {
		if err := t.relateFolders(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// beforeMigration returns the name of the copy of a trail that a migration makes first.
func beforeMigration(format int) string { return fmt.Sprintf("trail.format-%d.db", format) }

// copyBeforeMigration copies the trail, in case the migration turns out to be wrong. It removes the
// copies of earlier migrations, because one is enough.
func (t *Trail) copyBeforeMigration(ctx context.Context, format int) error {
	name := filepath.Join(t.home, beforeMigration(format))
	err := t.removeMigrationCopies()
	if err == nil {
		err = t.snapshot(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("copy the trail to %s before its format changes: %w", name, db.Error(err))
	}
	return nil
}

// removeMigrationCopies removes the copies of migrations from the home.
func (t *Trail) removeMigrationCopies() error {
	names, err := filepath.Glob(filepath.Join(globText.Replace(t.home), "trail.format-*.db"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := removeIfThere(name); err != nil {
			return err
		}
	}
	return nil
}

// globText escapes a path for filepath.Glob.
var globText = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// snapshot writes the trail as it is now to a new file, while other processes may keep writing.
// When it returns without an error, the file is complete and flushed to disk; otherwise it does not
// exist.
func (t *Trail) snapshot(ctx context.Context, to string) (err error) {
	part := to + ".part"
	if err := removeIfThere(part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would choose the mode
	if err != nil {
		return bare(err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := t.w.ExecContext(ctx, `VACUUM INTO ?`, part); err != nil {
		return err
	}
	if err := disk.SyncFile(part); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return bare(err)
	}
	return disk.SyncFolder(filepath.Dir(to))
}

// fence returns an error when a newer memend migrated the trail while this program was running. The
// caller holds the lock.
func (t *Trail) fence(ctx context.Context) error {
	var says int
	if err := t.writer.Row(ctx, `PRAGMA user_version`).Scan(&says); err != nil {
		return err
	}
	if says != len(migrations) {
		return fmt.Errorf("home %s: %w: a newer memend changed it to format %d while this one (format %d) was running; nothing was written", t.home, ErrTrailFormat, says, len(migrations))
	}
	return nil
}

// migrateTo migrates a database from one format to another.
func migrateTo(ctx context.Context, tx *sql.Tx, from, to int) error {
	for _, m := range migrations[from:to] {
		if _, err := tx.ExecContext(ctx, m.steps); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version=%d`, to))
	return err
}
