package versions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

// sqlFault is asked before each SQL statement, and after each that ended a
// transaction.
var sqlFault atomic.Pointer[func(step string) error]

func init() { sql.Register("sqlite-faulty", faultyDriver{&sqlite.Driver{}}) }

// withFaultySQL has fail decide on each statement, for the length of the test.
func withFaultySQL(t *testing.T, fail func(step string) error) {
	was := driverName
	driverName = "sqlite-faulty"
	sqlFault.Store(&fail)
	t.Cleanup(func() { driverName = was; sqlFault.Store(nil) })
}

func failSQL(text string) error {
	if f := sqlFault.Load(); f != nil {
		return (*f)("sql " + strings.Join(strings.Fields(text), " "))
	}
	return nil
}

// ends reports whether a statement ends a transaction. A rollback can fail, but
// not so that the transaction goes on; a commit can fail after all was written.
func ends(text string) bool { return text == "COMMIT" || text == "ROLLBACK" }

type faultyDriver struct{ driver.Driver }

func (d faultyDriver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return faultyConn{c.(sqliteConn)}, nil
}

// sqliteConn and sqliteStmt are what database/sql makes use of.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type faultyConn struct{ sqliteConn }

func (c faultyConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return faultyStmt{s.(sqliteStmt), text}, nil
}

func (c faultyConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := failSQL(text); err != nil {
		return nil, err
	}
	return c.sqliteConn.ExecContext(ctx, text, args)
}

func (c faultyConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if err := failSQL(text); err != nil {
		return nil, err
	}
	return c.sqliteConn.QueryContext(ctx, text, args)
}

type faultyStmt struct {
	sqliteStmt
	text string
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if s.text != "ROLLBACK" {
		if err := failSQL(s.text); err != nil {
			return nil, err
		}
	}
	r, err := s.sqliteStmt.ExecContext(ctx, args)
	if err == nil && ends(s.text) {
		err = failSQL(s.text + " done")
	}
	return r, err
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := failSQL(s.text); err != nil {
		return nil, err
	}
	return s.sqliteStmt.QueryContext(ctx, args)
}
