package db

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Error words an error of SQLite: what the disk refused has the errors of memfs. A value
// of another kind than its column is damage, too: nobody wrote it.
func Error(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "sql: Scan error on column") { // it has no type
		if errors.Is(err, versions.ErrDamaged) { // a scanner of ours says it
			return errors.Unwrap(err)
		}
		return fmt.Errorf("%w: %v", versions.ErrDamaged, err)
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	if se.Code() == sqlite3.SQLITE_IOERR_SHORT_READ { // the file ends before the database does
		return fmt.Errorf("%w: %v", versions.ErrDamaged, err)
	}
	if full(se) {
		return fmt.Errorf("%w (trail)", memfs.ErrNoSpace)
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w (trail)", memfs.ErrNoPermission)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %v", versions.ErrDamaged, err)
	}
	return err
}

// full reports whether SQLite says that the disk is full. What the log's index can't be
// given room for it words as an I/O error.
func full(err *sqlite.Error) bool {
	return err.Code()&0xff == sqlite3.SQLITE_FULL || err.Code() == sqlite3.SQLITE_IOERR_SHMSIZE
}
