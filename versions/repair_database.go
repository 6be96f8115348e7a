package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The names of a trail's files.
const (
	trailFile    = "trail.db"
	repairedFile = "trail.repaired" // whole, and about to take the place of trail.db
	rebuiltFile  = "trail.rebuilt"  // being written
)

// database sees to it that the database can be read as a whole.
func (r *Repaired) database(ctx context.Context, home string) error {
	if _, err := os.Stat(home); err != nil {
		return bare(err)
	}
	lock, err := openLock(filepath.Join(home, "trail.lock"))
	if err != nil {
		return bare(err)
	}
	defer func() { _ = lock.close() }()
	unlock, err := lock.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := finishRepair(home); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(home, trailFile)); errors.Is(err, os.ErrNotExist) {
		r.Lost = true
		return nil
	}
	if sound(ctx, home) {
		return nil
	}
	if err := r.rebuild(ctx, home); err != nil {
		return err
	}
	if r.Aside, err = putAside(home); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(home, rebuiltFile), filepath.Join(home, repairedFile)); err != nil {
		return bare(err)
	}
	return finishRepair(home)
}

// sound reports whether SQLite finds nothing wrong with the database.
func sound(ctx context.Context, home string) bool {
	db := openDB(home, "", 1)
	defer func() { _ = db.Close() }()
	var said string
	err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&said)
	return err == nil && said == "ok"
}

// rebuild writes all that can be read of the database to another one: whole
// tables, for a part of the past would pass for all of it. Where that fails only
// the stores themselves are kept.
func (r *Repaired) rebuild(ctx context.Context, home string) error {
	to := filepath.Join(home, rebuiltFile)
	if err := removeIfThere(to); err != nil {
		return err
	}
	if err := copyTables(ctx, home); err == nil && consistent(ctx, home) {
		r.Rebuilt = true
		return syncFile(to)
	}
	r.Lost = true
	if err := removeIfThere(to); err != nil {
		return err
	}
	if err := keepStores(ctx, home); err != nil {
		return err
	}
	return syncFile(to)
}

// copyTables copies every table by itself, never by way of an index.
func copyTables(ctx context.Context, home string) error {
	db, err := startAnew(ctx, home)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, `ATTACH ? AS old`, filepath.Join(home, trailFile)); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return err
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return errors.Join(err, rows.Close())
		}
		tables = append(tables, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, name := range tables { // without the condition SQLite would copy the indexes too
		if _, err := db.ExecContext(ctx, `INSERT INTO main.`+name+` SELECT * FROM old.`+name+` NOT INDEXED WHERE 1`); err != nil {
			return err
		}
	}
	return nil
}

// startAnew makes an empty database of the damaged one's format, or of today's
// where that can't be read.
func startAnew(ctx context.Context, home string) (*sql.DB, error) {
	have := len(migrations)
	old := openDB(home, "", 1)
	var says int
	if err := old.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&says); err == nil && says > 0 {
		have = says
	}
	if err := old.Close(); err != nil {
		return nil, err
	}
	if have > len(migrations) {
		return nil, fmt.Errorf("%w: it is of format %d, this memtrail reads %d; use a newer memtrail", ErrTrailFormat, have, len(migrations))
	}
	db := openFile(filepath.Join(home, rebuiltFile), "&_pragma=page_size(8192)&_journal_mode=delete", 1)
	for _, step := range append(slices.Clone(migrations[:have]), fmt.Sprintf(`PRAGMA user_version=%d`, have)) {
		if _, err := db.ExecContext(ctx, step); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// consistent reports whether the rebuilt database refers to nothing that it lacks.
func consistent(ctx context.Context, home string) bool {
	db := openFile(filepath.Join(home, rebuiltFile), "", 1)
	defer func() { _ = db.Close() }()
	var said string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&said); err != nil || said != "ok" {
		return false
	}
	rows, err := db.QueryContext(ctx, `PRAGMA foreign_key_check`)
	if err != nil {
		return false
	}
	defer func() { _ = rows.Close() }()
	return !rows.Next() && rows.Err() == nil
}

// keepStores makes a new database with the stores of the damaged one, as far as
// those can be read.
func keepStores(ctx context.Context, home string) error {
	old := openDB(home, "", 1)
	defer func() { _ = old.Close() }()
	fresh, err := startAnew(ctx, home)
	if err != nil {
		return err
	}
	defer func() { _ = fresh.Close() }()
	rows, err := old.QueryContext(ctx, `SELECT `+storeColumns+` FROM store NOT INDEXED ORDER BY id`)
	if err != nil {
		return nil // then there is nothing to keep
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		info, id, err := scanStore(rows)
		if err != nil {
			return nil
		}
		if _, err := fresh.ExecContext(ctx, `INSERT INTO store(id,uid,name,description,folder,created,updated,used,archived) VALUES(?,?,?,?,?,?,?,?,?)`,
			id, parseUID(storePrefix, string(info.ID)), info.Name, info.Description, info.Folder,
			info.Created.UnixMicro(), info.Created.UnixMicro(), info.LastUsed.UnixMicro(), archivedAt(info)); err != nil {
			return err
		}
	}
	return nil
}

// putAside gives the damaged database another name as well. Its log goes along:
// SQLite knows it by the database's name.
func putAside(home string) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(home, fmt.Sprintf("trail.damaged-%d.db", n))
		err := os.Link(filepath.Join(home, trailFile), name)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", bare(err)
		}
		if err := os.Link(filepath.Join(home, trailFile+"-wal"), name+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", bare(err)
		}
		return name, nil
	}
}

// finishRepair puts a repaired database in its place. The log of the one before
// goes first: SQLite would take it for the new one's. A process that dies between
// leaves the repaired one to the next that opens the home.
func finishRepair(home string) error {
	repaired := filepath.Join(home, repairedFile)
	if _, err := os.Lstat(repaired); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := removeIfThere(filepath.Join(home, trailFile+end)); err != nil {
			return err
		}
	}
	if err := os.Rename(repaired, filepath.Join(home, trailFile)); err != nil {
		return bare(err)
	}
	return syncFile(home)
}

// takeRepaired finishes what a repair that died left.
func (t *Trail) takeRepaired(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(t.home, repairedFile)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := t.lock.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return finishRepair(t.home)
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return bare(err)
	}
	return nil
}

// syncFile makes a file or a folder durable.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return bare(err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// openFile opens a database that is nobody's trail yet.
func openFile(name, extra string, conns int) *sql.DB {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(name)+"?_pragma=busy_timeout(10000)"+extra)
	if err != nil {
		panic(err) // only for an unknown driver or a malformed DSN of ours
	}
	db.SetMaxOpenConns(conns)
	return db
}
