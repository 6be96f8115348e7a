package db

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memend/memend/versions"
)

// Migration is one step from a format to the next.
type Migration struct {
	Steps string // SQL statements
	Sum   string // the checksum of the schema after the step, as SchemaSum returns it; no two are equal
	Whole string // statements that make the whole schema after the step in an empty database; may be missing
}

// Schema is the list of the migrations that lead from an empty database to the current tables. A
// database stores how many of them it has applied: its format.
type Schema []Migration

// A database states its format twice: by a number, and by its schema, which is text in the same file.
// One damaged bit there renames a column or drops a constraint, and SQLite itself does not notice.
// Both are therefore compared with the migrations whenever a database is opened, checked or repaired.
//
// It compares a checksum of the schema's text first, because that is fast. SQLite writes part of
// that text itself (for ALTER TABLE), and another release may word it differently, so a schema with
// an unknown checksum is compared by its structure.

// ours is the SQL condition that selects the schema rows that memend creates. It leaves out
// SQLite's own statistics and the tables of programs that replicate databases.
const ours = `tbl_name NOT GLOB 'sqlite_stat*' AND tbl_name NOT GLOB '[_]*'`

// Migrate migrates a database from one format to another.
func (s Schema) Migrate(x *Tx, from, to int) error {
	steps := s[from:to]
	if from == 0 && steps[len(steps)-1].Whole != "" {
		steps = Schema{{Steps: steps[len(steps)-1].Whole}}
	}
	for _, m := range steps {
		if err := x.script(m.Steps); err != nil {
			return err
		}
	}
	return x.script(fmt.Sprintf(`PRAGMA user_version=%d`, to))
}

// Format returns the format of a database, 0 if it has no tables. It returns an error if the format
// number and the schema disagree, or if a newer memend wrote the database.
func (s Schema) Format(q Queryer) (int, error) {
	stated, actual, err := s.formats(q)
	switch {
	case err != nil:
		return 0, err
	case stated == actual:
		return stated, nil
	case actual < 0 && s.newer(stated):
		return 0, s.newerFormat(stated)
	case actual < 0:
		return 0, fmt.Errorf("%w: its tables are not those of format %d", versions.ErrDamaged, stated)
	}
	return 0, fmt.Errorf("%w: it says that it is of format %d and has the tables of format %d", versions.ErrDamaged, stated, actual)
}

// maxFormats is more than the number of formats there will ever be: a higher format number is
// damage.
const maxFormats = 1000

// newer reports whether a format number can belong to a format of a newer memend.
func (s Schema) newer(stated int) bool { return stated > len(s) && stated <= maxFormats }

func (s Schema) newerFormat(stated int) error {
	return fmt.Errorf("%w: it is of format %d, this memend reads %d; use a newer memend", versions.ErrTrailFormat, stated, len(s))
}

// formats returns the format that a database states and the format that its schema has.
func (s Schema) formats(q Queryer) (stated, actual int, err error) {
	stated, sum, err := SchemaSum(q)
	if err != nil || sum == "" {
		return stated, 0, err
	}
	for i, m := range s {
		if m.Sum == sum {
			return stated, i + 1, nil
		}
	}
	return stated, s.formatByStructure(q), nil
}

// SchemaSum returns the format number of a database and the checksum of its schema, which is empty
// when there is no schema yet. It reads both in one statement, because another process may be
// migrating the database.
func SchemaSum(q Queryer) (stated int, sum string, err error) {
	var schema string
	err = q.Row(`SELECT (SELECT user_version FROM pragma_user_version),
		coalesce(group_concat(quote(type)||quote(name)||quote(tbl_name)||quote(sql), char(10) ORDER BY type, name), '') FROM sqlite_schema WHERE `+ours).Scan(&stated, &schema)
	if err != nil || schema == "" {
		return stated, "", notAnswered(err)
	}
	h := sha256.Sum256([]byte(schema))
	return stated, hex.EncodeToString(h[:8]), nil
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
func (s Schema) formatByStructure(q Queryer) int {
	have, err := structureOf(q)
	if err != nil {
		return -1
	}
	handle := OpenFile(":memory:", "")
	defer func() { _ = handle.Close() }()
	for i, m := range s {
		var want string
		if _, err := handle.Exec(m.Steps); err != nil {
			return -1
		}
		if handle.QueryRow(structureQuery).Scan(&want) == nil && want == have {
			return i + 1
		}
	}
	return -1
}

// structureOf recreates the schema of a database in memory and reads its structure from there. The
// database's own connection may still cache an earlier schema.
func structureOf(q Queryer) (structure string, err error) {
	handle := OpenFile(":memory:", "")
	defer func() { _ = handle.Close() }()
	if err := copySchema(handle, q); err != nil {
		return "", err
	}
	return structure, handle.QueryRow(structureQuery).Scan(&structure)
}

// copySchema creates in handle the schema that another database states.
func copySchema(handle *sql.DB, q Queryer) error {
	var says [5]string
	rows := q.Rows(`SELECT type,name,tbl_name,sql,typeof(sql) FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND ` + ours + ` ORDER BY rowid`)
	for range rows.Each(&says[0], &says[1], &says[2], &says[3], &says[4]) {
		if says[4] != "text" || strings.Contains(says[3], ";") { // one statement creates one table or index
			return fmt.Errorf("%w: the schema of %s", versions.ErrDamaged, says[1])
		}
		if _, err := handle.Exec(says[3]); err != nil {
			return err
		}
		var made bool
		err := handle.QueryRow(`SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE type=? AND name=? AND tbl_name=?)`, says[0], says[1], says[2]).Scan(&made)
		if err != nil || !made {
			return errors.Join(err, fmt.Errorf("%w: the schema of %s", versions.ErrDamaged, says[1]))
		}
	}
	return rows.Err()
}

// notAnswered returns the error for a database that fails a query that every valid database
// answers.
func notAnswered(err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) && se.Code() == sqlite3.SQLITE_ERROR {
		return fmt.Errorf("%w: %v", versions.ErrDamaged, err)
	}
	return Error(err)
}
