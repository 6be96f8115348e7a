package engine_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"
)

// faulty decides on each SQL statement, and after each that ended a transaction, whether
// it fails.
type faulty func(step string) error

// faultyDriver registers an SQL driver whose statements fail as fail decides, and gives
// its name.
func faultyDriver(fail faulty) string {
	name := fmt.Sprintf("sqlite-faulty-%d", faultyDrivers.Add(1))
	sql.Register(name, faultySQLite{&sqlite.Driver{}, fail})
	return name
}

var faultyDrivers atomic.Int64

func (fail faulty) sql(text string) error {
	return fail("sql " + strings.Join(strings.Fields(text), " "))
}

// ends reports whether a statement ends a transaction. A rollback can fail, but
// not so that the transaction goes on; a commit can fail after all was written.
func ends(text string) bool { return text == "COMMIT" || text == "ROLLBACK" }

type faultySQLite struct {
	driver.Driver
	faulty
}

func (d faultySQLite) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return faultyConn{c.(sqliteConn), d.faulty}, nil
}

// sqliteConn and sqliteStmt are what database/sql makes use of.
type sqliteConn interface {
	sqlite.HookRegisterer
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

type faultyConn struct {
	sqliteConn
	faulty
}

func (c faultyConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return faultyStmt{s.(sqliteStmt), text, c.faulty}, nil
}

func (c faultyConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.sql(text); err != nil {
		return nil, err
	}
	return c.sqliteConn.ExecContext(ctx, text, args)
}

func (c faultyConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.sql(text); err != nil {
		return nil, err
	}
	return c.sqliteConn.QueryContext(ctx, text, args)
}

type faultyStmt struct {
	sqliteStmt
	text string
	faulty
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if s.text != "ROLLBACK" {
		if err := s.sql(s.text); err != nil {
			return nil, err
		}
	}
	r, err := s.sqliteStmt.ExecContext(ctx, args)
	if err == nil && ends(s.text) {
		err = s.sql(s.text + " done")
	}
	return r, err
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.sql(s.text); err != nil {
		return nil, err
	}
	return s.sqliteStmt.QueryContext(ctx, args)
}
