package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// salvaged is a damaged database, to be read as far as that goes: in a transaction
// that is never committed, and in which its schema is what it should be. Damage
// to the schema so costs nothing of what stands in the tables.
type salvaged struct {
	db     *sql.DB
	conn   *sql.Conn
	format int // its own, or today's where that can't be read
}

// salvage opens the damaged database of a home. The caller closes it. One that a
// newer memtrail wrote is left alone.
func salvage(ctx context.Context, home string) (*salvaged, error) {
	// With a schema that may be written SQLite goes on when it can't read all of it.
	db := openFile(filepath.Join(home, trailFile), "&_pragma=writable_schema(on)", 1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	old := &salvaged{db: db, conn: conn}
	if old.format, err = old.guessFormat(ctx); err != nil {
		old.close()
		return nil, err
	}
	if err := old.mendSchema(ctx); err != nil {
		_, _ = conn.ExecContext(ctx, `ROLLBACK`) // then it is read as it is
	}
	return old, nil
}

func (old *salvaged) close() { _ = errors.Join(old.conn.Close(), old.db.Close()) }

// guessFormat goes by the schema first: no damage makes one out of another.
func (old *salvaged) guessFormat(ctx context.Context) (int, error) {
	says, made, err := formats(ctx, old.conn)
	if err == nil && made > 0 {
		return made, nil
	}
	if err != nil && old.conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&says) != nil {
		says = 0
	}
	switch {
	case newer(says):
		return 0, newerFormat(says)
	case says < 1 || says > len(migrations):
		return len(migrations), nil
	}
	return says, nil
}

// schemaRow is what the schema says of a table or an index, but for where it is.
type schemaRow struct {
	kind, name, table string
	text              sql.NullString
}

// schemaRows reads the schema, in the order in which it was made.
func schemaRows(ctx context.Context, conn *sql.Conn) (ids []int64, out []schemaRow, err error) {
	rows, err := conn.QueryContext(ctx, `SELECT rowid,type,name,tbl_name,sql FROM sqlite_schema WHERE `+ours+` ORDER BY rowid`)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var r schemaRow
		if err := rows.Scan(&id, &r.kind, &r.name, &r.table, &r.text); err != nil {
			return nil, nil, err
		}
		ids, out = append(ids, id), append(out, r)
	}
	return ids, out, rows.Err()
}

// schemaOf is the schema that a format should have.
func schemaOf(ctx context.Context, format int) ([]schemaRow, error) {
	db := openFile(":memory:", "", 1)
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(migrateTo(ctx, tx, 0, format), tx.Commit()); err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	_, want, err := schemaRows(ctx, conn)
	return want, err
}

// mendSchema begins the transaction and puts right what the schema says of each
// table and index. Where those are it leaves as it is: what is wrong with that,
// reading the tables will show.
func (old *salvaged) mendSchema(ctx context.Context) error {
	want, err := schemaOf(ctx, old.format)
	if err != nil {
		return err
	}
	if _, err := old.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	ids, have, err := schemaRows(ctx, old.conn)
	if err != nil {
		return err
	}
	pairs, err := pairRows(have, want)
	if err != nil {
		return err
	}
	for i, should := range pairs {
		if _, err := old.conn.ExecContext(ctx, `UPDATE sqlite_schema SET type=?,name=?,tbl_name=?,sql=? WHERE rowid=?`,
			should.kind, should.name, should.table, should.text, ids[i]); err != nil {
			return err
		}
	}
	_, err = old.conn.ExecContext(ctx, `PRAGMA writable_schema=RESET`)
	return err
}

// pairRows says for each row of the schema that is not as it should be what it
// should be. Rows that are whole find themselves; the others keep their order.
func pairRows(have, want []schemaRow) (map[int]schemaRow, error) {
	missing := slices.DeleteFunc(slices.Clone(want), func(r schemaRow) bool { return slices.Contains(have, r) })
	pairs := map[int]schemaRow{}
	for i, r := range have {
		if slices.Contains(want, r) {
			continue
		}
		if len(pairs) == len(missing) {
			return nil, errors.New("the schema has too many rows")
		}
		pairs[i] = missing[len(pairs)]
	}
	if len(pairs) < len(missing) {
		return nil, errors.New("the schema lacks rows")
	}
	return pairs, nil
}

// copyTables copies every table whole, but for evidence: it is no history, and damage to
// it must not cost any.
func (old *salvaged) copyTables(ctx context.Context, to *sql.Tx) error {
	tables, err := ownTables(ctx, to)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if name == "evidence" {
			continue
		}
		if err := old.copyTable(ctx, to, name); err != nil {
			return err
		}
	}
	return nil
}

// copyTable copies a table by itself, never by way of an index.
func (old *salvaged) copyTable(ctx context.Context, to *sql.Tx, name string) error {
	columns, err := columnsOf(ctx, to, name)
	if err != nil {
		return err
	}
	var wanted []string
	for _, c := range columns {
		wanted = append(wanted, c.mended())
	}
	rows, err := old.conn.QueryContext(ctx, `SELECT `+strings.Join(wanted, ",")+` FROM `+name+` NOT INDEXED`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	put, err := to.PrepareContext(ctx, fmt.Sprintf(`INSERT INTO %s VALUES(?%s)`, name, strings.Repeat(",?", len(columns)-1)))
	if err != nil {
		return err
	}
	defer func() { _ = put.Close() }()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range into {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range values { // what is empty comes as nil, and is not NULL
			if b, ok := v.([]byte); ok && b == nil {
				values[i] = []byte{}
			}
		}
		if _, err := put.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// keepStores copies the stores, as far as those can be read.
func (old *salvaged) keepStores(ctx context.Context, to *sql.Tx) error {
	columns := storeColumns
	if old.format < 5 {
		columns = strings.NewReplacer("home,", "'',").Replace(columns)
	}
	if old.format < 4 {
		columns = strings.NewReplacer("title,", "'',", "upstream,", "'',").Replace(columns)
	}
	if old.format < 2 {
		columns = strings.NewReplacer(limitColumns, "NULL,NULL,NULL").Replace(columns)
	}
	rows, err := old.conn.QueryContext(ctx, `SELECT `+columns+` FROM store NOT INDEXED ORDER BY id`)
	if err != nil {
		return nil // then there is nothing to keep
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		info, id, err := scanStoreRow(rows)
		if err != nil {
			return nil
		}
		if _, err := to.ExecContext(ctx, `INSERT INTO store(id,uid,name,description,folder,created,updated,used,archived) VALUES(?,?,?,?,?,?,?,?,?)`,
			id, parseUID(storePrefix, string(info.ID)), info.Name, info.Description, info.Folder,
			info.Created.UnixMicro(), info.Created.UnixMicro(), info.LastUsed.UnixMicro(), archivedAt(info)); err != nil {
			return err
		}
		if info.home != "" {
			if _, err := to.ExecContext(ctx, `UPDATE store SET home=? WHERE id=?`, info.home, id); err != nil {
				return err
			}
		}
		if info.Title == "" && info.Upstream == (Remote{}) {
			continue
		}
		upstream, err := info.Upstream.text()
		if err != nil {
			return err
		}
		if _, err := to.ExecContext(ctx, `UPDATE store SET title=?, upstream=? WHERE id=?`, info.Title, upstream, id); err != nil {
			return err
		}
	}
	return nil
}
