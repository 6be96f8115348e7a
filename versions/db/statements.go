package db

import (
	"context"
	"database/sql"
	"errors"
)

// statements are a connection and the statements that are prepared on it, for one goroutine at a time. Preparing
// takes SQLite longer than running most of our statements, so each text is prepared once.
type statements struct {
	*sql.Conn
	byText map[string]*statement
}

// statement is a prepared statement. It can't be run again while its rows are read.
type statement struct {
	*sql.Stmt
	running bool
}

// maxPrepared bounds what a connection keeps: some texts depend on what is asked for.
const maxPrepared = 200

func newStatements(conn *sql.Conn) *statements {
	return &statements{Conn: conn, byText: map[string]*statement{}}
}

// use returns the prepared statement of a text, or one for this time only if that is running. The caller
// gives it back with done.
func (c *statements) use(ctx context.Context, text string) (*statement, error) {
	known := c.byText[text]
	if known != nil && !known.running {
		known.running = true
		return known, nil
	}
	stmt, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, Error(err)
	}
	s := &statement{stmt, true}
	if known == nil {
		c.makeRoom()
		c.byText[text] = s
	}
	return s, nil
}

// done gives a statement back.
func (c *statements) done(text string, s *statement) {
	s.running = false
	if c.byText[text] != s {
		_ = s.Close()
	}
}

// makeRoom forgets any statement when there are too many.
func (c *statements) makeRoom() {
	for text, s := range c.byText {
		if len(c.byText) < maxPrepared {
			return
		}
		delete(c.byText, text)
		if !s.running { // else done closes it
			_ = s.Close()
		}
	}
}

// Close gives up the connection: its statements first, or it stays open.
func (c *statements) Close() error {
	var errs []error
	for _, s := range c.byText {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// exec runs a statement.
func (c *statements) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	s, err := c.use(ctx, text)
	if err != nil {
		return nil, err
	}
	defer c.done(text, s)
	r, err := s.ExecContext(ctx, args...)
	return r, Error(err)
}

// row is the first row of an answer. The statement runs when it is scanned.
func (c *statements) row(ctx context.Context, text string, args []any) Row {
	return Row{func(dest ...any) error {
		s, err := c.use(ctx, text)
		if err != nil {
			return err
		}
		defer c.done(text, s)
		return s.QueryRowContext(ctx, args...).Scan(dest...)
	}}
}

// rows are all rows of an answer. The statement runs when they are read.
func (c *statements) rows(ctx context.Context, text string, args []any) *Rows {
	return &Rows{run: func(read func(*sql.Rows, error) error) error {
		s, err := c.use(ctx, text)
		if err != nil {
			return err
		}
		defer c.done(text, s)
		return read(s.QueryContext(ctx, args...))
	}}
}
